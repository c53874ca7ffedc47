// Wait Until Indexed: polls a document until it's ready or has failed (reference: AI Gateway, Document and passage). Of the
// states after `queued`, the reference names only `ready`. So any other one but `failed` is waited for.
import { NodeApiError, type IDataObject } from 'n8n-workflow';

import { FAILED, stateOf } from '../api/documentState';
import type { ApiRequest } from '../engine/base/apiRequest';
import { recordOf, short } from '../engine/base/data';
import type { Steps } from '../engine/client/steps';
import { number, toggle, type Field } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';

const STATE = 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json';

const shown = { show: { waitUntilIndexed: [true] } };

const fields: Field[] = [
	toggle({
		name: 'waitUntilIndexed',
		send: { setting: true },
		description: 'Whether to wait until the document is ready or failed, and return its state',
	}),
	number({
		displayName: 'Check Every (Seconds)',
		name: 'waitInterval',
		typeOptions: { minValue: 1, maxValue: 3600 },
		default: 5,
		displayOptions: shown,
		send: { setting: true },
	}),
	number({
		displayName: 'Max Wait (Seconds)',
		name: 'waitTimeout',
		typeOptions: { minValue: 1, maxValue: 86_400 },
		default: 300,
		displayOptions: shown,
		send: { setting: true },
		description: 'After this time, the document is returned as it is',
	}),
];

const isWaitedFor = (document: IDataObject) => !['ready', FAILED].includes(stateOf(document));

/**
 * Sends the document, then polls its state if the user wants to wait. After Max Wait it returns the last state, without an
 * error.
 * @throws NodeApiError also if the state can't be read. Its message says that the document was sent.
 */
async function sendAndWait(request: ApiRequest, steps: Steps): Promise<unknown> {
	const { waitUntilIndexed, waitInterval, waitTimeout } = request.settings ?? {};
	// Empty for a new document: only the path of an existing one has its ID.
	const { knowledgeBaseId, documentId = '' } = request.ids;
	const stateRequestFor = (id: unknown) => ({
		...steps.request(STATE, { knowledgeBaseId, documentId: id }),
		lookupKeys: () => [{ field: 'Document', value: String(id) }],
	});
	const send = async () => recordOf(await steps.send(request));
	// A document gets one request at a time, also from other items. No other item knows a new one.
	const sent = await (documentId === ''
		? send()
		: steps.withLock(stateRequestFor(documentId).path, send));
	if (waitUntilIndexed !== true || !isWaitedFor(sent)) return sent;
	// Ingest returns `id`, Add `document_id`.
	const id = sent.id ?? sent.document_id ?? documentId;
	const end = Date.now() + Number(waitTimeout) * 1000;
	const stateRequest = stateRequestFor(id);
	let document = sent;
	for (let reads = 1; isWaitedFor(document) && Date.now() < end; reads++) {
		await steps.wait(Math.min(Number(waitInterval) * 1000, end - Date.now()));
		const read = async () => {
			const response = await steps.ask(stateRequest);
			// The service may not find a new document right away.
			return response.says === 'absent' && reads === 1 ? {} : steps.accept(response);
		};
		const state = await steps.withLock(stateRequest.path, read).catch((error: unknown) => {
			if (error instanceof NodeApiError) {
				error.message = `The document ${String(id)} was sent, but its state couldn't be read: ${error.message}`;
			}
			throw error;
		});
		document = { ...document, ...recordOf(state) };
	}
	return document;
}

/** Tells of a document that failed, or that isn't ready after Max Wait. */
function stateHint({ settings = {} }: ApiRequest, response: unknown): string | undefined {
	const state = stateOf(recordOf(response));
	if (settings.waitUntilIndexed !== true || state === 'ready') return undefined;
	if (state === FAILED) return "A document isn't indexed. Its state is failed.";
	const told = state === '' ? 'The API returned no state.' : `Its state is ${short(state)}.`;
	return `A document isn't ready after ${String(settings.waitTimeout)} seconds. ${told} Get it later to see its state.`;
}

/** Adds Wait Until Indexed to an operation that responds before its document is indexed. */
export function indexed(operation: Operation): Operation {
	return {
		...operation,
		fields: [...(operation.fields ?? []), ...fields],
		also: [STATE],
		run: sendAndWait,
		hint: stateHint,
	};
}
