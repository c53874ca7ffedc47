// Values that give nothing: a renamed column, a blank cell, an expression that finds none. What decides how much, for whom, when,
// who may see something or what a record holds is refused before anything is sent, on every road. The rest is told by a hint. Each
// field with each empty value: contract/emptyFields.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { told } from './host/host.cts';
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';
import { runTools, useTools, type EngineResult, type ToolNode } from './host/tool.cts';

const service = Service.forFile();

const id = { id: 'new-1', document_id: 'ado-1', status: 'ready', updated: true };

beforeEach(() => service.behave(() => ({ body: id })));

const writes = () => service.received.filter(({ method }) => method !== 'GET');
const bodies = () => writes().map(({ body }) => body);

const locator = (value: string) => ({ __rl: true, mode: 'name', value });
const expression = (column: string) => `={{ $json.${column} }}`;
const fromModel = (name: string, type = 'string') => `={{ $fromAI('${name}', '', '${type}') }}`;

const customer = { customerId: byId('cus-1') };
const subscription = { ...customer, subscriptionId: byId('sub-1') };
const document = { knowledgeBaseId: byId('akb-1'), name: 'Pay' };
const services = { service: [{ name: 'S', amount: 5 }] };

/** The fields of each operation that have a value in all cases. */
const bases: Record<string, object> = {
	'Customers.charge.create': { ...customer, services },
	'Customers.customer.create': {},
	'Customers.customer.update': customer,
	'Customers.customer.upsert': { externalId: 'c-1' },
	'Customers.property.update': { ...customer, keepOthers: false },
	'Customers.subscription.create': { ...customer, plan: 'p' },
	'Customers.subscription.pause': subscription,
	'Customers.usage.record': { ...subscription, externalId: 'u-1' },
	'AiGateway.connection.create': { name: 'C', provider: 'vendor_a', model: 'm', credential: 'k' },
	'AiGateway.document.add': { ...document, content: 'Pay' },
	'AiGateway.document.createOrReplace': { ...document, content: 'Pay' },
	'AiGateway.document.ingest': {
		...document,
		url: 'https://files.example.com/pay.md',
		contentType: 'text/markdown',
	},
	'ContentBox.content.create': { typeId: byId('typ-1'), title: 'T' },
	'ContentBox.content.update': { contentId: byId('cnt-1'), updateFields: { title: 'T' } },
	'Newsletters.recipient.set': {
		...{ newsletterId: byId('n-1'), customersAs: 'ids', contactIds: 'c-1' },
	},
	'Scheduler.event.create': {
		...{ title: 'C', eventType: locator('action'), actionType: 'charge' },
		scheduleDate: '2031-05-02',
	},
};

/** Runs `Node.resource.operation`. */
const runOf = async (name: string, form: object, items: IDataObject[]) => {
	const [node, ...operation] = name.split('.');
	const all = { ...bases[name], ...form } as INodeParameters;
	const options = { items, timezone: 'Europe/Berlin' };
	return await run(service, `platform${node}`, operation.join('.'), all, options);
};

const more = (additionalFields: object) => ({ additionalFields });
const fields = ['headline', 'teaser'].map((key) => ({ id: key, displayName: key, type: 'string' }));
const automatic = { data: { mappingMode: 'autoMapInputData', value: null, schema: fields } };
const manual = (value: object) => ({ data: { mappingMode: 'defineBelow', value, schema: fields } });
const json = (value: string) => ({ dataInput: 'json', dataJson: `={{ ${value} }}` });
const acl = (value: string) => more({ metadata: `={{ ({ acl: ${value} }) }}` });
const repeated = (rule: object) => more({ recurrence: { rule } });

const DATA = '"Data (JSON)" must not be empty';
const METADATA = '"Metadata (JSON)" must name in acl who can see the document';
const PROPERTY = 'has a fault in line 1: Value must not be empty';
const QUANTITY = 'has a fault in line 1: Quantity must not be empty';

type Case = [form: object, says: string, item?: IDataObject];

