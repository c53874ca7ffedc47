// Webhooks of this n8n, as the API lists them. Publishing may replace a webhook with one that has another ID. So a webhook
// only counts as missing if no other has its URL and events.
import type { IDataObject } from 'n8n-workflow';

import { parsedUrl, placeOf, withoutEndSlashes } from '../api/webhookUrl';
import type { KnownRows } from './packedState';

/** Fields of a webhook that are stored, and output when it's missing (reference: core, Webhook). */
const FIELDS = ['id', 'name', 'description', 'url', 'events'];

/** The query is never stored nor output: it has the secret of a trigger, with which anybody could start its workflow. */
const withoutQuery = (url: string) => url.split(/[?#]|%3f/i)[0];

/** The URL begins with `start`, also if the API has rewritten it. */
function startsWith(url: string, start: string): boolean {
	if (url.toLowerCase().startsWith(start.toLowerCase())) return true;
	const [whole, part] = [parsedUrl(url), parsedUrl(start)];
	if (!whole || !part) return false;
	// Without the slash, which `placeOf` leaves out, `/webhook-test` would begin with `/webhook/`.
	return placeOf(whole).startsWith(`${placeOf(part)}${start.endsWith('/') ? '/' : ''}`);
}

/** Stored form of a webhook, or undefined if its URL has another start. */
export function registeredOf(row: IDataObject, urlStart: string): string | undefined {
	const { url } = row;
	if (typeof url !== 'string' || !startsWith(url, urlStart)) return undefined;
	const values = FIELDS.map((name) => (name === 'url' ? withoutQuery(url) : row[name]));
	return JSON.stringify(values);
}

export function webhookOf(stored: string | null): IDataObject {
	const values = JSON.parse(stored ?? '[]') as IDataObject[];
	return Object.fromEntries(FIELDS.map((name, index) => [name, values[index]]));
}

/** URL and events tell a webhook apart from others, since its ID may change. */
function statusKey(stored: string | null): string {
	const { url, events } = webhookOf(stored);
	return [withoutEndSlashes(String(url)), ...[events].flat().sort()].join(' ').toLowerCase();
}

/** Known webhooks that aren't registered any more, each once. Those gone since an earlier poll were reported then. */
export function missingOf(known: KnownRows, seen: KnownRows): IDataObject[] {
	const present = new Set([...seen.values()].map(({ status }) => statusKey(status)));
	const missing = new Map<string, IDataObject>();
	for (const { status, goneSince } of known.values()) {
		const key = statusKey(status);
		if (goneSince === undefined && !present.has(key)) missing.set(key, webhookOf(status));
	}
	return [...missing.values()];
}
