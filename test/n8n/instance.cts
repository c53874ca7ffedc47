// A real n8n as a process of its own, on SQLite, with this package in it.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { N8nClient, type Owner } from './client.cts';
import { ensureN8n, type N8nInstallation } from './install.cts';
import { type PackageUnderTest, placePackage } from './packageUnderTest.cts';
import { freePort } from './ports.cts';
import { type Program, startProgram } from './program.cts';
import { type Certificate, selfMadeCertificate } from '../sandbox/tls.cts';

export const OWNER: Owner = {
	email: 'owner@example.com',
	firstName: 'Olivia',
	lastName: 'Owner',
	password: 'Correct-Horse-7',
};

/** Parts of n8n that call n8n's own services or serve its assistants; a second and 45 MB less. */
const UNUSED_MODULES = 'agents,chat-hub,instance-ai,mcp-registry';

const START_TIMEOUT_MS = 120_000;

/**
 * Settings of the shell, or of a test runner, that must not reach the n8n under test: n8n behaves
 * differently with NODE_ENV=test, and its workflows can read the environment, secrets included.
 */
const FOREIGN_SETTINGS =
	/^(N8N|DB|EXECUTIONS|QUEUE|WEBHOOK|CODE|NODES|GENERIC|OFFLOAD|PLATFORM|SANDBOX|JEST|npm)_|^NODE_(ENV|OPTIONS)$/;

export interface N8nOptions {
	/** Folder of the n8n to run (see `ensureN8n`); the newest by default. */
	installation?: string;
	/** Kept when given; otherwise a temporary folder that `stop` removes. */
	userFolder?: string;
	/** A free one by default. */
	port?: number;
	/** What of this package n8n gets to load (the build). */
	packageUnderTest?: PackageUnderTest;
	/** Serve over HTTPS, with a self-signed certificate made for it. */
	tls?: boolean;
	/** The address that webhook triggers register and listen at; n8n's own by default. */
	webhookUrl?: string;
	/** Further or other environment variables. */
	env?: Record<string, string>;
	owner?: Owner;
	/** Ends n8n, or its start, when aborted. */
	signal?: AbortSignal;
}

/** What may differ after a restart; variables are added to those of before. */
type RestartOptions = Pick<N8nOptions, 'env' | 'packageUnderTest' | 'webhookUrl'>;

/** A running n8n, signed in as its owner. */
export interface N8nInstance {
	url: string;
	owner: Owner;
	userFolder: string;
	client: N8nClient;
	/** The certificate that clients have to trust (PEM), with `tls`. */
	ca?: string;
	/** The running process; another one after a restart. */
	readonly program: Program;
	/** Output of n8n since its last start. */
	logs(): string;
	/** Ends n8n gracefully, removing its temporary folder. */
	stop(): Promise<void>;
	/** Kills n8n and its children at once, keeping the folder for a `restart`. */
	kill9(): Promise<void>;
	/** Starts n8n again in the same folder and on the same port, stopping it first if it runs. */
	restart(options?: RestartOptions): Promise<void>;
}

/** Starts an n8n and waits until its owner is signed in; 5 to 10 s. */
export async function startN8n(options: N8nOptions = {}): Promise<N8nInstance> {
	const installation = await ensureN8n(() => undefined, options.signal, options.installation);
	const temporary = options.userFolder === undefined;
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-')));
	await mkdir(userFolder, { recursive: true });

	const port = options.port ?? (await freePort());
	const brokerPort = await freePort();
	const certificate = options.tls ? selfMadeCertificate() : undefined;
	const url = `${options.tls ? 'https' : 'http'}://localhost:${port}`;
	const client = new N8nClient(url, certificate?.cert);
	const owner = options.owner ?? OWNER;
	const changes: RestartOptions = {
		env: options.env,
		packageUnderTest: options.packageUnderTest ?? 'build',
		webhookUrl: options.webhookUrl,
	};
	let program: Program | undefined;

	const start = async () => {
		await placePackage(userFolder, changes.packageUnderTest!);
		program = startN8nProcess(installation, 'start', {
			env: {
				...serverSettings(port),
				...(certificate && (await tlsSettings(userFolder, certificate))),
				N8N_USER_FOLDER: userFolder,
				N8N_RUNNERS_BROKER_PORT: String(brokerPort),
				...(changes.webhookUrl && webhookSettings(installation, changes.webhookUrl)),
				...changes.env,
			},
			signal: options.signal,
		});
		await untilReady(program, () => client.ready());
		await client.signIn(owner);
	};
	const stop = async () => {
		await program?.stop();
		await client.close();
		if (temporary) await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	};

	try {
		await start();
	} catch (error) {
		await stop();
		options.signal?.throwIfAborted();
		throw error;
	}
	return {
		url,
		owner,
		userFolder,
		client,
		ca: certificate?.cert,
		get program() {
			return program!;
		},
		logs: () => program!.output(),
		stop,
		kill9: () => program!.kill(),
		restart: async ({ env, ...others } = {}) => {
			await program!.stop();
			Object.assign(changes, others, { env: { ...changes.env, ...env } });
			await start();
		},
	};
}

