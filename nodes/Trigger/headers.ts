// Headers of a delivery that are output.
import type { IDataObject } from 'n8n-workflow';

import { hasSecret, hasToken } from './secrets';
import type { Accepted } from './state';

export type Headers = Record<string, string | string[] | undefined>;

const CREDENTIAL = /auth|cookie|api-?key|token|secret|password|passwd|credential|session/;

const OF_CONNECTION = ['connection', 'host'];

export function headerIn(headers: Headers, name: string): string {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	return [value ?? []].flat().join(', ');
}

/** Leaves out credentials, and headers that repeat a secret: the API may send its token (in `checked`), a proxy the URL. */
export function shownHeaders(
	headers: Headers,
	checked: string,
	{ secret, tokenHash }: Accepted,
): IDataObject {
	// Node.js gives names in small letters. The secret and the token are known by their hashes.
	const isShown = ([name]: [string, unknown]) => {
		const value = headerIn(headers, name);
		const isSecret =
			hasSecret(value, secret) || (tokenHash !== undefined && hasToken(value, tokenHash));
		const isHidden = CREDENTIAL.test(name) || OF_CONNECTION.includes(name) || name === checked;
		return !isHidden && !isSecret;
	};
	return Object.fromEntries(Object.entries(headers).filter(isShown));
}
