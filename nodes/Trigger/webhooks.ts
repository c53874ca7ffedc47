// Requests of the trigger: list, register and remove webhooks.
import type { IHookFunctions } from 'n8n-workflow';

import type { Route } from '../shared/endpoints';
import { recordOf, recordsOf } from '../shared/operation';
import { openApi, withNodeErrors, type Door } from '../shared/trigger';
import type { Wish } from './state';

/** Fields of a registered webhook that the trigger reads (reference: core, Webhook). */
export interface Webhook {
	/** As text: one response may have a number, and another the same ID as text. */
	id: string;
	url?: string;
}

const idOf = (value: unknown): string | undefined =>
	typeof value === 'number' || typeof value === 'string' ? String(value) || undefined : undefined;

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' ? value : undefined;

/**
 * Failed requests aren't retried: n8n repeats a hook that throws, and can't cancel one. Only a rate-limited
 * request (429) waits. In milliseconds.
 */
const CLIENT = {
	max: 5,
	retry: { timeout: 20_000, budget: 20_000, attempts: 1, isFixed: true },
};

const LIST: Route = 'GET /webhooks.json';
const CREATE: Route = 'POST /webhooks.json';
const DELETE: Route = 'DELETE /webhooks/{webhookId}.json';

export const webhookRoutes: Route[] = [LIST, CREATE, DELETE];

export const openDoor = async (context: IHookFunctions): Promise<Door> =>
	await withNodeErrors(context.getNode(), openApi(context, CLIENT));

export async function listWebhooks(door: Door): Promise<Webhook[]> {
	const api = door.api({ action: 'List the webhooks' });
	const { rows } = await api.list(api.request(LIST));
	return recordsOf(rows).flatMap(({ id, url }): Webhook[] => {
		const known = idOf(id);
		return known === undefined ? [] : [{ id: known, url: textOf(url) }];
	});
}

/** Registers a webhook. Only this response has the whole token. */
export async function createWebhook(
	door: Door,
	{ event, ...values }: Wish,
): Promise<{ id?: string; token?: string }> {
	const api = door.api({ action: 'Register a webhook' });
	const request = api.request(CREATE, {}, { body: { webhook: { ...values, events: [event] } } });
	const { id, token } = recordOf(await api.object(request, { kind: 'one', unwrap: 'webhook' }));
	return { id: idOf(id), token: textOf(token) };
}

/** Removes a webhook. If the API confirms that it doesn't exist, it counts as removed. */
export async function removeWebhook(door: Door, id: string): Promise<void> {
	const api = door.api({ action: 'Remove a webhook' });
	const response = await api.ask(api.request(DELETE, { webhookId: id }));
	if (response.says !== 'absent') api.accept(response);
}
