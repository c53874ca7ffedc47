// Texts of the forms, as n8n's own nodes have them: notices, descriptions, and names of fields, one for one thing and in the
// order in which people think.
import { formFields } from '../../dist/nodes/engine/node/description.js';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { takesKey } from '../../dist/nodes/engine/form/operation.js';
import { forms, shown, type Form } from '../table/forms.cts';
import { isRepeatable, nodes, table } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { toldOf } from '../table/tools.cts';
import { formsOf, formWords, medianOf, readText, withInner } from '../../tools/formWords.cts';
import { expectNone } from '../none.cts';

/** Characters that n8n shows in two lines of a list of operations. */
const TWO_LINES = 112;

/** Characters that n8n shows in one line of a form. */
const ONE_LINE = 56;

const allForms = nodes.flatMap(formsOf);

/** Notices that a new node shows. One with a link is n8n's own, in sub-nodes that aren't connected. */
const notices = allForms.flatMap(({ title, fields }) =>
	fields
		.filter(({ type, displayName }) => type === 'notice' && !displayName.includes('<a '))
		.map(({ displayName }) => ({ title, displayName })),
);

test('forms are short', () => {
	const words = new Map(formWords().map((form) => [form.title, form.words]));
	expect(words.size).toBe(allForms.length);
	expect(medianOf([...words.values()])).toBeLessThanOrEqual(45);
	expect(words.get('Platform Customers › Customer › Create')).toBeLessThanOrEqual(140);
	// It has the keys, the fields, the plan and its limit.
	expect(words.get('Platform Customers › Customer › Create or Update')).toBeLessThanOrEqual(215);
	words.delete('Platform Customers › Customer › Create or Update');
	expect(Math.max(...words.values())).toBeLessThanOrEqual(200);
});

/** Labels of a new form: of the fields, of the rows that it begins with, and of what n8n itself adds. */
function labelsOf(title: string): number {
	const { fields } = allForms.find((form) => form.title === `Platform ${title}`)!;
	const rowsIn = ({ type, options = [], typeOptions, default: begin }: (typeof fields)[number]) =>
		options.flatMap((row) =>
			type === 'fixedCollection' && 'values' in row && row.name in Object(begin)
				? row.values.filter(({ required }) => required || !typeOptions?.hideOptionalFields)
				: [],
		);
	const labelled = fields.filter(({ type }) => type !== 'notice');
	const mappers = fields.filter(({ type }) => type === 'resourceMapper').length;
	const ofN8n = ['Credential', 'Resource', 'Operation'].length + mappers;
	return ofN8n + labelled.length + labelled.flatMap(rowsIn).length;
}

test.each([
	['Customers › Charge › Create', 10],
	['Customers › Subscription › Create', 10],
	['Customers › Customer › Create or Update', 9],
	['Customers › Customer › Create', 9],
])('%s begins with %i labels at most', (title, max) => {
	expect(labelsOf(title)).toBeLessThanOrEqual(max);
});

test('a notice is one line on money, or on what can’t be undone', () => {
	expect(notices.length).toBeGreaterThan(20);
	const about = /charge|cost|email|undo|permanent|delete|for good|changed|starts/;
	const wrong = notices.filter(
		({ displayName }) =>
			displayName.length > ONE_LINE || displayName.endsWith('.') || !about.test(displayName),
	);
	expectNone(
		wrong,
		"Make each notice one line of at most 56 characters, without a period, on money or on what can't be undone.",
	);
});

const texts = nodes.flatMap(({ name, description }) =>
	description.properties.flatMap(withInner).flatMap((field) => {
		const ofOptions = (field.options ?? []).map((option) =>
			'description' in option ? option.description : undefined,
		);
		return [field.description, field.hint, ...ofOptions].map((text = '') => ({
			field: `${name}: ${field.displayName}`,
			text: readText(text),
		}));
	}),
);

test('no description has more than 120 characters, and each ends as it has sentences', () => {
	const isRight = (text: string) =>
		text.length <= 120 && (text.endsWith('.') === /[.?] [A-Z]/.test(text) || text.endsWith('e.g.'));
	expectNone(
		texts.filter(({ text }) => !isRight(text)),
		'Shorten the description to 120 characters. A single sentence ends without a period, several end with one.',
	);
});

