// The door to the API, the same from every context of n8n: an execution, a picker, a hook, a poll, an
// AI sub-node. It is opened once, and then asked for one item, or one purpose, at a time.
import { createHmac } from 'node:crypto';
import type { INode } from 'n8n-workflow';

import { Api, type Shared } from './api';
import { SharedLists } from './list/shared';
import { connect, keyOf, type ApiContext, type Connection } from './http/credential';
import { Deadlines } from './http/deadlines';
import type { SentField } from './http/errors';
import type { Sought } from './http/outcome';
import { Transport, type End, type RetryPolicy } from './http/transport';
import type { Allowance, Client } from './traffic/client';
import { trafficOf } from './traffic/registry';

/** How the API is asked. */
export interface ClientOptions extends Allowance {
	retry: RetryPolicy;
}

/** What the API is asked for, as errors tell it. */
export interface RequestContext extends End {
	/** What is done, such as `Get a customer`. */
	action: string;
	/** The input item; its requests take turns with those of others. */
	itemIndex?: number;
	/** How many items there are. */
	items?: number;
	/** What is looked for, for a 404, unless the request says it itself. */
	sought?: Sought[];
	/** The fields of the form that are sent. */
	sent?: () => SentField[];
	/** The node hands something to another one, where n8n shows its errors then. */
	functionality?: 'configuration-node';
	/** An earlier run of Retry On Fail sent the same and got no response. */
	lostAnswer?: boolean;
	/** Whether the reader of an error sees its description too. */
	described?: boolean;
	/** Texts that no error may show, beside the key. */
	secrets?: string[];
}

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
		const situation = {
			...about,
			node: this.node,
			isFixed: this.retry.isFixed,
			secrets: [...this.connection.secrets, ...secrets],
		};
		// A trigger would take a made-up answer for a registration.
		const inDryRun = 'getExecutionCancelSignal' in context ? 'answered' : 'refused';
		const dryRun = connection.isDry ? inDryRun : undefined;
		return new Api(transport, this.shared, this.parallel, situation, dryRun);
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
