// What AI builders read of a node: the types that n8n writes of its description, held against the table.
import { NodeHelpers, type INode } from 'n8n-workflow';
import { UNSURE } from '../../dist/nodes/engine/node/hints.js';
import { MAPPING } from '../../dist/nodes/engine/form/mappable.js';
import { NEWEST, previewOf, outputLine, triggerPreviews } from '../../tools/previews.cts';
import { tokensOfOperation, tokensOfText, typesOf } from '../../tools/tokens.cts';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { nodes, table, type TableEntry } from '../table/operations.cts';
import { expectNone } from '../none.cts';

const types = new Map(nodes.map((node) => [node.name, typesOf(node)]));

/** The type of one operation, with the comment above it. */
function typeOf(node: string, resource: string, operation: string): string {
	const pairs = `  resource: '${resource}';\n  operation: '${operation}';\n`;
	const found = types.get(node)?.split(/^(?=\/\*\* [^\n]*\n?export type)/m);
	return found?.find((each) => each.includes(pairs)) ?? '';
}

/** The line of a type's comment that begins with a tag. */
const tagged = (type: string, tag: string) =>
	new RegExp(`^ +\\* ${tag} (.*)$`, 'm').exec(type)?.[1] ?? '';

/** Paths of required fields: `services`, `services.service[].amount`. */
function required(fields: Field[], prefix = ''): string[] {
	return fields.flatMap((field) => {
		const name = prefix + field.name;
		const own = field.required ? [name] : [];
		if (field.type !== 'fixedCollection') return own;
		const [{ name: rows, values }] = field.options;
		return [...own, ...required(values, `${name}.${rows}[].`)];
	});
}

const entries = table.map((entry): [string, TableEntry] => [entry.title, entry]);

test.each(entries)('%s has its own text, its fields and its output', (_title, entry) => {
	const { node, resource, operation } = entry;
	const type = typeOf(node, resource.value, operation.value);
	expect(type).toContain(`/** ${resource.description} */`);
	expect(type).toContain(`   * ${operation.tool ?? operation.description}\n`);

	const named = tagged(type, '@required').split(', ');
	const looksOptional = required(operation.fields ?? []).filter(
		(name) => !MAPPING.includes(name) && !named.includes(name) && !type.includes(`    ${name}: `),
	);
	expectNone(
		looksOptional,
		'The types that AI builders read show a required field as optional. See docs/contributing/builders.md.',
	);

	const also = tagged(type, 'Also');
	// An AI builder fills the fields of a record, and maps no columns.
	const lost = (operation.fields ?? [])
		.filter(({ chosenBy }) => !chosenBy)
		.map(({ name }) => name)
		.filter((name) => name !== 'notice' && !MAPPING.includes(name) && !also.includes(name))
		.filter((name) => !new RegExp(`^ {4}${name}\\??: `, 'm').test(type));
	expectNone(
		lost,
		'The types that AI builders read lack this field. See docs/contributing/builders.md.',
	);

	const preview = previewOf(entry, NEWEST);
	const [, as] = /^as (\w+)$/.exec(tagged(type, '@output')) ?? [];
	const output = as ? typeOf(node, resource.value, as) : type;
	expect(tagged(output, '@output')).toBe(preview ? outputLine(preview) : UNSURE);
});

test.each(Object.entries(triggerPreviews))('%s has its output', (node, preview) => {
	expect(types.get(node)).toContain(`@output ${outputLine(preview)}, `);
});

test('what the types leave out can be edited all the same', () => {
	const disabled = nodes.flatMap(({ name, description }) =>
		description.properties
			.filter(({ disabledOptions }) => disabledOptions)
			.filter((property) => {
				const show = property.displayOptions?.show ?? {};
				const values = Object.fromEntries(
					Object.entries(show).map(([key, wanted = []]) => [key, wanted[0] as string]),
				);
				const node = { typeVersion: 1 } as INode;
				return NodeHelpers.displayParameter(
					values,
					property,
					node,
					description,
					values,
					'disabledOptions',
				);
			})
			.map((property) => `${name} ${property.name}`),
	);
	expect(disabled).toEqual([]);
});

// The numbers of docs/contributing/builders.md.
test('the types of a node take up to 9,000 tokens, those of all 45,000, and a tool 240', () => {
	const ofNodes = [...types].map(([name, text]) => [name, tokensOfText(text)] as const);
	const ofTools = table.map((entry) => [entry.title, tokensOfOperation(entry)] as const);
	const all = ofNodes.reduce((sum, [, tokens]) => sum + tokens, 0);
	const long = [
		...ofNodes.filter(([, tokens]) => tokens > 9000),
		...ofTools.filter(([, tokens]) => tokens > 240),
		...(all > 45_000 ? [['All nodes', all]] : []),
	];
	expectNone(
		long.map(([name, tokens]) => `${name}: ${tokens}`),
		'An AI reads all of it each time. Shorten the descriptions of fields, or say less.',
	);
});

// Without it, code that n8n takes for valid leaves an agent without any argument to give.
test('the types of each action node say how the model of an agent fills in a field', () => {
	const actionNodes = nodes.filter(({ resources }) => resources);
	const silent = actionNodes.filter(({ name }) => !types.get(name)?.includes("$fromAI('name'"));
	expect(silent.map(({ name }) => name)).toEqual([]);
	expect(actionNodes.length).toBeGreaterThan(10);
});

test('every node has a hint for the search, and leads to customers and both triggers', () => {
	const usual = ['platformCustomers', 'platformCustomersTrigger', 'platformPollingTrigger'];
	const lacking = nodes.flatMap(({ name, description: { builderHint } }) => {
		const leadsTo = builderHint?.relatedNodes?.map(({ nodeType }) => nodeType.split('.')[1]) ?? [];
		const missing = usual.filter((other) => other !== name && !leadsTo.includes(other));
		const unknown = leadsTo.filter((other) => !types.has(other));
		return builderHint?.searchHint && missing.length + unknown.length === 0 ? [] : [name];
	});
	expectNone(
		lacking,
		'The types that AI builders read lack this. See docs/contributing/builders.md.',
	);
});
