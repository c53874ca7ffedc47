// Action nodes as tools of an agent: what a model leaves empty, fields that differ between its items, and what it reads
// of an answer: how many tokens, and of a list how many rows are left.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { hasLimit } from '../../dist/nodes/engine/node/description.js';
import { onlyReads } from '../table/api.cts';
import { existingForm, keyOf } from '../table/existing.cts';
import { shapeOf, table, type TableEntry } from '../table/operations.cts';
import { tokensOfText } from '../../tools/tokens.cts';
import { runNode } from './host/host.cts';
import { listServiceFor } from './host/listService.cts';
import { byId, credentialOf, sandboxFor } from './host/run.cts';
import { runTools, useTools, type EngineResult, type ToolNode } from './host/tool.cts';

const sandbox = sandboxFor({ customers: 250 });
const small = sandboxFor({ customers: 3 });
const service = listServiceFor();

const kindOf = ({ operation }: TableEntry) => shapeOf(operation).kind;
const reads = table.filter(
	(entry) => onlyReads(entry.operation.endpoint.route) && kindOf(entry) !== 'binary',
);
const lists = reads.filter(({ operation }) => hasLimit(operation));

/** An operation as a tool whose form has nothing but what it must have, of what is in the sandbox. */
const toolOf = (entry: TableEntry) => ({
	node: entry.node,
	parameters: {
		...existingForm(sandbox(), entry),
		resource: entry.resource.value,
		operation: entry.operation.value,
	} as INodeParameters,
});

/** What tools answer to a model. */
async function answersOf(
	tools: ToolNode[],
	api: Parameters<typeof credentialOf>[0] = sandbox(),
): Promise<string[]> {
	const answers: string[] = [];
	await useTools(tools, credentialOf(api), async (found) => {
		for (const number of tools.keys()) {
			answers.push(await found[`Tool_${number + 1}`].invoke({}));
		}
	});
	return answers;
}

const MAY_HAVE_MORE = /^There may be more that are not shown\./;

const cutBy = (rows: number) => new RegExp(`^${rows} more are not shown\\.`);

test('a list gives ten rows, and says how many are left', async () => {
	const tools = lists.map(toolOf);
	const answers = await answersOf(tools);
	let cut = 0;
	for (const [index, { title, operation }] of lists.entries()) {
		const { node, parameters } = tools[index];
		// A list by tokens never says how many rows it has.
		const { endpoint } = operation;
		const isByTokens = endpoint.kind === 'list' && endpoint.paging === 'tokens';
		const all = { ...parameters, returnAll: true };
		const { items } = await runNode({ node, parameters: all, credential: credentialOf(sandbox()) });
		const rows = JSON.parse(answers[index]) as Array<{ note?: string }>;
		const notes = rows.flatMap(({ note }) => note ?? []);
		const left = items.length - 10;
		if (left > 0) cut++;
		expect({ title, rows: rows.length - notes.length, notes }).toEqual({
			title,
			rows: Math.min(10, items.length),
			notes: left > 0 ? [expect.stringMatching(isByTokens ? MAY_HAVE_MORE : cutBy(left))] : [],
		});
	}
	expect(cut).toBeGreaterThan(8);
});

test('the note beside a list of texts has no name of theirs', async () => {
	const form = { resource: 'currency', operation: 'getAll', limit: 1 };
	const [answer] = await answersOf([{ node: 'platformCompany', parameters: form }]);
	const note = expect.stringMatching(/^\d+ more are not shown\./) as unknown;
	expect(JSON.parse(answer)).toEqual([{ currency: expect.any(String) as unknown }, { note }]);
});

describe('a list of another service', () => {
	const rows = Array.from({ length: 30 }, (_row, n) => ({
		id: `${n}`,
		tags: [n < 25 ? 'a' : 'b'],
	}));

	async function notes(parameters: INodeParameters, envelope: object): Promise<unknown[]> {
		service().serve((page, size = 50) => ({
			body: { ...envelope, elements: rows.slice((page - 1) * size, page * size) },
		}));
		const form = { resource: 'customer', operation: 'getAll', ...parameters };
		const [answer] = await answersOf([{ node: 'platformCustomers', parameters: form }], service());
		return (JSON.parse(answer) as Array<{ note?: string }>).flatMap(({ note }) => note ?? []);
	}

	test.each([
		['announces its length', {}, { count: 30 }, [/^20 more are not shown\./]],
		['is skipped into', { options: { skip: 15 } }, { count: 30 }, [/^5 more are not shown\./]],
		['announces pages alone', {}, { pages: { max: 3 } }, [/^There may be more/]],
		['announces nothing', {}, {}, [/^There may be more/]],
		['announces nothing, and ends', { limit: 40 }, {}, []],
		[
			'is filtered, with more',
			{ filters: { tag: 'a' } },
			{ count: 30 },
			[/^15 more are not shown\./],
		],
		['is filtered, with no more', { filters: { tag: 'b' } }, { count: 30 }, []],
	])('that %s', async (_what, parameters, envelope, expected) => {
		expect(await notes(parameters, envelope)).toEqual(
			expected.map((each) => expect.stringMatching(each)),
		);
	});
});

