// State of a document of a knowledge base (reference: AI Gateway, Document and passage). Its record has two: that of the
// document and that of its index.
import type { IDataObject } from 'n8n-workflow';

export const FAILED = 'failed';

/** The state that counts: that of the index, unless the document itself is queued or has failed. '' if the record has none. */
export function stateOf({ status, index_status }: IDataObject): string {
	const ofDocument = String(status ?? '');
	if (['queued', FAILED].includes(ofDocument)) return ofDocument;
	return String(index_status ?? ofDocument);
}
