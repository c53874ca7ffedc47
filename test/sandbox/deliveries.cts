/**
 * Deliveries of events to registered webhooks: at least once, with retries and a stable id.
 *
 * The reference shows neither the payload of a delivery nor its signature, retries or timing: all
 * of them are the sandbox's own choice, and its headers begin with `x-sandbox-`.
 */
import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { wait } from '../wait.cts';
import { Agent, request } from 'undici';
import type { World } from '../contract/worlds.cts';

/** Names below .test are this machine, so that a receiver can have a public name. */
const lookupHere: LookupFunction = (hostname, options, callback) => {
	lookup(hostname.endsWith('.test') ? '127.0.0.1' : hostname, options, callback);
};

export interface DeliveryOptions {
	/** PEM of a CA that receivers' certificates may come from. */
	ca?: string;
	/** Tries in all. */
	attempts?: number;
	/** Wait before the second try, in milliseconds; doubles with each further one. */
	backoffMs?: number;
	/** How long a receiver may take, in milliseconds. */
	timeoutMs?: number;
}

export interface Receiver {
	id: string;
	url: string;
	token: string;
}

export interface Delivery {
	/** The same for every try. */
	id: string;
	event: string;
	webhookId: string;
	url: string;
	payload: Record<string, unknown>;
	/** `cancelled`: the webhook was deleted, or the sandbox closed, before it was delivered. */
	state: 'pending' | 'delivered' | 'failed' | 'cancelled';
	attempts: { at: number; status?: number; error?: string }[];
}

/** What a receiver gets, in a world. */
export function messageOf(
	world: World,
	{ id, event, payload }: Pick<Delivery, 'id' | 'event' | 'payload'>,
	token: string,
): { headers: Record<string, string>; body: string } {
	const isInBody = world.deliveryIds === 'header and body' || world.deliveryIds === 'body';
	const isInHeader = world.deliveryIds === 'header and body' || world.deliveryIds === 'header';
	const { id: _id, ...anonymous } = payload;
	const shown = isInBody ? payload : anonymous;
	const json = JSON.stringify(shown);
	const body = {
		JSON: json,
		'JSON as text/plain': json,
		form: new URLSearchParams(
			Object.entries(shown).map(([name, value]) => [
				name,
				typeof value === 'string' ? value : JSON.stringify(value),
			]),
		).toString(),
		empty: '',
	}[world.deliveryBody];
	const type = {
		JSON: 'application/json',
		'JSON as text/plain': 'text/plain',
		form: 'application/x-www-form-urlencoded',
		empty: undefined,
	}[world.deliveryBody];
	const signature = createHmac('sha256', token).update(body).digest('hex');
	return {
		headers: {
			...(type && { 'content-type': type }),
			...(isInHeader && { 'x-sandbox-delivery': id }),
			'x-sandbox-event': event,
			'x-sandbox-token': token,
			'x-sandbox-signature': `sha256=${signature}`,
		},
		body,
	};
}

export class Deliveries {
	readonly log: Delivery[] = [];

	private readonly closing = new AbortController();

	private readonly running = new Set<Promise<void>>();

	private readonly agent: Agent;

	private readonly options: Required<Pick<DeliveryOptions, 'attempts' | 'backoffMs'>>;

	/** @param isWanted whether a webhook is still registered */
	constructor(
		private readonly world: World,
		options: DeliveryOptions,
		private readonly isWanted: (webhookId: string) => boolean,
	) {
		setMaxListeners(0, this.closing.signal);
		const { ca, timeoutMs = 10_000 } = options;
		this.options = { attempts: 6, backoffMs: 200, ...options };
		this.agent = new Agent({
			connections: 20,
			connect: { ca, lookup: lookupHere },
			// Not an AbortSignal: that would also count the time in the queue of a burst.
			headersTimeout: timeoutMs,
			bodyTimeout: timeoutMs,
		});
	}

	/** Starts a delivery; it goes on by itself. */
	send(id: string, receiver: Receiver, event: string, payload: Record<string, unknown>): void {
		const delivery: Delivery = {
			id,
			event,
			webhookId: receiver.id,
			url: receiver.url,
			payload,
			state: 'pending',
			attempts: [],
		};
		this.log.push(delivery);
		const run = this.run(delivery, receiver).finally(() => this.running.delete(run));
		this.running.add(run);
	}

	/** Resolves when nothing is left to deliver. */
	async settled(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
	}

	async close(): Promise<void> {
		this.closing.abort();
		await this.settled();
		await this.agent.destroy();
	}

	private async run(delivery: Delivery, receiver: Receiver): Promise<void> {
		const { attempts, backoffMs } = this.options;
		for (let attempt = 1; attempt <= attempts; attempt += 1) {
			if (this.closing.signal.aborted || !this.isWanted(receiver.id)) {
				delivery.state = 'cancelled';
				return;
			}
			if (await this.attempt(delivery, receiver)) {
				delivery.state = 'delivered';
				return;
			}
			if (attempt < attempts) {
				const pause = backoffMs * 2 ** (attempt - 1);
				await wait(pause, this.closing.signal).catch(() => undefined);
			}
		}
		delivery.state = this.closing.signal.aborted ? 'cancelled' : 'failed';
	}

	private async attempt(delivery: Delivery, receiver: Receiver): Promise<boolean> {
		const { headers, body } = messageOf(this.world, delivery, receiver.token);
		const at = Date.now();
		try {
			const response = await request(receiver.url, {
				method: 'POST',
				dispatcher: this.agent,
				signal: this.closing.signal,
				headers,
				body,
			});
			await response.body.dump();
			delivery.attempts.push({ at, status: response.statusCode });
			return response.statusCode >= 200 && response.statusCode < 300;
		} catch (error) {
			delivery.attempts.push({ at, error: (error as Error).message });
			return false;
		}
	}
}
