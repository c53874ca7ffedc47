// Texts of the forms, as n8n's own nodes have them: notices, descriptions, and names of fields, one for one thing and in the
// order in which people think.
import type { INodeProperties } from 'n8n-workflow';
import { formFields } from '../../dist/nodes/engine/node/description.js';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { takesKey } from '../../dist/nodes/engine/form/operation.js';
import { forms, shown } from '../table/forms.cts';
import { nodes, table } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { toldOf } from '../table/tools.cts';

/** Characters that n8n shows in two lines of a list of operations. */
const TWO_LINES = 112;

const sentences = (text: string) =>
	text.split(/[.!?](?=\s|$)/).filter((each) => each.trim() !== '').length;

const notices = [
	...new Set(
		nodes.flatMap(({ description }) =>
			description.properties
				.filter(({ type, displayName }) => type === 'notice' && !displayName.includes('<a '))
				.map(({ displayName }) => displayName),
		),
	),
];

test('a notice of one sentence ends without a period, one of several with it', () => {
	const isRight = (text: string) => text.endsWith('.') === sentences(text) > 1;
	expect(notices.filter((text) => !isRight(text))).toEqual([]);
});

test('the notice of a charge has two sentences', () => {
	const notice = notices.find((text) => text.startsWith('A charge moves money'));
	expect(sentences(String(notice))).toBe(2);
});

test('the list of operations shows each description whole', () => {
	const long = table
		.map(({ title, operation: { description } }) => `${title}: ${description}`)
		.filter((_text, index) => (table[index].operation.description ?? '').length > TWO_LINES);
	expect(long).toEqual([]);
});

const fieldsOf = (node: string, resource: string, operation: string): INodeProperties[] =>
	nodes
		.find(({ name }) => name === node)!
		.description.properties.filter(
			({ displayOptions: { show } = {} }) =>
				show?.resource?.includes(resource) && show.operation?.includes(operation),
		);

test('the Idempotency Key is in sight where something moves money, sends or starts, else an option', () => {
	const wrong = table.flatMap(({ node, resource, operation, title }) => {
		const fields = fieldsOf(node, resource.value, operation.value);
		const options = fields.find(({ name }) => name === 'options')?.options ?? [];
		const isKey = ({ name }: { name: string }) => name === 'idempotencyKey';
		const place = [fields.some(isKey) && 'form', options.some(isKey) && 'options'].filter(Boolean);
		const inSight = operation.sequential ? 'form' : 'options';
		const wanted = takesKey(operation) ? [inSight] : [];
		return place.join() === wanted.join() ? [] : [`${title}: ${place.join()}`];
	});
	expect(wrong).toEqual([]);
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
	expect(titlesOf(told.filter(({ text }, index) => texts.indexOf(text) !== index))).toEqual([]);
});

test('each operation is short: a verb and what it is done to', () => {
	const odd = table.filter(({ operation: { action } }) => !/^[A-Z][\w-]+ .{3,55}$/.test(action));
	expect(titlesOf(odd)).toEqual([]);
	expect(titlesOf(told.filter(({ text }) => !/^[A-Z][\w-]+ .{8,152}$/.test(text)))).toEqual([]);
});

test('each operation says what comes back', () => {
	expect(titlesOf(told.filter(({ text }) => !/\breturns?\b/i.test(text)))).toEqual([]);
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
	expect(silent).toEqual([]);
});

const namesOf = (fields: Field[]): string[] =>
	fields.flatMap((field) =>
		field.type === 'collection'
			? [field.displayName, ...namesOf(field.options)]
			: field.type === 'notice'
				? []
				: [field.displayName],
	);

const cases = table.map((entry) => [entry.title, entry] as const);

test.each(cases)('%s: no two fields that are shown have the same name', (_title, entry) => {
	const fields = formFields(entry.operation) as Field[];
	for (const form of forms(entry.operation, fixedValues(entry))) {
		const all = namesOf(shown(fields, { returnAll: false, ...form }));
		expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
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
		{ name: 'Using Fields Below', value: 'fields' },
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
	expect(all.filter(([isSetting]) => !isSetting)).toEqual([]);
	expect(new Set(all.map(([, name]) => name)).size).toBe(all.length);
});
