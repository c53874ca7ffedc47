// Texts of the forms, as n8n's own nodes have them: notices and descriptions, and what a model is told.
import type { Field } from '../../nodes/engine/form/fields.ts';
import { takesKey } from '../../dist/nodes/engine/form/operation.js';
import { isRepeatable, nodes, table } from '../table/operations.cts';
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
