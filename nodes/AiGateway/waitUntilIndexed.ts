// Documents that are indexed after the request: asked for until their state is no longer queued
// (reference: AI Gateway, Document and passage; the states after queued are not shown).
import { NodeApiError, type IDataObject } from 'n8n-workflow';

import { recordOf, type ApiRequest, type Operation, type Steps } from '../shared/operation';
import { toggle, number, type Field } from '../shared/fields';

const STATE = 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json';

/** The only state that means that something is still to be done. */
const QUEUED = 'queued';

const shown = { show: { waitUntilIndexed: [true] } };

const fields: Field[] = [
	toggle({
		name: 'waitUntilIndexed',
		send: { setting: true },
		description:
			'Whether to wait until the document is no longer queued. Returns its state then. Check it before you use the document.',
	}),
	number({
		displayName: 'Check Every (Seconds)',
		name: 'waitInterval',
		typeOptions: { minValue: 1, maxValue: 3600 },
		default: 5,
		displayOptions: shown,
		send: { setting: true },
		description: 'How long to wait between looks at the state',
	}),
	number({
		displayName: 'Max Wait (Seconds)',
		name: 'waitTimeout',
		typeOptions: { minValue: 1, maxValue: 86_400 },
		default: 300,
		displayOptions: shown,
		send: { setting: true },
		description: 'A document that is still queued after this time is returned as it is',
	}),
];

/** Whether a response names no state at all, or says that the document is queued. */
function isOpen({ status, index_status }: IDataObject): boolean {
	const states = [status, index_status].filter((state) => state !== undefined && state !== null);
	return states.length === 0 || states.includes(QUEUED);
}

async function run(request: ApiRequest, steps: Steps): Promise<unknown> {
	const { waitUntilIndexed, waitInterval, waitTimeout } = request.settings ?? {};
	// The path names a document only where it exists already.
	const { knowledgeBaseId, documentId = '' } = request.ids;
	const lookAt = (id: unknown) => ({
		...steps.request(STATE, { knowledgeBaseId, documentId: id }),
		lookupKeys: [{ field: 'Document', value: String(id) }],
	});
	const send = async () => await steps.send(request);
	// Requests about one document take turns, those of other items too.
	const sent = recordOf(
		documentId === '' ? await send() : await steps.inTurn(lookAt(documentId).path, send),
	);
	if (waitUntilIndexed !== true || !isOpen(sent)) return sent;
	const id = sent.id ?? sent.document_id ?? documentId;
	const end = Date.now() + Number(waitTimeout) * 1000;
	const look = lookAt(id);
	let document = sent;
	for (let looks = 1; isOpen(document) && Date.now() < end; looks++) {
		await steps.wait(Math.min(Number(waitInterval) * 1000, end - Date.now()));
		const read = async () => {
			const response = await steps.ask(look);
			// A service that has just taken it may not know it everywhere yet.
			return response.says === 'absent' && looks === 1 ? {} : steps.accept(response);
		};
		const state = await steps.inTurn(look.path, read).catch((error: unknown) => {
			if (error instanceof NodeApiError) {
				error.message = `The document ${String(id)} was sent, but its state couldn't be read: ${error.message}`;
			}
			throw error;
		});
		document = { ...document, ...recordOf(state) };
	}
	return document;
}

function hint({ settings = {} }: ApiRequest, response: unknown): string | undefined {
	const isWaited = settings.waitUntilIndexed === true && isOpen(recordOf(response));
	return isWaited
		? `A document is still queued after ${String(settings.waitTimeout)} seconds. Get it later to see its state.`
		: undefined;
}

/** An operation that answers before its document is indexed, and can wait for it. */
export function indexed(operation: Operation): Operation {
	return {
		...operation,
		fields: [...(operation.fields ?? []), ...fields],
		also: [STATE],
		run,
		hint,
	};
}
