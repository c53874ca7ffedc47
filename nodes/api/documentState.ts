// The state of a document of a knowledge base, from what the API says of it (reference: AI Gateway, Document and passage). Of
// the words for states, the reference shows only `queued` and `ready`. The others here are what services commonly say.
import type { IDataObject } from 'n8n-workflow';

import { isUnset } from '../engine/base/data';

export interface DocumentState {
	/** The word of the API that counts, as it came. Empty if there's none. */
	word: string;
	/** `unknown`: the word may mean anything. */
	is: 'ready' | 'failed' | 'underWay' | 'unknown';
}

const READY = [
	...['available', 'complete', 'completed', 'done', 'finished', 'indexed', 'ok', 'processed'],
	...['ready', 'succeeded', 'success'],
];

const FAILED = [
	...['aborted', 'canceled', 'cancelled', 'error', 'errored', 'expired', 'failed', 'failure'],
	...['invalid', 'rejected'],
];

const QUEUED = 'queued';

/** Words of work that goes on, such as `embedding`. */
const UNDER_WAY = /^$|^queued$|ing$|^in[ _-]?progress$/;

const plain = (word: string) => word.trim().toLowerCase();

function meaningOf(word: string): DocumentState['is'] {
	if (READY.includes(plain(word))) return 'ready';
	if (FAILED.includes(plain(word))) return 'failed';
	return UNDER_WAY.test(plain(word)) ? 'underWay' : 'unknown';
}

const wordIn = (value: unknown) => (isUnset(value) ? '' : String(value));

/** The word of the index counts, unless the document itself is queued or has failed. '' if there's none. */
export function stateOf({ status, index_status }: IDataObject): string {
	const ofDocument = wordIn(status);
	const isFirst = plain(ofDocument) === QUEUED || meaningOf(ofDocument) === 'failed';
	return isFirst ? ofDocument : wordIn(index_status) || ofDocument;
}

/** A document in the vector store is ready, whatever word the API has for it. */
export function readState(document: IDataObject): DocumentState {
	const word = stateOf(document);
	const is = meaningOf(word);
	const isStored = document.indexed_in_vector_store === true && plain(word) !== QUEUED;
	return { word, is: isStored && is !== 'failed' ? 'ready' : is };
}
