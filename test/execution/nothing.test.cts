// Values that give nothing: a renamed column, a blank cell, an expression that finds none. What decides how much, for whom, when,
// who may see something or what a record holds is refused before anything is sent, on every road. The rest is told by a hint.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { told } from './host/host.cts';
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';
import { runTools, useTools, type EngineResult } from './host/tool.cts';

const service = Service.forFile();

const id = { id: 'new-1', document_id: 'ado-1', status: 'ready', updated: true };

beforeEach(() => service.behave(() => ({ body: id })));

const writes = () => service.received.filter(({ method }) => method !== 'GET');
const bodies = () => writes().map(({ body }) => body);

const locator = (value: string) => ({ __rl: true, mode: 'name', value });
const expression = (column: string) => `={{ $json.${column} }}`;
const fromModel = (name: string, type = 'string') => `={{ $fromAI('${name}', '', '${type}') }}`;

type Case = [node: string, operation: string, form: object, item: IDataObject, says: string];

const usage = { customerId: byId('cus-1'), subscriptionId: byId('sub-1'), externalId: 'u-1' };
const document = { knowledgeBaseId: byId('akb-1'), name: 'Pay', content: 'Pay' };
const remote = {
	knowledgeBaseId: byId('akb-1'),
	name: 'Pay',
	url: 'https://files.example.com/pay.md',
	contentType: 'text/markdown',
};
const entry = { typeId: byId('typ-1'), title: 'T' };
const charge = { title: 'C', eventType: locator('action'), actionType: 'charge' };
const at = { scheduleDate: '2031-05-02' };
const fields = ['headline', 'teaser'].map((key) => ({ id: key, displayName: key, type: 'string' }));
const automatic = { mappingMode: 'autoMapInputData', value: null, schema: fields };
const acl = (value: string) => ({ additionalFields: { metadata: `={{ ({ acl: ${value} }) }}` } });
const repeated = (rule: object) => ({
	...charge,
	...at,
	additionalFields: { recurrence: { rule } },
});

