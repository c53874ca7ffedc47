// Create or Replace of a document. The API lists no documents and deletes none, so n8n's store remembers by the name, or by the user's
// own ID, what was sent and which document it is (reference: AI Gateway, Document and passage, Remote document).
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { hashOf, isUnset, recordOf, short, sortedJson } from '../engine/base/data';
import type { Remembered, Steps } from '../engine/client/steps';
import { options, text, type Field } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import { sendUnchanged } from '../api/updates';

const REPLACE =
	'PUT /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/source.json';

const STATE = 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json';

export const INGEST = 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/ingestions.json';

const ownId = text({
	displayName: 'Your ID',
	name: 'documentKey',
	placeholder: 'e.g. handbook/refunds.md',
	// Documents of the same name would replace each other.
	send: { setting: true, trim: true, empty: 'refusedInForm' },
	description: 'Such as the path of its file. If empty, its name.',
});

const NONE = 'none';

const earlier = text({
	name: 'earlierDocument',
	placeholder: 'e.g. ado-1 3f2a',
	send: { setting: true, trim: true, empty: 'refused' },
	description: 'ID of the one that is there, or "none". With the code, if an error has one.',
});

export const keyFields: Field[] = [ownId];

export const replaceOptions: Field = options([earlier, sendUnchanged]);

/** A document as it's remembered. */
interface Known {
	id: string;
	/** The source can be replaced, as long as this is the same: name and metadata. Empty for one without a source. */
	fixed: string;
}

const toText = ({ id, fixed }: Known) => `${fixed} ${id}`;

function toKnown({ value }: Remembered): Known {
	const at = value.indexOf(' ');
	return { fixed: value.slice(0, at), id: value.slice(at + 1) };
}

/** The content of a request as it's compared. Undefined for a URL without a checksum, behind which anything may have changed. */
function contentOf({ body = {}, endpoint }: ApiRequest): string | undefined {
	const { source, ...rest } = body;
	if (endpoint.route !== INGEST) return sortedJson(rest);
	const { sha256, ...where } = recordOf(source);
	if (isUnset(sha256)) return undefined;
	// A signed URL is another one each time.
	return sortedJson({ ...rest, sha256, content_type: where.content_type });
}

const fixedOf = ({ body = {}, endpoint }: ApiRequest) => {
	const { name, metadata } = body;
	return endpoint.route === INGEST ? hashOf(sortedJson({ name, metadata })).slice(0, 6) : '';
};

const inDoubt = (key: string, code: string) =>
	new Error(
		`The document ${short(key)} may have been added before: an earlier run ended without its ID, or another one is sending it now. So nothing was sent. Search for it, then enter its ID and the code ${code} in Options → Earlier Document, such as "ado-1 ${code}". If it isn't there, enter "${NONE} ${code}".`,
	);

/** Passes on what n8n's store fails with. */
async function fromStore<T>(asked: Promise<T>): Promise<T> {
	return await asked.catch((error: Error) => {
		throw new Error(
			`n8n's store couldn't tell what is known of the document, so nothing was sent: ${error.message}`,
		);
	});
}

/** Takes a key, and returns what is known of its document. Throws Error if that is in doubt, and the user doesn't say more. */
async function takeKnown(
	key: string,
	label: string,
	request: ApiRequest,
	{ values }: Steps,
): Promise<{ known?: Known; remembered?: Remembered; isAnswered?: boolean }> {
	const taken = await fromStore(values.take(key));
	if (taken && !('doubt' in taken)) return { known: toKnown(taken), remembered: taken };
	const [given, code] = String(request.settings?.[earlier.name] ?? '').split(/\s+/);
	if (taken) {
		if (given === '' || code?.toLowerCase() !== taken.doubt) throw inDoubt(label, taken.doubt);
		await fromStore(values.forget(key));
	}
	const isAnswered = taken !== undefined;
	if (['', NONE].includes(given.toLowerCase())) return { isAnswered };
	// Supposes that the source can be replaced. The API says if it can't.
	return { known: { id: given, fixed: fixedOf(request) }, isAnswered };
}

const stillFound = (id: string) =>
	`The API can't change or delete the text of a document, so a new one was added. The earlier one, ${id}, is still found. Leave it out of searches (Leave Out Documents).`;

/** Sends what has changed. Returns the response with `action`, and the ID of the document from now on. */
async function sendChanged(
	request: ApiRequest,
	steps: Steps,
	known: Known | undefined,
): Promise<{ result: IDataObject; id: unknown }> {
	const { knowledgeBaseId } = request.ids;
	const isReplaced = known !== undefined && known.fixed !== '' && known.fixed === fixedOf(request);
	if (isReplaced) {
		const ids = { knowledgeBaseId, documentId: known.id };
		const { source } = request.body ?? {};
		const replace = steps.request(REPLACE, ids, { body: { source } as IDataObject });
		// As other operations lock it.
		const lock = steps.request(STATE, ids).path;
		const result = recordOf(await steps.withLock(lock, async () => await steps.send(replace)));
		return { result: { id: known.id, ...result, action: 'updated' }, id: known.id };
	}
	const response = recordOf(await steps.send(request));
	const id = response.document_id ?? response.id;
	const result: IDataObject = { ...response, action: 'created' };
	if (known) {
		result.replaced_document_id = known.id;
		result.warning = stillFound(known.id);
	}
	return { result, id };
}

/** Adds or replaces the document of a key, unless it's the same. Items with one key take turns. Throws Error if in doubt. */
async function createOrReplace(request: ApiRequest, steps: Steps): Promise<unknown> {
	const { values } = steps;
	const { settings = {}, body = {}, ids } = request;
	const label = String(settings[ownId.name] ?? body.name);
	const key = `${ids.knowledgeBaseId} ${label}`;
	const content = contentOf(request);
	return await steps.withLock(`document ${key}`, async () => {
		const mayBeSame = content !== undefined && settings[sendUnchanged.name] !== true;
		if (mayBeSame && (await fromStore(values.isSame(key, content)))) {
			return { name: body.name, action: 'unchanged' };
		}
		const { known, remembered, isAnswered } = await takeKnown(key, label, request, steps);
		let isKept = false;
		try {
			if (!(await fromStore(values.hasRoom(`${known?.id ?? ''}${' '.repeat(40)}`)))) {
				const fault =
					"has no room left in n8n's store of this workflow. Use another workflow for further documents";
				throw new FieldFault(ownId.displayName, fault);
			}
			const { result, id } = await sendChanged(request, steps, known);
			const value = toText({ id: String(id ?? ''), fixed: fixedOf(request) });
			const next = 'The next run sends nothing, and asks for its ID.';
			const failure = isUnset(id)
				? `The API returned no ID. ${next} A search shows it.`
				: await values.keep(key, content ?? '', value, remembered).then(
						() => undefined,
						({ message }: Error) => `n8n's store failed: ${message}. ${next}`,
					);
			isKept = true;
			if (failure === undefined) return result;
			const lost = `The document was sent, but isn't remembered. ${failure}`;
			return { ...result, warning: [result.warning, lost].filter(Boolean).join(' ') };
		} finally {
			// Whatever may have gone through stays in doubt. So does what only a person knows: nothing is remembered of it.
			const isUnsent = !steps.writes.mayBeApplied && !isKept;
			if (isUnsent && isAnswered !== true) await values.giveBack(key).catch(() => {});
		}
	});
}

/** Parts of the operation. */
export const replacing: Required<Pick<Operation, 'also' | 'remembers' | 'run'>> = {
	also: [REPLACE],
	remembers: true,
	run: createOrReplace,
};
