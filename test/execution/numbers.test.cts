// Numbers on every road to the API: those of a form, of JSON as text or from an expression, and of a model. What is sent is
// what the user meant, or nothing is sent.
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';
import { useTools } from './host/tool.cts';

const service = Service.forFile();

/** Roads by which an amount gets into a request: the node and its form, with the amount as an expression. */
const roads: Array<[title: string, node: string, operation: string, form: (of: string) => object]> =
	[
		[
			'a field of a form',
			'platformCustomers',
			'usage.record',
			(of) => ({
				customerId: byId('1'),
				subscriptionId: byId('1'),
				additionalFields: { value: `={{ ${of} }}` },
			}),
		],
		[
			'the payload of a scheduled charge, as data',
			'platformScheduler',
			'event.create',
			(of) => ({
				...{ title: 'Fee', eventType: 'action', actionType: 'charge', scheduleDate: '2031-05-02' },
				payload: `={{ ({ lines: [{ amount: ${of} }] }) }}`,
			}),
		],
		[
			'the payload of a scheduled charge, as JSON text',
			'platformScheduler',
			'event.create',
			(of) => ({
				...{ title: 'Fee', eventType: 'action', actionType: 'charge', scheduleDate: '2031-05-02' },
				payload: `={"lines": [{"amount": {{ ${of} }}}]}`,
			}),
		],
		[
			'rows of a charge from JSON',
			'platformCustomers',
			'charge.create',
			(of) => ({
				customerId: byId('1'),
				servicesAs: 'json',
				servicesJson: `={{ [{ name: 'Fee', amount: ${of} }] }}`,
			}),
		],
		[
			'the data of a workflow run',
			'platformWorkflows',
			'workflow.run',
			(of) => ({ workflowId: byId('1'), data: `={{ ({ amount: ${of} }) }}` }),
		],
	];

describe.each(roads)('%s', (_title, node, operation, form) => {
	const outcome = async (of: string) => {
		service.behave(() => ({
			body: { id: '1', execution_id: '1', event: { id: '1' }, success: true },
		}));
		const { error } = await run(service, node, operation, { ...form(of) });
		const [numbers] = service
			.sent('POST')
			.map(({ body }) => JSON.stringify(body).match(/(?<=":)-?\d[\d.e+-]*|null/g));
		return error ? error.message : numbers?.join();
	};

	test.each([
		['0.1 + 0.2', '0.3'],
		['3 * 1.1', '3.3'],
		['49.9', '49.9'],
		['1e21 / 1e21', '1'],
	])('%s is sent as %s', async (of, sent) => {
		expect(await outcome(of)).toBe(sent);
	});

	test.each(['100 / 3', '0 / 0', '1 / 0', '12345678901234567 * 10'])(
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

/** Texts that get a number: in a form, in a column and in a row. */
const texts: Array<[title: string, node: string, operation: string, form: (of: string) => object]> =
	[
		[
			'a field',
			'platformCustomers',
			'customer.create',
			(of) => ({ email: 'a@b.example', companyName: `={{ ${of} }}` }),
		],
		[
			'a mapped column',
			'platformContentBox',
			'content.create',
			(of) => ({
				...{ typeId: byId('t'), title: 'T' },
				data: {
					mappingMode: 'defineBelow',
					value: { score: `={{ ${of} }}` },
					schema: [{ id: 'score', displayName: 'Score', type: 'string' }],
				},
			}),
		],
		[
			'a property',
			'platformCustomers',
			'property.update',
			(of) => ({
				...{ customerId: byId('1'), keepOthers: false },
				properties: {
					property: [{ name: { __rl: true, mode: 'name', value: 's' }, value: `={{ ${of} }}` }],
				},
			}),
		],
		[
			'properties from JSON',
			'platformCustomers',
			'property.update',
			(of) => ({
				...{ customerId: byId('1'), keepOthers: false },
				propertiesAs: 'json',
				propertiesJson: `={{ ({ s: ${of} }) }}`,
			}),
		],
	];

describe.each(texts)('a number as the text of %s', (_title, node, operation, form) => {
	const outcome = async (of: string) => {
		service.behave(() => ({ body: { id: '1', status: 'draft' } }));
		const { error } = await run(service, node, operation, { ...form(of) });
		const [body] = service.received.filter(({ method }) => method !== 'GET');
		return body === undefined ? String(error?.message) : JSON.stringify(body.body);
	};

	test.each([
		['0.1 + 0.2', '"0.3"'],
		['4.35 * 100', '"435"'],
		['-7', '"-7"'],
		['12345678', '"12345678"'],
	])('%s is sent as %s', async (of, sent) => {
		expect(await outcome(of)).toContain(sent);
	});

	test('100 / 3 is refused', async () => {
		expect(await outcome('100 / 3')).toMatch(/too many digits for a number.*Nothing was sent/);
		expect(service.sent()).toEqual([]);
	});
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
