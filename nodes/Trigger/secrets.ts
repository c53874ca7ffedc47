// Secrets of registered webhooks. n8n shows the static data of a workflow in its editor and its API, so only hashes of secrets
// are stored. And n8n may replace these by older ones. So a secret is signed, too: it's the time of the registration, random
// bytes, and the HMAC of both, of node and event with the API key. The key alone recognizes the secret.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import { decoded } from '../api/webhookUrl';
import { hashOf } from '../engine/base/data';
import type { Door } from '../engine/node/trigger';

const BYTES = 24;

const TIME_BYTES = 6;

const RANDOM_BYTES = 2;

/** Characters before the signature. */
const HEAD = 2 * (TIME_BYTES + RANDOM_BYTES);

/** The node, by its mark, and the event that a secret is for. */
export interface Purpose {
	mark: string;
	event: string;
}

/** The HMAC follows `head`, in lower-case hex, as the API may store URLs in lower case. */
function signed(door: Pick<Door, 'account'>, { mark, event }: Purpose, head: string): string {
	const signature = Buffer.from(door.account(`webhook ${mark} ${event} ${head}`), 'base64url');
	return `${head}${signature.toString('hex')}`.slice(0, 2 * BYTES);
}

/** @param at when the webhook is registered, in milliseconds */
export function newSecret(door: Pick<Door, 'account'>, purpose: Purpose, at: number): string {
	const time = at.toString(16).padStart(2 * TIME_BYTES, '0');
	return signed(door, purpose, `${time}${randomBytes(RANDOM_BYTES).toString('hex')}`);
}

export const isSecret = (text: string) => new RegExp(`^[\\da-f]{${2 * BYTES}}$`).test(text);

/** The text can be the beginning of a secret, the rest of which was cut off. */
export const isBeginning = (text: string) =>
	new RegExp(`^[\\da-f]{1,${2 * BYTES - 1}}$`).test(text);

/** Time of the webhook's registration, in milliseconds. For a secret that isn't signed, it's any number. */
export const timeOf = (secret: string) => Number.parseInt(secret.slice(0, 2 * TIME_BYTES), 16);

/** The secret was made for this node and event, with the key of the credential. */
export const isSigned = (door: Pick<Door, 'account'>, purpose: Purpose, secret: string) =>
	equal(secret, signed(door, purpose, secret.slice(0, HEAD)));

/** Compares in constant time: hashes have the same length, which timingSafeEqual needs. A missing text is never equal. */
export function equal(given: string, expected: string | undefined): boolean {
	if (given === '' || !expected) return false;
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(given), digest(expected));
}

/** All texts in a URL or a header that can be a secret: rows of hex digits with its length. */
const candidatesIn = (text: string) =>
	(
		decoded(text)
			.toLowerCase()
			.match(/[\da-f]+/g) ?? []
	).filter(({ length }) => length === 2 * BYTES);

export const hasSecret = (text: string, hash: string) =>
	candidatesIn(text).some((each) => equal(hashOf(each), hash));

/** The text contains the token with this hash, as a whole or as one of its words. */
export const hasToken = (text: string, hash: string) =>
	[text, ...text.split(/[\s,;="']+/)].some((each) => equal(hashOf(each), hash));
