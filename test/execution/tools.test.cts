// Action nodes as tools of an agent: what a model leaves empty, fields that differ between its items, and what it reads
// of an answer: how many tokens, and of a list how many rows are left.
import type { INodeParameters } from 'n8n-workflow';
import { hasLimit } from '../../dist/nodes/engine/node/description.js';
import { onlyReads } from '../table/api.cts';
import { existingForm, keyOf } from '../table/existing.cts';
import { shapeOf, table, type TableEntry } from '../table/operations.cts';
import { tokensOfText } from '../../tools/tokens.cts';
import { runNode } from './host/host.cts';
import { listServiceFor } from './host/listService.cts';
import { byId, credentialOf, sandboxFor } from './host/run.cts';
import { runTools, useTools, type ToolNode } from './host/tool.cts';
import { textOf } from './host/toolkit.cts';

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
	const ofTag = (tag: string) => ({ filters: { tag } });

	test.each<[what: string, form: INodeParameters, envelope: object, note?: RegExp]>([
		['announces its length', {}, { count: 30 }, cutBy(20)],
		['is skipped into', { options: { skip: 15 } }, { count: 30 }, cutBy(5)],
		['announces pages alone', {}, { pages: { max: 3 } }, MAY_HAVE_MORE],
		['announces nothing', {}, {}, MAY_HAVE_MORE],
		['announces nothing, and ends', { limit: 40 }, {}],
		['is filtered, with more', ofTag('a'), { count: 30 }, cutBy(15)],
		['is filtered, with no more', ofTag('b'), { count: 30 }],
	])('that %s', async (_what, more, envelope, note) => {
		service().serve((page, size = 50) => ({
			body: { ...envelope, elements: rows.slice((page - 1) * size, page * size) },
		}));
		const parameters = { resource: 'customer', operation: 'getAll', ...more };
		const [answer] = await answersOf([{ node: 'platformCustomers', parameters }], service());
		const notes = (JSON.parse(answer) as Array<{ note?: string }>).flatMap((row) => row.note ?? []);
		expect(notes).toEqual(note ? [expect.stringMatching(note)] : []);
	});
});

