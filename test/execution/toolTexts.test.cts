// What a model reads after its likeliest wrong calls of each tool: every text speaks of arguments of the tool, and of no field of
// the form. With TOOLS_TABLE it's written to a file as a table.
import { writeFileSync } from 'node:fs';
import type { ZodTypeAny } from 'zod';
import { offers, type Offer } from '../../dist/nodes/ApiTool/catalog.js';
import { signatureFor } from '../../dist/nodes/ApiTool/toolkit.js';
import type { Field } from '../../dist/nodes/engine/form/fields.js';
import { credentialOf, sandboxFor } from './host/run.cts';
import { useTools } from './host/tool.cts';

const sandbox = sandboxFor({ customers: 30 });

type Arguments = Record<string, unknown>;

const shapeOf = (offer: Offer) =>
	Object.entries(signatureFor(offer).schema.shape) as Array<[string, ZodTypeAny]>;

/**
 * A value of the type that the schema wants, and that no record has.
 * @param count for numbers
 */
function valueFor(schema: ZodTypeAny, count = 1): unknown {
	const { typeName, innerType, values, type } = schema._def as {
		typeName: string;
		innerType?: ZodTypeAny;
		values?: string[];
		type?: ZodTypeAny;
	};
	if (innerType) return valueFor(innerType, count);
	if (typeName === 'ZodEnum') return values?.[0];
	if (typeName === 'ZodArray' && type) return [valueFor(type, count)];
	if (typeName === 'ZodNumber') return count;
	if (typeName === 'ZodBoolean') return true;
	if (typeName === 'ZodObject') {
		const shape = (schema as unknown as { shape: Record<string, ZodTypeAny> }).shape;
		const needed = Object.entries(shape).filter(([, each]) => !each.isOptional());
		return Object.fromEntries(needed.map(([name, each]) => [name, valueFor(each, count)]));
	}
	return typeName === 'ZodRecord' ? {} : 'nope-1';
}

/** Arguments that are rows, each with the names of one. */
const rowsOf = (offer: Offer) =>
	shapeOf(offer)
		.map(([name, schema]) => [name, cellsOf(schema)] as const)
		.filter(([, cells]) => cells.length > 0);

/** The names of a row, or of several, if the schema is one of them. */
function cellsOf(schema: ZodTypeAny): string[] {
	const { innerType, type, typeName } = schema._def as {
		typeName: string;
		innerType?: ZodTypeAny;
		type?: ZodTypeAny;
	};
	if (innerType ?? (typeName === 'ZodArray' && type)) return cellsOf((innerType ?? type)!);
	return typeName === 'ZodObject'
		? Object.keys((schema as unknown as { shape: object }).shape)
		: [];
}

/**
 * The likeliest wrong calls: nothing given, a name that the tool doesn't have, values that aren't there or mean nothing, numbers below
 * 0, text in place of a row.
 */
function wrongCalls(offer: Offer): Array<[what: string, args: Arguments]> {
	const shape = shapeOf(offer);
	const required = shape.filter(([, schema]) => !schema.isOptional());
	const given = Object.fromEntries(required.map(([name, schema]) => [name, valueFor(schema)]));
	const below = Object.fromEntries(required.map(([name, schema]) => [name, valueFor(schema, -5)]));
	const [optional] = shape.filter(([, schema]) => schema.isOptional());
	const alien = optional ? { [optional[0]]: [{ no: 'such' }] } : {};
	return [
		['nothing given', {}],
		['a name that it lacks', { ...given, id: 'nope-1' }],
		['values that mean nothing', { ...given, ...alien }],
		['a record that is not there', given],
		...rowsOf(offer).map(([name]): [string, Arguments] => [
			'text in place of a row',
			{ ...given, [name]: 'Setup 5' },
		]),
		...(JSON.stringify(given) === JSON.stringify(below)
			? []
			: ([['numbers below 0', below]] as Array<[string, Arguments]>)),
	];
}

/** All labels of a form that no model knows: those of two words or more, which can't be anything else. */
const labelsOf = (fields: Field[]): string[] =>
	fields.flatMap((field) => [
		field.displayName,
		...(field.type === 'collection' ? labelsOf(field.options) : []),
	]);

interface Answer {
	tool: string;
	what: string;
	args: Arguments;
	text: string;
}

const answers: Answer[] = [];

