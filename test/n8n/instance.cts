// A real n8n with this package in it: one that is started, on SQLite, or one that already runs.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { N8nClient, type Owner } from './client.cts';
import { type PackageUnderTest, placePackage } from './packageUnderTest.cts';
import { freePort } from './ports.cts';
import type { Program } from './program.cts';
import { untilReady } from './until.cts';
import { type Way, type WayOptions, wayToN8n } from './ways.cts';
import { type Certificate, selfMadeCertificate } from '../sandbox/tls.cts';

export const OWNER: Owner = {
	email: 'owner@example.com',
	firstName: 'Olivia',
	lastName: 'Owner',
	password: 'Correct-Horse-7',
};

const NOT_FOR_A_RUNNING_ONE =
	'This configures and ends the n8n that it uses, so it needs one of its own: run it without N8N_URL, ' +
	'or with N8N_IMAGE.';

export interface N8nOptions extends WayOptions {
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
	/** Gets what n8n prints, as it comes. */
	print?: (text: string) => void;
}

/** What may differ after a restart; variables are added to those of before. */
type RestartOptions = Pick<N8nOptions, 'env' | 'packageUnderTest' | 'webhookUrl'>;

/** A running n8n, signed in as its owner. */
export interface RunningN8n {
	url: string;
	owner: Owner;
	client: N8nClient;
	/** The certificate that clients have to trust (PEM), with `tls`. */
	ca?: string;
	/** Ends what was started here, removing its temporary folder. */
	stop(): Promise<void>;
}

/** One that was started here, and so can be ended and started again. */
export interface N8nInstance extends RunningN8n {
	userFolder: string;
	/** The running process; another one after a restart. */
	readonly program: Program;
	/** Output of n8n since its last start. */
	logs(): string;
	/** Kills n8n and its children at once, keeping the folder for a `restart`. */
	kill9(): Promise<void>;
	/** Starts n8n again in the same folder and on the same port, stopping it first if it runs. */
	restart(options?: RestartOptions): Promise<void>;
}

/**
 * An n8n that already runs, such as at N8N_URL; undefined without an address. Its owner is the one whom
 * N8N_OWNER_EMAIL and N8N_OWNER_PASSWORD name. A fresh n8n gets this owner.
 */
export async function joinN8n(
	address = process.env.N8N_URL,
	{ email, password, ...name } = OWNER,
): Promise<RunningN8n | undefined> {
	if (!address) return undefined;
	const { origin: url } = new URL(address);
	const client = new N8nClient(url);
	const owner = {
		...name,
		email: process.env.N8N_OWNER_EMAIL ?? email,
		password: process.env.N8N_OWNER_PASSWORD ?? password,
	};
	const stop = async () => await client.close();
	try {
		if (!(await client.ready())) throw new Error(`No n8n responds at ${url}.`);
		await client.signIn(owner).catch((error: Error) => {
			throw new Error(`N8N_OWNER_EMAIL and N8N_OWNER_PASSWORD don't sign in. ${error.message}`);
		});
	} catch (error) {
		await stop();
		throw error;
	}
	return { url, owner, client, stop };
}

/** Starts an n8n and waits until its owner is signed in; 5 to 10 s. */
export async function startN8n(options: N8nOptions = {}): Promise<N8nInstance> {
	if (process.env.N8N_URL) throw new Error(NOT_FOR_A_RUNNING_ONE);
	const way = await wayToN8n(options);
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
	let placed: PackageUnderTest | undefined;

	const start = async () => {
		if (placed !== changes.packageUnderTest)
			await placePackage(userFolder, changes.packageUnderTest!, way);
		placed = changes.packageUnderTest;
		program = way.start('start', {
			folder: userFolder,
			env: {
				...serverSettings(port),
				...(certificate && (await tlsSettings(userFolder, certificate))),
				N8N_USER_FOLDER: userFolder,
				N8N_RUNNERS_BROKER_PORT: String(brokerPort),
				...(changes.webhookUrl && webhookSettings(way, changes.webhookUrl)),
				...changes.env,
			},
			signal: options.signal,
			print: options.print,
		});
		await untilReady('n8n', program, () => client.ready());
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
	{ version }: Pick<Way, 'version'>,
	webhookUrl: string,
): Record<string, string> {
	const [major, minor] = (version ?? '3.0').split('.').map(Number);
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
