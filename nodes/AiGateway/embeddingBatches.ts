// Embeddings of any number of passages: as many requests as the documented limits need, one response of
// them all (reference: AI Gateway, Embeddings request, Limits).
import { NodeApiError, type IDataObject } from 'n8n-workflow';

import { numberOf, recordOf, recordsOf, type ApiRequest, type Steps } from '../shared/operation';
import { number, toggle } from '../shared/fields';
import { inPool } from '../shared/pool';

const MAX_PASSAGES = 64;
const MAX_PASSAGE_BYTES = 128 * 1024;
const MAX_REQUEST_BYTES = 1024 * 1024;

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** What is wrong with the first passage that cannot be embedded, or undefined. */
export function passageFault(passages: string[]): string | undefined {
	for (const [index, passage] of passages.entries()) {
		if (passage === '') return `must not be empty (passage ${index + 1} of ${passages.length})`;
		const bytes = Buffer.byteLength(passage);
		if (bytes > MAX_PASSAGE_BYTES) {
			return `must have at most ${MAX_PASSAGE_BYTES} bytes each (passage ${index + 1} has ${bytes})`;
		}
	}
	return undefined;
}

/**
 * Splits passages into batches, in order, each for one request: at most 64 passages, and at most
 * 1 MB (1,048,576 bytes) of body as JSON. Whether the documented 1 MB counts the passages alone is
 * not said; a body that fits is within it either way.
 * @param rest the other fields of the body
 */
export function splitPassages(passages: string[], rest: object): string[][] {
	const empty = jsonBytes({ ...rest, input: [] });
	const batches: string[][] = [];
	let batch: string[] = [];
	let bytes = empty;
	for (const passage of passages) {
		const more = jsonBytes(passage) + 1;
		if (batch.length === MAX_PASSAGES || (batch.length > 0 && bytes + more > MAX_REQUEST_BYTES)) {
			batches.push(batch);
			batch = [];
			bytes = empty;
		}
		batch.push(passage);
		bytes += more;
	}
	if (batch.length > 0) batches.push(batch);
	return batches;
}

export const dimensions = number({
	name: 'dimensions',
	typeOptions: { minValue: 1, maxValue: 65_536 },
	default: 1024,
	send: { type: 'integer' },
	description: 'Length of the vectors, 1 to 65,536. Only for providers that let you choose it.',
});

export const retryBrokenField = toggle({
	displayName: 'Retry Broken Requests',
	name: 'retryBroken',
	default: true,
	send: { setting: true },
	description:
		'Whether to retry a request when the connection breaks or a gateway fails. Its tokens may be spent twice.',
});

/** The sums of what is a number in each object; 15 digits, since costs are fractions. */
function sums(objects: IDataObject[], keys: string[]): IDataObject {
	const columns = keys.map((key) => [key, objects.map((object) => numberOf(object[key]))] as const);
	const whole = columns.filter(([, numbers]) => !numbers.includes(undefined));
	const sum = (numbers: Array<number | undefined>) =>
		numbers.reduce<number>((total, number = 0) => total + number, 0);
	return Object.fromEntries(
		whole.map(([key, numbers]) => [key, Number(sum(numbers).toPrecision(15))]),
	);
}

/**
 * One ledger entry for several requests: items and cost added up. The ids of the requests, and
 * whatever else differs, are in `requests`.
 */
function joinLedgers(ledgers: IDataObject[]): IDataObject {
	const sum = sums(ledgers, ['input_items', 'estimated_cost_usd']);
	const own = ['request_id', 'run_id', 'input_items', 'estimated_cost_usd'];
	const shared = Object.entries(ledgers[0]).filter(([key]) => !own.includes(key));
	return { ...Object.fromEntries(shared), ...sum, requests: ledgers };
}

const isVector = (value: unknown): value is number[] =>
	Array.isArray(value) && value.length > 0 && value.every((each) => Number.isFinite(each));

const vectorsIn = (entries: IDataObject[]) =>
	entries.map(({ embedding }) => embedding).filter(isVector);

/**
 * The entries of a response, in the order of its passages.
 * @param before passages of earlier answers, for their `index`
 * @throws Error when there is not exactly one vector for each passage, all of one length
 */
