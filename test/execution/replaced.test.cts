// A write that replaces a whole list or map of a record, from several items: only the last one's would stay. So items that
// have different ones for the same record are refused before anything is sent, with the way to send one of all items.
import { fieldsWithKey } from '../../dist/nodes/engine/form/request.js';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { endpointOf, routesOf, table, type TableEntry } from '../table/operations.cts';
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 20 });

/** What an operation may replace, by the keys of the API. */
const replacesOf = ({ operation }: TableEntry) =>
	Object.assign({}, ...routesOf(operation).map((route) => endpointOf(route).replaces ?? {})) as {
		[key: string]: string;
	};

const isList = ({ type, typeOptions, send }: Field) =>
	(type === 'fixedCollection' && typeOptions?.multipleValues === true) ||
	(send && ['list', 'texts', 'array', 'map'].includes(send.type ?? ''));

const updates = table.filter(({ operation }) =>
	routesOf(operation).some((route) => route.startsWith('PUT ')),
);

test.each(updates.map((entry) => [entry.title, entry] as const))(
	'%s declares each list and map that it sends',
	(_title, entry) => {
		const { pathParameters } = entry.operation.endpoint;
		const sent = fieldsWithKey(entry.operation.fields ?? [])
			.filter((field) => isList(field) && !pathParameters.includes(field.name))
			.map(({ name, send }) => (send && send.as) || name);
		expect(Object.keys(replacesOf(entry))).toEqual(expect.arrayContaining(sent));
	},
);

const customerId = byId('={{ $json.of }}');
const idField = { update: { changeTags: 'replace', tags: '={{ $json.list }}' } };

/** A form for each list that an operation can replace. The list and the record come from the item. */
const forms: Record<string, object> = {
	'platformCustomers.customer.update tags': { customerId, updateFields: idField.update },
	'platformCustomers.customer.upsert tags': {
		matchBy: 'externalId',
		externalId: '={{ $json.of }}',
		fields: { tags: '={{ $json.list }}', changeTags: 'replace' },
	},
	'platformCustomers.property.update CustomerProperties': {
		customerId,
		properties: { property: [{ name: byId('plan'), value: '={{ $json.list }}' }] },
		keepOthers: false,
	},
	'platformPartners.partner.update tags': {
		partnerId: byId('={{ $json.of }}'),
		updateFields: idField.update,
	},
	'platformContentBox.content.update data': {
		contentId: byId('={{ $json.of }}'),
		dataInput: 'json',
		dataJson: '={{ { headline: $json.list } }}',
		keepOtherFields: false,
	},
	'platformContentBox.contentType.update fields': {
		typeId: byId('={{ $json.of }}'),
		updateFields: { fieldsJson: '={{ { [$json.list]: { label: "A", type: "string" } } }}' },
	},
	'platformNewsletters.recipient.set contact_ids': {
		newsletterId: byId('={{ $json.of }}'),
		customers: { customer: [{ customerId: byId('={{ $json.list }}') }] },
	},
};

const named = (entry: TableEntry) =>
	Object.keys(replacesOf(entry)).map((key) => {
		const name = `${entry.node}.${entry.resource.value}.${entry.operation.value}`;
		return { name: `${name} ${key}`, entry, way: replacesOf(entry)[key] };
	});

// The form of a partner's Create or Update has no tags.
const replacing = updates.flatMap(named).filter(({ name }) => !name.includes('partner.upsert'));

test('each operation that replaces a list has a form here', () => {
	expect(replacing.map(({ name }) => name).sort()).toEqual(Object.keys(forms).sort());
});

describe.each(replacing)('$name', ({ name, entry, way }) => {
	test('the way out names a field and a choice of the form', () => {
		const labels = JSON.stringify(entry.operation.fields);
		const [, field, choice] = /^(?:Set|Turn on|Enter all) (.*?)(?: to (.*)| in one item)?$/.exec(
			way,
		) as string[];
		for (const label of [field, choice].filter(Boolean)) {
			expect(labels.toLowerCase()).toContain(JSON.stringify(label).toLowerCase());
		}
	});

	const [path] = name.split(' ');
	const [node, resource, operation] = path.split('.');
	const runItems = async (items: Array<{ of: string; list: string }>, more: object = {}) => {
		return await run(sandbox(), node, `${resource}.${operation}`, forms[name] as never, {
			items,
			...more,
		});
	};
	const writes = () => sandbox().requests.filter(({ method }) => method !== 'GET');

	test('different lists for one record are refused, and nothing is sent', async () => {
		const items = [
			{ of: 'r-1', list: 'a' },
			{ of: 'r-1', list: 'b' },
			{ of: 'r-1', list: 'c' },
		];
		const { error } = await runItems(items);
		expect(error?.message).toContain('None of the 3 items can be sent, so nothing was sent');
		expect(error?.message).toContain('several items do that for the same record');
		expect(error?.message).toContain(way);
		expect(sandbox().requests).toEqual([]);
	});

	test('the others go on if the user asked for it', async () => {
		const items = [
			{ of: 'r-1', list: 'a' },
			{ of: 'r-2', list: 'a' },
			{ of: 'r-1', list: 'b' },
		];
		const { items: out } = await runItems(items, {
			settings: { onError: 'continueRegularOutput' },
		});
		expect(String(out[0].json.error)).toContain('the same record');
		expect(String(out[2].json.error)).toContain('the same record');
		for (const { path: sent } of sandbox().requests) expect(sent).not.toContain('r-1');
	});

	test('the same list, or lists of other records, are sent', async () => {
		const items = [
			{ of: 'r-1', list: 'a' },
			{ of: 'r-1', list: 'a' },
			{ of: 'r-2', list: 'b' },
		];
		await runItems(items, { settings: { onError: 'continueRegularOutput' } });
		// Create or Update doesn't send what the record shows by then.
		expect(writes()).toHaveLength(operation.endsWith('upsert') ? 2 : 3);
	});
});

test('lists that are added to the record are sent by each item', async () => {
	const { rows } = sandbox().state.customers.customers;
	const [{ id }] = rows;
	const form = { customerId: byId(id), updateFields: { tags: '={{ $json.list }}' } };
	const items = [{ list: 'one' }, { list: 'two' }];
	const { error } = await run(sandbox(), 'platformCustomers', 'customer.update', form, { items });
	expect(error).toBeUndefined();
	expect(rows[0].tags).toEqual(expect.arrayContaining(['one', 'two']));
});