test('a form that creates says nothing of updates', () => {
	const creates = allForms.filter(({ title }) => title.endsWith('› Create'));
	expect(creates.length).toBeGreaterThan(10);
	const told = creates.flatMap(({ title, fields }) =>
		fields.flatMap(withInner).map(({ displayName, description = '' }) => ({
			title,
			text: `${displayName}: ${description}`,
		})),
	);
	expectNone(
		told.filter(({ text }) => /\bupdat|existing|the record has/i.test(text)),
		'A form that creates must say nothing of updates. Give the field another text for Create.',
	);
});

test('the list of operations shows each description whole', () => {
	const long = table.filter(
		({ operation: { description = '' } }) => description.length > TWO_LINES,
	);
	expectNone(
		long.map(({ title }) => title),
		"Shorten the description of the operation to 112 characters: n8n's list shows two lines.",
	);
});

/** Fields that all forms have at their end, in this order, and the last options. */
const END = ['idempotencyKey', 'safetyLimits', 'returnWholeRecord', 'simplify', 'options'];
const LAST_OPTIONS = ['keysToRemember', 'releaseKey'];

const cases = table.map((entry) => [entry.title, entry] as const);

test.each(cases)('%s: the end of the form is as in all others', (_title, { operation }) => {
	const fields = formFields(operation) as Field[];
	const names = fields.map(({ name }) => name);
	const end = END.filter((name) => names.includes(name));
	expect(names.slice(names.length - end.length)).toEqual(end);
	expect(names.includes('idempotencyKey')).toBe(takesKey(operation));
	const options = fields.find(({ name }) => name === 'options')?.options ?? [];
	const last = options.slice(-LAST_OPTIONS.length).map(({ name }) => name);
	if (takesKey(operation)) expect(last).toEqual(LAST_OPTIONS);
});

test('what only computes or tests something takes no key', () => {
	const keyless = table.filter(
		({ operation }) =>
			!isRepeatable(operation.endpoint.route) &&
			!takesKey(operation) &&
			!operation.endpoint.checksPerson,
	);
	expect(keyless.map(({ title }) => title)).toEqual([
		'Platform AI Gateway › Embedding › Create',
		'Platform AI Gateway › Connection › Test',
		'Platform AI Gateway › Vector Store › Test',
	]);
});

test('a charge begins with its customer and services', () => {
	const { fields } = allForms.find(({ title }) => title.endsWith('Charge › Create'))!;
	const shownFirst = fields.filter(({ type }) => type !== 'notice').slice(0, 3);
	expect(shownFirst.map(({ displayName }) => displayName)).toEqual([
		'Customer',
		'Services',
		'Idempotency Key',
	]);
});

test('a charge begins with an empty service, each field with an example', () => {
	const { operation } = table.find(({ title }) => title.endsWith('Charge › Create'))!;
	const services = operation.fields!.find(({ name }) => name === 'services') as Field;
	if (services.type !== 'fixedCollection') throw new Error('no rows');
	expect(services.default).toEqual({ service: [{ name: '', amount: '', taxProfile: '' }] });
	expect(services.options[0].values.map(({ placeholder }) => placeholder)).toEqual([
		'e.g. Onboarding',
		'e.g. 49.90',
		'e.g. standard',
	]);
});

/** What a model is told of an operation by default, to choose one. */
const told = table.map((entry) => ({ title: entry.title, text: toldOf(entry) }));

/** All fields of a form, also those inside others. */
const fieldsWithin = (fields: Field[]): Field[] =>
	fields.flatMap((field) => {
		if (field.type === 'collection') return fieldsWithin(field.options);
		return field.type === 'fixedCollection' ? fieldsWithin(field.options[0].values) : [field];
	});

const titlesOf = (entries: Array<{ title: string }>) => entries.map(({ title }) => title);

test('no two operations have the same text', () => {
	const texts = told.map(({ text }) => text);
	expectNone(
		titlesOf(told.filter(({ text }, index) => texts.indexOf(text) !== index)),
		"Give each operation a text of its own, or a model can't tell them apart.",
	);
});