const refused: Case[] = [
	// Usage without a quantity.
	[
		'Customers',
		'usage.record',
		{ ...usage, additionalFields: { value: expression('api_calls'), valueType: 'x' } },
		{ apiCalls: 7 },
		'"Value" must not be empty, and the expression {{ $json.api_calls }} gives nothing. No item has `api_calls`. Did you mean `apiCalls`?',
	],
	[
		'Customers',
		'usage.record',
		{ ...usage, additionalFields: { amount: 1, value: expression('calls') } },
		{ calls: '' },
		'"Value" must not be empty',
	],
	[
		'Customers',
		'usage.record',
		{ ...usage, additionalFields: { valueType: 'x' } },
		{},
		'"Amount" or "Value" must be set',
	],
	['Customers', 'usage.record', usage, {}, '"Amount" or "Value" must be set'],
	[
		'Customers',
		'usage.record',
		{ ...usage, additionalFields: { value: '={{ NaN }}' } },
		{},
		'"Value" must be a number (got NaN)',
	],
	// By its ID the API knows what was recorded already.
	[
		'Customers',
		'usage.record',
		{ ...usage, externalId: expression('event_id'), additionalFields: { value: 1 } },
		{ eventId: 'u-1' },
		'"External ID" must not be empty, and the expression {{ $json.event_id }} gives nothing. No item has `event_id`. Did you mean `eventId`?',
	],
	// An update of which nothing is left.
	[
		'Customers',
		'customer.update',
		{ customerId: byId('cus-1'), updateFields: { email: expression('mail') } },
		{ email: 'ada@example.com' },
		'"Email" must not be empty, and the expression {{ $json.mail }} gives nothing. No item has `mail`. Did you mean `email`?',
	],
	[
		'Customers',
		'customer.create',
		{ email: expression('mail') },
		{ email: 'ada@example.com' },
		'"Email" must not be empty, and the expression {{ $json.mail }} gives nothing',
	],
	// An access list that would publish the document.
	...['$json.groups', 'null', '""', '[""]', '{}'].flatMap((value): Case[] => [
		[
			'AiGateway',
			'document.add',
			{ ...document, ...acl(value) },
			{ group: 'a' },
			'"Metadata (JSON)" must name in acl who can see the document',
		],
		[
			'AiGateway',
			'document.ingest',
			{ ...remote, ...acl(value) },
			{ group: 'a' },
			'"Metadata (JSON)" must name in acl who can see the document',
		],
	]),
	[
		'AiGateway',
		'document.add',
		{ ...document, additionalFields: { metadata: expression('meta') } },
		{},
		'"Metadata (JSON)" must not be empty',
	],
	// A property that would be wiped.
	...['segmnt', 'none'].flatMap((column): Case[] => {
		const row = { name: locator('segment'), value: expression(column) };
		const item = { segment: 'enterprise', none: null };
		const of = { customerId: byId('cus-1') };
		const says = 'has a fault in line 1: Value must not be empty';
		return [
			['Customers', 'property.update', { ...of, properties: { property: [row] } }, item, says],
			[
				'Customers',
				'property.update',
				{ ...of, propertiesAs: 'json', propertiesJson: `={{ ({ segment: $json.${column} }) }}` },
				item,
				says,
			],
			[
				'Customers',
				'property.update',
				{
					...of,
					propertiesAs: 'json',
					propertiesJson: `={{ [{ name: "segment", value: $json.${column} }] }}`,
				},
				item,
				says,
			],
		];
	}),
	// Entries without their data.
	...['undefined', 'null', '""', '{}', '[]', '$json.data'].flatMap((value): Case[] => {
		const json = { dataInput: 'json', dataJson: `={{ ${value} }}` };
		const update = { contentId: byId('cnt-1'), ...json, updateFields: { title: 'T' } };
		return [
			[
				'ContentBox',
				'content.create',
				{ ...entry, ...json },
				{ headline: 'H' },
				'"Data (JSON)" must not be empty',
			],
			[
				'ContentBox',
				'content.update',
				update,
				{ headline: 'H' },
				'"Data (JSON)" must not be empty',
			],
		];
	}),
	[
		'ContentBox',
		'content.create',
		{ ...entry, data: automatic },
		{ Head: 'H' },
		'"Data" matches no field: "Head". Did you mean headline for "Head"? Fields: headline, teaser. Rename them, or choose Map Each Column Manually',
	],
	[
		'ContentBox',
		'content.update',
		{ contentId: byId('cnt-1'), data: automatic, updateFields: { title: 'T' } },
		{ other: 'H' },
		'"Data" matches no field: "other"',
	],
	[
		'ContentBox',
		'content.create',
		{ ...entry, data: automatic },
		{ headline: null },
		'"Data" must not be empty',
	],
	[
		'ContentBox',
		'content.create',
		{
			...entry,
			data: { mappingMode: 'defineBelow', value: { headline: expression('hl') }, schema: fields },
		},
		{},
		'"Data" must not be empty',
	],
	[
		'ContentBox',
		'content.create',
		{ ...entry, data: { headline: expression('hl') } },
		{},
		'"Data" must not be empty',
	],
	[
		'ContentBox',
		'content.create',
		{ ...entry, data: automatic },
		{ Headline: 'a', HEADLINE: 'b' },
		'"Data" has two values for headline',
	],
	[
		'ContentBox',
		'content.create',
		{ ...entry, additionalFields: { state: byId(expression('state')) } },
		{},
		'"State" must not be empty',
	],
	// A credential and prompts that would go to another host.
	...['$json.url', 'null', '""', '[]'].map((value): Case => [
		'AiGateway',
		'connection.create',
		{
			...{ name: 'C', provider: 'vendor_a', model: 'm', credential: '={{ "k" }}' },
			baseUrl: `={{ ${value} }}`,
		},
		{ URL: 'https://a.example' },
		'"Base URL" must not be empty',
	]),
	// A pause whose end, or whatever a company needs, gives nothing.
	...['$json.until', 'null', '({ until: $json.until })', '({})'].map((value): Case => [
		'Customers',
		'subscription.pause',
		{
			...{ customerId: byId('cus-1'), subscriptionId: byId('sub-1') },
			additionalFields: { body: `={{ ${value} }}` },
		},
		{ Until: '2031-01-01' },
		'"Body (JSON)" must not be empty',
	]),
	// A document that would replace the one of the same name.
	...['$json.path', 'null', '""', '{}'].map((value): Case => [
		'AiGateway',
		'document.createOrReplace',
		{ ...document, documentKey: `={{ ${value} }}` },
		{ Path: 'a.md' },
		'"Your ID" must not be empty',
	]),
	// A list that would be replaced, or added to, where the user wanted something else.
	...['undefined', 'null', '""', '[]', '{}'].flatMap((value): Case[] => [
		[
			'Newsletters',
			'recipient.set',
			{
				...{ newsletterId: byId('n-1'), customersAs: 'ids', contactIds: 'c-1' },
				changeRecipients: `={{ ${value} }}`,
			},
			{},
			'"Change Recipients" must not be empty',
		],
		[
			'Customers',
			'customer.upsert',
			{ externalId: 'c-1', fields: { tags: 'vip', changeTags: `={{ ${value} }}` } },
			{},
			'"Change Tags" must not be empty',
		],
	]),
	// Half of a setting.
	['Scheduler', 'event.create', charge, {}, '"Start" must not be empty if Action Type is Charge'],
	[
		'Scheduler',
		'event.create',
		{ ...charge, scheduleDate: expression('day') },
		{},
		'"Start" must not be empty',
	],
	['Scheduler', 'event.create', repeated({}), {}, '"Unit" must not be empty'],
	[
		'Scheduler',
		'event.create',
		{ ...charge, ...at, additionalFields: { recurrence: {} } },
		{},
		'"Recurrence" must not be empty',
	],
	...[0, -1].map((interval): Case => [
		'Scheduler',
		'event.create',
		repeated({ type: locator('week'), interval }),
		{},
		'"Interval" must be at least 1',
	]),
	[
		'Scheduler',
		'event.create',
		repeated({ type: locator(expression('unit')), interval: 1 }),
		{},
		'"Unit" must not be empty',
	],
	[
		'Scheduler',
		'event.create',
		repeated({ type: locator('week'), interval: expression('every') }),
		{},
		'"Interval" must not be empty',
	],
	[
		'Scheduler',
		'event.create',
		repeated({ type: locator('week'), interval: 1, endDate: expression('until') }),
		{ Until: 'x' },
		'"Last Day" must not be empty, and the expression {{ $json.until }} gives nothing. No item has `until`. Did you mean `Until`?',
	],
	[
		'Scheduler',
		'event.create',
		{ ...charge, ...at, payload: '={{ ({ customer: $json.custmer }) }}' },
		{},
		'"Payload (JSON)" must not be empty',
	],
	[
		'Customers',
		'subscription.create',
		{
			customerId: byId('cus-1'),
			plan: 'p',
			addons: { addon: [{ element: 'seats', quantity: expression('seats') }] },
		},
		{},
		'has a fault in line 1: Quantity must not be empty',
	],
	[
		'Customers',
		'subscription.create',
		{
			customerId: byId('cus-1'),
			plan: 'p',
			addonsAs: 'json',
			addonsJson: '={{ [{ element: "seats", quantity: $json.seats }] }}',
		},
		{},
		'has a fault in line 1: Quantity must not be empty',
	],
	[
		'Customers',
		'charge.create',
		{
			customerId: byId('cus-1'),
			services: { service: [{ name: 'S', amount: 5 }] },
			options: { capture: expression('capture') },
		},
		{},
		'"Capture" must not be empty',
	],
];