const refused: Record<string, Case[]> = {
	'Customers.usage.record': [
		[
			more({ value: expression('api_calls') }),
			'"Value" must not be empty, and the expression {{ $json.api_calls }} gives nothing. No item has `api_calls`. Did you mean `apiCalls`?',
			{ apiCalls: 7 },
		],
		[more({ amount: 1, value: expression('calls') }), '"Value" must not be empty', { calls: '' }],
		[more({ valueType: 'x' }), '"Amount" or "Value" must be set'],
		[{}, '"Amount" or "Value" must be set'],
		[more({ value: '={{ NaN }}' }), '"Value" must be a number (got NaN)'],
		// By its ID the API knows what was recorded already.
		[{ externalId: expression('event_id'), ...more({ value: 1 }) }, '"External ID" must not be'],
	],
	'Customers.customer.update': [
		[{ updateFields: { email: expression('mail') } }, '"Email" must not be empty, and'],
	],
	'Customers.customer.create': [[{ email: expression('mail') }, '"Email" must not be empty, and']],
	// A property that would be wiped.
	'Customers.property.update': ['undefined', 'null'].flatMap((value): Case[] => [
		[
			{ properties: { property: [{ name: locator('segment'), value: `={{ ${value} }}` }] } },
			PROPERTY,
		],
		...[`({ segment: ${value} })`, `[{ name: "segment", value: ${value} }]`].map((each): Case => [
			{ propertiesAs: 'json', propertiesJson: `={{ ${each} }}` },
			PROPERTY,
		]),
	]),
	// A list that would be replaced, or added to, where the user wanted something else.
	'Customers.customer.upsert': [
		[{ fields: { tags: 'vip', changeTags: '={{ [] }}' } }, '"Change Tags" must not be empty'],
	],
	'Newsletters.recipient.set': [
		[{ changeRecipients: '={{ null }}' }, '"Change Recipients" must not be empty'],
	],
	// A pause whose end, or whatever a company needs, gives nothing.
	'Customers.subscription.pause': ['$json.until', '({ until: $json.until })'].map((value): Case => [
		more({ body: `={{ ${value} }}` }),
		'"Body (JSON)" must not be empty',
	]),
	'Customers.subscription.create': [
		[{ addons: { addon: [{ element: 'seats', quantity: expression('seats') }] } }, QUANTITY],
		[
			{ addonsAs: 'json', addonsJson: '={{ [{ element: "seats", quantity: $json.seats }] }}' },
			QUANTITY,
		],
	],
	'Customers.charge.create': [
		[{ options: { capture: expression('capture') } }, '"Capture" must not be empty'],
	],
	// An access list that would publish the document.
	'AiGateway.document.add': [
		...['$json.groups', 'null', '""', '[""]', '{}'].map((value): Case => [acl(value), METADATA]),
		[more({ metadata: expression('meta') }), '"Metadata (JSON)" must not be empty'],
	],
	'AiGateway.document.ingest': [[acl('""'), METADATA]],
	// A credential and prompts that would go to another host.
	'AiGateway.connection.create': [[{ baseUrl: expression('url') }, '"Base URL" must not be empty']],
	// A document that would replace the one of the same name.
	'AiGateway.document.createOrReplace': [
		[{ documentKey: expression('path') }, '"Your ID" must not be empty'],
	],
	// Entries without their data.
	'ContentBox.content.create': [
		...['$json.data', '""', '{}', '[]'].map((value): Case => [json(value), DATA]),
		[
			automatic,
			'"Data" matches no field: "Head". Did you mean headline for "Head"? Fields: headline, teaser. Rename them, or choose Map Each Column Manually',
			{ Head: 'H' },
		],
		[automatic, '"Data" must not be empty', { headline: null }],
		[manual({ headline: expression('hl') }), '"Data" must not be empty'],
		[{ data: { headline: expression('hl') } }, '"Data" must not be empty'],
		[automatic, '"Data" has two values for headline', { Headline: 'a', HEADLINE: 'b' }],
		[more({ state: byId(expression('state')) }), '"State" must not be empty'],
	],
	'ContentBox.content.update': [
		[json('$json.data'), DATA],
		[automatic, '"Data" matches no field: "other"', { other: 'H' }],
	],
	// Half of a setting.
	'Scheduler.event.create': [
		[{ scheduleDate: '' }, '"Start" must not be empty if Action Type is Charge'],
		[{ scheduleDate: expression('day') }, '"Start" must not be empty'],
		[repeated({}), '"Unit" must not be empty'],
		[more({ recurrence: {} }), '"Recurrence" must not be empty'],
		...[0, -1].map((interval): Case => [
			repeated({ type: locator('week'), interval }),
			'"Interval" must be at least 1',
		]),
		[repeated({ type: locator(expression('unit')) }), '"Unit" must not be empty'],
		[
			repeated({ type: locator('week'), interval: expression('every') }),
			'"Interval" must not be empty',
		],
		[
			repeated({ type: locator('week'), interval: 1, endDate: expression('until') }),
			'"Last Day" must not be empty, and',
		],
		[{ payload: '={{ ({ customer: $json.custmer }) }}' }, '"Payload (JSON)" must not be empty'],
	],
};

