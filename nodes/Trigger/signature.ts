// Recognizes the secret of a delivery that neither n8n's data nor this process knows, by its signature or in the API's list.
import type { IWebhookFunctions } from 'n8n-workflow';

import { hashOf } from '../engine/base/data';
import type { Door } from '../engine/node/trigger';
import { expectDeliveries, webhookBySecret, type Given, type KnownWebhooks } from './expected';
import { hasSecret, isSecret, isSigned, timeOf } from './secrets';
import type { Accepted } from './state';
import { chosenEvents, markFor } from './target';
import { hasEvent, hasMark } from './urls';
import { listWebhooks, openDoor } from './webhooks';

interface LastRead {
	urls: Promise<string[]>;
	at: number;
}

const lastReads = new Map<string, LastRead>();

/** Milliseconds until the list is read again, so that requests from anybody cause few of our own. */
const LISTED_FOR = 10_000;

/** The list is read once in `LISTED_FOR`. Until then, a failure is thrown again. */
async function listedUrls(door: Door, mark: string): Promise<string[]> {
	const last = lastReads.get(mark);
	if (last && Date.now() - last.at < LISTED_FOR) return await last.urls;
	const urls = listWebhooks(door).then((all) =>
		all.flatMap(({ url = '' }) => (hasMark(url, mark) ? [url] : [])),
	);
	lastReads.set(mark, { urls, at: Date.now() });
	return await urls;
}

/**
 * n8n hasn't saved the webhook of a delivery yet, or has replaced its data by older ones. A webhook that is newer than all
 * known ones of its event is accepted if the key of the credential has signed its secret or, since the key may have been
 * renewed, if the API lists it. Its token isn't known.
 * @returns undefined if the secret isn't that of such a webhook
 * @throws NodeApiError or NodeOperationError if that can't be told now
 */
async function recognized(
	context: IWebhookFunctions,
	{ event, secret, node }: Given,
	{ live, refused }: KnownWebhooks,
): Promise<Accepted | undefined> {
	const mark = markFor(context);
	const hash = hashOf(secret);
	const isKnown = refused.has(hash) || live.some((each) => each.secret === hash);
	if (!isSecret(secret) || node !== mark || isKnown) return undefined;
	const at = timeOf(secret);
	// The API may keep URLs in lower case. So the event may be one of the form that is spelled in another way.
	const isMeant = (each: string) => each.toLowerCase() === event.toLowerCase();
	// A known webhook without a time is older than any: `>=` is false for it.
	const events = [event, ...chosenEvents(context).events.filter(isMeant)].filter((each) =>
		live.every((other) => other.event !== each || !(other.at >= at)),
	);
	if (events.length === 0) return undefined;
	const door = await openDoor(context);
	const found = events.find((each) => isSigned(door, { mark, event: each }, secret));
	if (found !== undefined) return { event: found, secret: hash, at };
	const urls = await listedUrls(door, mark);
	if (!urls.some((url) => hasSecret(url, hash) && hasEvent(url, event))) return undefined;
	// The last event is spelled as in the form. Secrets of earlier versions have no time: `at` may be far ahead.
	return { event: events.at(-1) ?? event, secret: hash, at: Math.min(at, Date.now()) };
}

/** Expects a recognized webhook from now on, so the next delivery asks nothing. 'later' if nothing can be told now. */
export async function webhookOf(
	context: IWebhookFunctions,
	given: Given,
	known: KnownWebhooks,
): Promise<Accepted | 'later' | 'unknown'> {
	const webhook = webhookBySecret(known, given);
	if (webhook) return webhook;
	try {
		const found = await recognized(context, given, known);
		if (found) {
			expectDeliveries(context, found);
			return found;
		}
		// Without any known webhook, another process may be registering them, and n8n hasn't saved that yet.
		return known.live.length === 0 ? 'later' : 'unknown';
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		context.logger.warn(`"${context.getNode().name}" can't check a delivery now: ${message}`);
		return 'later';
	}
}
