// Executions that share a key, and the service that they ask, in simulated time: everything of the
// client but the wire.
import type { ApiContext } from '../../dist/nodes/engine/client/http/context.js';
import type { Connection } from '../../dist/nodes/engine/client/http/credential.js';
import type { Outcome } from '../../dist/nodes/engine/client/http/outcome.js';
import { Deadlines } from '../../dist/nodes/engine/client/http/deadlines.js';
import type { RetryPolicy } from '../../dist/nodes/engine/client/http/retry.js';
import { Transport } from '../../dist/nodes/engine/client/http/transport.js';
import { Client, type Allowance } from '../../dist/nodes/engine/client/traffic/traffic.js';
import { Traffic } from '../../dist/nodes/engine/client/traffic/traffic.js';
import type { Route } from '../table/api.cts';
import { endpointOf, partsOf } from '../table/api.cts';
import { platform } from '../../dist/nodes/api/platform.js';
import type { ApiRequest } from '../../dist/nodes/engine/base/apiRequest.js';
import { inPool } from '../../dist/nodes/engine/base/pool.js';
import type { LimitedServer } from './rateSimulation.cts';
import { sleep, took } from './simulatedTime.cts';

/** What the service does with a request. */
export interface Reply {
	/** Milliseconds until the response. */
	after?: number;
	status?: number;
	headers?: Record<string, string>;
	body?: object;
	/** No response: a code of the network. */
	failure?: string;
}

/** A request as the service saw it. */
export interface Seen {
	route: Route;
	execution: number;
	item: number;
	record?: string;
	/** When it came. */
	at: number;
	/** How many were in flight then, with this one. */
	inFlight: number;
	ended?: number;
	status?: number;
	cancelled?: boolean;
}

export const READ: Route = 'GET /customers/{customerId}.json';
export const CHARGE: Route = 'POST /customers/{customerId}/charges.json';
export const RUN: Route = 'POST /workflow/{workflowId}.json';
export const OTP: Route = 'POST /idp/otp/verify.json';
export const UPDATE: Route = 'PUT /customers/{customerId}.json';
export const EMBED: Route = 'POST /ai-gateway/embeddings.json';

/** What an execution does. */
export interface Work {
	route: Route;
	items: number;
	/** The record that an item is about. By default, each item has its own. */
	recordOf?: (item: number) => string | undefined;
	max?: number;
	perSecond?: number;
	retry?: Partial<RetryPolicy>;
	/** Cancels the execution. */
	cancel?: AbortSignal;
	/** An item that fails ends the run. */
	stops?: boolean;
}

/** A new client of an account. */
export const clientOf = (traffic: Traffic, allowance: Allowance): Client =>
	new Client(allowance, traffic.sentCount);

export class Service {
	readonly seen: Seen[] = [];

	readonly traffic = new Traffic();

	private executions = 0;

	private inFlight = 0;

	constructor(private readonly reply: (request: Seen, index: number) => Reply) {}

	/** Runs an execution; gives the outcome of each item. */
	async execute(work: Work): Promise<Array<Outcome | Error>> {
		const { route, items, max = 32, retry, cancel, stops = false, perSecond } = work;
		const execution = ++this.executions;
		const { recordOf = (item: number) => `${execution}, ${item}` } = work;
		const writes = partsOf(route).method !== 'GET';
		const client = clientOf(this.traffic, { max, writes, perSecond });
		const policy = { timeout: 3_600_000, budget: 120_000, ...retry };
		const deadlines = new Deadlines();
		const outcomes: Array<Outcome | Error> = [];
		const pool = inPool(items, client, async (item, runSignal) => {
			const record = recordOf(item);
			const context = this.contextOf({ route, execution, item, record });
			const connection = { api: platform } as Connection;
			const transport = new Transport(
				{ context, connection, traffic: this.traffic, client, retry: policy, deadlines },
				{
					runSignal,
					cancel: cancel ? [cancel] : [],
				},
			);
			const request = {
				endpoint: endpointOf(route),
				path: '',
				ids: (record === undefined ? {} : { record }) as ApiRequest['ids'],
			};
			const outcome = await transport.send(request).catch((error: Error) => error);
			outcomes[item] = outcome;
			if (stops && !('status' in outcome && outcome.status < 300)) {
				throw new Error('Failed');
			}
		});
		await pool.catch(() => undefined);
		return outcomes;
	}

	private contextOf(about: Pick<Seen, 'route' | 'execution' | 'item' | 'record'>): ApiContext {
		const { seen, reply } = this;
		const begin = () => ++this.inFlight;
		const end = () => this.inFlight--;
		async function httpRequestWithAuthentication(this: ApiContext) {
			const request: Seen = { ...about, at: performance.now(), inFlight: begin() };
			seen.push(request);
			const answer = reply(request, seen.length - 1);
			const { after = 100, status = 200, headers = {}, body = {}, failure } = answer;
			const signal = (
				this as unknown as { getExecutionCancelSignal: () => AbortSignal }
			).getExecutionCancelSignal();
			const aborted = new Promise<void>((resolve) =>
				signal.addEventListener('abort', () => resolve()),
			);
			await Promise.race([sleep(after), aborted]);
			end();
			request.ended = performance.now();
			request.cancelled = signal.aborted;
			if (signal.aborted) throw new Error('canceled');
			if (failure) throw Object.assign(new Error(failure), { code: failure });
			request.status = status;
			return { statusCode: status, headers, body };
		}
		return { helpers: { httpRequestWithAuthentication } } as unknown as ApiContext;
	}
}

export const refuse = (retryAfter?: number | string): Reply => ({
	status: 429,
	headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
});

/** The reply of a server with a rate limit. */
export function replyOf(server: LimitedServer, at: number): Reply {
	const { taken, retryAfter } = server.request(at);
	return taken ? {} : refuse(retryAfter);
}

/** Runs executions side by side; gives their time, refusals in 100 requests, and items that failed. */
export async function course(service: Service, count: number, work: Work) {
	const all = Array.from({ length: count }, async () => await service.execute(work));
	const ms = await took(Promise.all(all));
	const outcomes = (await Promise.all(all)).flat();
	const failed = outcomes.filter((each) => !('status' in each && each.status === 200)).length;
	const refusals = service.seen.filter(({ status }) => status === 429).length;
	return { ms, failed, refused: (100 * refusals) / outcomes.length };
}

/** A service that takes so many requests at a time. */
export const atATime = (most: number, otherwise: Reply, after = 100): Service =>
	new Service(({ inFlight }) => (inFlight > most ? { after: 5, ...otherwise } : { after }));