test('each operation is short: a verb and what it is done to', () => {
	const odd = table.filter(({ operation: { action } }) => !/^[A-Z][\w-]+ .{3,55}$/.test(action));
	expectNone(
		titlesOf(odd),
		"Begin the action with a verb, and name what it's done to, in 60 characters.",
	);
	expectNone(
		titlesOf(told.filter(({ text }) => !/^[A-Z][\w-]+ .{8,152}$/.test(text))),
		'Begin the description with a verb, and keep it under 160 characters.',
	);
});

test('each operation says what comes back', () => {
	expectNone(
		titlesOf(told.filter(({ text }) => !/\breturns?\b/i.test(text))),
		'Say in the description what the operation returns.',
	);
});

test('amounts name their unit, or say that it is not known', () => {
	const amounts = table.flatMap(({ title, operation }) =>
		fieldsWithin(operation.fields ?? [])
			.filter(({ name, type }) => type === 'number' && /amount|price|cost|value$/i.test(name))
			.map(({ displayName, description }) => ({
				title,
				text: `${displayName} ${description ?? ''}`,
			})),
	);
	expect(amounts.length).toBeGreaterThan(5);
	const silent = amounts.filter(({ text }) => !/USD|currency|unit|percent|cents/i.test(text));
	expectNone(
		silent,
		"Name the unit of the amount in its description, or say that the API reference doesn't say it.",
	);
});

/** Names of the fields that a form of a version shows, or can. */
const namesOf = (fields: Field[], form: Form, version: number): string[] =>
	shown(fields, form, version).flatMap((field) => {
		if (field.type === 'notice' || ((field.inOptions || field.chosenBy) && version > 1)) return [];
		const inner = field.type === 'collection' ? namesOf(field.options, form, version) : [];
		return [field.displayName, ...inner];
	});

test.each(cases)('%s: no two fields that are shown have the same name', (_title, entry) => {
	const fields = formFields(entry.operation) as Field[];
	const ofVersions = [1, 1.1].flatMap((version) =>
		forms(entry.operation, fixedValues(entry), version).map((form) => ({ version, form })),
	);
	for (const { version, form } of ofVersions) {
		const names = namesOf(fields, { returnAll: false, ...form }, version);
		expectNone(
			names.filter((name, index) => names.indexOf(name) !== index),
			'Give each field that is shown a name of its own.',
		);
	}
});

const choices = table.flatMap(({ title, operation }) =>
	(operation.fields ?? [])
		.filter(
			({ type, options = [] }) =>
				type === 'options' &&
				options.some((option) => 'value' in option && option.value === 'json'),
		)
		.map((field) => [title, field] as const),
);

test.each(choices)('%s: fields or JSON are chosen in the same words', (_title, field) => {
	expect(field.displayName).toMatch(/^Specify /);
	expect(field.options).toMatchObject([
		{ name: 'Using Fields', value: 'fields' },
		{ name: 'Using JSON', value: 'json' },
	]);
});

/** Fields that the user adds, in the order of the form. */
const collections = (fields: Field[]): string[][] =>
	fields.flatMap((field) =>
		field.type === 'collection'
			? [field.options.map(({ displayName }) => displayName), ...collections(field.options)]
			: [],
	);

const ordered = table.flatMap(({ title, operation }) =>
	collections(operation.fields ?? []).map((all) => [title, all] as const),
);

test.each(ordered)('%s: names come first, JSON last in %j', (_title, all) => {
	const plain = all.filter((name) => !/\(JSON\)$/.test(name));
	expect(all.slice(0, plain.length)).toEqual(plain);
	expect(all.findIndex((name) => /^(First Name|Name|Title)$/.test(name))).toBeLessThan(1);
});

test.each(nodes)('$displayName: tuning stands once, in the Settings tab', ({ description }) => {
	const tuning = /parallel|retry time|timeout/i;
	const all = description.properties.flatMap((property) => {
		const { displayName, isNodeSetting = false, options = [] } = property;
		const names = [
			displayName,
			...options.flatMap((each) => ('displayName' in each ? each.displayName : [])),
		];
		return names.filter((name) => tuning.test(name)).map((name) => [isNodeSetting, name]);
	});
	if (!/Trigger/.test(description.displayName)) expect(all.length).toBeGreaterThan(1);
	expectNone(
		all.filter(([isSetting]) => !isSetting),
		'Move the field to Settings: parallelism, Retry Time and timeout stand there alone.',
	);
	expect(new Set(all.map(([, name]) => name)).size).toBe(all.length);
});
