// Passages -> requests for embeddings, within the documented limits (reference: AI Gateway, Limits).

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
