// Operations as tools of an agent: what a model reads to choose one.
import type { Field } from '../../nodes/engine/form/fields.ts';
import { table } from '../table/operations.cts';
import { toldOf } from '../table/tools.cts';

/** What a model is told by default. */
const told = table.map((entry) => ({ title: entry.title, text: toldOf(entry) }));

/** All fields of a form, also those inside others. */
const fieldsOf = (fields: Field[]): Field[] =>
	fields.flatMap((field) => {
		if (field.type === 'collection') return fieldsOf(field.options);
		return field.type === 'fixedCollection' ? fieldsOf(field.options[0].values) : [field];
	});

const titlesOf = (entries: Array<{ title: string }>) => entries.map(({ title }) => title);

test('no two operations have the same text or action', () => {
	const texts = told.map(({ text }) => text);
	expect(titlesOf(told.filter(({ text }, index) => texts.indexOf(text) !== index))).toEqual([]);
	const actions = table.map(({ operation }) => operation.action);
	expect(actions.filter((text, index) => actions.indexOf(text) !== index)).toEqual([]);
});

test('each is short: a verb and what it is done to', () => {
	const odd = table.filter(({ operation: { action } }) => !/^[A-Z][\w-]+ .{3,55}$/.test(action));
	expect(titlesOf(odd)).toEqual([]);
	expect(titlesOf(told.filter(({ text }) => !/^[A-Z][\w-]+ .{8,152}$/.test(text)))).toEqual([]);
});

test('each says what comes back', () => {
	expect(titlesOf(told.filter(({ text }) => !/\breturns?\b/i.test(text)))).toEqual([]);
});

test('amounts name their unit, or say that it is not known', () => {
	const amounts = table.flatMap(({ title, operation }) =>
		fieldsOf(operation.fields ?? [])
			.filter(({ name, type }) => type === 'number' && /amount|price|cost|value$/i.test(name))
			.map(({ displayName, description }) => ({
				title,
				text: `${displayName} ${description ?? ''}`,
			})),
	);
	expect(amounts.length).toBeGreaterThan(5);
	const silent = amounts.filter(({ text }) => !/USD|currency|unit|percent|cents/i.test(text));
	expect(silent).toEqual([]);
});
