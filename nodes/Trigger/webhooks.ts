// The webhooks of the company, as the hooks of the trigger see them.
import type { IHookFunctions } from 'n8n-workflow';

import { Api } from '../shared/api';
import { connect, CREDENTIAL } from '../shared/connection';
import { nodeError } from '../shared/errors';
import { Gate } from '../shared/gate';
import { FieldFault, isRecord, type ApiRequest, type Operation } from '../shared/operation';
import { readList } from '../shared/pages';
import { fillPath } from '../shared/path';
import { Transport } from '../shared/transport';

/** A registered webhook, as far as the trigger looks at it (reference: core, Webhook). */
export interface Webhook {
	/** As text: a number in one answer and a text in another are the same id. */
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
const PATIENCE = { timeout: 20_000, budget: 20_000, faults: 1 };

const READ = {
	action: 'List the webhooks',
	method: 'GET',
	path: '/webhooks.json',
	scope: 'webhooks:read',
} as const;
const CREATE = {
	action: 'Register a webhook',
	method: 'POST',
	path: '/webhooks.json',
	scope: 'webhooks:write',
} as const;
const REMOVE = {
	action: 'Remove a webhook',
	method: 'DELETE',
	path: '/webhooks/{webhookId}.json',
	scope: 'webhooks:write',
} as const;

/** Lists, creates and removes webhooks; an error of the API throws. */
export class Webhooks {
	private constructor(
		private readonly context: IHookFunctions,
		private readonly transport: Transport,
	) {}

	static async open(context: IHookFunctions): Promise<Webhooks> {
		const connection = await connect(context).catch((error: unknown) => {
			const situation = { node: context.getNode(), secrets: [] };
			throw error instanceof FieldFault ? nodeError(error, situation) : error;
		});
		return new Webhooks(context, new Transport(context, connection, new Gate(5), PATIENCE));
	}

	/** Whose webhooks these are: host and credential, rather than its key, which may be renewed. */
	get account(): string {
		const { credentials } = this.context.getNode();
		const { host } = new URL(this.transport.connection.url);
		return `${host} ${credentials?.[CREDENTIAL]?.id ?? ''}`;
	}

	/** All webhooks of the company, from all pages. */
	async list(): Promise<Webhook[]> {
		const api = this.api(READ);
		const shape = { kind: 'list', paging: 'paged' } as const;
		const request: ApiRequest = { route: 'GET /webhooks.json', path: READ.path };
		const page = async (each: ApiRequest) => await api.page(each, shape);
		const { rows } = await readList(request, shape, Infinity, page, 5);
		return rows.flatMap((row): Webhook[] => {
			const id = isRecord(row) ? idOf(row.id) : undefined;
			return isRecord(row) && id !== undefined ? [{ id, url: textOf(row.url) }] : [];
		});
	}

	/**
	 * Registers a webhook and gives back its id, where the answer holds one, and its token, which is
	 * whole in this answer only.
	 */
	async create(webhook: NewWebhook): Promise<{ id?: string; token?: string }> {
		const request: ApiRequest = {
			route: 'POST /webhooks.json',
			path: CREATE.path,
			body: { webhook },
		};
		const made = await this.api(CREATE).object(request, { kind: 'one', unwrap: 'webhook' });
		return isRecord(made) ? { id: idOf(made.id), token: textOf(made.token) } : {};
	}

	/** Removes a webhook; one that is confirmed to be gone already is a success, nothing else is. */
	async remove(id: string): Promise<void> {
		const api = this.api(REMOVE);
		const path = fillPath(REMOVE.path, { webhookId: id });
		const reply = await api.ask({ route: 'DELETE /webhooks/{webhookId}.json', path });
		if (!reply.missing) api.accept(reply);
	}

	private api(operation: Pick<Operation, 'action' | 'method' | 'path' | 'scope'>): Api {
		const { secrets } = this.transport.connection;
		return new Api(this.transport, new Map(), 0, {
			node: this.context.getNode(),
			operation,
			secrets,
		});
	}
}
