// Output schema previews: what one output item of an operation holds, for the editor to show before
// the node has run.
//
// n8n's editor reads `type` (of several the first), `properties` and `items`, and nothing else: no
// references, no alternatives, no maps. It refuses a preview without properties.
//
// Run by the build, it writes them into dist.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { names } from '../dist/nodes/api/names.js';
import { tellsSent } from '../dist/nodes/engine/form/operation.js';
import { pathParameters, requestTo } from '../test/table/api.cts';
import { withPathIds } from '../dist/nodes/engine/base/path.js';
import { sentRow } from '../dist/nodes/engine/run/rowForm.js';
import type { Shape } from '../nodes/engine/base/definition.ts';
import { endpoints, type Schema } from '../test/contract/contract.cts';
import { addedTo, compositeOf } from './composites.cts';
import {
	endpointOf,
	newestVersion,
	nodes,
	shapeOf,
	table,
	type TableEntry,
} from '../test/table/operations.cts';

/** JSON Schema with the keywords that n8n's editor understands; `{}` where a type is not shown. */
export interface Preview {
	type?: string | string[];
	properties?: Record<string, Preview>;
	items?: Preview;
}

const text: Preview = { type: 'string' };

/** Keywords that the editor cannot show, and that no answer of the contract may need. */
const COMPOSED = ['allOf', 'anyOf', 'oneOf'];

function typeOf({ type, const: only }: Schema): string | string[] | undefined {
	if (type === undefined) return only === undefined ? undefined : typeof only;
	if (!Array.isArray(type)) return type;
	// The first type is the one that is shown.
	return [...type.filter((each) => each !== 'null'), ...type.filter((each) => each === 'null')];
}

/** A schema of the contract, reduced to what the editor understands. */
function reduce(schema: Schema): Preview {
	const composed = COMPOSED.find((keyword) => keyword in schema);
	if (composed) throw new Error(`An answer uses ${composed}, which a preview cannot show`);
	const type = typeOf(schema);
	const properties = Object.entries(schema.properties ?? {}).map(
		([name, each]) => [name, reduce(each)] as const,
	);
	const items = schema.items && reduce(schema.items);
	return {
		...(type !== undefined && { type }),
		...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
		...(items && Object.keys(items).length > 0 && { items }),
	};
}

/** What lies at a dotted key of an answer; the answer itself for `''`. */
function at(schema: Schema, key: string): Schema {
	return key
		.split('.')
		.filter(Boolean)
		.reduce((outer, name) => {
			const inner = outer.properties?.[name];
			if (!inner) throw new Error(`The contract shows no ${key} in the answer`);
			return inner;
		}, schema);
}

function elementOf(schema: Schema): Schema {
	if (!schema.items) throw new Error('The contract shows no list where the operation expects one');
	return schema.items;
}

/** Of an answer with alternatives, what comes when it is not the failure that the engine makes an error. */
function succeeded(answer: Schema): Schema {
	const [success, ...more] = ((answer.anyOf ?? [answer]) as Schema[]).filter(
		({ properties }) => properties?.success?.const !== false,
	);
	if (!success || more.length > 0) throw new Error('The contract shows no single success');
	return success;
}

/** The properties of one item that the engine makes of an answer (see `Shape`). */
function itemOf(shape: Shape, answer: Schema): Preview {
	switch (shape.kind) {
		case 'one': {
			if (shape.untyped) return {};
			const documented = answer.anyOf ? succeeded(answer) : answer;
			return reduce(at(documented, shape.unwrap ?? ''));
		}
		case 'list':
			return reduce(elementOf(at(answer, shape.items ?? 'elements')));
		case 'strings':
			return {
				properties: { [shape.as]: reduce(elementOf(at(answer, shape.items ?? ''))) },
			};
		case 'map': {
			const { additionalProperties: value } = at(answer, shape.items);
			return {
				properties: {
					name: { type: 'string' },
					value: typeof value === 'object' ? reduce(value) : {},
				},
			};
		}
		case 'binary':
			return { properties: { fileName: { type: 'string' }, fileSize: { type: 'integer' } } };
	}
}

/** What the texts of a sample start with. */
const LEAF = 'leaf ';

/** An answer as it could be, whose leaves can be told apart: each stands for a schema. */
class Sample {
	private readonly leaves = new Map<unknown, Schema>();

