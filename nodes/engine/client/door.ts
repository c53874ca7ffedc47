// Opens the API from any context of n8n: an execution, a picker, a hook, a poll or an AI sub-node. A door makes an `Api` for
// each item or call.
import type { INode } from 'n8n-workflow';
import { createHmac, randomBytes } from 'node:crypto';

import type { ApiDefinition } from '../base/definition';
import { Api, type Shared } from './api';
import type { ApiContext } from './http/context';
import { accountOf, type Connection } from './http/credential';
import { Deadlines } from './http/deadlines';
import { dryRunOf } from './http/dryRunMode';
import type { ErrorContext } from './http/errorContext';
import { Secrets } from './http/redact';
import type { RetryPolicy } from './http/retry';
import { Transport, type Ends, type Line } from './http/transport';
import { ReadAhead } from './list/ahead';
import { SharedLists } from './list/shared';
import type { Values } from './steps';
import { MEMORY } from './traffic/limit';
import { Client, Traffic, type Allowance } from './traffic/traffic';

/*
 * The traffic of an API is found by its Base URL and key. Beside the records of dry runs (dryRecords.ts), it's the only state
 * of the engine outside of n8n's: executions with the same key share the API's limits.
 */

/** New in each process, so that no name shows a key. */
const salt = randomBytes(32);

/** All traffic that still exists, also if only a client holds it, such as a sub-node that was opened an hour ago. */
const trafficByName = new Map<string, WeakRef<Traffic>>();

/** Keeps traffic alive for two minutes, for the next execution. */
const recent = new Map<string, Traffic>();

/**
 * The same traffic for the same Base URL and key, as long as a client holds it, and for two minutes if it isn't used. The next
 * call removes old ones, so there is no timer.
 */
export function trafficOf({ url, secrets }: Pick<Connection, 'url' | 'secrets'>): Traffic {
	const now = performance.now();
	for (const [name, traffic] of recent) {
		if (now - traffic.endedAt > MEMORY && traffic.idle) recent.delete(name);
	}
	for (const [name, reference] of trafficByName) if (!reference.deref()) trafficByName.delete(name);
	const name = createHmac('sha256', salt)
		.update([url, ...secrets].join(' '))
		.digest('base64url');
	const traffic = trafficByName.get(name)?.deref() ?? new Traffic();
	trafficByName.set(name, new WeakRef(traffic));
	recent.set(name, traffic);
	return traffic;
}

export interface ClientOptions extends Allowance {
	retry: RetryPolicy;
}

export type RequestContext = { action: string } & Ends &
	Partial<Omit<ErrorContext, 'node' | 'hasFixedBudget' | 'secrets'>> & { secrets?: string[] };

export class Door {
	private readonly shared: Shared;

	/** Max pages of a list, or items, in flight. It changes during a run. */
	readonly parallel: { readonly max: number };

	private readonly line: Line;

	readonly secrets: Secrets;

	private readonly outputSecrets: Secrets;

	/** Kept, because n8n makes a copy for each `getNode()`. */
	private readonly node: INode;

	constructor(
		context: ApiContext,
		readonly connection: Connection,
		traffic: Traffic,
		{ retry, ...allowance }: ClientOptions,
	) {
		this.node = context.getNode();
		this.secrets = new Secrets(connection.secrets);
		this.outputSecrets = new Secrets(connection.outputSecrets);
		const client = new Client(allowance, traffic.sentCount);
		this.parallel = client;
		this.line = { context, connection, traffic, client, retry, deadlines: new Deadlines() };
		this.shared = {
			definition: connection.api,
			made: new Map(),
			touched: new Set(),
			known: new Map(),
			sizeSupport: new Map(),
			parallel: client,
		};
	}

	get host(): string {
		return new URL(this.connection.url).host;
	}

	/** HMAC of host and secrets, by which an account is recognized later. The stored text doesn't show the key. */
	account(ownSalt: string): string {
		const { host, connection } = this;
		return createHmac('sha256', ownSalt)
			.update([host, ...connection.secrets].join(' '))
			.digest('base64url');
	}

	remember(values: Values): void {
		this.shared.values = values;
	}

	/** Only executions that write nothing may share lists from now on. */
	shareLists(): void {
		this.shared.lists = new SharedLists();
	}

	/** A list may be read ahead from now on for items with these keys (`Steps.ahead`). */
	lookAhead(keys: string[]): void {
		this.shared.ahead = ReadAhead.for(keys);
	}

	/** The API for one item or one call. Its errors hide these secrets and the key. */
	api({ cancel, runSignal, secrets = [], ...about }: RequestContext): Api {
		const { connection, line } = this;
		const transport = new Transport(line, { cancel, runSignal });
		const hasOwn = secrets.length > 0;
		const errorContext = {
			...about,
			node: this.node,
			hasFixedBudget: line.retry.hasFixedBudget,
			secrets: hasOwn ? new Secrets([...connection.secrets, ...secrets]) : this.secrets,
			outputSecrets: hasOwn
				? new Secrets([...connection.outputSecrets, ...secrets])
				: this.outputSecrets,
		};
		return new Api(transport, errorContext, connection.dryRun, this.shared);
	}
}

export async function openApi(
	definition: ApiDefinition,
	context: ApiContext,
	options: ClientOptions,
): Promise<Door> {
	const data = await context.getCredentials(definition.credential.type);
	const account = accountOf(data, context.getNode(), definition);
	const { dryRunSetting: setting } = account;
	const dryRun = setting === 'off' ? undefined : await dryRunOf(setting, definition, context);
	const connection = { ...account, dryRun, isDry: dryRun !== undefined };
	return new Door(context, connection, trafficOf(connection), options);
}
