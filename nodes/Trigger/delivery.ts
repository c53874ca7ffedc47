// One delivery of the service -> one item, or a 401.
//
// The reference does not show what a delivery looks like, so nothing is read out of its body: the
// event comes from the address that this node registered, and so does the secret.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { recordOf } from '../shared/operation';
import { stateOf, type Registration } from './registration';

type Headers = Record<string, string | string[] | undefined>;

/** How the token of the webhook is checked, beside the secret in the address. */
interface TokenCheck {
	scheme: 'none' | 'header' | 'hmac';
	header: string;
	encoding: 'hex' | 'base64';
}

/** Headers that say nothing about the event, or too much. */
const HIDDEN_HEADERS = new Set([
	'authorization',
	'cookie',
	'proxy-authorization',
	'connection',
	'host',
]);

/** Compares in constant time, whatever the lengths. */
function equal(given: string, expected: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return expected !== '' && timingSafeEqual(digest(given), digest(expected));
}

/** The bytes of the body as they came: what a signature is made of. */
async function rawBodyOf(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject() as ReturnType<
		IWebhookFunctions['getRequestObject']
	> & {
		rawBody?: Buffer;
		readRawBody?: () => Promise<void>;
	};
	if (request.rawBody === undefined) await request.readRawBody?.();
	return request.rawBody ?? Buffer.alloc(0);
}

/** The body as JSON, as form fields, or as the text that it is. */
function parseBody(raw: Buffer, contentType: string): IDataObject | IDataObject[] | string {
	const text = raw.toString('utf8');
	if (text.trim() === '') return {};
	if (/x-www-form-urlencoded/i.test(contentType)) {
		return Object.fromEntries(new URLSearchParams(text));
	}
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		// Still an event: better its text than nothing.
		return text;
	}
}

function tokenFits(
	{ scheme, header, encoding }: TokenCheck,
	{ token = '' }: Registration,
	given: string,
	raw: Buffer,
): boolean {
	if (scheme === 'none') return true;
	if (header === '' || token === '') return false;
	if (scheme === 'header') return equal(given.replace(/^Bearer\s+/i, ''), token);
	// Many services put a scheme name such as sha256= before the signature. It can be ignored.
	const signature = given.replace(/^sha256=/i, '');
	return equal(signature, createHmac('sha256', token).update(raw).digest(encoding));
}

/**
 * The headers that go onto the item: none of a credential, and none that repeats a secret of the
 * webhook, as a service does with its token and a proxy does with the address.
 */
function shownHeaders(headers: Headers, checked: string, secrets: string[]): IDataObject {
	const isShown = ([name, value]: [string, unknown]) =>
		!HIDDEN_HEADERS.has(name) &&
		name !== checked &&
		!secrets.some((secret) => secret !== '' && String(value).includes(secret));
	return Object.fromEntries(Object.entries(headers).filter(isShown));
}

/** Answers one request to the webhook: an item, or 401 through the response and no execution. */
export async function deliver(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { event = '', secret = '' } = recordOf(context.getQueryData());
	const headers: Headers = context.getHeaderData();
	const state = stateOf(context);
	// A service may keep addresses in lower case.
	const registration = state.registrations?.find(
		(each) => each.event.toLowerCase() === String(event).toLowerCase(),
	);
	const check = context.getNodeParameter('tokenCheck') as TokenCheck['scheme'];
	const settings: TokenCheck = {
		scheme: check,
		header: String(context.getNodeParameter('headerName', '')).toLowerCase(),
		encoding: context.getNodeParameter('signatureEncoding', 'hex') as TokenCheck['encoding'],
	};
	const raw = await rawBodyOf(context);
	// A service may end addresses with a slash.
	const ours = equal(String(secret).replace(/\/$/, ''), state.secret ?? '');
	if (
		!ours ||
		registration === undefined ||
		!tokenFits(settings, registration, String(headers[settings.header] ?? ''), raw)
	) {
		const response = context.getResponseObject();
		response.status(401).json({ error: 'Unauthorized' });
		return { noWebhookResponse: true };
	}

	const item: IDataObject = {
		event: registration.event,
		body: parseBody(raw, String(headers['content-type'] ?? '')),
		deliveredAt: new Date().toISOString(),
		deliveryId: createHash('sha256')
			.update(registration.event)
			.update('\n')
			.update(raw)
			.digest('hex'),
	};
	const { includeRaw } = recordOf(context.getNodeParameter('settings', {}));
	if (includeRaw === true) {
		const secrets = [registration.token ?? '', state.secret ?? ''];
		item.rawBody = raw.toString('utf8');
		item.headers = shownHeaders(headers, settings.header, secrets);
	}
	return { workflowData: [[{ json: item }]] };
}