test('answers are as small as docs/contributing/builders.md says', async () => {
	const page = readFileSync(join(__dirname, '../../docs/contributing/builders.md'), 'utf8');
	const [, record, list] =
		/A record takes up to (\d+)\s+tokens,\s+a\s+list\s+up\s+to (\d+)/.exec(page) ?? [];
	const answers = await answersOf(reads.map(toolOf));
	const sizes = reads.map((entry, index) => ({
		key: keyOf(entry),
		most: Number(kindOf(entry) === 'one' ? record : list),
		tokens: tokensOfText(answers[index]),
	}));
	const larger = sizes.filter(({ tokens, most }) => !(tokens <= most)).map(({ key }) => key);
	expect(larger).toEqual([
		'platformAiGateway.knowledgeBase.getEvaluations',
		'platformCompany.service.checkAccess',
		'platformDns.lookup.run',
		'platformDns.lookup.runWithResolvers',
		'platformPartners.payout.getReport',
	]);
});

const sent = () => small().requests.map(({ method, path }) => `${method} ${path}`);
const bodies = () => small().requests.flatMap(({ body }) => (body ? [body] : []));

const node = 'platformCustomers';

/** Calls a tool once for each of some arguments. */
type Calls = (
	parameters: INodeParameters,
	args: object[],
	items?: object[],
) => Promise<EngineResult[]>;

/** Both ways by which n8n's agents call a tool. */
const ways: Record<string, Calls> = {
	'an agent that calls it itself': async (parameters, args, items = [{}]) => {
		const results: EngineResult[] = [];
		const use = async ({ Tool_1: tool }: Parameters<Parameters<typeof useTools>[2]>[0]) => {
			for (const each of args) {
				const text = await tool.invoke(each as Record<string, unknown>);
				// LangChain swallows what a tool throws, so an error is a result.
				const rows = JSON.parse(text) as Array<Record<string, never>>;
				results.push(rows[0]?.error ?? rows);
			}
		};
		const of = { items: items as never };
		await useTools([{ node, parameters }], credentialOf(small()), use, of);
		return results;
	},
	"n8n's engine, for AI Agent 3": async (parameters, args, items = [{}]) => {
		const calls = args.map((input, itemIndex) => ({
			node: 'Tool 1',
			input: input as never,
			itemIndex: Math.min(itemIndex, items.length - 1),
		}));
		const of = { items: items as never };
		const tools = [{ node, parameters }];
		return (await runTools(tools, credentialOf(small()), [calls], of))[0];
	},
};

const fromModel = (name: string, type = 'string') =>
	`={{ $fromAI('${name}', 'What to set', '${type}') }}`;

