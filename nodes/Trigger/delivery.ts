// One delivery of the service -> one item, or a 401.
//
// The reference does not show what a delivery looks like, so nothing is read out of its body: the
// event comes from the address that this node registered, and so does the secret.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { recordOf } from '../shared/operation';
import { stateOf, type Registration } from './state';

type Headers = Record<string, string | string[] | undefined>;

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

/** Text in the character set that the body names, else in UTF-8, or in Latin-1 if it is no UTF-8. */
function decode(bytes: Buffer, contentType: string): string {
	const named = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
	for (const charset of [named, 'utf-8']) {
		try {
			return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
		} catch {
			// Not of this character set, or one that isn't known.
		}
	}
	return bytes.toString('latin1');
}

/** The fields of a form; a name that is repeated has all of its values. */
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

/** The body as JSON, whatever its type is said to be, as form fields, or as the text that it is. */
function parseBody(raw: Buffer, contentType: string): IDataObject | IDataObject[] | string {
	const text = decode(raw, contentType);
	if (text.trim() === '') return {};
	const isForm = /x-www-form-urlencoded/i.test(contentType);
	try {
		const body: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
		// A form such as 7 is not a number.
		if (!isForm || (typeof body === 'object' && body !== null)) return body as IDataObject;
	} catch {
		// Still an event: better its text than nothing.
	}
	return isForm ? formOf(raw, contentType) : text;
}

/** Whether a delivery has the token of its webhook, as the form has it checked. */
function tokenFits(scheme: unknown, { token = '' }: Registration, given: string, raw: Buffer) {
	if (scheme === 'none') return true;
	if (given === '' || token === '') return false;
	if (scheme === 'header') return equal(given.replace(/^Bearer\s+/i, ''), token);
	// Many services put a scheme name such as sha256= before the signature. It can be ignored.
	const signature = given.replace(/^sha256=/i, '');
	return (['hex', 'base64'] as const).some((encoding) =>
		equal(signature, createHmac('sha256', token).update(raw).digest(encoding)),
	);
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
	const settings = recordOf(context.getNodeParameter('settings', {}));
	const tokenCheck = settings.tokenCheck ?? 'none';
	const checked = String(settings.headerName ?? '')
		.trim()
		.toLowerCase();
	// A header without a name holds nothing.
	const given = checked === '' ? '' : String(headers[checked] ?? '');
	const raw = await rawBodyOf(context);
	// A service may end addresses with a slash.
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
		deliveryId: createHash('sha256')
			.update(registration.event)
			.update('\n')
			.update(raw)
			.digest('hex'),
	};
	if (settings.includeRaw === true) {
		const secrets = [registration.token ?? '', state.secret ?? ''];
		item.rawBody = decode(raw, contentType);
		item.headers = shownHeaders(headers, checked, secrets);
	}
	return { workflowData: [[{ json: item }]] };
}
