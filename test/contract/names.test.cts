// What the forms call their fields: one name for one thing, in the order in which people think.
import { expect, test } from '@jest/globals';
import { formFields } from '../../dist/nodes/engine/node/description.js';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { forms, shown } from '../table/forms.cts';
import { nodes, table } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';

const names = (fields: Field[]): string[] =>
	fields.flatMap((field) =>
		field.type === 'collection'
			? [field.displayName, ...names(field.options)]
			: field.type === 'notice'
				? []
				: [field.displayName],
	);

const cases = table.map((entry) => [entry.title, entry] as const);

test.each(cases)('%s: no two fields that are shown have the same name', (_title, entry) => {
	const fields = formFields(entry.operation) as Field[];
	for (const form of forms(entry.operation, fixedValues(entry))) {
		const all = names(shown(fields, { returnAll: false, ...form }));
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
