// Numbers on every road to the API: those of a form, of JSON as text or from an expression, and of a model. What is sent is
// what the user meant, or nothing is sent.
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';
import { useTools } from './host/tool.cts';

const service = Service.forFile();

/** A way by which a number gets into a request: the node and its form, with the number as an expression. */
type Road = [title: string, node: string, operation: string, form: (of: string) => object];

const event = {
	...{ title: 'Fee', eventType: 'action', actionType: 'charge', scheduleDate: '2031-05-02' },
};
const usage = { customerId: byId('1'), subscriptionId: byId('1') };
const properties = { customerId: byId('1'), keepOthers: false };
const schema = [{ id: 'score', displayName: 'Score', type: 'string' }];

const numbers: Road[] = [
	[
		...(['a field of a form', 'platformCustomers', 'usage.record'] as const),
		(of) => ({ ...usage, additionalFields: { value: `={{ ${of} }}` } }),
	],
	[
		...([
			'the payload of a scheduled charge, as data',
			'platformScheduler',
			'event.create',
		] as const),
		(of) => ({ ...event, payload: `={{ ({ lines: [{ amount: ${of} }] }) }}` }),
	],
	[
		...(['the same as JSON text', 'platformScheduler', 'event.create'] as const),
		(of) => ({ ...event, payload: `={"lines": [{"amount": {{ ${of} }}}]}` }),
	],
	[
		...(['rows of a charge from JSON', 'platformCustomers', 'charge.create'] as const),
		(of) => ({
			...{ customerId: byId('1'), servicesAs: 'json' },
			servicesJson: `={{ [{ name: 'Fee', amount: ${of} }] }}`,
		}),
	],
	[
		...(['the data of a workflow run', 'platformWorkflows', 'workflow.run'] as const),
		(of) => ({ workflowId: byId('1'), data: `={{ ({ amount: ${of} }) }}` }),
	],
];

const texts: Road[] = [
	[
		...(['the text of a field', 'platformCustomers', 'customer.create'] as const),
		(of) => ({ email: 'a@b.example', companyName: `={{ ${of} }}` }),
	],
	[
		...(['the text of a mapped column', 'platformContentBox', 'content.create'] as const),
		(of) => ({
			...{ typeId: byId('t'), title: 'T' },
			data: { mappingMode: 'defineBelow', value: { score: `={{ ${of} }}` }, schema },
		}),
	],
	[
		...(['the text of a property', 'platformCustomers', 'property.update'] as const),
		(of) => ({
			...properties,
			properties: {
				property: [{ name: { __rl: true, mode: 'name', value: 's' }, value: `={{ ${of} }}` }],
			},
		}),
	],
	[
		...(['the text of a property from JSON', 'platformCustomers', 'property.update'] as const),
		(of) => ({ ...properties, propertiesAs: 'json', propertiesJson: `={{ ({ s: ${of} }) }}` }),
	],
];

describe.each([...numbers, ...texts])('%s', (...[title, node, operation, form]) => {
	const isText = title.startsWith('the text');

	/** The body that is sent, or the error. */
	const outcome = async (of: string) => {
		service.behave(() => ({
			body: {
				...{ id: '1', execution_id: '1', status: 'draft' },
				event: { id: '1' },
				success: true,
			},
		}));
		const { error } = await run(service, node, operation, { ...form(of) });
		return error ? error.message : JSON.stringify(service.sent()[0].body);
	};

	test.each([
		['0.1 + 0.2', '0.3'],
		['3 * 1.1', '3.3'],
		['4.35 * 100', '435'],
		['1e21 / 1e21', '1'],
		['12345678', '12345678'],
		...(isText ? [['-7', '-7']] : []),
	])('%s is sent as %s', async (of, sent) => {
		expect(await outcome(of)).toMatch(new RegExp(`":${isText ? `"${sent}"` : sent}[,}]`));
	});

	test.each(['100 / 3', ...(isText ? [] : ['0 / 0', '1 / 0', '12345678901234567 * 10'])])(
		'%s is refused',
		async (of) => {
			expect(await outcome(of)).toMatch(
				/^".+" .*(digits|number|NaN|Infinity|valid JSON).*Nothing was sent\.$/,
			);
			expect(service.sent()).toEqual([]);
		},
	);
});

test.each([
	['Number("x")', 'must not have NaN at "amount"'],
	['-1 / 0', 'must not have -Infinity at "amount"'],
	['new Date("x")', 'must not have an invalid date at "amount"'],
])('%s in JSON is refused by its place', async (of, fault) => {
	service.behave(() => ({ body: { execution_id: '1' } }));
	const form = { workflowId: byId('1'), data: `={{ ({ amount: ${of} }) }}` };
	const { error } = await run(service, 'platformWorkflows', 'workflow.run', form);
	expect(error?.message).toBe(`"Data (JSON)" ${fault}. Check its expression. Nothing was sent.`);
	expect(service.sent()).toEqual([]);
});

test('null in JSON is sent as it is', async () => {
	service.behave(() => ({ body: { execution_id: '1' } }));
	const form = { workflowId: byId('1'), data: '={{ ({ amount: null, at: new Date(0) }) }}' };
	await run(service, 'platformWorkflows', 'workflow.run', form);
	expect(service.sent()[0].body).toEqual({
		data: { amount: null, at: '1970-01-01T00:00:00.000Z' },
	});
});

test('what a model gives', async () => {
	service.behave(() => ({ body: { execution_id: '1' } }));
	const parameters = {
		...{ resource: 'workflow', operation: 'run', workflowId: byId('1') },
		data: "={{ $fromAI('data', '', 'json') }}",
	};
	const tools = [{ node: 'platformWorkflows', parameters }];
	await useTools(tools, service.credential, async ({ Tool_1: tool }) => {
		await tool.invoke({ data: { amount: 0.1 + 0.2 } });
	});
	expect(service.sent()[0].body).toEqual({ data: { amount: 0.3 } });
});

test.each([
	[60, ''],
	[61, '…'],
])('a text of %d letters in place of a number is quoted up to the 60th', async (length, end) => {
	const form = { ...usage, additionalFields: { value: 'x'.repeat(length) } };
	const { error } = await run(service, 'platformCustomers', 'usage.record', form);
	expect(error?.message).toContain(`(got "${'x'.repeat(60)}${end}")`);
});
