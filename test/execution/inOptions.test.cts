// What nodes of version 1 have in the form, and new ones in Options, sends the same.
import { newestVersion, nodes } from '../table/operations.cts';
import { Service } from './host/service.cts';
import { byId, run } from './host/run.cts';

const service = Service.forFile();
beforeEach(() => service.behave(() => ({ body: { id: 'r-1', status: 'active', tags: ['old'] } })));

const services = [{ name: 'Setup', amount: 49.9, taxProfile: 'standard' }];
const fields = { teaser: { label: 'Teaser', type: 'text' } };
const columns = { fieldsAs: 'columns', columns: { mappingMode: 'autoMapInputData', value: null } };

/** An operation, what its form has besides, what stands in another place, and what is sent. */
const cases: Array<[operation: string, form: object, moved: object, sent: object]> = [
	[
		'Customers.charge.create',
		{ customerId: byId('c-1') },
		{ servicesAs: 'json', servicesJson: services },
		{ charge: { services } },
	],
	[
		'Customers.subscription.create',
		{ customerId: byId('c-1'), plan: byId('basic') },
		{ addonsAs: 'json', addonsJson: [{ element: 'seats', quantity: 3 }] },
		{ subscription: { id: 'basic', addons: [{ element: 'seats', quantity: 3 }] } },
	],
	[
		'Customers.property.update',
		{ customerId: byId('c-1'), keepOthers: false },
		{ propertiesAs: 'json', propertiesJson: { plan: 'gold' } },
		{ CustomerProperties: { plan: 'gold' } },
	],
	[
		'ContentBox.content.create',
		{ title: 'Taxes', typeId: byId('t-1') },
		{ dataInput: 'json', dataJson: { teaser: '={{ $json.remark }}' } },
		{ content: { title: 'Taxes', type_id: 't-1', data: { teaser: 'x' } } },
	],
	[
		'ContentBox.contentType.create',
		{ title: 'Banner' },
		{ fieldsInput: 'json', fieldsJson: fields },
		{ type: { title: 'Banner', fields } },
	],
	[
		'Customers.customer.create',
		columns,
		{ extraColumns: 'ignore' },
		{ customer: { email: 'ada@example.com', tags: ['new'] } },
	],
	[
		'Customers.customer.update',
		{ ...columns, customerId: byId('c-1') },
		{ extraColumns: 'ignore', columnOptions: { changeTags: 'replace' } },
		{ customer: { email: 'ada@example.com', tags: ['new'] } },
	],
];

const item = { email: 'ada@example.com', tags: 'new', remark: 'x' };

test.each(cases)('%s %j', async (operation, form, moved, sent) => {
	const [area, ...name] = operation.split('.');
	const node = `platform${area}`;
	const { description } = nodes.find((each) => each.name === node)!;
	const newest = newestVersion(description);
	// The choice is made by the JSON.
	const { columnOptions = {}, ...inForm } = moved as Record<string, object>;
	const inOptions = Object.entries(inForm).filter(([name]) => !/As$|Input$/.test(name));
	for (const [typeVersion, parameters] of [
		[1, { ...form, ...moved }],
		[newest, { ...form, options: { ...Object.fromEntries(inOptions), ...columnOptions } }],
	] as const) {
		service.received.splice(0);
		const { error } = await run(
			{ baseUrl: service.baseUrl, key: 'key' },
			node,
			name.join('.'),
			parameters as never,
			{ items: [item], settings: { typeVersion } },
		);
		expect(error).toBeUndefined();
		const [{ body }] = service.received.filter(({ method }) => method !== 'GET');
		expect(body).toEqual(sent);
	}
});
