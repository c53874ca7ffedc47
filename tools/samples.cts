// The answers of a dry run: for each endpoint that answers one record, a sample of the contract's shape.
import { leavesInDryRun } from '../test/table/api.cts';
import { endpointOf, partsOf, routes } from '../test/table/operations.cts';
import { endpoints, type Schema } from '../test/contract/contract.cts';

/** What a sample says where the contract doesn't. */
const TEXT = 'dry run';

/** Flags that an answer to a request that went through has set. */
const DONE = /^(success|sent|deleted|ok|valid)$/;

/** A state that waits for something which never comes in a dry run, so a loop would wait for it forever. */
const UNFINISHED = 'queued';

/** Only the API knows who is on the suppression list. */
const UNKNOWN_COUNTS = {
	queued_recipients: null,
	skipped_suppressed: null,
	skipped_not_found: null,
};

/** What the reference says of a new record, where a sample of the shape alone would say something else. */
const shown: Record<string, object> = {
	'POST /scheduler/events.json': { event: { action_type: null } },
	'GET /contentbox/contents/{contentId}.json': { state: 'draft' },
	'PUT /newsletters/{newsletterId}/recipients.json': { saved_recipients: 1 },
	'POST /newsletters/{newsletterId}/queue.json': UNKNOWN_COUNTS,
	'POST /ai-gateway/prompts.json': { version: 1 },
	'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/ingestions.json': {
		content_storage_mode: 'vector_store_payload',
		status: UNFINISHED,
		index_status: UNFINISHED,
	},
	'PUT /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/source.json': {
		source_version: 1,
		status: UNFINISHED,
		index_status: UNFINISHED,
	},
	'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json': {
		content_storage_mode: 'vector_store_payload',
	},
};

/** A sample with other values in some places. */
function withShown(sample: unknown, values: object = {}): unknown {
	if (typeof sample !== 'object' || sample === null) return sample;
	const own = Object.entries(values).map(([name, value]) => [
		name,
		typeof value === 'object' && value !== null
			? withShown((sample as Record<string, unknown>)[name], value as object)
			: value,
	]);
	return { ...sample, ...Object.fromEntries(own) };
}

function textOf(name: string, { pattern, format }: Schema): string {
	if (String(pattern).includes('[0-9]')) return '0.00';
	if (format === 'date-time') return '2026-01-01T00:00:00Z';
	if (format === 'date') return '2026-01-01';
	if (/email/i.test(name)) return 'dry.run@example.com';
	return /(^|_)(url|link)$/i.test(name) ? 'https://example.com/dry-run' : TEXT;
}

/** The value that a schema itself gives, if it gives one. */
function toldBy(schema: Schema, route: string): unknown {
	if (schema.const !== undefined) return schema.const;
	if (schema.enum) return (schema.enum as unknown[])[0];
	if ([schema.type].flat().includes('null')) return null;
	const [example] = (schema.examples as unknown[] | undefined) ?? [];
	if (example === UNFINISHED && route.includes('knowledge-bases')) return TEXT;
	if (example !== undefined) return example;
	const isFile = schema.contentEncoding === 'base64';
	return isFile ? Buffer.from('%PDF-1.4').toString('base64') : undefined;
}

function sampleOf(schema: Schema, name = '', route = ''): unknown {
	const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
	if (alternatives) {
		const success = alternatives.find(({ properties }) => properties?.success?.const !== false);
		return sampleOf(success ?? {}, name, route);
	}
	const told = toldBy(schema, route);
	if (told !== undefined) return told;
	switch ([schema.type].flat()[0]) {
		case 'object':
			return Object.fromEntries(
				Object.entries(schema.properties ?? {}).map(([key, each]) => [
					key,
					sampleOf(each, key, route),
				]),
			);
		case 'array':
			return [];
		case 'integer':
		case 'number':
			return (schema.minimum as number | undefined) ?? 0;
		case 'boolean':
			return DONE.test(name);
		case 'string':
			return textOf(name, schema);
		default:
			return null;
	}
}

/** A sample for each endpoint that answers one record of a known shape, by route. */
export function dryRunSamples(): Record<string, unknown> {
	return Object.fromEntries(
		routes.flatMap((route) => {
			const shape = endpointOf(route);
			const isKnown = shape.kind === 'one' && !shape.untyped;
			const { method, path } = partsOf(route);
			// Those that are sent all the same, unless they're about a record of a dry run.
			const isReal = leavesInDryRun(route) && !path.includes('{');
			if (!isKnown || isReal || method === 'DELETE') return [];
			const found = endpoints.find(({ method, path }) => `${method} ${path}` === route);
			const success = Object.entries(found?.responses ?? {}).find(([status]) => /^2/.test(status));
			return [
				[route, withShown(sampleOf(success?.[1].body?.schema ?? {}, '', route), shown[route])],
			];
		}),
	);
}