test.each(
	Object.entries(refused).flatMap(([name, cases]) =>
		cases.map((each): [string, ...Case] => [name, ...each]),
	),
)('%s with %j is refused', async (name, form, says, item = {}) => {
	for (const items of [[item], [item, item]]) {
		const { error } = await runOf(name, form, items);
		expect(told(error)).toContain(says);
	}
	expect(writes()).toEqual([]);
});

const segment = (value: string) => ({
	properties: { property: [{ name: locator('segment'), value }] },
});

test.each<[what: string, name: string, form: object, body: object, item?: IDataObject]>([
	[
		'an empty text clears a property',
		'Customers.property.update',
		segment(''),
		{ CustomerProperties: { segment: '' } },
	],
	[
		'an expression that gives empty text does, too',
		'Customers.property.update',
		segment(expression('segment')),
		{ CustomerProperties: { segment: '' } },
		{ segment: '' },
	],
	[
		'names of an entry differ in case and blanks',
		'ContentBox.content.create',
		automatic,
		{ content: { type_id: 'typ-1', title: 'T', data: { headline: 'H', teaser: 'x' } } },
		{ HeadLine: 'H', 'Te aser': 'x' },
	],
	[
		'an entry has no data if nobody gave it some',
		'ContentBox.content.create',
		{},
		{ content: { type_id: 'typ-1', title: 'T' } },
	],
	[
		'a recurrence without a last day',
		'Scheduler.event.create',
		{
			...repeated({ type: locator('week'), interval: 2, endDate: '' }),
		},
		{
			event: {
				...{ title: 'C', event_type: 'action', action_type: 'charge' },
				schedule_date: '2031-05-02T00:00:00+02:00',
				recurrence: { type: 'week', interval: 2 },
			},
		},
	],
	[
		'an access list for all, on purpose',
		'AiGateway.document.add',
		more({ acl: '={{ [] }}' }),
		{ name: 'Pay', content: 'Pay', metadata: { acl: [] } },
	],
	[
		'an amount of 0',
		'Customers.usage.record',
		more({ value: '={{ 0 }}' }),
		{ usage: { externalId: 'u-1', value: 0 } },
	],
])('%s is sent', async (_what, name, form, body, item = {}) => {
	const { error } = await runOf(name, form, [item]);
	expect(told(error)).toBe('');
	expect(bodies()).toEqual([body]);
});

