// Webhooks of this n8n, as the API lists them.
// Publishing may replace a webhook with one that has another ID. So one only counts as missing if no other
// has its URL and events.
import type { IDataObject } from 'n8n-workflow';

import type { Known } from './memory';

/** Fields of a webhook that are stored, and output when it's missing (reference: core, Webhook). */
const FIELDS = ['id', 'name', 'description', 'url', 'events'];

/** Returns the stored form of a webhook, or undefined if its URL has another start. */
export function registeredOf(row: IDataObject, urlStart: string): string | undefined {
	const { url } = row;
	if (typeof url !== 'string' || !url.toLowerCase().startsWith(urlStart.toLowerCase())) {
		return undefined;
	}
	return JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, row[name]])));
}

export const webhookOf = (stored: string | null) => JSON.parse(stored ?? '{}') as IDataObject;

/** URL and events, without the query: it has the trigger's secret, which may be new or masked. */
function keyOf(stored: string | null): string {
	const { url, events } = webhookOf(stored);
	return [String(url).split('?')[0].replace(/\/+$/, ''), ...[events].flat().sort()]
		.join(' ')
		.toLowerCase();
}

/** Known webhooks that aren't registered any more, each once. */
export function missingOf(known: Known, seen: Known): IDataObject[] {
	const present = new Set([...seen.values()].map(({ status }) => keyOf(status)));
	const missing = new Map<string, IDataObject>();
	for (const { status, goneSince } of known.values()) {
		const key = keyOf(status);
		if (goneSince === undefined && !present.has(key)) missing.set(key, webhookOf(status));
	}
	return [...missing.values()];
}
