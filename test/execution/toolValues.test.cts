// Action nodes as tools: what a model leaves empty, and fields that differ between the items of an agent.
import type { INodeParameters } from 'n8n-workflow';
import { byId, credentialOf, sandboxFor } from './host/run.cts';
import { runTools, useTools, type EngineResult } from './host/tool.cts';

const sandbox = sandboxFor({ customers: 3 });

const sent = () => sandbox().requests.map(({ method, path }) => `${method} ${path}`);
const bodies = () => sandbox().requests.flatMap(({ body }) => (body ? [body] : []));

const node = 'platformCustomers';

/** Both ways by which n8n's agents call a tool. */
const ways = {
	'an agent that calls it itself': async (
		parameters: INodeParameters,
		args: object[],
		items: object[] = [{}],
	): Promise<EngineResult[]> => {
		const results: EngineResult[] = [];
		const use = async ({ Tool_1: tool }: Parameters<Parameters<typeof useTools>[2]>[0]) => {
			for (const each of args) {
				const said = await tool
					.invoke(each as Record<string, unknown>)
					.then((text) => JSON.parse(text) as EngineResult)
					.catch((error: Error) => error.message);
				results.push(said);
			}
		};
		const of = { items: items as never };
		await useTools([{ node, parameters }], credentialOf(sandbox()), use, of);
		return results;
	},
	"n8n's engine, for AI Agent 3": async (
		parameters: INodeParameters,
		args: object[],
		items: object[] = [{}],
	): Promise<EngineResult[]> => {
		const calls = args.map((input, itemIndex) => ({
			node: 'Tool 1',
			input: input as never,
			itemIndex: Math.min(itemIndex, items.length - 1),
		}));
		const of = { items: items as never };
		const tools = [{ node, parameters }];
		return (await runTools(tools, credentialOf(sandbox()), [calls], of))[0];
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
		const [{ email }] = sandbox().state.customers.customers.rows;
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
	const orders = ['cus-100001', 'cus-100002', 'cus-100003'].map((customer) => ({
		customer,
		order: customer,
	}));
	const args = orders.map(() => ({ amount: 5, prefix: '' }));
	const charge = (customer: string, more: INodeParameters = {}) => ({
		resource: 'charge',
		operation: 'create',
		customerId: byId(customer),
		services: { service: [{ name: 'Setup', amount: fromModel('amount', 'number') }] },
		...more,
	});
	const [itself, engine] = Object.values(ways);

	// It reads the fields for its first item, whichever it works on.
	test.each([
		['the customer', charge('={{ $json.customer }}')],
		['the customer of another node', charge("={{ $('Source').item.json.customer }}")],
		['the key', charge('cus-100001', { idempotencyKey: '={{ $json.order }}' })],
		[
			'a row',
			charge('cus-100001', {
				services: {
					service: [{ name: '={{ $json.order }}', amount: fromModel('amount', 'number') }],
				},
			}),
		],
		[
			'what the model is mixed with',
			charge(`={{ $fromAI('prefix', '', 'string') + $json.customer }}`),
		],
	])('calls no tool where %s differs', async (_what, parameters) => {
		const results = await itself(parameters, args, orders);
		const refusal = /must be the same for all input items \(item 1 has another value\)/;
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
		const [result] = await engine(
			charge("={{ $('Source').item.json.customer }}"),
			args.slice(0, 1),
			orders.slice(1, 2),
		);
		expect(result).toEqual([expect.any(Object)]);
		expect(sent()).toEqual(['POST /customers/cus-100002/charges.json']);
	});

	test("the model can't write over the item of AI Agent 3", async () => {
		const [result] = await engine(
			charge('={{ $json.customer }}'),
			[{ amount: 5, customer: 'cus-100003' }],
			orders.slice(0, 1),
		);
		expect(result).toMatch(
			/^"Customer" takes "customer" from the item of the agent, but the model has given a value/,
		);
		expect(sent()).toEqual([]);
	});
});