/**
 * Starts one n8n process, without waiting for it.
 * @param command n8n's own: `start`, `worker`, `webhook`, `publish:workflow`, ..., with its arguments
 */
export function startN8nProcess(
	{ node, n8n }: N8nInstallation,
	command: string | string[],
	{ env, signal }: Pick<N8nOptions, 'env' | 'signal'>,
): Program {
	const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name));
	return startProgram(node, [n8n, command].flat(), {
		env: {
			...Object.fromEntries(inherited),
			// n8n starts its task runner with the `node` of the PATH.
			PATH: [dirname(node), process.env.PATH].join(delimiter),
			N8N_DISABLED_MODULES: UNUSED_MODULES,
			N8N_RELEASE_TYPE: 'stable',
			N8N_DIAGNOSTICS_ENABLED: 'false',
			N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
			N8N_TEMPLATES_ENABLED: 'false',
			N8N_PERSONALIZATION_ENABLED: 'false',
			N8N_VERIFIED_PACKAGES_ENABLED: 'false',
			N8N_HIRING_BANNER_ENABLED: 'false',
			N8N_DYNAMIC_BANNERS_ENABLED: 'false',
			...env,
		},
		signal,
	});
}

/** Settings of a process that serves HTTP on the loopback interface only. */
export function serverSettings(port: number): Record<string, string> {
	return {
		N8N_HOST: 'localhost',
		N8N_PORT: String(port),
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
	};
}

/**
 * The public address of an n8n. Up to 2.28 n8n knows WEBHOOK_URL only, from 2.30 on the same under
 * another name, and for test webhooks, whose address else follows the editor's, only that one.
 */
export function webhookSettings(
	{ version }: N8nInstallation,
	webhookUrl: string,
): Record<string, string> {
	const [major, minor] = version.split('.').map(Number);
	const isNamedNew = major > 2 || (major === 2 && minor >= 30);
	return { [isNamedNew ? 'N8N_WEBHOOK_URL' : 'WEBHOOK_URL']: webhookUrl };
}

/** Settings that make it HTTPS, with the certificate in files of `folder`; n8n trusts it, too. */
export async function tlsSettings(
	folder: string,
	{ key, cert }: Certificate,
): Promise<Record<string, string>> {
	const keyFile = join(folder, 'server.key');
	const certFile = join(folder, 'server.crt');
	await writeFile(keyFile, key, { mode: 0o600 });
	await writeFile(certFile, cert);
	return {
		N8N_PROTOCOL: 'https',
		N8N_SSL_KEY: keyFile,
		N8N_SSL_CERT: certFile,
		NODE_EXTRA_CA_CERTS: certFile,
	};
}

/** Waits until `ready` says so; throws with n8n's last output when n8n ends or takes too long. */
export async function untilReady(program: Program, ready: () => Promise<boolean>): Promise<void> {
	const deadline = Date.now() + START_TIMEOUT_MS;
	while (!(await ready())) {
		if (!program.running() || Date.now() > deadline) {
			const state = program.running() ? 'did not get ready' : 'ended while starting';
			throw new Error(`n8n ${state}:\n${program.output().slice(-3000)}`);
		}
		await sleep(100);
	}
}