	of(schema: Schema): unknown {
		const type = [typeOf(schema)].flat()[0];
		const more = schema.additionalProperties;
		if (schema.properties) {
			return Object.fromEntries(
				Object.entries(schema.properties).map(([name, each]) => [name, this.of(each)]),
			);
		}
		if (schema.const !== undefined) return schema.const;
		if (type === 'object' && typeof more === 'object') return { [LEAF]: this.of(more) };
		if (type === 'array' && schema.items && this.isDeep(schema.items)) {
			return [this.of(schema.items)];
		}
		const leaf =
			type === 'integer' || type === 'number'
				? this.leaves.size
				: type === 'object' || type === 'array'
					? Object.freeze(type === 'array' ? [] : {})
					: `${LEAF}${this.leaves.size}`;
		this.leaves.set(leaf, schema);
		return leaf;
	}

	/** The preview of what was made of the sample. */
	previewOf(value: unknown): Preview {
		const leaf = this.leaves.get(value);
		if (leaf) return reduce(leaf);
		if (Array.isArray(value)) return { type: 'array', items: this.previewOf(value[0]) };
		if (typeof value !== 'object' || value === null) return { type: typeof value };
		// A name that is a leaf stands for any name, which a preview can't show.
		const names = Object.keys(value).filter((name) => !name.startsWith(LEAF));
		if (names.length === 0) return { type: 'object' };
		const properties = names.map(
			(name) => [name, this.previewOf((value as Record<string, unknown>)[name])] as const,
		);
		return { type: 'object', properties: Object.fromEntries(properties) };
	}

	private isDeep({ properties, additionalProperties: more }: Schema): boolean {
		return properties !== undefined || typeof more === 'object';
	}
}

/** What Simplify, which is on by default, makes of an answer with these rows. */
function simplified({ operation }: TableEntry, row: Schema): Preview {
	const {
		simplify,
		endpoint: { route },
	} = operation;
	const sample = new Sample();
	const ids = Object.fromEntries(pathParameters(route).map((name) => [name, 'id']));
	const body = { input: Array<string>(99).fill('a passage'), name: 'a name' };
	const request = requestTo(route, ids, { body });
	const [item] = simplify?.([sample.of(row)], request) ?? [];
	const { properties = {}, ...preview } = sample.previewOf(item);
	// Of what a response has by one name or another, the sample has both.
	const kept = Object.entries(properties).filter(([name]) => !((names[name] ?? '') in properties));
	return { ...preview, properties: Object.fromEntries(kept) };
}

/** The schema of one row of an answer, before Simplify. */
function rowOf(shape: Shape, answer: Schema): Schema {
	if (shape.kind === 'list') return elementOf(at(answer, shape.items ?? 'elements'));
	if (shape.kind === 'one') return at(answer, shape.unwrap ?? '');
	const { additionalProperties: value } = shape.kind === 'map' ? at(answer, shape.items) : answer;
	return { properties: { name: { type: 'string' }, value: value as Schema } };
}

function answerOf(entry: TableEntry): Schema {
	const { operation, title } = entry;
	const route = compositeOf(entry)?.answers ?? operation.endpoint.route;
	const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === route);
	const success = Object.entries(endpoint?.responses ?? {}).find(([status]) => /^2/.test(status));
	if (!success) throw new Error(`${title}: the contract shows no success`);
	return success[1].body?.schema ?? {};
}

/** Properties of an item as it comes without choosing anything: simplified where the form offers it. */
function itemProperties(entry: TableEntry): Preview['properties'] {
	const composite = compositeOf(entry);
	if (composite?.properties) return composite.properties;
	const { operation } = entry;
	const shape = composite?.row ? endpointOf(operation.endpoint.route) : shapeOf(operation);
	const answer = answerOf(entry);
	const item = operation.simplify ? simplified(entry, rowOf(shape, answer)) : itemOf(shape, answer);
	return item.properties;
}

/** The usual one of the alternatives of a request, which is the first. */
function usual({ anyOf: [first] = [], ...schema }: Schema & { anyOf?: Schema[] }): Schema {
	if (first) return usual(first);
	const properties = Object.entries(schema.properties ?? {}).map(
		([name, each]) => [name, usual(each)] as const,
	);
	return schema.properties ? { ...schema, properties: Object.fromEntries(properties) } : schema;
}

