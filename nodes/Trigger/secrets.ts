// Secrets of registered webhooks. n8n shows the static data of a workflow in its editor and its API, so only
// hashes of them are stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import { decoded } from '../api/webhookUrl';
import { hashOf } from '../engine/base/data';

const BYTES = 24;

/** Lower-case hex, because the API may store URLs in lower case. */
export const newSecret = () => randomBytes(BYTES).toString('hex');

/** Compares in constant time. Hashes have the same length, which timingSafeEqual needs. */
export function equal(given: string, expected: string | undefined): boolean {
	if (given === '' || !expected) return false;
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(given), digest(expected));
}

/** Returns all texts in a URL or a header that can be a secret. */
const candidatesIn = (text: string) =>
	(
		decoded(text)
			.toLowerCase()
			.match(/[\da-f]+/g) ?? []
	).filter(({ length }) => length === 2 * BYTES);

/** The text contains the secret with this hash. */
export const hasSecret = (text: string, hash: string) =>
	candidatesIn(text).some((each) => equal(hashOf(each), hash));

/** The text contains the token with this hash, as a whole or as one of its words. */
export const hasToken = (text: string, hash: string) =>
	[text, ...text.split(/[\s,;="']+/)].some((each) => equal(hashOf(each), hash));