describe.each(Object.entries(ways))('called by %s', (way, call) => {
	const isEngine = way.startsWith('n8n');

	const update = {
		resource: 'customer',
		operation: 'update',
		customerId: byId(fromModel('id')),
		updateFields: {
			companyName: fromModel('company'),
			firstName: fromModel('first'),
			tags: fromModel('tags'),
		},
	};

	test('empty means not given in an update', async () => {
		const args = { id: 'cus-100001', company: '', first: 'Ada', tags: '' };
		const [result] = await call(update, [args]);
		expect(result).toMatchObject([{ id: 'cus-100001' }]);
		expect(bodies()).toEqual([{ customer: { first_name: 'Ada' } }]);
	});

	test('an update with only empty fields is refused', async () => {
		const [result] = await call(update, [{ id: 'cus-100001', company: '', first: ' ', tags: '' }]);
		expect(result).toMatch(/"Update Fields" is empty: add at least one field to update/);
		expect(bodies()).toEqual([]);
	});

	test('null clears', async () => {
		const parameters = {
			...update,
			updateFields: {
				companyName: "={{ $fromAI('company', '', 'string') === 'none' ? null : '' }}",
			},
		};
		const [result] = await call(parameters, [{ id: 'cus-100001', company: 'none' }]);
		expect(result).toMatchObject([{ id: 'cus-100001' }]);
		expect(bodies()).toEqual([{ customer: { company_name: '' } }]);
	});

	const list = {
		resource: 'customer',
		operation: 'getAll',
		filters: { email: fromModel('email'), text: fromModel('text') },
	};

	test('filters can be used one by one, or none of them', async () => {
		const [{ email }] = small().state.customers.customers.rows;
		const results = await call(list, [
			{ email, text: '' },
			{ email: '', text: email },
			{ email: '', text: '' },
		]);
		expect(results.map((rows) => rows.length)).toEqual([1, 1, 3]);
	});

	if (isEngine) {
		test('what the model leaves out is not given', async () => {
			const parameters = { ...list, limit: fromModel('limit', 'number') };
			expect((await call(parameters, [{}]))[0]).toHaveLength(3);
			await call(update, [{ id: 'cus-100001', first: 'Ada' }]);
			expect(bodies()).toEqual([{ customer: { first_name: 'Ada' } }]);
		});
	}
});

describe('an agent with several items', () => {
	const orders = ['cus-100001', 'cus-100002', 'cus-100003'].map((customer) => ({ customer }));
	const args = orders.map(() => ({ amount: 5, prefix: '' }));
	const services = (name: string) => ({
		service: [{ name, amount: fromModel('amount', 'number') }],
	});
	const charge = (customer: string, more: INodeParameters = {}) => ({
		resource: 'charge',
		operation: 'create',
		customerId: byId(customer),
		services: services('Setup'),
		...more,
	});
	const [itself, engine] = Object.values(ways);

	// It reads the fields for its first item, whichever it works on.
	test.each([
		['the customer', charge('={{ $json.customer }}')],
		['the customer of another node', charge("={{ $('Source').item.json.customer }}")],
		['the key', charge('cus-100001', { idempotencyKey: '={{ $json.customer }}' })],
		['a row', charge('cus-100001', { services: services('={{ $json.customer }}') })],
		[
			'what the model is mixed with',
			charge(`={{ $fromAI('prefix', '', 'string') + $json.customer }}`),
		],
	])('calls no tool where %s differs', async (_what, parameters) => {
		const results = await itself(parameters, args, orders);
		const refusal = /must be the same for all input items, and row 2 \(item 1\) has another value/;
		expect(results).toEqual(orders.map(() => expect.stringMatching(refusal)));
		expect(sent()).toEqual([]);
	});

	test('calls a tool whose fields are the same', async () => {
		const results = await itself(charge('cus-100001'), args, orders);
		expect(results.every((each) => Array.isArray(each))).toBe(true);
		expect(sent()).toHaveLength(3);
	});

	// The engine gives a tool the right item, but the pairing of the first one.
	test('AI Agent 3 has $json of the right item', async () => {
		await engine(charge('={{ $json.customer }}'), args, orders);
		expect(sent()).toEqual(
			orders.map(({ customer }) => `POST /customers/${customer}/charges.json`),
		);
	});

	test.each([
		["$('Source').item.json.customer"],
		["$('Source').item['json'].customer"],
		['$node["Source"].json.customer'],
		['$node.Source.json.customer'],
	])('AI Agent 3 is refused %s', async (expression) => {
		const results = await engine(charge(`={{ ${expression} }}`), args, orders);
		const refusal = /^"Customer" takes its value from the item of "Source", which is the first one/;
		expect(results).toEqual(orders.map(() => expect.stringMatching(refusal)));
		expect(sent()).toEqual([]);
	});

	test('AI Agent 3 with one item may use its pairing', async () => {
		const paired = charge("={{ $('Source').item.json.customer }}");
		const [result] = await engine(paired, [args[0]], [orders[1]]);
		expect(result).toEqual([expect.any(Object)]);
		expect(sent()).toEqual(['POST /customers/cus-100002/charges.json']);
	});

	test("the model can't write over the item of AI Agent 3", async () => {
		const written = [{ amount: 5, customer: 'cus-100003' }];
		const [result] = await engine(charge('={{ $json.customer }}'), written, [orders[0]]);
		expect(result).toMatch(
			/^"Customer" takes "customer" from the item of the agent, but the model has given a value/,
		);
		expect(sent()).toEqual([]);
	});
});
