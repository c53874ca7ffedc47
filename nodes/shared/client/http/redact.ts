// Removes secrets from texts that users see, such as an API message that repeats the key.
import { isRecord } from '../../operation';

/** Shorter secrets aren't hidden within a text. */
const SHORTEST = 4;

/** A line of a certificate or the query of a signed URL is as secret as the whole. */
function secretParts(secret: string): string[] {
	const lines = secret.split('\n').filter((line) => line.length > 16 && !line.startsWith('-----'));
	const query = /^https?:\/\//i.test(secret) ? secret.split('?').slice(1).join('?') : '';
	return [secret, ...lines, query];
}

/** A secret as it's encoded in URLs, JSON and Base64. */
function encodings(secret: string): string[] {
	const encoded = encodeURIComponent(secret.toWellFormed());
	const base64 = Buffer.from(secret).toString('base64');
	const json = JSON.stringify(secret).slice(1, -1);
	return [
		secret,
		encoded,
		encoded.replace(/%../g, (byte) => byte.toLowerCase()),
		encoded.replaceAll('%20', '+'),
		json,
		json.replaceAll('/', '\\/'),
		base64.replace(/=+$/, ''),
		Buffer.from(secret).toString('base64url'),
	];
}

/** Replaces each secret in a text with `***`, in any encoding. */
export function redact(text: string, secrets: string[]): string {
	return secrets
		.flatMap(secretParts)
		.filter((secret) => secret.length >= SHORTEST)
		.flatMap(encodings)
		.sort((one, other) => other.length - one.length)
		.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** Replaces each secret in a value with `***`, at any depth. */
export function redactIn(value: unknown, secrets: string[]): unknown {
	if (Array.isArray(value)) return value.map((each) => redactIn(each, secrets));
	if (isRecord(value)) {
		const entries = Object.entries(value).map(([name, each]) => [name, redactIn(each, secrets)]);
		return Object.fromEntries(entries);
	}
	if (value !== '' && secrets.includes(String(value))) return '***';
	return typeof value === 'string' ? redact(value, secrets) : value;
}