describe('a model', () => {
	type Args = Record<string, unknown>;

	const ofTool = (tool: string): ToolNode => ({
		node: 'platformApiTool',
		parameters: { offer: 'chosen', operations: [tool], onceOnly: false },
	});
	const ofNode = (name: string, form: object): ToolNode => {
		const [node, resource, operation] = name.split('.');
		const parameters = { resource, operation, ...bases[name], ...form };
		return { node: `platform${node}`, parameters: parameters as INodeParameters };
	};

	const usage = { customer_id: 'cus-1', subscription_id: 'sub-1' };
	const properties = { customer_id: 'cus-1' };
	const added = { knowledge_base_id: 'akb-1', name: 'Pay' };
	const ingested = { ...added, url: 'https://a.example/b', content_type: 'text/html' };
	const content = { type_id: 'typ-1', title: 'T' };
	const event = { title: 'C', event_type: 'action', action_type: 'charge' };
	const planned = { ...event, schedule_date: '2031-05-02' };
	const charged = { customer_id: 'cus-1', services: services.service };

	const calls: Array<[tool: string, args: Args, says: string]> = [
		['record_usage', { ...usage, value_type: 'x' }, '"amount" or "value" must be set'],
		['record_usage', { ...usage, amount: null, value: null }, 'must not be empty'],
		['record_usage', { ...usage, amount: '', value: 5 }, '"amount" must not be empty'],
		...[null, '', [''], {}].map((list): [string, Args, string] => [
			'add_document',
			{ ...added, content: 'Pay', metadata: { acl: list } },
			'must name in acl who can see the document',
		]),
		['ingest_document', { ...ingested, metadata: { acl: '' } }, 'must name in acl who can see'],
		...[{}, { value: null }].map((value): [string, Args, string] => [
			'update_customer_properties',
			{ ...properties, properties: [{ name: 'segment', ...value }] },
			'must have a value for "segment"',
		]),
		...[{}, '{ }', '[]', 'null', '{"headline": null}'].map((data): [string, Args, string] => [
			'create_content',
			{ ...content, data_json: data },
			'"data_json" must not be empty',
		]),
		[
			'update_content',
			{ content_id: 'cnt-1', title: 'T', data_json: '{}' },
			'"data_json" must not',
		],
		['create_event', event, '"schedule_date" must not be empty if action_type is Charge'],
		['create_event', { ...planned, recurrence: {} }, 'must not be empty'],
		['create_event', { ...planned, recurrence: { type: 'week', interval: 0 } }, 'at least 1'],
		[
			'create_event',
			{ ...planned, recurrence: { type: 'week', interval: 1, end_date: null } },
			'must not be empty',
		],
		[
			'create_subscription',
			{ customer_id: 'cus-1', plan: 'p', addons: [{ element: 'seats', quantity: null }] },
			'quantity must not be empty',
		],
		['create_charge', { ...charged, capture: null }, '"capture" must not be empty'],
	];

	const nodeCalls: Array<[operation: string, form: object, says: string]> = [
		[
			'Customers.usage.record',
			more({ value: fromModel('v', 'number') }),
			'"Value" must not be empty',
		],
		['Customers.property.update', segment(fromModel('v')), 'Value must not be empty'],
		['AiGateway.document.add', acl('$fromAI("v", "", "json")'), METADATA],
		['ContentBox.content.create', { dataInput: 'json', dataJson: fromModel('v', 'json') }, DATA],
		[
			'Customers.charge.create',
			{ options: { capture: fromModel('v', 'boolean') } },
			'"Capture" must not be empty',
		],
		[
			'Customers.subscription.create',
			{ addons: { addon: [{ element: 'seats', quantity: fromModel('v', 'number') }] } },
			'Quantity must not be empty',
		],
		['Scheduler.event.create', { scheduleDate: fromModel('v') }, '"Start" must not be empty'],
	];

	/** What n8n's engine gives back to the model. */
	const engineCall = async (
		tool: ToolNode,
		input: Args,
		items?: IDataObject[],
	): Promise<EngineResult> => {
		const call = { node: 'Tool 1', input: input as IDataObject };
		const [[result]] = await runTools([tool], service.credential, [[call]], { items });
		return result;
	};

	test.each(calls)(
		'Platform Tools, called by itself: %s %j is refused',
		async (tool, args, says) => {
			let answer = '';
			await useTools([ofTool(tool)], service.credential, async (tools) => {
				answer = await tools[tool].invoke(args);
			});
			expect(answer).toContain(says);
			expect(writes()).toEqual([]);
		},
	);

	test.each([
		...calls.map(([tool, args, says]) => [tool, { ...args, tool }, ofTool(tool), says] as const),
		...nodeCalls.map(
			([name, form, says]) => [`${name} as a tool`, { v: null }, ofNode(name, form), says] as const,
		),
	])("%s, called by n8n's engine with %j, is refused", async (_name, args, tool, says) => {
		const result = await engineCall(tool, args);
		const [{ error }] = typeof result === 'string' ? [{ error: result }] : result;
		expect(error ?? JSON.stringify(result)).toContain(says);
		expect(writes()).toEqual([]);
	});

	test('may clear a property with empty text', async () => {
		const args = { ...properties, properties: [{ name: 'segment', value: '' }] };
		service.behave(({ method }) => ({
			body: method === 'GET' ? { elements: {} } : { customer: {} },
		}));
		const tool = ofTool('update_customer_properties');
		await useTools([tool], service.credential, async (tools) => {
			await tools.update_customer_properties.invoke(args);
		});
		expect(bodies()).toEqual([{ CustomerProperties: { segment: '' } }]);
	});

	test('reads of a field that found no column, but not of what it left out itself', async () => {
		const create = (companyName: string) =>
			ofNode('Customers.customer.create', { email: fromModel('mail'), companyName });
		const given = { mail: 'a@example.com' };
		const items = [{ company: 'Acme' }];
		expect(await engineCall(create(expression('compny')), given, items)).toEqual([
			expect.objectContaining({ id: 'new-1' }),
			{
				note: '"Company Name" is empty: the expression {{ $json.compny }} gives nothing. No item has `compny`. Did you mean `company`?',
			},
		]);
		expect(await engineCall(create(fromModel('company')), given)).toHaveLength(1);
	});
});

