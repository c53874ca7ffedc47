// A small service that behaves as a test says, for what the sandbox never does: proxies and services
// that answer in a way of their own.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wait } from '../../wait.cts';
import { useLeapingTime } from './leapingTime.cts';

/** A request that came. */
export interface Received {
	method: string;
	/** Path below the version, with the query. */
	path: string;
	body: Record<string, unknown>;
	/** Of the credential. */
	apiKey: string;
}

/** What the service answers; `body` is sent as JSON, a text as it is. */
export interface Reply {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
}

/** Answers one request; undefined closes the connection. */
export type Handler = (request: Received) => Reply | undefined | Promise<Reply | undefined>;

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}

/** A service for the tests of one file; each test says how it answers. */
export class Service {
	/** What came since the test began. */
	received: Received[] = [];

	private handler: Handler = () => ({ status: 404, body: { error: 'No handler' } });

	private readonly server: Server = createServer((request, response) => {
		void this.answer(request).then((reply) => {
			if (!reply) {
				request.socket.destroy();
				return;
			}
			const { status = 200, headers = {}, body = {} } = reply;
			const text = typeof body === 'string' ? body : JSON.stringify(body);
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end(text);
		});
	});

	/** Begins anew with another behaviour. */
	behave(handler: Handler): void {
		this.received = [];
		this.handler = handler;
	}

	/**
	 * Begins anew with a behaviour in which some requests get no response.
	 * @returns resolves when the first of these has come
	 */
	async hold(isHeld: (request: Received) => boolean, handler: Handler): Promise<void> {
		await new Promise<void>((resolve) =>
			this.behave(async (request) => {
				if (!isHeld(request)) return await handler(request);
				resolve();
				return await new Promise(() => {});
			}),
		);
	}

	/** Requests of a method, or all. */
	sent(method?: string): Received[] {
		return this.received.filter((each) => method === undefined || each.method === method);
	}

	readonly key = 'key-of-the-service';

	/** Number of the test, in the URL: what another one has left behind doesn't reach it. */
	private test = 0;

	get baseUrl(): string {
		const { port } = this.server.address() as AddressInfo;
		return `http://127.0.0.1:${port}/test-${this.test}`;
	}

	get credential() {
		return { baseUrl: this.baseUrl, apiKey: this.key };
	}

	private async answer(request: IncomingMessage): Promise<Reply | undefined> {
		const text = await textOf(request);
		const [, test, path] =
			/^\/test-(\d+)(?:\/\d{4}-\d{2}-\d{2})?(.*)$/.exec(String(request.url)) ?? [];
		if (Number(test) !== this.test) return undefined;
		const received = {
			method: String(request.method),
			path,
			body: (text === '' ? {} : JSON.parse(text)) as Received['body'],
			apiKey: String(request.headers.authorization).replace('Bearer ', ''),
		};
		this.received.push(received);
		// An answer takes time, in a simulated one too.
		await wait(1);
		return await this.handler(received);
	}

	/** @param port a free one by default. A certain one may be in use by the same test elsewhere: it waits for a minute */
	async start(port = 0): Promise<this> {
		const listen = async () => {
			this.server.listen(port, '127.0.0.1');
			await once(this.server, 'listening');
		};
		for (let tries = 0; tries < 600; tries++) {
			const error: unknown = await listen().catch((fault: unknown) => fault);
			if (error === undefined) return this;
			if (port === 0) throw error;
			await wait(100);
		}
		throw new Error(`Port ${port} is in use`);
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** Starts before the tests of the file and ends after them. */
	inFile(port?: number): this {
		beforeAll(async () => void (await this.start(port)));
		useLeapingTime();
		beforeEach(() => void this.test++);
		afterAll(async () => await this.close());
		return this;
	}

	static forFile(port?: number): Service {
		return new Service().inFile(port);
	}
}
