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
	tls?: boolean;
	/** Whether requests are logged, for `/sandbox/requests`. */
	log?: boolean;
}

export interface Server extends Service {
	/** File of the certificate to trust. */
	caFile?: string;
	stop(): Promise<void>;
}

/** Starts a sandbox without the checks that cost time. */
export async function startServer(options: ServerOptions): Promise<Server> {
	const folder = await mkdtemp(join(tmpdir(), 'bench-'));
	const caFile = join(folder, 'ca.pem');
	const keyFile = join(folder, 'key');
	const args = ['--port', '0', '--no-check', '--key-file', keyFile];
	args.push('--customers', String(options.customers), '--latency', String(options.latency));
	if (!options.log) args.push('--no-log');
	if (options.tls) args.push('--tls', '--ca-file', caFile);
	const main = join(__dirname, '../sandbox/main.cts');
	const program = startProgram(process.execPath, ['--require', 'tsx/cjs', main, ...args]);
	let baseUrl: string | undefined;
	while (!(baseUrl = /^https?:\S+/m.exec(program.output())?.[0])) {
		if (!program.running()) throw new Error(`The server did not start:\n${program.output()}`);
		await sleep(50);
	}
	return {
		baseUrl,
		apiKey: await readFile(keyFile, 'utf8'),
		caFile: options.tls ? caFile : undefined,
		async stop() {
			await program.stop();
			await rm(folder, { recursive: true });
		},
	};
}

/** A process that measures. */
export interface Contender {
	measure(order: Omit<Order, 'service'>): Promise<Measurement>;
	stop(): void;
}

/** Answer of a child process to a message, or an error when it ends without one. */
async function reply(child: ChildProcess): Promise<unknown> {
	const [answer] = (await Promise.race([
		once(child, 'message'),
		once(child, 'exit').then(([code]) => {
			throw new Error(`A measuring process ended with ${String(code)}`);
		}),
	])) as unknown[];
	return answer;
}

/** Starts a contender under n8n's own Node.js. */
export async function startContender(node: string, server: Server): Promise<Contender> {
	const child = fork(join(__dirname, 'contender.cts'), {
		execPath: node,
		execArgv: [
			'--expose-gc',
			'--require',
			'tsx/cjs',
			'--require',
			join(__dirname, 'n8n-modules.cts'),
		],
		env: {
			...process.env,
			N8N_LOG_LEVEL: 'silent',
			...(server.caFile && { NODE_EXTRA_CA_CERTS: server.caFile }),
		},
	});
	await reply(child);
	return {
		async measure(order) {
			const { baseUrl, apiKey } = server;
			const answered = reply(child);
			child.send({ ...order, service: { baseUrl, apiKey } } satisfies Order);
			const answer = (await answered) as Measurement | { failure: string };
			if ('failure' in answer) throw new Error(`${order.way}: ${answer.failure}`);
			return answer;
		},
		stop: () => {
			child.disconnect();
		},
	};
}