describe('the hint', () => {
	const create = async (form: object, items: IDataObject[], credential: object = {}) => {
		const all = { email: '={{ $json.email }}', ...form };
		const { hints, error } = await run(service, 'platformCustomers', 'customer.create', all, {
			items,
			credential: { ...service.credential, ...credential },
		});
		expect(told(error)).toBe('');
		return hints;
	};
	const company = (column: string) => ({ companyName: expression(column) });
	const rows = (...each: IDataObject[]) =>
		each.map((row, n) => ({ email: `r${n}@example.com`, ...row }));

	const ALL = '"Company Name" is empty for all 2 items: the expression';

	test.each<[string, object, IDataObject[], unknown[]]>([
		[
			'names the field, its expression, the column and the nearest one',
			company('compny'),
			rows({ company: 'A' }, { company: 'B' }),
			[
				`${ALL} {{ $json.compny }} gives nothing. No item has \`compny\`. Did you mean \`company\`?`,
			],
		],
		[
			'names the column of an option',
			more({ lastName: '={{ $json["last_nme"].trim?.() }}' }),
			rows({ last_name: 'N' }),
			[expect.stringContaining('No item has `last_nme`. Did you mean `last_name`?')],
		],
		['is not there if one item has a value', company('company'), rows({}, { company: 'A' }), []],
		['is not there for a field that nobody filled', {}, rows({}), []],
		[
			'names no column that some item has',
			company('company'),
			rows({ company: '' }, { company: null }),
			[`${ALL} {{ $json.company }} gives nothing.`],
		],
		[
			'names a column inside of a column',
			company('billing.compny'),
			rows({ billing: { company: 'A' } }),
			[expect.stringContaining('No item has `billing.compny`. Did you mean `company`?')],
		],
		[
			'names the column of another node',
			{ companyName: "={{ $('Source').item.json.compny }}" },
			rows({ company: 'A' }),
			[expect.stringContaining('No item of "Source" has `compny`. Did you mean `company`?')],
		],
		[
			'tells of a field that was added and left empty',
			more({ lastName: '' }),
			rows({}),
			['"Last Name" is empty.'],
		],
		[
			'tells of mapped columns',
			{
				fieldsAs: 'columns',
				columns: {
					mappingMode: 'defineBelow',
					value: { email: expression('email'), city: expression('town') },
				},
			},
			rows({ city: 'Bonn' }),
			[
				expect.stringContaining(
					'"City" is empty: the expression {{ $json.town }} gives nothing. No item has `town`.',
				),
			],
		],
		[
			'shows no key and no HTML',
			{ companyName: `={{ $json.a || ($json.b < 1 ? '${service.key}' : '') }}` },
			rows({ '<b>a</b>': 1 }),
			['"Company Name" is empty. No item has `a`. No item has `b`.'],
		],
	])('%s', async (_what, form, items, hints) => {
		expect(await create(form, items)).toEqual(hints);
		expect(bodies()).toHaveLength(items.length);
		expect(await create(form, items, { dryRun: true })).toEqual(expect.arrayContaining(hints));
	});

	test('a read tells, too', async () => {
		service.behave(() => ({ body: { target: 'a.example', queries: {} } }));
		const form = {
			target: 'a.example',
			...more({ customResolvers: locator(expression('resolver')) }),
		};
		const { hints } = await run(service, 'platformDns', 'lookup.run', form, {
			items: [{ resolvers: '1' }],
		});
		expect(hints.join()).toContain('No item has `resolver`. Did you mean `resolvers`?');
	});
});
