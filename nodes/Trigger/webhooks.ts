// Requests of the trigger: list, look up, register and remove webhooks.
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { openApi, type Route } from '../api';
import { isRecord, isUnset, recordOf, recordsOf } from '../engine/base/data';
import { withNodeErrors, type Door } from '../engine/node/trigger';
import type { Wish } from './state';

/** Fields of a registered webhook that the trigger reads (reference: core, Webhook). */
export interface Webhook {
	/** One response may have a number, and another the same ID as text. */
	id: string;
	url?: string;
	/** Lower case. Undefined if the API doesn't show them. */
	events?: string[];
}

const idOf = (value: unknown): string | undefined =>
	typeof value === 'number' || typeof value === 'string' ? String(value) || undefined : undefined;

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' ? value : undefined;

/** The events may come as a list, or as one text. */
function webhookFrom({ url, events }: IDataObject, id: string): Webhook {
	if (isUnset(events)) return { id, url: textOf(url) };
	const shown = [events].flat().flatMap((each) => (textOf(each) ?? '').split(/[\s,]+/));
	const names = shown.filter((each) => each !== '').map((each) => each.toLowerCase());
	return { id, url: textOf(url), events: names };
}

/** Milliseconds. Failed requests aren't retried, since n8n repeats a hook that throws, and can't cancel it. A 429 waits. */
const CLIENT = {
	max: 5,
	retry: { timeout: 20_000, budget: 20_000, attempts: 1, hasFixedBudget: true },
};

const LIST: Route = 'GET /webhooks.json';
const GET: Route = 'GET /webhooks/{webhookId}.json';
const CREATE: Route = 'POST /webhooks.json';
const DELETE: Route = 'DELETE /webhooks/{webhookId}.json';

export const webhookRoutes: Route[] = [LIST, GET, CREATE, DELETE];

export const openDoor = async (context: IHookFunctions | IWebhookFunctions): Promise<Door> =>
	await withNodeErrors(context, openApi(context, CLIENT));

export async function listWebhooks(door: Door): Promise<Webhook[]> {
	const api = door.api({ action: 'List the webhooks' });
	const { rows } = await api.list(api.request(LIST));
	return recordsOf(rows).flatMap((row): Webhook[] => {
		const id = idOf(row.id);
		return id === undefined ? [] : [webhookFrom(row, id)];
	});
}

/**
 * Looks up a webhook that the list doesn't show, which may be cut or old. 'gone' only if the API confirms that it doesn't
 * exist. With `mayStayUntold`, 'untold' if the API rejects or forbids the request, which is otherwise an error.
 */
export async function findWebhook(
	door: Door,
	id: string,
	mayStayUntold = false,
): Promise<Webhook | 'gone' | 'untold'> {
	const api = door.api({ action: 'Look up a webhook' });
	const response = await api.ask(api.request(GET, { webhookId: id }));
	if (response.says === 'absent') return 'gone';
	const isUntold = response.says === 'rejected' || response.status === 403;
	if (mayStayUntold && isUntold) return 'untold';
	const body = recordOf(api.accept(response));
	return webhookFrom(isRecord(body.webhook) ? body.webhook : body, id);
}

/** Only this response has the whole token. ID and token may be missing in it. */
export async function createWebhook(
	door: Door,
	{ event, ...values }: Wish,
): Promise<{ id?: string; token?: string }> {
	const api = door.api({ action: 'Register a webhook' });
	const request = api.request(CREATE, {}, { body: { webhook: { ...values, events: [event] } } });
	const { id, token } = recordOf(await api.object(request, { kind: 'one', unwrap: 'webhook' }));
	return { id: idOf(id), token: textOf(token) };
}

/** If the API confirms that the webhook doesn't exist, it counts as removed. */
export async function removeWebhook(door: Door, id: string): Promise<void> {
	const api = door.api({ action: 'Remove a webhook' });
	const response = await api.ask(api.request(DELETE, { webhookId: id }));
	if (response.says !== 'absent') api.accept(response);
}