test.each(refused)('%s: %s with %j of %j is refused', async (node, operation, form, item, says) => {
	const items = [item, item];
	const one = await run(service, `platform${node}`, operation, form as never, { items: [item] });
	expect(told(one.error)).toContain(says);
	const two = await run(service, `platform${node}`, operation, form as never, { items });
	expect(told(two.error)).toContain(says.replace(/" must/, '" must').slice(0, 20));
	expect(writes()).toEqual([]);
});

test.each<[string, string, object, IDataObject, object]>([
	[
		'an empty text clears a property',
		'Customers.property.update',
		{
			customerId: byId('cus-1'),
			keepOthers: false,
			properties: { property: [{ name: locator('segment'), value: '' }] },
		},
		{},
		{ CustomerProperties: { segment: '' } },
	],
	[
		'an expression that gives empty text does, too',
		'Customers.property.update',
		{
			customerId: byId('cus-1'),
			keepOthers: false,
			properties: { property: [{ name: locator('segment'), value: expression('segment') }] },
		},
		{ segment: '' },
		{ CustomerProperties: { segment: '' } },
	],
	[
		'names of an entry differ in case and blanks',
		'ContentBox.content.create',
		{ ...entry, data: automatic },
		{ HeadLine: 'H', 'Te aser': 'x' },
		{ content: { type_id: 'typ-1', title: 'T', data: { headline: 'H', teaser: 'x' } } },
	],
	[
		'an entry has no data if nobody gave it some',
		'ContentBox.content.create',
		entry,
		{},
		{ content: { type_id: 'typ-1', title: 'T' } },
	],
	[
		'a recurrence without a last day',
		'Scheduler.event.create',
		repeated({ type: locator('week'), interval: 2, endDate: '' }),
		{},
		{
			event: {
				title: 'C',
				schedule_date: '2031-05-02T00:00:00+02:00',
				event_type: 'action',
				action_type: 'charge',
				recurrence: { type: 'week', interval: 2 },
			},
		},
	],
	[
		'an access list for all, on purpose',
		'AiGateway.document.add',
		{ ...document, additionalFields: { acl: '={{ [] }}' } },
		{},
		{ name: 'Pay', content: 'Pay', metadata: { acl: [] } },
	],
	[
		'an amount of 0',
		'Customers.usage.record',
		{ ...usage, additionalFields: { value: '={{ 0 }}' } },
		{},
		{ usage: { externalId: 'u-1', value: 0 } },
	],
])('%s is sent', async (_what, name, form, item, body) => {
	const [node, ...operation] = name.split('.');
	const options = { items: [item], timezone: 'Europe/Berlin' };
	const { error } = await run(
		service,
		`platform${node}`,
		operation.join('.'),
		form as never,
		options,
	);
	expect(told(error)).toBe('');
	expect(bodies()).toEqual([body]);
});

describe('a model', () => {
	type Args = Record<string, unknown>;
	const toolkit = (tool: string) => ({
		node: 'platformApiTool',
		parameters: { offer: 'chosen', operations: [tool], onceOnly: false } as INodeParameters,
	});
	const textOf = (result: EngineResult) => {
		const [{ error }] = typeof result === 'string' ? [{ error: result }] : result;
		return typeof error === 'string' ? error : JSON.stringify(result);
	};

	const ids = { customer_id: 'cus-1', subscription_id: 'sub-1' };
	const base = { knowledge_base_id: 'akb-1', name: 'Pay' };
	const event = {
		title: 'C',
		event_type: 'action',
		action_type: 'charge',
		schedule_date: '2031-05-02',
	};

	const calls: Array<[tool: string, args: Args, says: string]> = [
		['record_usage', { ...ids, value_type: 'x' }, '"amount" or "value" must be set'],
		['record_usage', { ...ids, amount: null, value: null }, 'must not be empty'],
		['record_usage', { ...ids, amount: '', value: 5 }, '"amount" must not be empty'],
		...[null, '', [''], {}].flatMap((acl): Array<[string, Args, string]> => [
			[
				'add_document',
				{ ...base, content: 'Pay', metadata: { acl } },
				'must name in acl who can see the document',
			],
			[
				'ingest_document',
				{ ...base, url: 'https://a.example/b', content_type: 'text/html', metadata: { acl } },
				'must name in acl who can see the document',
			],
		]),
		[
			'update_customer_properties',
			{ customer_id: 'cus-1', properties: [{ name: 'segment' }] },
			'must have a value for "segment"',
		],
		[
			'update_customer_properties',
			{ customer_id: 'cus-1', properties: [{ name: 'segment', value: null }] },
			'must have a value for "segment"',
		],
		[
			'create_content',
			{ type_id: 'typ-1', title: 'T', data_json: {} },
			'"data_json" must not be empty',
		],
		...['{}', '{ }', '[]', 'null', '{"headline": null}'].flatMap(
			(text): Array<[string, Args, string]> => [
				[
					'create_content',
					{ type_id: 'typ-1', title: 'T', data_json: text },
					'"data_json" must not be empty',
				],
				[
					'update_content',
					{ content_id: 'cnt-1', title: 'T', data_json: text },
					'"data_json" must not be empty',
				],
			],
		),
		[
			'create_event',
			{ ...event, schedule_date: undefined },
			'"schedule_date" must not be empty if action_type is Charge',
		],
		['create_event', { ...event, recurrence: {} }, 'must not be empty'],
		['create_event', { ...event, recurrence: { type: 'week', interval: 0 } }, 'must be at least 1'],
		[
			'create_event',
			{ ...event, recurrence: { type: 'week', interval: 1, end_date: null } },
			'must not be empty',
		],
		[
			'create_subscription',
			{ customer_id: 'cus-1', plan: 'p', addons: [{ element: 'seats', quantity: null }] },
			'quantity must not be empty',
		],
		[
			'create_charge',
			{ customer_id: 'cus-1', services: [{ name: 'S', amount: 5 }], capture: null },
			'"capture" must not be empty',
		],
	];

	test.each(calls)(
		'Platform Tools, called by itself: %s %j is refused',
		async (tool, args, says) => {
			let answer = '';
			await useTools([toolkit(tool)], service.credential, async (tools) => {
				answer = await tools[tool].invoke(args);
			});
			expect(answer).toContain(says);
			expect(writes()).toEqual([]);
		},
	);

	test.each(calls)(
		"Platform Tools, called by n8n's engine: %s %j is refused",
		async (tool, args, says) => {
			const call = { node: 'Tool 1', input: { ...args, tool } as IDataObject };
			const [[result]] = await runTools([toolkit(tool)], service.credential, [[call]]);
			expect(textOf(result)).toContain(says);
			expect(writes()).toEqual([]);
		},
	);

	test('may clear a property with empty text', async () => {
		const args = { customer_id: 'cus-1', properties: [{ name: 'segment', value: '' }] };
		service.behave(({ method }) => ({
			body: method === 'GET' ? { elements: {} } : { customer: {} },
		}));
		await useTools([toolkit('update_customer_properties')], service.credential, async (tools) => {
			await tools.update_customer_properties.invoke(args);
		});
		expect(bodies()).toEqual([{ CustomerProperties: { segment: '' } }]);
	});

	const services = { service: [{ name: 'S', amount: 5 }] };
	const asTools: Array<[string, string, object, string]> = [
		[
			'platformCustomers',
			'usage.record',
			{ ...usage, additionalFields: { value: fromModel('v', 'number') } },
			'"Value" must not be empty',
		],
		[
			'platformCustomers',
			'property.update',
			{
				customerId: byId('cus-1'),
				properties: { property: [{ name: locator('segment'), value: fromModel('v') }] },
			},
			'Value must not be empty',
		],
		[
			'platformAiGateway',
			'document.add',
			{ ...document, additionalFields: { metadata: '={{ ({ acl: $fromAI("v", "", "json") }) }}' } },
			'must name in acl who can see the document',
		],
		[
			'platformContentBox',
			'content.create',
			{ ...entry, dataInput: 'json', dataJson: fromModel('v', 'json') },
			'"Data (JSON)" must not be empty',
		],
		[
			'platformCustomers',
			'charge.create',
			{ customerId: byId('cus-1'), services, options: { capture: fromModel('v', 'boolean') } },
			'"Capture" must not be empty',
		],
		[
			'platformCustomers',
			'subscription.create',
			{
				customerId: byId('cus-1'),
				plan: 'p',
				addons: { addon: [{ element: 'seats', quantity: fromModel('v', 'number') }] },
			},
			'Quantity must not be empty',
		],
		[
			'platformScheduler',
			'event.create',
			{ ...charge, scheduleDate: fromModel('v') },
			'"Start" must not be empty',
		],
	];

	test.each(asTools)(
		'the node %s as a tool: %s with %j is refused',
		async (node, operation, form, says) => {
			const [resource, name] = operation.split('.');
			const tool = { node, parameters: { resource, operation: name, ...form } as INodeParameters };
			const call = { node: 'Tool 1', input: { v: null } as IDataObject };
			const [[result]] = await runTools([tool], service.credential, [[call]]);
			expect(textOf(result)).toContain(says);
			expect(writes()).toEqual([]);
		},
	);

	test('reads of a field that found no column', async () => {
		const parameters = {
			resource: 'customer',
			operation: 'create',
			email: fromModel('mail'),
			companyName: expression('compny'),
		};
		const tool = { node: 'platformCustomers', parameters };
		const call = { node: 'Tool 1', input: { mail: 'a@example.com' } as IDataObject };
		const of = { items: [{ company: 'Acme' }] };
		const [[result]] = await runTools([tool], service.credential, [[call]], of);
		expect(result).toEqual([
			expect.objectContaining({ id: 'new-1' }),
			{
				note: '"Company Name" is empty: the expression {{ $json.compny }} gives nothing. No item has `compny`. Did you mean `company`?',
			},
		]);
	});

	test("isn't told of what it left out itself", async () => {
		const parameters = {
			resource: 'customer',
			operation: 'create',
			email: fromModel('mail'),
			companyName: fromModel('company'),
		};
		const tool = { node: 'platformCustomers', parameters };
		const call = { node: 'Tool 1', input: { mail: 'a@example.com' } as IDataObject };
		const [[result]] = await runTools([tool], service.credential, [[call]]);
		expect(result).toHaveLength(1);
	});
});

describe('the hint', () => {
	const create = async (form: object, items: IDataObject[], credential: object = {}) => {
		const { hints, error } = await run(
			service,
			'platformCustomers',
			'customer.create',
			{ email: '={{ $json.email }}', ...form } as never,
			{
				items,
				credential: { ...service.credential, ...credential } as never,
			},
		);
		expect(told(error)).toBe('');
		return hints;
	};
	const rows = (...more: IDataObject[]) =>
		more.map((each, n) => ({ email: `r${n}@example.com`, ...each }));
	const missing = 'No item has `compny`. Did you mean `company`?';

	test('names the field, its expression, the column and the nearest one', async () => {
		const items = rows({ company: 'A' }, { company: 'B' });
		const text = `"Company Name" is empty for all 2 items: the expression {{ $json.compny }} gives nothing. ${missing}`;
		expect(await create({ companyName: expression('compny') }, items)).toEqual([text]);
		expect(bodies()).toHaveLength(2);
		const dry = await create({ companyName: expression('compny') }, items, { dryRun: true });
		expect(dry).toContain(text);
		const inCollection = { additionalFields: { lastName: '={{ $json["last_nme"].trim?.() }}' } };
		expect(await create(inCollection, rows({ last_name: 'N' }))).toEqual([
			expect.stringContaining('No item has `last_nme`. Did you mean `last_name`?'),
		]);
	});

	test.each<[string, object, IDataObject[], unknown[]]>([
		[
			'is not there if one item has a value',
			{ companyName: expression('company') },
			rows({}, { company: 'A' }),
			[],
		],
		['is not there for a field that nobody filled', {}, rows({}), []],
		[
			'names no column that some item has',
			{ companyName: expression('company') },
			rows({ company: '' }, { company: null }),
			[
				'"Company Name" is empty for all 2 items: the expression {{ $json.company }} gives nothing.',
			],
		],
		[
			'names a column inside of a column',
			{ companyName: expression('billing.compny') },
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
			{ additionalFields: { lastName: '' } },
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
	])('%s', async (_what, form, items, hints) => {
		expect(await create(form, items)).toEqual(hints);
	});

	test('shows no key and no HTML', async () => {
		const form = { companyName: `={{ $json.a || ($json.b < 1 ? '${service.key}' : '') }}` };
		const [hint] = await create(form, rows({ '<b>a</b>': 1 }));
		expect(hint).toBe('"Company Name" is empty. No item has `a`. No item has `b`.');
	});

	test('a read tells, too', async () => {
		service.behave(() => ({ body: { target: 'a.example', queries: {} } }));
		const form = {
			target: 'a.example',
			additionalFields: { customResolvers: locator(expression('resolver')) },
		};
		const { hints } = await run(service, 'platformDns', 'lookup.run', form as never, {
			items: [{ resolvers: '1' }],
		});
		expect(hints.join()).toContain('No item has `resolver`. Did you mean `resolvers`?');
	});
});