beforeAll(async () => {
	const parameters = {
		offer: 'chosen',
		operations: offers.map(({ name }) => name),
		onceOnly: false,
	};
	await useTools(
		[{ node: 'platformApiTool', parameters: parameters as never }],
		credentialOf(sandbox()),
		async (tools) => {
			for (const offer of offers) {
				for (const [what, args] of wrongCalls(offer)) {
					const text = await tools[offer.name].invoke(args).catch(({ message }: Error) => message);
					answers.push({ tool: offer.name, what, args, text });
				}
			}
		},
	);
	const { TOOLS_TABLE: file } = process.env;
	if (file === undefined) return;
	const rows = answers.map(({ tool, what, args, text }) =>
		[tool, what, `\`${JSON.stringify(args)}\``, text.slice(0, 400)]
			.join(' | ')
			.replaceAll('\n', ' '),
	);
	writeFileSync(
		file,
		['Tool | Wrong call | Arguments | The model reads', '--- | --- | --- | ---', ...rows].join(
			'\n',
		),
	);
});

afterAll(() => sandbox().problems.splice(0));

const isRefused = ({ text }: Answer) => !/^\s*[[{]/.test(text);

test('no text names a field of the form', () => {
	const found = answers.filter(isRefused).flatMap(({ tool, what, text }) => {
		const offer = offers.find(({ name }) => name === tool) as Offer;
		const { names } = signatureFor(offer);
		const labels = labelsOf(offer.operation.fields ?? []).filter(
			(label) => /^[A-Z]\w+ [A-Z(]/.test(label) && !names.includes(label),
		);
		const own = [...labels, 'the form', 'n8n date', 'External ID', 'in Settings'].filter((label) =>
			text.includes(label),
		);
		const quoted = [...text.matchAll(/^"([^"]+)"/g)].map(([, name]) => name);
		const others = quoted.filter((name) => /[A-Z]| /.test(name) && labels.includes(name));
		return [...own, ...others].map((label) => `${tool}, ${what}: ${label}: ${text}`);
	});
	expect(found).toEqual([]);
});

test('each wrong argument is named as the tool names it', () => {
	const found = answers.filter(isRefused).filter(({ tool, text, args }) => {
		// The check of a person: the API doesn't say which value is wrong.
		if (tool === 'verify_passkey' && text.includes('Check the code or the passkey')) return false;
		const offer = offers.find(({ name }) => name === tool) as Offer;
		const { names } = signatureFor(offer);
		const rows = [...text.matchAll(/"(\w+)" is no argument/g)].map(([, name]) => name);
		const known = [...names, ...Object.keys(args), ...rows, ...offers.map(({ name }) => name)];
		return !known.some((name) => text.includes(name));
	});
	expect(found.map(({ tool, what, text }) => `${tool}, ${what}: ${text}`)).toEqual([]);
});

test('an argument that must be given is one that the schema requires', () => {
	const found = answers
		.filter(({ what }) => what === 'a record that is not there')
		.filter(({ text }) => /^"\w+" must not be empty/.test(text));
	expect(found.map(({ tool, text }) => `${tool}: ${text}`)).toEqual([]);
});

test('what was given is not called empty, and what is required is not to be left out', () => {
	const isBlank = (value: unknown) =>
		value === undefined || value === null || (Array.isArray(value) && value.length === 0);
	const found = answers.filter(({ text, args, tool }) => {
		const [, name = ''] = /^"(\w+)" must not be empty/.exec(text) ?? [];
		const offer = offers.find((each) => each.name === tool) as Offer;
		const schema = shapeOf(offer).find(([each]) => each === name)?.[1];
		return (
			(name !== '' && !isBlank(args[name])) ||
			(schema?.isOptional() === false && text.includes('leave it out'))
		);
	});
	expect(found.map(({ tool, what, text }) => `${tool}, ${what}: ${text}`)).toEqual([]);
});

test('text in place of a row is told what a row has', () => {
	const all = answers.filter(({ what }) => what === 'text in place of a row');
	expect(all.length).toBeGreaterThan(5);
	const found = all.filter(({ tool, args, text }) => {
		const rows = rowsOf(offers.find(({ name }) => name === tool) as Offer);
		return !rows.some(
			([name, cells]) =>
				name in args && text.includes(name) && cells.every((cell) => text.includes(cell)),
		);
	});
	expect(found.map(({ tool, text }) => `${tool}: ${text}`)).toEqual([]);
});

test('an update of nothing names all that it can update', () => {
	const found = answers.filter(({ tool, text }) => {
		const offer = offers.find(({ name }) => name === tool) as Offer;
		const optional = shapeOf(offer).filter(([, schema]) => schema.isOptional());
		// Ways to make a change, which say nothing alone.
		const names = optional.map(([name]) => name).filter((name) => !/^change_/.test(name));
		return text.startsWith('Give at least one') && !names.every((name) => text.includes(name));
	});
	expect(found.map(({ tool, text }) => `${tool}: ${text}`)).toEqual([]);
});
