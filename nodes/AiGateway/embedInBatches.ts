// Embeddings of any number of passages: one request after another, one answer of them all.
import { NodeApiError, type IDataObject } from 'n8n-workflow';

import { splitPassages } from '../shared/embeddingBatches';
import { recordOf, recordsOf, type ApiRequest, type Steps } from '../shared/operation';

/** Sums of the numbers at these keys, over the objects that have them. */
function sums(objects: IDataObject[], keys: string[]): IDataObject {
	const present = keys.filter((key) => objects.some((object) => typeof object[key] === 'number'));
	return Object.fromEntries(
		present.map((key) => [
			key,
			objects.reduce((sum, object) => sum + (Number(object[key]) || 0), 0),
		]),
	);
}

/**
 * One ledger entry for several requests: items and cost added up. The ids of the requests, and
 * whatever else differs, are in `requests`.
 */
function joinLedgers(ledgers: IDataObject[]): IDataObject {
	const shared: IDataObject = {
		...ledgers[0],
		...sums(ledgers, ['input_items', 'estimated_cost_usd']),
	};
	delete shared.request_id;
	delete shared.run_id;
	return { ...shared, requests: ledgers };
}

/** The answers to the batches as one answer, its embeddings numbered over all passages. */
function join(answers: IDataObject[], batches: string[][]): IDataObject {
	let before = 0;
	const data = answers.flatMap((answer, batch) => {
		const offset = before;
		before += batches[batch].length;
		return recordsOf(answer.data).map((row) => ({
			...row,
			index: Number(row.index) + offset,
		}));
	});
	const objectsAt = (key: string) => recordsOf(answers.map((answer) => answer[key]));
	const usages = objectsAt('usage');
	const ledgers = objectsAt('svc');
	return {
		...answers[0],
		data,
		...(usages.length > 0 ? { usage: sums(usages, Object.keys(usages[0])) } : {}),
		...(ledgers.length > 0 ? { svc: joinLedgers(ledgers) } : {}),
	};
}

/**
 * Sends the passages of an embeddings request in as many requests as the documented limits need,
 * in order. One request is sent and answered as it is.
 * @returns `{object, data, model, usage, svc}` as the API documents it, over all passages
 * @throws the error of the first request that fails, which says how many passages were done
 */
export async function embedInBatches(request: ApiRequest, steps: Steps): Promise<unknown> {
	const { input, ...rest } = recordOf(request.body);
	if (!Array.isArray(input)) return await steps.send(request);
	const passages = input.map(String);
	const batches = splitPassages(passages, rest);
	const answers: IDataObject[] = [];
	let done = 0;
	for (const batch of batches) {
		const answer = await steps
			.send({ ...request, body: { ...rest, input: batch } })
			.catch((error: unknown) => {
				if (done > 0 && error instanceof NodeApiError) {
					error.message = `${error.message} ${done} of ${passages.length} passages were already embedded, and their tokens are spent.`;
				}
				throw error;
			});
		answers.push(recordOf(answer));
		done += batch.length;
	}
	return answers.length === 1 ? answers[0] : join(answers, batches);
}
