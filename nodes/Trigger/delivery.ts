// One webhook delivery -> one item, or a response that starts nothing. The reference doesn't show a delivery. So event, secret
// and the ID of the node come from the query of the registered URL, never from the body.
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { createHash, createHmac } from 'node:crypto';

import { hashOf, recordOf } from '../engine/base/data';
import { decode, parseBody, rawBodyOf } from './body';
import { knownWebhooks } from './expected';
import { headerIn, shownHeaders, type Headers } from './headers';
import { webhookOf } from './signature';
import { equal } from './secrets';
import { stateOf, type Accepted } from './state';
import { markFor, tokenCheckOf, type TokenCheck } from './target';

const UNAUTHORIZED = 401;

const LATER = 503;

/** Seconds. n8n has saved a registration half a minute after it at the latest. */
const RETRY_AFTER = '10';

/** Milliseconds after which n8n has certainly saved a registration. */
const SAVED_AFTER = 120_000;

const ERRORS: Record<number, string> = {
	400: 'The body cannot be read',
	413: 'The body is too large',
	[UNAUTHORIZED]: 'Unauthorized',
	[LATER]: 'The webhook is being registered',
};

/** With an error, no execution starts. */
function refuse(context: IWebhookFunctions, status: number): IWebhookResponseData {
	const response = context.getResponseObject();
	if (status === LATER) response.setHeader('Retry-After', RETRY_AFTER);
	response.status(status).json({ error: ERRORS[status] });
	return { noWebhookResponse: true };
}

/** n8n's parser makes objects and arrays of some names. */
function textIn(query: object, name: string): string {
	const value: unknown = Object.hasOwn(query, name) ? Reflect.get(query, name) : undefined;
	return typeof value === 'string' ? value : '';
}

interface Check {
	scheme: TokenCheck | undefined;
	header: string;
	given: string;
}

function checkOf(context: IWebhookFunctions, headers: Headers): Check {
	const settings = recordOf(context.getNodeParameter('settings', {}));
	const header = String(settings.headerName ?? '')
		.trim()
		.toLowerCase();
	return {
		scheme: tokenCheckOf(settings),
		header,
		given: header === '' ? '' : headerIn(headers, header),
	};
}

function tokenFits({ scheme, given }: Check, { token, tokenHash }: Accepted, raw: Buffer): boolean {
	if (scheme === 'none') return true;
	if (scheme === 'header') return equal(hashOf(given.replace(/^Bearer\s+/i, '')), tokenHash);
	if (scheme === undefined || !token) return false;
	// Many services put the algorithm before the signature.
	const signature = given.replace(/^sha256=/i, '');
	const expected = createHmac('sha256', token).update(raw).digest();
	return (
		equal(signature.toLowerCase(), expected.toString('hex')) ||
		equal(signature, expected.toString('base64'))
	);
}

/** The token isn't known: its response is still to come, or only the secret was recognized. With an ID, there was no token. */
const isTokenMissing = (
	{ scheme }: Check,
	{ tokenHash, id }: Partial<Accepted> & { id?: string },
) => scheme !== 'none' && tokenHash === undefined && id === undefined;

/** Logs that a token stays unknown, since the API shows it only once. */
const tellForgotten = (context: IWebhookFunctions) =>
	context.logger.warn(
		`"${context.getNode().name}" refused a delivery, because it can't check the token: n8n replaced the data of the workflow by older data. Unpublish the workflow, then publish it.`,
	);

/** Milliseconds until a changed URL is logged again. */
const TELL_EVERY = 3_600_000;

const toldAt = new Map<string, number>();

/** Requests without the registered query are refused, which only the log shows. Anyone can send one, so it's once an hour. */
function tellChanged(context: IWebhookFunctions): void {
	const key = markFor(context);
	if (Date.now() - (toldAt.get(key) ?? -Infinity) < TELL_EVERY) return;
	toldAt.set(key, Date.now());
	context.logger.warn(
		`"${context.getNode().name}" refuses deliveries to its URL without the registered query, or with parts of it twice. If they're from the API, it or a proxy changes the URL. This is logged once an hour.`,
	);
}

/** Handles one request to the webhook: returns an item, or responds with an error and starts no execution. */
export async function deliver(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const query = Object(context.getQueryData()) as object;
	// A service may add a slash to the end of the registered URL, where the secret or the ID of the node is.
	const given = {
		event: textIn(query, 'event'),
		secret: textIn(query, 'secret').replace(/\/$/, ''),
		node: textIn(query, 'node').replace(/\/$/, ''),
	};
	// This comes first, because n8n shall read no body without the secret.
	const known = knownWebhooks(context, stateOf(context).registrations);
	const webhook = await webhookOf(context, given, known);
	if (typeof webhook === 'string') {
		if (given.event === '' || given.secret === '') tellChanged(context);
		return refuse(context, webhook === 'later' ? LATER : UNAUTHORIZED);
	}

	const headers: Headers = context.getHeaderData();
	const check = checkOf(context, headers);
	if (isTokenMissing(check, webhook)) {
		if (Date.now() - webhook.at > SAVED_AFTER) tellForgotten(context);
		return refuse(context, LATER);
	}
	const rawOrStatus = await rawBodyOf(context);
	if (typeof rawOrStatus === 'number') return refuse(context, rawOrStatus);
	const raw = rawOrStatus;
	if (!tokenFits(check, webhook, raw)) return refuse(context, UNAUTHORIZED);

	const { event } = webhook;
	const contentType = headerIn(headers, 'content-type');
	const item: IDataObject = {
		event,
		body: parseBody(raw, contentType),
		deliveredAt: new Date().toISOString(),
		deliveryId: createHash('sha256').update(`${event}\n`).update(raw).digest('hex'),
	};
	const settings = recordOf(context.getNodeParameter('settings', {}));
	if (settings.includeRaw === true) {
		item.rawBody = decode(raw, contentType);
		item.headers = shownHeaders(headers, check.header, webhook);
	}
	return { workflowData: [[{ json: item }]] };
}
