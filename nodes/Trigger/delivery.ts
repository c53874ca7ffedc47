// One webhook delivery -> one item, or a 401 response.
// The reference doesn't show what a delivery looks like. So event and secret come from the query of the
// registered URL, never from the body.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { recordOf } from '../shared/operation';
import { stateOf, type Registration } from './state';

type Headers = Record<string, string | string[] | undefined>;

/** Properties that n8n adds to a request. */
interface RawRequest {
	rawBody?: Buffer;
	readRawBody?: () => Promise<void>;
}

/** Headers that are never output: credentials, and those that say nothing about the event. */
const HIDDEN_HEADERS = new Set([
	'authorization',
	'cookie',
	'proxy-authorization',
	'connection',
	'host',
]);

/** Compares in constant time. Hashes have the same length, which timingSafeEqual needs. */
function equal(given: string, expected: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return expected !== '' && timingSafeEqual(digest(given), digest(expected));
}

/** Returns the body as received: signatures cover its bytes. */
async function rawBodyOf(context: IWebhookFunctions): Promise<Buffer> {
	const request: RawRequest = context.getRequestObject();
	if (request.rawBody === undefined) await request.readRawBody?.();
	return request.rawBody ?? Buffer.alloc(0);
}

/** Decodes text in the charset of the Content-Type, else in UTF-8, else in Latin-1. */
function decode(bytes: Buffer, contentType: string): string {
	const named = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
	for (const charset of [named, 'utf-8']) {
		try {
			return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
		} catch {
			// Invalid in this charset, or the charset is unknown.
		}
	}
	return bytes.toString('latin1');
}

/** Parses form fields. A repeated name has an array of its values. */
function formOf(raw: Buffer, contentType: string): IDataObject {
	const textOf = (part: string) => {
		const bytes = part
			.replace(/\+/g, ' ')
			.replace(/%([\da-f]{2})/gi, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)));
		return decode(Buffer.from(bytes, 'latin1'), contentType);
	};
	const fields = new Map<string, string[]>();
	for (const pair of raw.toString('latin1').split('&').filter(Boolean)) {
		const [name, ...value] = pair.split('=');
		const key = textOf(name);
		fields.set(key, [...(fields.get(key) ?? []), textOf(value.join('='))]);
	}
	return Object.fromEntries(
		[...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
	);
}

/** Parses the body: JSON of any Content-Type, else form fields, else text. */
function parseBody(raw: Buffer, contentType: string): IDataObject | IDataObject[] | string {
	const text = decode(raw, contentType);
	if (text.trim() === '') return {};
	const isForm = /x-www-form-urlencoded/i.test(contentType);
	try {
		const body: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
		// The form body `7` is a field without a value, not a number.
		if (!isForm || (typeof body === 'object' && body !== null)) return body as IDataObject;
	} catch {
		// Invalid JSON is still an event: its text is output.
	}
	return isForm ? formOf(raw, contentType) : text;
}

/** Checks the token or signature of a delivery in the way that the form sets. */
function tokenFits(scheme: unknown, { token = '' }: Registration, given: string, raw: Buffer) {
	if (scheme === 'none') return true;
	if (given === '' || token === '') return false;
	if (scheme === 'header') return equal(given.replace(/^Bearer\s+/i, ''), token);
	// Many services put the algorithm before the signature.
	const signature = given.replace(/^sha256=/i, '');
	return (['hex', 'base64'] as const).some((encoding) =>
		equal(signature, createHmac('sha256', token).update(raw).digest(encoding)),
	);
}

/**
 * Returns the headers to output. Leaves out credentials, and headers that repeat a secret of the webhook: the
 * API may send its token, and a proxy the URL.
 */
function shownHeaders(headers: Headers, checked: string, secrets: string[]): IDataObject {
	const isShown = ([name, value]: [string, unknown]) =>
		!HIDDEN_HEADERS.has(name) &&
		name !== checked &&
		!secrets.some((secret) => secret !== '' && String(value).includes(secret));
	return Object.fromEntries(Object.entries(headers).filter(isShown));
}

/** Handles one request to the webhook: returns an item, or responds with 401 and starts no execution. */
export async function deliver(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { event = '', secret = '' } = recordOf(context.getQueryData());
	const headers: Headers = context.getHeaderData();
	const state = stateOf(context);
	// The API may store URLs in lower case.
	const registration = state.registrations?.find(
		(each) => each.event.toLowerCase() === String(event).toLowerCase(),
	);
	const settings = recordOf(context.getNodeParameter('settings', {}));
	const tokenCheck = settings.tokenCheck ?? 'none';
	const checked = String(settings.headerName ?? '')
		.trim()
		.toLowerCase();
	const given = checked === '' ? '' : String(headers[checked] ?? '');
	const raw = await rawBodyOf(context);
	// The API may add a slash to the end of URLs.
	const ours = equal(String(secret).replace(/\/$/, ''), state.secret ?? '');
	if (!ours || registration === undefined || !tokenFits(tokenCheck, registration, given, raw)) {
		const response = context.getResponseObject();
		response.status(401).json({ error: 'Unauthorized' });
		return { noWebhookResponse: true };
	}

	const contentType = String(headers['content-type'] ?? '');
	const item: IDataObject = {
		event: registration.event,
		body: parseBody(raw, contentType),
		deliveredAt: new Date().toISOString(),
		deliveryId: createHash('sha256').update(`${registration.event}\n`).update(raw).digest('hex'),
	};
	if (settings.includeRaw === true) {
		const secrets = [registration.token ?? '', state.secret ?? ''];
		item.rawBody = decode(raw, contentType);
		item.headers = shownHeaders(headers, checked, secrets);
	}
	return { workflowData: [[{ json: item }]] };
}
