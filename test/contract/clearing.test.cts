// Updates: what the user adds and leaves empty clears a value or is refused. It is never left out
// without a word, and the form says which of the two it is.
import type { Field } from '../../nodes/engine/form/fields.ts';
import { forms, type Form } from '../table/forms.cts';
import { slots } from '../table/leaves.cts';
import { entryOf, partsOf, table, type TableEntry } from '../table/operations.cts';
import { problemsOf, requestOf } from '../table/requests.cts';
import { fixedValues } from '../table/samples.cts';

const updates = table.filter(({ operation }) => partsOf(operation.endpoint.route).method === 'PUT');

const textual = ['string', 'color', 'dateTime', 'resourceLocator'];

/** The checksum of a source that is replaced as a whole: one that is left out is gone with it. */
const GONE = 'sha256';

/** Optional fields with a text, a date or a list of texts, and the place that each fills. */
function optionalTexts({ operation }: TableEntry) {
	const rows = new Set(
		slots(operation)
			.filter(({ field }) => field.type === 'fixedCollection')
			.map(({ path }) => path),
	);
	const isInRow = (path: string) => [...rows].some((row) => path !== row && path.startsWith(row));
	return slots(operation).filter(
		({ field, path }) =>
			textual.includes(field.type) &&
			!field.required &&
			field.name !== GONE &&
			!isInRow(path) &&
			!operation.endpoint.route.includes(`{${field.name}}`),
	);
}

const emptyValue = ({ type }: Field) =>
	type === 'resourceLocator' ? { __rl: true, mode: 'list', value: '' } : '';

const at = (value: unknown, path: string): unknown =>
	path.split('.').reduce((outer, name) => (outer as Form | undefined)?.[name], value);

const makers = table.filter(({ operation }) => /^(create|record)$/.test(operation.value));

const cases = updates.flatMap((entry) =>
	optionalTexts(entry).map((slot) => [entry.title, slot.field.displayName, entry, slot] as const),
);

test.each(cases)('%s: an empty %s clears or is refused', (_title, name, entry, slot) => {
	const [form] = forms(entry.operation, fixedValues(entry));
	let request;
	try {
		request = requestOf(entry, slot.with(form, emptyValue(slot.field)));
	} catch (error) {
		expect(error).toMatchObject({
			field: name,
			fault: expect.stringMatching(/^must not be empty/),
		});
		return;
	}
	expect(['', null, []]).toContainEqual(at(request.body, slot.path));
	expect(problemsOf(request)).toEqual([]);
});

test('there are fields to clear, and operations that make records', () => {
	expect(cases.length).toBeGreaterThan(15);
	expect(makers.length).toBeGreaterThan(10);
});

const isUpdateFields = ({ name }: Field) => name === 'updateFields';

const updated = (node: string, resource: string, updateFields: Form) => {
	const entry = entryOf(node, resource, 'update');
	const [base] = forms(entry.operation, fixedValues(entry));
	return requestOf(entry, { ...base, updateFields }).body;
};

/** Fields that the user adds to an update, and what they hold when nothing was entered. */
const added = updates.flatMap((entry) =>
	(entry.operation.fields ?? [])
		.filter(isUpdateFields)
		.flatMap(({ options = [] }) => options as Field[])
		.filter(({ type, send }) => type !== 'collection' && send !== false && send?.empty !== 'clears')
		.flatMap((field) =>
			(field.type === 'json' ? ['', field.default] : [emptyValue(field)])
				.filter((value) => value !== undefined)
				.map((value) => [`${entry.title}: ${field.displayName}`, value, entry, field] as const),
		),
);

test.each(added)(
	'%s, added and left at %j, is refused beside another field',
	(_t, value, entry, field) => {
		const [form] = forms(entry.operation, fixedValues(entry));
		const updateFields = { ...(form.updateFields as Form), [field.name]: value };
		expect(() => requestOf(entry, { ...form, updateFields })).toThrow(
			expect.objectContaining({ field: field.displayName }),
		);
	},
);

test.each([
	['the title', { title: '' }, { title: '' }],
	['the color', { color: '' }, { color: '' }],
	['the end', { endDate: '' }, { end_date: null }],
	['the recurrence', { recurrence: {} }, { recurrence: null }],
])('an event: %s is removed', (_what, fields, event) => {
	expect(updated('platformScheduler', 'event', fields)).toEqual({ event });
});

test.each<[string, string, string, Form, object]>([
	[
		'data of an entry',
		'platformContentBox',
		'content.update',
		{ dataInput: 'json', dataJson: '{}', updateFields: { title: 'T' } },
		{ content: { title: 'T' } },
	],
	[
		'data of a new entry',
		'platformContentBox',
		'content.create',
		{ dataInput: 'json', dataJson: '{}', typeId: 't', title: 'T' },
		{ content: { type_id: 't', title: 'T' } },
	],
	[
		'resolvers and record types',
		'platformDns',
		'lookup.runWithResolvers',
		{
			target: 'a.example',
			resolversAs: 'json',
			resolversJson: '[]',
			additionalFields: { recordTypes: [] },
		},
		{ target: 'a.example' },
	],
	[
		'metadata of a payout',
		'platformPartners',
		'payout.updateStatus',
		{ payoutId: 'p', status: 'paid', additionalFields: { metadata: '{}' } },
		{ payout: { status: 'paid' } },
	],
	// The reference requires data, and a workflow may need none.
	[
		'the data of a workflow, sent',
		'platformWorkflows',
		'workflow.run',
		{ workflowId: 'w', data: '{}' },
		{ data: {} },
	],
])('what nobody touched is left out: %s', (_what, node, operation, form, body) => {
	const entry = entryOf(node, ...(operation.split('.') as [string, string]));
	const contentId = { __rl: true, mode: 'id', value: 'c' };
	expect(requestOf(entry, { contentId, ...form }).body).toEqual(body);
});

const further = {
	first_name: null,
	email: null,
	address: { country: null },
	tags: null,
	loyalty: { level: null, history: [null, { at: null }] },
};

// Of fields with and without a format, of an object, a list, and deeper down.
test.each([
	['an object', further],
	['text', JSON.stringify(further)],
])('null in JSON is sent as it is: %s', (_what, json) => {
	const body = { customer: further };
	expect(updated('platformCustomers', 'customer', { further: json })).toEqual(body);
});

test.each(makers.map((entry) => [entry.title, entry] as const))(
	"%s: a record can't be created without values",
	(_title, entry) => {
		const ids = (entry.operation.fields ?? []).filter(({ name }) =>
			entry.operation.endpoint.route.includes(`{${name}}`),
		);
		const form = Object.fromEntries(
			ids.map(({ name }) => [name, { __rl: true, mode: 'id', value: 'some-id' }]),
		);
		expect(() => requestOf(entry, form)).toThrow(
			expect.objectContaining({ fault: expect.stringMatching(/must/) }),
		);
	},
);
