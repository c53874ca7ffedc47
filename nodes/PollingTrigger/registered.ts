// The webhooks that lead to this n8n, as they are registered at the service.
//
// Publishing may replace a webhook by one with another ID. So one is missing only if no other has its
// address and its events.
import type { IDataObject } from 'n8n-workflow';

import type { Known } from './memory';

/** What is remembered of a webhook, and given when it's missing (reference: core, Webhook). */
const FIELDS = ['id', 'name', 'description', 'url', 'events'];

/** A webhook as it is remembered; none if its URL starts otherwise. */
export function registeredOf(row: IDataObject, urlStart: string): string | undefined {
	const { url } = row;
	if (typeof url !== 'string' || !url.toLowerCase().startsWith(urlStart.toLowerCase())) {
		return undefined;
	}
	return JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, row[name]])));
}

export const webhookOf = (standing: string | null) => JSON.parse(standing ?? '{}') as IDataObject;

/** Address and events. The query has the secret of the trigger, which may be a new one or hidden. */
function keyOf(standing: string | null): string {
	const { url, events } = webhookOf(standing);
	return [String(url).split('?')[0].replace(/\/+$/, ''), ...[events].flat().sort()]
		.join(' ')
		.toLowerCase();
}

/** The webhooks that were there and are not any more, each once. */
export function missingOf(known: Known, seen: Known): IDataObject[] {
	const present = new Set([...seen.values()].map(({ status }) => keyOf(status)));
	const missing = new Map<string, IDataObject>();
	for (const { status, goneSince } of known.values()) {
		const key = keyOf(status);
		if (goneSince === undefined && !present.has(key)) missing.set(key, webhookOf(status));
	}
	return [...missing.values()];
}