function entriesOf(response: IDataObject, count: number, before: number): IDataObject[] {
	const data = recordsOf(response.data);
	const found = new Map(data.map((entry) => [numberOf(entry.index), entry]));
	const entries = Array.from({ length: count }, (_passage, index) => found.get(index));
	const usable = vectorsIn([...found.values()]);
	const lengths = new Set(usable.map(({ length }) => length));
	const complete = entries.filter((entry) => entry !== undefined && isVector(entry.embedding));
	if (data.length !== count || complete.length !== count || lengths.size > 1) {
		const mixed = lengths.size > 1 ? ` Vectors came in ${lengths.size} lengths.` : '';
		throw new Error(
			`The API returned ${data.length} entries with ${usable.length} usable vectors for ${count} texts.${mixed} None were used, because vectors could be matched to the wrong text.`,
		);
	}
	return complete.map((entry, index) => ({ ...entry, index: index + before }));
}

/** The responses to the batches as one response; a single one keeps all that it has beside its entries. */
function join(responses: IDataObject[], data: IDataObject[]): IDataObject {
	if (responses.length === 1) return { ...responses[0], data };
	const objectsAt = (key: string) => recordsOf(responses.map((response) => response[key]));
	const usages = objectsAt('usage');
	const ledgers = objectsAt('svc');
	return {
		...responses[0],
		data,
		...(usages.length > 0 ? { usage: sums(usages, Object.keys(usages[0])) } : {}),
		...(ledgers.length > 0 ? { svc: joinLedgers(ledgers) } : {}),
	};
}

export interface Embedded {
	vectors: number[][];
	/** What the editor shows: no vectors, which are long and kept with the execution. */
	summary: IDataObject;
}

/** The vectors of a response of `embedInBatches`, and what they took. */
export function embeddedOf(response: IDataObject): Embedded {
	const vectors = vectorsIn(recordsOf(response.data));
	const ledger = recordOf(response.svc);
	const ledgers = ledger.requests === undefined ? [ledger] : recordsOf(ledger.requests);
	const ids = ledgers.map(({ request_id }) => request_id).filter((id) => id !== undefined);
	return {
		vectors,
		summary: {
			vectors: vectors.length,
			dimensions: vectors[0]?.length ?? 0,
			model: response.model ?? null,
			requests: vectors.length === 0 ? 0 : ledgers.length,
			tokens: numberOf(recordOf(response.usage).total_tokens) ?? null,
			estimated_cost_usd: numberOf(ledger.estimated_cost_usd) ?? null,
			request_ids: ids,
		},
	};
}

/**
 * Sends the passages of an embeddings request in as many requests as the documented limits need.
 * @param parallel requests in flight at most
 * @returns `{object, data, model, usage, svc}` as the API documents it, over all passages
 * @throws the error of the first request that fails, which says how many passages were done; Error for
 *   a response whose vectors can't be matched to the passages
 */
export async function embedInBatches(
	request: ApiRequest,
	steps: Steps,
	parallel = 1,
): Promise<IDataObject> {
	const { input, ...rest } = recordOf(request.body);
	const passages = [input].flat().map(String);
	// A single text is sent as it is.
	const batches = Array.isArray(input) ? splitPassages(passages, rest) : [passages];
	const retryBroken = request.settings?.retryBroken !== false;
	const responses = new Array<IDataObject>(batches.length);
	const entries = new Array<IDataObject[]>(batches.length);
	let done = 0;
	await inPool(batches.length, parallel, async (index) => {
		const batch = batches[index];
		const body = { ...rest, input: Array.isArray(input) ? batch : input };
		const response = await steps.send({ ...request, retryBroken, body }).catch((error: unknown) => {
			if (done > 0 && error instanceof NodeApiError) {
				error.message = `${error.message} ${done} of ${passages.length} passages were already embedded, and their tokens are spent.`;
			}
			throw error;
		});
		responses[index] = recordOf(response);
		const before = batches.slice(0, index).flat().length;
		entries[index] = entriesOf(responses[index], batch.length, before);
		done += batch.length;
	});
	return join(responses, entries.flat());
}