/** What was sent with a write and isn't in its answer (see run/rowForm). New nodes have what fits into a line of a table. */
function sentBy(
	{ operation }: TableEntry,
	answer: Record<string, Preview>,
	isNew: boolean,
): Record<string, Preview> {
	const {
		root,
		endpoint: { route },
	} = operation;
	const documented = endpoints.find(({ method, path }) => `${method} ${path}` === route);
	if (!tellsSent(operation) || root === undefined || !documented?.requestBody) return {};
	const sample = new Sample();
	const content = sample.of(usual(at(documented.requestBody.schema, root))) as object;
	const ids = Object.fromEntries(pathParameters(route).map((name) => [name, 'id']));
	const request = requestTo(route, ids, { body: { [root]: content } as never });
	const { properties = {} } = sample.previewOf(sentRow(operation, request));
	const isShown = ([name, { type }]: [string, Preview]) =>
		!(name in answer) &&
		!(isNew && [type].flat().some((each) => /object|array/.test(String(each))));
	return Object.fromEntries(Object.entries(properties).filter(isShown));
}

/** The IDs in the path that a row lacks (see run/rowForm). */
function pathIdsOf(entry: TableEntry, row: Record<string, Preview>): Record<string, Preview> {
	const { operation } = entry;
	const { route } = operation.endpoint;
	const ids = Object.fromEntries(pathParameters(route).map((name) => [name, 'id']));
	const sampleOf = (of: object) => Object.fromEntries(Object.keys(of).map((name) => [name, 'id']));
	const isList = ['list', 'strings'].includes(shapeOf(operation).kind);
	const only = isList ? undefined : sampleOf(answerOf(entry).properties ?? {});
	const whole = Object.keys(withPathIds(sampleOf(row), requestTo(route, ids, {}), only));
	return Object.fromEntries(whole.filter((name) => !(name in row)).map((name) => [name, text]));
}

/**
 * The preview of an operation's output, from the contract and the operation's shape. Where a
 * field of the form chooses another answer, it is the one that comes without choosing. n8n looks a preview
 * up by resource and operation alone, so there's one of simplified output and none of the raw data.
 *
 * @param version of the node
 * @returns undefined when the reference shows no property of what comes out
 * @throws when the contract's answer is not what the operation expects
 */
export function previewOf(entry: TableEntry, version = 1): Preview | undefined {
	try {
		const properties = itemProperties(entry);
		if (!properties) return undefined;
		const inPath = pathIdsOf(entry, properties);
		const all = {
			...properties,
			...addedTo(entry),
			...inPath,
			...sentBy(entry, properties, version > 1),
		};
		return { type: 'object', properties: all };
	} catch (error) {
		throw new Error(`${entry.title}: ${(error as Error).message}`);
	}
}

/**
 * What each item of a trigger holds, by the name of its node. n8n's editor shows no previews of triggers, its
 * Instance AI reads them for test data.
 */
export const triggerPreviews: Record<string, Preview> = {
	platformCustomersTrigger: {
		type: 'object',
		properties: {
			event: text,
			body: { type: ['object', 'array', 'string'] },
			deliveredAt: text,
			deliveryId: text,
		},
	},
	platformPollingTrigger: {
		type: 'object',
		properties: { event: text, id: text, detectedAt: text, data: { type: 'object' } },
	},
};

/** Folder of a version of a node: n8n looks for exactly that of the version at hand. */
const folderOf = (version: number) =>
	`v${String(version).split('.').concat('0', '0').slice(0, 3).join('.')}`;

/** Version of new action nodes. */
export const NEWEST = Math.max(...nodes.map(({ description }) => newestVersion(description)));

/** All previews by their paths in the package. */
function previewFiles(): Array<[path: string, preview: Preview | undefined]> {
	return nodes.flatMap(({ name, folder, description }) =>
		[description.version].flat().flatMap((version) => {
			const path = (end = '') => `nodes/${folder}/__schema__/${folderOf(version)}${end}.json`;
			const own = table.filter(({ node }) => node === name);
			return [
				...own.map((entry): [string, Preview | undefined] => [
					path(`/${entry.resource.value}/${entry.operation.value}`),
					previewOf(entry, version),
				]),
				[path(), triggerPreviews[name]] as [string, Preview | undefined],
			];
		}),
	);
}

/** A preview in one line, for the types that AI builders read: `{id, address{city}, tags[]}`. */
export function outputLine({ properties = {} }: Preview): string {
	const fields = Object.entries(properties).map(([name, schema]) => {
		const isList = [schema.type].flat()[0] === 'array';
		const inner = isList ? schema.items : schema;
		return `${name}${isList ? '[]' : ''}${inner?.properties ? outputLine(inner) : ''}`;
	});
	return `{${fields.join(', ')}}`;
}

if (require.main === module) {
	for (const [path, preview] of previewFiles()) {
		if (preview === undefined) continue;
		const file = join(__dirname, '../dist', path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, JSON.stringify(preview));
	}
}
