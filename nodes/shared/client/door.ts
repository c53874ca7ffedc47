// The door to the API, the same from every context of n8n: an execution, a picker, a hook, a poll, an
// AI sub-node. It is opened once, and then asked for one item, or one purpose, at a time.
import { createHmac } from 'node:crypto';
import type { INode } from 'n8n-workflow';

import { Api, type Shared } from './api';
import { SharedLists } from './list/shared';
import { connect, keyOf, type ApiContext, type Connection } from './http/credential';
import { Deadlines } from './http/deadlines';
import type { ErrorContext } from './http/errorContext';
import { Transport, type End, type RetryPolicy } from './http/transport';
import type { Allowance, Client } from './traffic/client';
import { trafficOf } from './traffic/registry';

/** How the API is asked. */
export interface ClientOptions extends Allowance {
	retry: RetryPolicy;
}

/** What the API is asked for, by whom, and what ends it early. */
export type RequestContext = { action: string } & End &
	Partial<Omit<ErrorContext, 'node' | 'isFixed'>>;

/** The API, opened from one context of n8n: one client among all that share its traffic. */
export class Door {
	private readonly shared: Shared = {
		turns: new Map(),
		made: new Map(),
		takesSize: new Map(),
	};

	private readonly deadlines: Deadlines;

	/** n8n copies it each time that it is asked for. */
	private readonly node: INode;

	constructor(
		private readonly context: ApiContext,
		readonly connection: Connection,
		private readonly client: Client,
		private readonly retry: RetryPolicy,
	) {
		this.node = context.getNode();
		this.deadlines = new Deadlines(retry.timeout);
	}

	/** Where requests go. */
	get host(): string {
		return new URL(this.connection.url).host;
	}

	/** Whose API it is, by host and key: an HMAC, so that it can be stored. */
	account(salt: string): string {
		const key = keyOf(this.connection.credential.data ?? {});
		return createHmac('sha256', salt).update(`${this.host} ${key}`).digest('base64url');
	}

	/** Pages of a list, or items, in flight at most: a number that changes. */
	readonly parallel = () => this.client.max;

	/** From now on a list that several items ask for is read once: only for executions that write nothing. */
	shareLists(): void {
		this.shared.lists = new SharedLists();
	}

	/** The API for one purpose. */
	api({ cancel, run, secrets = [], ...about }: RequestContext): Api {
		const { context, connection, client, retry, deadlines } = this;
		const transport = new Transport(context, connection, client, retry, deadlines, {
			cancel,
			run,
		});
		const errorContext = {
			...about,
			node: this.node,
			isFixed: retry.isFixed,
			secrets: [...connection.secrets, ...secrets],
		};
		// A trigger would take a made-up answer for a registration.
		const inDryRun = 'getExecutionCancelSignal' in context ? 'simulated' : 'refused';
		const dryRun = connection.isDry ? inDryRun : undefined;
		return new Api(transport, errorContext, dryRun, this.shared, this.parallel);
	}
}

/**
 * Opens the API with the credential of a node.
 * @throws FieldFault for a credential that cannot be used
 */
export async function openApi(
	context: ApiContext,
	{ retry, ...allowance }: ClientOptions,
): Promise<Door> {
	const connection = await connect(context);
	return new Door(context, connection, trafficOf(connection).client(allowance), retry);
}
