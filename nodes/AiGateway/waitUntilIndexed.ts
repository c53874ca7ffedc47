// Wait Until Indexed: polls a document until it's ready or has failed (reference: AI Gateway, Document and passage).
import { NodeApiError, type IDataObject } from 'n8n-workflow';

import { readState, type DocumentState } from '../api/documentState';
import type { ApiRequest } from '../engine/base/apiRequest';
import { isUnset, recordOf, short } from '../engine/base/data';
import type { Steps } from '../engine/client/steps';
import { number, toggle, type Field } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import { MARKUP_NOTE } from './plainText';

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
		send: { setting: true, empty: 'refused' },
		description: 'At first. After a while, the pause is a fifth of the time waited.',
	}),
	number({
		displayName: 'Max Wait (Seconds)',
		name: 'waitTimeout',
		typeOptions: { minValue: 1, maxValue: 86_400 },
		default: 300,
		displayOptions: shown,
		send: { setting: true, empty: 'refused' },
		description: 'After this time, the document is returned as it is',
	}),
	toggle({
		name: 'failIfNotReady',
		displayOptions: shown,
		send: { setting: true },
		description:
			'Whether to fail if the document has failed or is not ready in time. Otherwise a warning says so.',
	}),
];

/** For a new document: the reference doesn't show that its ID is returned. */
const NO_ID = "The API returned no ID for it, so it isn't known if it's indexed.";

type Run = NonNullable<Operation['run']>;

const sendOnly: Run = async (request, steps) => await steps.send(request);

/** Milliseconds for which an unknown state stays before it's taken for the last one. */
const UNKNOWN_STAYS = 60_000;

/** Part of the time waited that is the next pause, if that's longer than Check Every: the end is noticed a fifth late. */
const PAUSE = 1 / 5;

/** Tells of a document that has failed, or isn't known to be ready. Undefined if it's ready. */
function notReady(
	{ word, is }: DocumentState,
	seconds: number,
	isUnknown: boolean,
): string | undefined {
	if (is === 'ready') return undefined;
	if (is === 'failed') return `A document isn't indexed. Its state is ${short(word)}.`;
	if (isUnknown) {
		return `A document may not be ready. Its state has been ${short(word)} for ${seconds} seconds, and the API reference doesn't say what that means. Get it later to see its state.`;
	}
	const told = word === '' ? 'The API returned no state.' : `Its state is ${short(word)}.`;
	return `A document isn't ready after ${seconds} seconds. ${told} Get it later to see its state.`;
}

/**
 * Sends the document, if it has to be sent, then polls its state if the user wants to wait. After Max Wait it returns the last
 * state, with a warning.
 * @throws Error if the document isn't ready and the user wants that to fail, NodeApiError if the state can't be read. Both say
 * that the document was sent.
 */
async function sendAndWait(request: ApiRequest, steps: Steps, run: Run): Promise<unknown> {
	const { settings = {} } = request;
	const { waitUntilIndexed, waitInterval, waitTimeout, failIfNotReady } = settings;
	// Empty for a new document: only the path of an existing one has its ID.
	const { knowledgeBaseId, documentId = '' } = request.ids;
	const stateRequestFor = (id: unknown) => ({
		...steps.request(STATE, { knowledgeBaseId, documentId: id }),
		lookupKeys: () => [{ field: 'Document', value: String(id) }],
	});
	const send = async () => recordOf(await run(request, steps));
	// A document gets one request at a time, also from other items. No other item knows a new one.
	const sent = await (documentId === ''
		? send()
		: steps.withLock(stateRequestFor(documentId).path, send));
	const note = settings[MARKUP_NOTE];
	const told = (result: IDataObject, ...more: unknown[]) => {
		const warning = [note, result.warning, ...more].filter(Boolean).join(' ');
		if (warning === '') return result;
		steps.warning = warning;
		return { ...result, warning };
	};
	// Nothing was sent in a dry run, so nothing changes.
	const isDone = sent.action === 'unchanged' || steps.writes.held.length > 0;
	if (waitUntilIndexed !== true || isDone) return told(sent);
	// Ingest returns `id`, Add `document_id`.
	const id = sent.id ?? sent.document_id ?? documentId;
	const begin = Date.now();
	const end = begin + Number(waitTimeout) * 1000;
	let document = sent;
	let state = readState(sent);
	let since = begin;
	const isLast = () => state.is === 'unknown' && Date.now() - since >= UNKNOWN_STAYS;
	const isWaitedFor = () => !['ready', 'failed'].includes(state.is) && !isLast();
	const ended = (warning: string | undefined, name = '') => {
		if (warning === undefined || failIfNotReady !== true) return told(document, warning);
		throw new Error(`The document ${name}was sent. ${warning}`);
	};
	if ((isUnset(id) || id === '') && isWaitedFor()) return ended(NO_ID);
	for (let reads = 1; isWaitedFor() && Date.now() < end; reads++) {
		const pause = Math.max(Number(waitInterval) * 1000, (Date.now() - begin) * PAUSE);
		await steps.wait(Math.min(pause, end - Date.now()));
		const stateRequest = stateRequestFor(id);
		const read = async () => {
			const response = await steps.ask(stateRequest);
			// The service may not find a new document right away.
			return response.says === 'absent' && reads === 1 ? {} : steps.accept(response);
		};
		const found = await steps.withLock(stateRequest.path, read).catch((error: unknown) => {
			if (error instanceof NodeApiError) {
				error.message = `The document ${String(id)} was sent, but its state couldn't be read: ${error.message}`;
			}
			throw error;
		});
		document = { ...document, ...recordOf(found) };
		// Of this read alone: what isn't in it may have changed.
		const now = readState(recordOf(found));
		if (now.word !== state.word) since = Date.now();
		state = now;
	}
	const seconds = isLast() ? Math.round((Date.now() - since) / 1000) : Number(waitTimeout);
	return ended(notReady(state, seconds, isLast()), `${String(id)} `);
}

/** Adds Wait Until Indexed to an operation that responds before its document is indexed. */
export function indexed(operation: Operation): Operation {
	const { fields: own = [], also = [], run = sendOnly } = operation;
	return {
		...operation,
		fields: [...own, ...fields],
		also: [...also, STATE],
		run: async (request, steps) => await sendAndWait(request, steps, run),
	};
}
