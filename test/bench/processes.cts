// The processes of the benchmark: the server, and one for each contender.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../n8n/program.cts';
import type { Measurement, Order } from './contender.cts';
import type { Service } from './work.cts';

export interface ServerOptions {
	customers: number;
	/** Milliseconds that the server waits before each answer. */
	latency: number;
	/** Whether requests are logged. */
	log?: boolean;
}

export interface Server {
	service: Service;
	stop(): Promise<void>;
}

/** Starts a sandbox without the checks that cost time. */
async function startServer(options: ServerOptions): Promise<Server> {
	const folder = await mkdtemp(join(tmpdir(), 'bench-'));
	const keyFile = join(folder, 'key');
	const args = ['--port', '0', '--no-check', '--key-file', keyFile];
	args.push('--customers', String(options.customers), '--latency', String(options.latency));
	if (!options.log) args.push('--no-log');
	const main = join(__dirname, '../sandbox/main.cts');
	const program = startProgram(process.execPath, ['--require', 'tsx/cjs', main, ...args]);
	let baseUrl: string | undefined;
	while (!(baseUrl = /^https?:\S+/m.exec(program.output())?.[0])) {
		if (!program.running()) throw new Error(`The server did not start:\n${program.output()}`);
		await sleep(50);
	}
	return {
		service: { baseUrl, apiKey: await readFile(keyFile, 'utf8') },
		async stop() {
			await program.stop();
			await rm(folder, { recursive: true });
		},
	};
}

/** Asks the sandbox for what only its tests may know or do. */
export async function control({ service }: Server, method: string, path: string, body?: object) {
	const answer = await fetch(`${service.baseUrl}/sandbox${path}`, {
		method,
		headers: {
			authorization: `Bearer ${service.apiKey}`,
			...(body && { 'content-type': 'application/json' }),
		},
		body: body && JSON.stringify(body),
	});
	if (!answer.ok) throw new Error(`The server's control answers ${answer.status}`);
	return (await answer.json()) as unknown;
}

/** A process that measures. */
export interface Contender {
	measure(order: Order): Promise<Measurement>;
	stop(): void;
}

/** Answer of a child process to a message, or an error when it ends without one. */
async function reply(child: ChildProcess): Promise<unknown> {
	const stop = new AbortController();
	const { signal } = stop;
	const answer = once(child, 'message', { signal }).then(([message]: unknown[]) => message);
	const end = once(child, 'exit', { signal }).then(([code]) => {
		throw new Error(`A measuring process ended with ${String(code)}`);
	});
	try {
		return await Promise.race([answer, end]);
	} finally {
		stop.abort();
		await Promise.allSettled([answer, end]);
	}
}

/**
 * Node.js lets the part of the heap for new objects grow with the work, up to 16 MB or more, whatever is
 * in it. Fixed, it leaves the rows to be seen.
 */
export const FIXED_HEAP = ['--max-semi-space-size=4'];

/**
 * Starts a contender under n8n's own Node.js.
 * @param flags of Node.js
 */
export async function startContender(node: string, flags: string[] = []): Promise<Contender> {
	const child = fork(join(__dirname, 'contender.cts'), {
		execPath: node,
		execArgv: [
			'--expose-gc',
			...flags,
			...['--require', 'tsx/cjs'],
			...['--require', join(__dirname, 'n8nModules.cts')],
		],
		env: { ...process.env, N8N_LOG_LEVEL: 'silent' },
	});
	await reply(child);
	return {
		async measure(order) {
			const answered = reply(child);
			child.send(order);
			const answer = (await answered) as Measurement | { failure: string };
			if ('failure' in answer) throw new Error(`${order.work.kind}: ${answer.failure}`);
			return answer;
		},
		stop: () => {
			child.disconnect();
		},
	};
}

/** Runs something against a server that lives as long. */
export async function withServer<T>(
	options: ServerOptions,
	run: (server: Server) => Promise<T>,
): Promise<T> {
	const server = await startServer(options);
	try {
		return await run(server);
	} finally {
		await server.stop();
	}
}
