/**
 * A server of the whole Platform API in memory, for tests and for trying things out.
 *
 * It is written against the reference, holds every request and every answer against the contract
 * (`problems`), and can fail on demand (`faults`). What the reference does not show and it has to
 * decide is listed in CHOICES.md. area.cts says how an area is added.
 */
import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { usualWorld, type World } from '../contract/worlds.cts';
import type { Area, Shared } from './area.cts';
import { settle, type Charge, type ChargeOutcome } from './areas/charges.cts';
import { areas, type State } from './areas/index.cts';
import { addControlRoutes } from './control.cts';
import { Deliveries, type Delivery, type DeliveryOptions } from './deliveries.cts';
import { Faults, type ActiveFault, type FaultRule } from './faults.cts';
import { Ids } from './ids.cts';
import { Keys } from './keys.cts';
import { randomFrom } from './random.cts';
import { RateLimit } from './rateLimit.cts';
import { RequestLog, type LoggedRequest } from './requestLog.cts';
import { buildServer } from './server.cts';
import { selfMadeCertificate, type Certificate } from './tls.cts';

export type { Charge, ChargeOutcome };
export type { FaultRule } from './faults.cts';
export type { LoggedRequest };

export interface SandboxOptions {
	/** 0, the default, takes a free one. */
	port?: number;
	/** The key with all scopes; a random one, if left out. */
	key?: string;
	/** Seeded customers; 10,000 by default. */
	customers?: number;
	/** The same seed gives the same data on the same day. */
	seed?: number;
	/** How what the reference leaves open is decided. */
	world?: World;
	/** Wait before every answer. */
	latencyMs?: number;
	/** HTTPS; true makes a certificate for localhost and 127.0.0.1. */
	tls?: true | Certificate;
	/** False: answers are not held against the contract. */
	check?: boolean;
	/** True: the log keeps what the handlers answered, as `plain`. */
	keepAnswers?: boolean;
	/** How many requests are logged, the newest; false: none. 100,000 by default. */
	log?: number | false;
	/** When a charge settles by itself; null, the default: only by `settle`. */
	settleAfterMs?: number | null;
	deliveries?: DeliveryOptions;
}

export interface Sandbox {
	/** The address without the version. */
	baseUrl: string;
	/** The key with all scopes. */
	key: string;
	world: World;
	/** A value with ids of `state` as clients see them in this world. */
	shown<Value>(value: Value): Value;
	/** Adds a key with these scopes only; without, with all. */
	addKey(options?: { scopes?: readonly string[] }): string;
	revokeKey(key: string): void;
	/** Gives it another key. Requests with the one before are neither logged nor processed. */
	renewKey(): void;
	/** Has its first data again, and another key. */
	reset(): void;
	/** The data, one store for each area; tests may change it. */
	state: State;
	requests: readonly LoggedRequest[];
	clearRequests(): void;
	/** Requests and answers that broke the contract, and addresses that do not exist. */
	problems: string[];
	faults: { add(rule: FaultRule): ActiveFault; clear(): void };
	/** So many requests a second are taken; null: all. */
	rateLimit(perSecond: number | null): void;
	/** Settles a pending charge and delivers its event. */
	settle(chargeId: string, outcome: ChargeOutcome): Charge;
	deliveries: readonly Delivery[];
	/** Resolves when no delivery is pending. */
	deliveriesSettled(): Promise<void>;
	/** PEM, for clients of a sandbox with TLS. */
	caCertificate?: string;
	/** Ends everything: open and stalled connections, timers, deliveries. */
	close(): Promise<void>;
}

/** A deep copy of a store. Rows that stand in several places stand there as one again. */
function copyOf<Value>(value: Value, made = new Map<unknown, unknown>()): Value {
	if (typeof value !== 'object' || value === null) return value;
	const known = made.get(value);
	if (known !== undefined) return known as Value;
	if (value instanceof Date) return new Date(value) as Value;
	const copy: unknown = Array.isArray(value)
		? []
		: value instanceof Map || value instanceof Set
			? new (value.constructor as new () => unknown)()
			: Object.create(Object.getPrototypeOf(value) as object);
	made.set(value, copy);
	if (value instanceof Map) {
		for (const [key, each] of value) (copy as typeof value).set(key, copyOf(each, made));
	} else if (value instanceof Set) {
		for (const each of value) (copy as typeof value).add(copyOf(each, made));
	} else {
		const fields = copy as Record<string, unknown>;
		for (const [name, each] of Object.entries(value)) fields[name] = copyOf(each, made);
	}
	return copy as Value;
}

