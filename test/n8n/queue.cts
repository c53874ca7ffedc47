// n8n in queue mode: a main process, a webhook process and workers over Redis and PostgreSQL.

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { N8nClient, type Owner } from './client.cts';
import { postgresSettings, startPostgres, startRedis } from './databases.cts';
import { OWNER, serverSettings, tlsSettings, webhookSettings } from './instance.cts';
import { type PackageUnderTest, placePackage } from './packageUnderTest.cts';
import { freePort } from './ports.cts';
import type { Program } from './program.cts';
import { LEAN } from './setting.cts';
import { untilReady } from './until.cts';
import { wayToN8n } from './ways.cts';
import { PUBLIC_HOST, selfMadeCertificate } from '../sandbox/tls.cts';

export interface QueueModeOptions {
	/** How many workers (2). */
	workers?: number;
	/** What of this package n8n gets to load (the build). */
	packageUnderTest?: PackageUnderTest;
	/** Serve main and webhook process over HTTPS, with a self-signed certificate. */
	tls?: boolean;
	/** Further or other environment variables, for all processes. */
	env?: Record<string, string>;
	owner?: Owner;
}

/** A running n8n in queue mode; `url`, `client`, `owner` and `ca` as in an N8nInstance. */
export interface QueueMode {
	/** Address of the main process: editor and REST. */
	url: string;
	owner: Owner;
	client: N8nClient;
	ca?: string;
	/** Address of the webhook process, the only one that takes production webhooks. */
	webhookUrl: string;
	main: Program;
	webhook: Program;
	/** All workers ever started, killed ones included. */
	workers: Program[];
	startWorker(): Promise<Program>;
	stop(): Promise<void>;
}

/** Starts everything and waits until all processes are ready and the owner is signed in. */
export async function startQueueMode(options: QueueModeOptions = {}): Promise<QueueMode> {
	const { workers: workerCount = 2, packageUnderTest = 'build', owner = OWNER } = options;
	const way = await wayToN8n();
	const folder = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
	const programs: Program[] = [];
	const stops: Array<() => Promise<void>> = [
		async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 }),
	];
	const stop = async () => {
		await Promise.all(programs.splice(0).map(async (program) => await program.stop()));
		for (const end of stops.splice(0).reverse()) await end();
	};

	try {
		const redis = await startRedis();
		stops.push(redis.stop);
		const postgres = await startPostgres();
		stops.push(postgres.stop);

		const certificate = options.tls ? selfMadeCertificate() : undefined;
		const protocol = options.tls ? 'https' : 'http';
		const [port, webhookPort] = [await freePort(), await freePort()];
		const url = `${protocol}://localhost:${port}`;
		const webhookUrl = `${protocol}://localhost:${webhookPort}`;
		const shared = {
			...(certificate && (await tlsSettings(folder, certificate))),
			...LEAN,
			EXECUTIONS_MODE: 'queue',
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
			N8N_EDITOR_BASE_URL: url,
			// Behind TLS under a public name, as webhook triggers insist on it.
			...webhookSettings(
				way,
				options.tls ? `https://${PUBLIC_HOST}:${webhookPort}/` : `${webhookUrl}/`,
			),
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			...postgresSettings(postgres),
		};

		let processes = 0;
		const start = async (command: string, settings: Record<string, string>) => {
			processes += 1;
			const userFolder = join(folder, `${processes}-${command}`);
			await mkdir(userFolder);
			await placePackage(userFolder, packageUnderTest, way);
			const program = way.start(command, {
				folder,
				env: {
					...shared,
					...settings,
					N8N_USER_FOLDER: userFolder,
					N8N_RUNNERS_BROKER_PORT: String(await freePort()),
					...options.env,
				},
			});
			programs.push(program);
			return program;
		};
		const untilHealthy = async (program: Program, address: string) => {
			const probe = new N8nClient(address, certificate?.cert);
			await untilReady('n8n', program, () => probe.healthy());
			await probe.close();
		};

		const main = await start('start', serverSettings(port));
		const client = new N8nClient(url, certificate?.cert);
		stops.push(() => client.close());
		await untilReady('n8n', main, () => client.ready());
		await client.signIn(owner);

		const workers: Program[] = [];
		const startWorker = async () => {
			const healthPort = await freePort();
			const worker = await start('worker', { QUEUE_HEALTH_CHECK_PORT: String(healthPort) });
			workers.push(worker);
			await untilHealthy(worker, `http://localhost:${healthPort}`);
			return worker;
		};
		const startWebhook = async () => {
			const webhook = await start('webhook', serverSettings(webhookPort));
			await untilHealthy(webhook, webhookUrl);
			return webhook;
		};
		const [webhook] = await Promise.all([
			startWebhook(),
			...Array.from({ length: workerCount }, startWorker),
		]);
		return {
			url,
			owner,
			client,
			ca: certificate?.cert,
			webhookUrl,
			main,
			webhook,
			workers,
			startWorker,
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