// As docs/contributing/builders.md says.
test('a record takes up to 150 tokens, a list up to 800', async () => {
	const answers = await answersOf(reads.map(toolOf));
	const larger = reads.filter(
		(entry, index) => tokensOfText(answers[index]) > (kindOf(entry) === 'one' ? 150 : 800),
	);
	expect(larger.map(keyOf)).toEqual([
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

/** Calls a tool once for each of some arguments, each for an item: what the model reads. */
type Calls = (parameters: INodeParameters, args: object[], items?: object[]) => Promise<string[]>;

const byAgent: Calls = async (parameters, args, items = [{}]) => {
	const answers: string[] = [];
	await useTools(
		[{ node, parameters }],
		credentialOf(small()),
		async ({ Tool_1: tool }) => {
			for (const each of args) {
				const text = await tool.invoke(each as Record<string, unknown>);
				// LangChain swallows what a tool throws, so an error is a result.
				const [{ error }] = JSON.parse(text) as Array<{ error?: string }>;
				answers.push(error ?? text);
			}
		},
		{ items: items as never },
	);
	return answers;
};

const byEngine: Calls = async (parameters, args, items = [{}]) => {
	const calls = args.map((input, itemIndex) => ({
		node: 'Tool 1',
		input: input as never,
		itemIndex: Math.min(itemIndex, items.length - 1),
	}));
	const of = { items: items as never };
	const [results] = await runTools([{ node, parameters }], credentialOf(small()), [calls], of);
	return results.map(textOf);
};

const fromModel = (name: string, type = 'string') =>
	`={{ $fromAI('${name}', 'What to set', '${type}') }}`;

describe.each([
	['an agent that calls it itself', byAgent],
	["n8n's engine, for AI Agent 3", byEngine],
])('called by %s', (_way, call) => {
	const update = (updateFields: INodeParameters) => ({
		resource: 'customer',
		operation: 'update',
		customerId: byId('cus-100001'),
		updateFields,
	});
	const fields = {
		companyName: fromModel('company'),
		firstName: fromModel('first'),
		tags: fromModel('tags'),
	};
	const companyName = "={{ $fromAI('company', '', 'string') === 'none' ? null : '' }}";

	test.each<[what: string, form: INodeParameters, args: object, customer: object | undefined]>([
		[
			'empty means not given',
			fields,
			{ company: '', first: 'Ada', tags: '' },
			{ first_name: 'Ada' },
		],
		['only empty fields are refused', fields, { company: '', first: ' ', tags: '' }, undefined],
		['null clears', { companyName }, { company: 'none' }, { company_name: '' }],
	])('in an update, %s', async (_what, form, args, customer) => {
		const [answer] = await call(update(form), [args]);
		const refusal = /"Update Fields" is empty: add at least one field to update/;
		expect(answer).toMatch(customer ? /"id":"cus-100001"/ : refusal);
		expect(bodies()).toEqual(customer ? [{ customer }] : []);
	});

	test('filters can be used one by one, or none of them', async () => {
		const [{ email }] = small().state.customers.customers.rows;
		const filters = { email: fromModel('email'), text: fromModel('text') };
		const answers = await call({ resource: 'customer', operation: 'getAll', filters }, [
			{ email, text: '' },
			{ email: '', text: email },
			{ email: '', text: '' },
		]);
		expect(answers.map((text) => (JSON.parse(text) as object[]).length)).toEqual([1, 1, 3]);
	});
});

test("what the model leaves out of a call by n8n's engine is not given", async () => {
	const form = { resource: 'customer', operation: 'getAll', limit: fromModel('limit', 'number') };
	const filters = { email: fromModel('email'), text: fromModel('text') };
	const [answer] = await byEngine({ ...form, filters }, [{}]);
	expect(JSON.parse(answer)).toHaveLength(3);
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
	const charged = (some: typeof orders) =>
		some.map(({ customer }) => `POST /customers/${customer}/charges.json`);

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
		const answers = await byAgent(parameters, args, orders);
		const refusal = /must be the same for all input items, and row 2 \(item 1\) has another value/;
		expect(answers).toEqual(orders.map(() => expect.stringMatching(refusal)));
		expect(sent()).toEqual([]);
	});

	// The engine gives a tool the right item, but the pairing of the first one.
	test.each<[what: string, call: Calls, customer: string, charged: typeof orders]>([
		['fields are the same', byAgent, 'cus-100001', orders.map(() => orders[0])],
		['$json is of the right item', byEngine, '={{ $json.customer }}', orders],
		[
			'one item may use its pairing',
			byEngine,
			"={{ $('Source').item.json.customer }}",
			[orders[1]],
		],
	])('calls a tool where %s', async (_what, call, customer, each) => {
		const items = each.length === 1 ? each : orders;
		await call(charge(customer), args.slice(0, each.length), items);
		expect(sent()).toEqual(charged(each));
	});

	test.each([
		["$('Source').item.json.customer"],
		["$('Source').item['json'].customer"],
		['$node["Source"].json.customer'],
		['$node.Source.json.customer'],
	])('AI Agent 3 is refused %s', async (expression) => {
		const answers = await byEngine(charge(`={{ ${expression} }}`), args, orders);
		const refusal = /^"Customer" takes its value from the item of "Source", which is the first one/;
		expect(answers).toEqual(orders.map(() => expect.stringMatching(refusal)));
		expect(sent()).toEqual([]);
	});

	test("the model can't write over the item of AI Agent 3", async () => {
		const written = [{ amount: 5, customer: 'cus-100003' }];
		const [answer] = await byEngine(charge('={{ $json.customer }}'), written, [orders[0]]);
		expect(answer).toMatch(
			/^"Customer" takes "customer" from the item of the agent, but the model has given a value/,
		);
		expect(sent()).toEqual([]);
	});
});
