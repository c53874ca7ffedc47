// What users are shown, without the secrets in it, such as those that the API repeats in an error.
import { isRecord } from '../../operation';

/** The shortest part of a secret that is hidden where it stands alone. */
const SHORTEST = 4;

/** A line of a certificate, or the query of a signed URL, tells as much as the whole. */
function partsOf(secret: string): string[] {
	const lines = secret.split('\n').filter((line) => line.length > 16 && !line.startsWith('-----'));
	const query = /^https?:\/\//i.test(secret) ? secret.split('?').slice(1).join('?') : '';
	return [secret, ...lines, query];
}

/** A secret as URLs, JSON and other headers write it. */
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

/** A text with `***` in place of each secret, however it's encoded. */
export function redact(text: string, secrets: string[]): string {
	const hidden = secrets
		.flatMap(partsOf)
		.filter((secret) => secret.length >= SHORTEST)
		.flatMap(encodings)
		.sort((one, other) => other.length - one.length);
	return [...new Set(hidden)].reduce((shown, secret) => shown.split(secret).join('***'), text);
}

/** A value with `***` in place of the secrets in it, at any depth. */
export function redactIn(value: unknown, secrets: string[]): unknown {
	if (Array.isArray(value)) return value.map((each) => redactIn(each, secrets));
	if (isRecord(value)) {
		const entries = Object.entries(value).map(([name, each]) => [name, redactIn(each, secrets)]);
		return Object.fromEntries(entries);
	}
	if (value !== '' && secrets.includes(String(value))) return '***';
	return typeof value === 'string' ? redact(value, secrets) : value;
}