/** States as they were made, by what they were made of: a copy takes a tenth of the time. */
const made = new Map<string, State>();

function seedState({ customers = 10_000, seed = 1 }: SandboxOptions): State {
	const today = new Date();
	today.setUTCHours(0, 0, 0, 0);
	const of = [customers, seed, today.getTime()].join(' ');
	const known = made.get(of);
	if (known) return copyOf(known);
	const state = {} as State;
	const seeding = { state, random: randomFrom(seed), today, customers };
	for (const [name, area] of Object.entries<Area<unknown>>(areas)) {
		Object.assign(state, { [name]: area.seed(seeding) });
	}
	// Those of another day, or of a file that has ended, aren't asked for again.
	if (made.size > 2) made.clear();
	made.set(of, copyOf(state));
	return state;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, latencyMs = 0, check = true, log: logged } = options;
	const { keepAnswers = false } = options;
	const closing = new AbortController();
	setMaxListeners(0, closing.signal);
	const timers = new Set<NodeJS.Timeout>();
	const state = seedState(options);
	const world = options.world ?? usualWorld;
	const ids = new Ids(world);
	const keys = new Keys();
	const key = keys.add(undefined, options.key);
	const faults = new Faults();
	const rateLimit = new RateLimit();
	const log = new RequestLog(logged === false ? 0 : (logged ?? 100_000));
	const problems: string[] = [];
	const certificate = options.tls === true ? selfMadeCertificate() : options.tls;
	const deliveries = new Deliveries(
		world,
		options.deliveries ?? {},
		(webhookId) => state.webhooks.webhooks.get(webhookId) !== undefined,
	);

	let serial = 0;
	const shared: Shared = {
		world,
		state,
		settleAfterMs: options.settleAfterMs ?? null,
		now: () => new Date(),
		newId(prefix) {
			serial += 1;
			return `${prefix}-${900_000 + serial}`;
		},
		emit(event, data) {
			for (const webhook of state.webhooks.webhooks.rows) {
				if (!webhook.events.includes(event)) continue;
				const id = ids.out(shared.newId('dlv'));
				const payload = { id, event, created_at: shared.now().toISOString(), data: ids.out(data) };
				deliveries.send(id, webhook, event, payload);
				if (world.deliveries === 'twice') deliveries.send(id, webhook, event, payload);
			}
		},
		after(milliseconds, run) {
			const timer = setTimeout(() => {
				timers.delete(timer);
				run();
			}, milliseconds);
			timers.add(timer);
		},
	};

	const app = buildServer({
		shared,
		ids,
		keys,
		faults,
		rateLimit,
		log,
		problems,
		latencyMs,
		check,
		keepAnswers,
		certificate,
		closing: closing.signal,
	});
	const controls: Omit<Sandbox, 'baseUrl' | 'renewKey' | 'reset'> = {
		key,
		world,
		shown: (value) => ids.out(value),
		addKey: ({ scopes } = {}) => keys.add(scopes),
		revokeKey: (value) => keys.revoke(value),
		state,
		requests: log.entries,
		clearRequests: () => log.clear(),
		problems,
		faults,
		rateLimit: (perSecond) => {
			rateLimit.perSecond = perSecond;
		},
		settle: (chargeId, outcome) => settle(shared, ids.in(chargeId), outcome),
		deliveries: deliveries.log,
		deliveriesSettled: () => deliveries.settled(),
		caCertificate: certificate?.cert,
		async close() {
			closing.abort();
			for (const timer of timers) clearTimeout(timer);
			await Promise.all([app.close(), deliveries.close()]);
		},
	};
	addControlRoutes(app, key, controls);
	await app.listen({ host: '127.0.0.1', port });
	const address = app.server.address() as AddressInfo;
	const sandbox: Sandbox = {
		...controls,
		baseUrl: `${certificate ? 'https' : 'http'}://127.0.0.1:${address.port}`,
		renewKey() {
			keys.retire(sandbox.key);
			sandbox.key = keys.add();
		},
		reset() {
			Object.assign(state, seedState(options));
			sandbox.renewKey();
		},
	};
	return sandbox;
}
