// Who is asking, on each road to the passages of a knowledge base: a node of version 1.1 says what its form says, and never more.
import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';
import { told } from './host/host.cts';
import { byId, credentialOf, run, sandboxFor } from './host/run.cts';
import { useSubNode } from './host/subNode.cts';
import { useTools } from './host/tool.cts';
import { callers, type CallerName } from './host/toolkit.cts';

// Its fourth knowledge base has a document for all, one for two groups, and one for others.
const sandbox = sandboxFor({ customers: 1 });

const knowledgeBaseId = byId('akb-4');
const question = 'Who approves expenses, salaries, bands and refunds of the finance team?';
const settings = { typeVersion: 1.1 };

/** Asks by a form, for items. Gives back what was found, or the error. */
type Road = (form: object, items: IDataObject[]) => Promise<string>;

interface Retriever {
	invoke(query: string): Promise<unknown>;
}

const byCaller =
	(caller: CallerName, given: object = {}): Road =>
	async (form, items) => {
		const tool = 'search_knowledge_base';
		const args = { knowledge_base_id: 'akb-4', question, passages: 10, ...given };
		const offer = { offer: 'chosen', operations: [tool], ...form };
		const credential = credentialOf(sandbox());
		const answers = await callers[caller](offer, [[[tool, args]]], { credential, items, settings });
		return answers.join();
	};

const nodes: Record<string, Road> = {
	'an action node': async (form, items) => {
		const parameters = { knowledgeBaseId, query: question, ...form };
		const operation = 'knowledgeBase.search';
		const ran = await run(sandbox(), 'platformAiGateway', operation, parameters, {
			items,
			settings,
		});
		return ran.error ? told(ran.error) : JSON.stringify(ran.items.map(({ json }) => json));
	},
	'Platform Knowledge Base Tool': async (form, items) => {
		let answer = '';
		const parameters = { knowledgeBaseId, passages: 10, ...form } as never;
		await useTools(
			[{ node: 'platformKnowledgeBaseTool', parameters, settings }],
			credentialOf(sandbox()),
			async ({ Tool_1: tool }) => {
				answer = await tool.invoke({ question });
			},
			{ items },
		);
		return answer;
	},
	'Platform Knowledge Base Retriever': async (form, items) => {
		let found: unknown;
		const { error } = await useSubNode<Retriever>({
			node: 'platformKnowledgeBaseRetriever',
			type: NodeConnectionTypes.AiRetriever,
			parameters: { knowledgeBaseId, passages: 10, ...form } as never,
			credential: credentialOf(sandbox()),
			items,
			...settings,
			use: async ({ invoke }) => {
				found = await invoke(question);
			},
		});
		return error ? `${error.message} ${error.description}` : JSON.stringify(found);
	},
};

const roads: Array<[name: string, road: Road]> = [
	...Object.entries(nodes),
	...(Object.keys(callers) as CallerName[]).map((each): [string, Road] => [
		`Platform Tools, for ${each}`,
		byCaller(each),
	]),
];

/** For whom the service was asked. */
const asked = () =>
	sandbox().requests.map(({ body }) => (body as { principals?: unknown }).principals);

const of = (accessPrincipals: unknown) => ({ access: 'principals', accessPrincipals });

const ofUser = of('={{ $json.user }}');

describe.each(roads)('%s', (name, road) => {
	const isCalledAlone = /MCP|own Agents/.test(name);

	test.each<[form: object, principals: unknown]>([
		[{}, []],
		[{ access: 'all' }, undefined],
		// An option of older nodes.
		[{ options: { principals: 'group:people' } }, []],
		[of('group:people, user:ada'), ['group:people', 'user:ada']],
		[of('["Lovelace, Ada"]'), ['Lovelace, Ada']],
		[of('={{ [7, "user:ada"] }}'), [7, 'user:ada']],
		[of('={{ [{ type: "group", id: 7 }] }}'), [{ type: 'group', id: 7 }]],
	])('%j asks for %j', async (form, principals) => {
		await road(form, [{}]);
		expect(asked()).toEqual([principals]);
	});

	test.each([
		of('={{ $json.nobody }}'),
		of('={{ [] }}'),
		of('={{ [$json.nobody] }}'),
		of(' '),
		{ access: '' },
		{ access: 'Public Only' },
		{ access: '={{ $json.nobody }}' },
	])('%j asks nothing', async (form) => {
		const answer = await road(form, [{}]).catch(String);
		expect(answer).toMatch(/\b(access|principals)\b/i);
		// A model can't mend the form.
		if (name.includes('Platform Tools') && 'access' in form && form.access !== 'principals') {
			expect(answer).toMatch(/"Access of Platform Tools" .*tell the user/);
		}
		expect(asked()).toEqual([]);
	});

	test('the user of a conversation is asked for, if there is a conversation', async () => {
		const answer = await road(ofUser, [{ user: 'group:people' }]);
		expect(asked()).toEqual(isCalledAlone ? [] : [['group:people']]);
		expect(answer).toContain(isCalledAlone ? 'must name who is asking' : 'Salary bands');
	});
});

test('what is public is found by default, and more by those who may see it', async () => {
	const road = nodes['Platform Knowledge Base Tool'];
	const found = async (form: object) =>
		[...(await road(form, [{}])).matchAll(/Source: (.*?)(?=\\n|")/g)].map(([, name]) => name);
	const [open, people, all] = [
		await found({}),
		await found(of('group:people')),
		await found({ access: 'all' }),
	];
	const isPublic = ({ metadata }: { metadata: { acl?: unknown } }) =>
		[metadata.acl ?? []].flat().length === 0;
	const { rows } = sandbox().state.aiDocuments.documents;
	const names = rows.filter(isPublic as never).map(({ name }) => name);
	expect(open.length).toBeGreaterThan(0);
	expect(open.filter((name) => !names.includes(name))).toEqual([]);
	expect(people.length).toBeGreaterThan(open.length);
	expect(all.length).toBeGreaterThan(people.length);
});

describe('several items, each with its user', () => {
	const items = ['group:people', 'group:finance'].map((user) => ({ user }));

	test('an action node searches for each', async () => {
		await nodes['an action node'](ofUser, items);
		expect(asked().sort()).toEqual([['group:finance'], ['group:people']]);
	});

	// They read their fields for the first item.
	test.each(roads.filter(([name]) => /Tool$|Retriever|agent itself/.test(name)))(
		'%s asks for nobody',
		async (_name, road) => {
			expect(await road(ofUser, items)).toContain('must be the same for all input items');
			expect(asked()).toEqual([]);
		},
	);
});

describe.each(Object.keys(callers) as CallerName[])('%s', (caller) => {
	test.each(['principals', 'access', 'access_principals', 'accessPrincipals'])(
		'a model can not say for whom it asks, by %s',
		async (name) => {
			const says = `"${name}" is no argument of search_knowledge_base. There are: (?!.*principals)`;
			expect(await byCaller(caller, { [name]: 'all' })({}, [{}])).toMatch(new RegExp(says));
			expect(asked()).toEqual([]);
		},
	);
});

test("a model can not write over the user in the item of n8n's engine", async () => {
	const road = byCaller("n8n's engine", { user: 'group:finance' });
	expect(await road(ofUser, [{ user: 'group:people' }])).toContain('"user"');
	expect(asked()).toEqual([]);
});
