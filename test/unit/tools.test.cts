// Operations as tools of an agent: what a model reads to choose one.
import type { Field } from '../../nodes/shared/operation.ts';
import { table } from '../table/operations.cts';

/** What n8n tells a model by default. */
const told = table.map(({ operation, displayName }) => `${operation.action} in ${displayName}`);

/** All fields of a form, also those inside others. */
const fieldsOf = (fields: Field[]): Field[] =>
	fields.flatMap((field) => {
		if (field.type === 'collection') return fieldsOf(field.options);
		return field.type === 'fixedCollection' ? fieldsOf(field.options[0].values) : [field];
	});

test('no two are told apart by nothing, in any node', () => {
	expect(told.filter((text, index) => told.indexOf(text) !== index)).toEqual([]);
	const actions = table.map(({ operation }) => operation.action);
	expect(actions.filter((text, index) => actions.indexOf(text) !== index)).toEqual([]);
});

test('each is short: a verb and what it is done to', () => {
	const odd = table.filter(({ operation: { action } }) => !/^[A-Z][\w-]+ .{3,55}$/.test(action));
	expect(odd.map(({ title }) => title)).toEqual([]);
	const long = table.filter(({ operation: { description } }) => description.length > 160);
	expect(long.map(({ title }) => title)).toEqual([]);
});

test('each that reads says what comes back', () => {
	const silent = table.filter(
		({ operation: { route, description } }) =>
			route.startsWith('GET ') && !/return|file|check/i.test(description),
	);
	expect(silent.map(({ title }) => title)).toEqual([]);
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
