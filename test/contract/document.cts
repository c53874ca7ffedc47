// Reads the OpenAPI files of this folder into one document, and resolves its references.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';

/** JSON Schema 2020-12; only the keywords that code reads by name are listed. */
export interface Schema {
	type?: string | string[];
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	additionalProperties?: boolean | Schema;
	description?: string;
	[keyword: string]: unknown;
}

/** A named value in the path or in the query of a request. */
export interface Parameter {
	name: string;
	in: 'path' | 'query';
	required?: boolean;
	description?: string;
	schema: Schema;
}

/** An error message that the reference states for an operation. */
export interface DocumentedError {
	/** Text as given by the reference. */
	message: string;
	/** Condition, as given by the reference's Errors table. */
	when: string;
	/** HTTP status, where it is shown. */
	status?: number;
	/** True where `message` describes the text and does not quote it. */
	paraphrase?: boolean;
}

type Content = Record<string, { schema?: Schema }>;

export interface Operation {
	operationId: string;
	tags: string[];
	security: Array<{ bearerKey: string[] }>;
	parameters?: Parameter[];
	requestBody?: { required?: boolean; content: Content };
	responses: Record<string, { description: string; content?: Content }>;
	'x-errors'?: DocumentedError[];
	'x-one-of'?: string[];
	'x-wrapper'?: string;
}

export const methods = ['get', 'post', 'put', 'delete'] as const;

/** OpenAPI path item: operations by method, and the parameters that they share. */
type PathItem = { parameters?: Parameter[] } & Partial<Record<(typeof methods)[number], Operation>>;

/** The whole API as one OpenAPI 3.1 document. */
export interface ContractDocument {
	openapi: string;
	paths: Record<string, PathItem>;
	components: {
		securitySchemes: Record<string, unknown>;
		parameters: Record<string, Parameter>;
		responses: Record<string, Operation['responses'][string] & { 'x-errors'?: DocumentedError[] }>;
		schemas: Record<string, Schema>;
	};
}

type AreaFile = Pick<ContractDocument, 'paths'> & {
	components?: Partial<ContractDocument['components']>;
};

function readYaml(path: string): unknown {
	return load(readFileSync(path, 'utf8'), { schema: CORE_SCHEMA });
}

/** Copies `source` into `target`; a name that is already taken is an error, not an overwrite. */
function addAll(target: Record<string, unknown>, source: object, file: string): void {
	for (const [name, value] of Object.entries(source)) {
		if (name in target) throw new Error(`${file} defines ${name} a second time`);
		target[name] = value;
	}
}

/** Merges openapi.yaml and all files of areas/ into one document, which still has its `$ref`s. */
export function loadContract(folder = __dirname): ContractDocument {
	const document = readYaml(join(folder, 'openapi.yaml')) as ContractDocument;
	const areas = join(folder, 'areas');
	for (const file of readdirSync(areas).sort()) {
		const area = readYaml(join(areas, file)) as AreaFile;
		addAll(document.paths, area.paths, file);
		for (const [kind, components] of Object.entries(area.components ?? {})) {
			const known = document.components[kind as keyof ContractDocument['components']];
			addAll(known, components, file);
		}
	}
	return document;
}

/** Follows a local reference such as `#/components/schemas/Error`. */
function resolveReference(document: unknown, reference: string): unknown {
	const steps = reference
		.replace(/^#\//, '')
		.split('/')
		.map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
	let value = document;
	for (const step of steps) {
		value = (value as Record<string, unknown> | undefined)?.[step];
	}
	if (value === undefined) throw new Error(`${reference} leads nowhere`);
	return value;
}

/**
 * Copy of a document in which each `$ref` is replaced by what it refers to. The same reference
 * gives the same object everywhere, so a schema can be recognised by identity. Keywords beside a
 * `$ref` are laid over its target.
 */
export function dereference<T extends object>(document: T): T {
	const targets = new Map<string, unknown>();
	const underway = new Set<string>();

	const follow = (reference: string): unknown => {
		if (targets.has(reference)) return targets.get(reference);
		if (underway.has(reference)) throw new Error(`${reference} leads into itself`);
		underway.add(reference);
		const target = visit(resolveReference(document, reference));
		targets.set(reference, target);
		return target;
	};

	const visit = (node: unknown): unknown => {
		if (Array.isArray(node)) return node.map(visit);
		if (typeof node !== 'object' || node === null) return node;
		const { $ref, ...own } = node as Record<string, unknown>;
		const copy = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, visit(value)]));
		if (typeof $ref !== 'string') return copy;
		const target = follow($ref);
		return Object.keys(copy).length === 0 ? target : { ...(target as object), ...copy };
	};

	return visit(document) as T;
}
