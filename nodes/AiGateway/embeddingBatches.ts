// Embeds any number of passages: sends as many requests as the limits need and joins the responses into
// one (reference: AI Gateway, Embeddings request, Limits).
import { NodeApiError, type IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../engine/base/apiRequest';
import { isUnset, numberOf, recordOf, recordsOf } from '../engine/base/data';
import { inPool } from '../engine/base/pool';
import type { Steps } from '../engine/client/steps';
import { number, toggle } from '../engine/form/fields';

const MAX_PASSAGES = 64;
const MAX_PASSAGE_BYTES = 128 * 1024;
const MAX_REQUEST_BYTES = 1_000_000;

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Returns what is wrong with the first passage that can't be embedded. Undefined if all can. */
export function passageFault(passages: string[]): string | undefined {
	for (const [index, passage] of passages.entries()) {
		if (passage.trim() === '')
			return `must not be empty (passage ${index + 1} of ${passages.length})`;
		const bytes = Buffer.byteLength(passage);
		if (bytes > MAX_PASSAGE_BYTES) {
			return `must have at most ${MAX_PASSAGE_BYTES} bytes each (passage ${index + 1} has ${bytes})`;
		}
	}
	return undefined;
}

/**
 * Splits passages into batches of one request each: max 64 passages and max 1 MB (1,000,000 bytes) of JSON body.
 * The reference doesn't say if its 1 MB is 1,048,576 bytes, or if it counts the passages alone. This is the safe
 * reading, and costs nothing.
 * @param rest the other fields of the body
 */
export function splitPassages(passages: string[], rest: object): string[][] {
	// One less, since `more` counts a comma for each passage, also for the first one.
	const empty = jsonBytes({ ...rest, input: [] }) - 1;
	const batches: string[][] = [];
	let batch: string[] = [];
	let bytes = empty;
	for (const passage of passages) {
		const more = jsonBytes(passage) + 1;
		const isFull = batch.length === MAX_PASSAGES || bytes + more > MAX_REQUEST_BYTES;
		if (isFull && batch.length > 0) {
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
	description: 'Length of the vectors, where the provider lets you choose it',
});

export const retryBrokenField = toggle({
	displayName: 'Retry Broken Requests',
	name: 'retryBroken',
	default: true,
	send: { setting: true },
	description:
		'Whether to retry a request when the connection breaks or a gateway fails. Its tokens may be spent twice.',
});

/** Adds up keys that are numbers in every object: other sums would be too low. Rounds off the noise of 0.1 + 0.2. */
function sums(objects: IDataObject[], keys: string[]): IDataObject {
	const entryOf = (key: string): Array<[string, number]> => {
		const numbers = objects
			.map((object) => numberOf(object[key]))
			.filter((each) => each !== undefined);
		if (numbers.length < objects.length) return [];
		const sum = numbers.reduce((total, each) => total + each, 0);
		return [[key, Number(sum.toPrecision(15))]];
	};
	return Object.fromEntries(keys.flatMap(entryOf));
}

/** Joins bills (`svc`): adds up items and cost, and leaves out the IDs, which `requests` has with the bills as they came. */
function joinBills(bills: IDataObject[]): IDataObject {
	const sum = sums(bills, ['input_items', 'estimated_cost_usd']);
	const ofOneRequest = ['request_id', 'run_id', 'input_items', 'estimated_cost_usd'];
	const shared = Object.entries(bills[0]).filter(([key]) => !ofOneRequest.includes(key));
	return { ...Object.fromEntries(shared), ...sum, requests: bills };
}

const isVector = (value: unknown): value is number[] =>
	Array.isArray(value) && value.length > 0 && value.every((each) => Number.isFinite(each));

/** Vectors of those entries that have one. */
export const vectorsIn = (entries: IDataObject[]) =>
	entries.map(({ embedding }) => embedding).filter(isVector);

/**
 * Entries of a response, in the order of its passages: the API may list them in another one.
 * @param count number of passages that were sent
 * @throws Error unless there is exactly one vector per passage, all of the same length
 */
function entriesOf(response: IDataObject, count: number): IDataObject[] {
	const data = recordsOf(response.data);
	const byIndex = new Map(data.map((entry) => [numberOf(entry.index), entry]));
	// A missing vector leaves no gap, so the number of entries tells.
	const entries = Array.from({ length: count }, (_, index) => byIndex.get(index) ?? []).flat();
	const vectors = vectorsIn([...byIndex.values()]);
	const lengths = new Set(vectors.map(({ length }) => length));
	if ([data, entries, vectors].some(({ length }) => length !== count) || lengths.size > 1) {
		const mixed = lengths.size > 1 ? ` Vectors came in ${lengths.size} lengths.` : '';
		throw new Error(
			`The API returned ${data.length} entries with ${vectors.length} usable vectors for ${count} texts.${mixed} None were used, because vectors could be matched to the wrong text.`,
		);
	}
	return entries;
}

/** Notes what vectors the batches have, so that none are mixed. */
class Vectors {
	private readonly lengths = new Set<number>();

	private readonly models = new Set<string>();

	/** @throws Error if a batch has vectors of another length or model than those before it */
	add({ model, data }: IDataObject): void {
		for (const { length } of vectorsIn(recordsOf(data))) this.lengths.add(length);
		if (!isUnset(model)) this.models.add(String(model));
		if (this.lengths.size < 2 && this.models.size < 2) return;
		const found =
			this.models.size > 1
				? `models: ${[...this.models].join(', ')}`
				: `lengths: ${[...this.lengths].join(', ')}`;
		throw new Error(
			`The API returned vectors of several ${found}. None were used, because they can't be compared, but their tokens are spent. Check the connection before you run it again.`,
		);
	}
}

/**
 * Joins the responses to the batches: all entries, numbered anew, the sums of `usage` and of the bill in `svc`, and the
 * other fields of the first. A single response keeps its own. Without any, since there were no passages, `data` is empty.
 */
function joinResponses(responses: IDataObject[]): IDataObject {
	const entries = responses.flatMap(({ data }) => recordsOf(data));
	const joined = { ...responses[0], data: entries.map((entry, index) => ({ ...entry, index })) };
	if (responses.length === 1) return joined;
	// A sum that lacks a response would be too low.
	const recordsAt = (key: string) => {
		const records = recordsOf(responses.map((response) => response[key]));
		return records.length === responses.length ? records : [];
	};
	const usages = recordsAt('usage');
	const bills = recordsAt('svc');
	return {
		...joined,
		usage: usages.length > 0 ? sums(usages, Object.keys(usages[0])) : undefined,
		svc: bills.length > 0 ? joinBills(bills) : undefined,
	};
}

/**
 * Sends the passages of an embeddings request in as many requests as the limits need.
 * @param parallel max requests in flight
 * @returns `{object, data, model, usage, svc}`, as for a single request
 * @throws the error of a failed request, with the number of passages already embedded, if any
 * @throws Error if the vectors of a response can't be matched to its passages, or those of the responses to each other
 */
export async function embedInBatches(
	request: ApiRequest,
	steps: Steps,
	parallel = 1,
): Promise<IDataObject> {
	const { input, ...rest } = recordOf(request.body);
	const passages = [input].flat().map(String);
	const batches = splitPassages(passages, rest);
	// On by default: a form without the option retries, too.
	const retryBroken = request.settings?.retryBroken !== false;
	const responses = new Array<IDataObject>(batches.length);
	const vectors = new Vectors();
	let done = 0;
	await inPool(batches.length, parallel, async (index) => {
		const batch = batches[index];
		// A single text from the form is sent as a string, not as a list.
		const body = { ...rest, input: Array.isArray(input) ? batch : input };
		const sent = await steps.send({ ...request, retryBroken, body }).catch((error: unknown) => {
			if (done > 0 && error instanceof NodeApiError) {
				error.message = `${error.message} ${done} of ${passages.length} passages were already embedded, and their tokens are spent.`;
			}
			throw error;
		});
		const response = recordOf(sent);
		responses[index] = { ...response, data: entriesOf(response, batch.length) };
		vectors.add(responses[index]);
		done += batch.length;
	});
	return joinResponses(responses);
}
