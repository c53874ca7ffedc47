// The webhooks of the company, as the hooks of the trigger see them.
import type { IHookFunctions } from 'n8n-workflow';

import { accountOf, type Account } from '../shared/account';
import type { Route } from '../shared/endpoints';
import { isRecord } from '../shared/operation';
import { openForTrigger, type Door } from '../shared/trigger';

/** A registered webhook, as far as the trigger looks at it (reference: core, Webhook). */
export interface Webhook {
	/** As text: a number in one response and a text in another are the same id. */
	id: string;
	url?: string;
}

/** What is registered for one event. */
export interface NewWebhook {
	name: string;
	url: string;
	events: string[];
	description: string;
}

const idOf = (value: unknown): string | undefined =>
	typeof value === 'number' || typeof value === 'string' ? String(value) || undefined : undefined;

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' ? value : undefined;

/**
 * n8n repeats a hook that throws, so a fault is not repeated here: it would hide from n8n, and a
 * hook has no cancel signal. Only a refused request (429) is waited for, shortly.
 */
const MANNER = {
	max: 5,
	retry: { timeout: 20_000, budget: 20_000, attempts: 1, isFixed: true },
};

const LIST: Route = 'GET /webhooks.json';
const CREATE: Route = 'POST /webhooks.json';
const DELETE: Route = 'DELETE /webhooks/{webhookId}.json';

/** The endpoints that the trigger asks. */
export const webhookRoutes: Route[] = [LIST, CREATE, DELETE];

/** Lists, creates and removes webhooks; an error of the API throws. */
export class Webhooks {
	private constructor(private readonly door: Door) {}

	static async open(context: IHookFunctions): Promise<Webhooks> {
		return new Webhooks(await openForTrigger(context, MANNER));
	}

	/** Whose webhooks these are, and whether that is surely who is remembered. */
	async account(remembered?: Account): Promise<{ account: Account; isSame: boolean }> {
		return await accountOf(this.door, remembered);
	}

	/** All webhooks of the company, from all pages. */
	async list(): Promise<Webhook[]> {
		const api = this.door.api({ action: 'List the webhooks' });
		const { rows } = await api.list(api.request(LIST));
		return rows.flatMap((row): Webhook[] => {
			const id = isRecord(row) ? idOf(row.id) : undefined;
			return isRecord(row) && id !== undefined ? [{ id, url: textOf(row.url) }] : [];
		});
	}

	/**
	 * Registers a webhook and gives back its id, where the response holds one, and its token, which is
	 * whole in this answer only.
	 */
	async create(webhook: NewWebhook): Promise<{ id?: string; token?: string }> {
		const api = this.door.api({ action: 'Register a webhook' });
		const request = api.request(CREATE, {}, { body: { webhook: { ...webhook } } });
		const made = await api.object(request, { kind: 'one', unwrap: 'webhook' });
		return isRecord(made) ? { id: idOf(made.id), token: textOf(made.token) } : {};
	}

	/** Removes a webhook; one that is confirmed to be gone already is a success, nothing else is. */
	async remove(id: string): Promise<void> {
		const api = this.door.api({ action: 'Remove a webhook' });
		const answer = await api.ask(api.request(DELETE, { webhookId: id }));
		if (answer.says !== 'absent') api.accept(answer);
	}
}
