// What the end-to-end tests share: a real n8n with the packed package, a sandbox, a credential.
import { N8nClient, type Session, type StoredCredential } from './client.cts';
import {
	joinN8n,
	startN8n,
	type N8nInstance,
	type N8nOptions,
	type RunningN8n,
} from './instance.cts';
import { freePort } from './ports.cts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox/index.cts';
import { PUBLIC_HOST } from '../sandbox/tls.cts';

/** The packed package that pack.cts has made. */
export const packed = () => ({ tarball: String(process.env.PACKED_PACKAGE) });

/** An n8n that a file of tests may use, its own or the one for all. */
export type UsableN8n = Pick<RunningN8n, 'ca' | 'client' | 'stop' | 'url'>;

/** A running n8n and the service that its credential points to. */
export interface Setting<N8n extends UsableN8n = UsableN8n> {
	n8n: N8n;
	sandbox: Sandbox;
	credential: StoredCredential;
}

export interface SettingOptions {
	sandbox?: SandboxOptions;
	/** Name of the credential ('Platform API'); other files make theirs in the same n8n. */
	credentialName?: string;
}

/** A poll every two seconds: each expression runs once a minute, the most that n8n allows. */
export const EVERY_TWO_SECONDS = {
	item: Array.from({ length: 30 }, (_each, n) => ({
		mode: 'custom',
		cronExpression: `${n * 2} * * * * *`,
	})),
};

/**
 * A service that waits for an answer for a minute: what it gave up on a busy machine it would send
 * again, and be counted twice.
 */
export const PATIENT = { timeoutMs: 60_000 };

/**
 * An n8n that no browser opens, and whose workflows have no Code node: else it writes out its editor and starts a
 * process for code, each time it's started.
 */
export const LEAN = {
	N8N_DISABLE_UI: 'true',
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'none',
};

/** What tells other processes of jest where the n8n for all is. */
interface SharedN8n {
	url: string;
	ca?: string;
	session: Session;
}

/**
 * Starts an n8n as a user on the internet has it: behind TLS, with a public address for webhooks,
 * which triggers insist on, and with a local one for the editor.
 */
export async function startPublicN8n(options: N8nOptions = {}): Promise<N8nInstance> {
	const port = options.port ?? (await freePort());
	return await startN8n({
		packageUnderTest: packed(),
		tls: true,
		port,
		webhookUrl: `https://${PUBLIC_HOST}:${port}/`,
		...options,
		env: { N8N_EDITOR_BASE_URL: `https://localhost:${port}`, ...options.env },
	});
}

/** The n8n that `setting` gives to every file: the one at N8N_URL, or else one that is started. */
export async function startSharedN8n(options: N8nOptions = {}): Promise<RunningN8n> {
	const n8n = (await joinN8n()) ?? (await startPublicN8n(options));
	const { url, ca, client } = n8n;
	const shared: SharedN8n = { url, ca, session: client.session };
	process.env.SHARED_N8N = JSON.stringify(shared);
	return n8n;
}

async function joinShared(): Promise<UsableN8n> {
	const { url, ca, session } = JSON.parse(String(process.env.SHARED_N8N)) as SharedN8n;
	const client = new N8nClient(url, ca, session);
	return { url, ca, client, stop: async () => await client.close() };
}

/** The n8n for all files, and a sandbox for the tests of this one. */
export function setting(options: SettingOptions = {}): () => Setting {
	return settingOf(joinShared, options);
}

/** The same with an n8n of this file's own, to be restarted, killed or configured. */
export function ownSetting(
	n8n: N8nOptions,
	options: SettingOptions = {},
): () => Setting<N8nInstance> {
	return settingOf(async () => await startPublicN8n(n8n), options);
}

/** The same with an n8n that needs no public address. */
export function localSetting(
	n8n: N8nOptions,
	options: SettingOptions = {},
): () => Setting<N8nInstance> {
	return settingOf(async () => await startN8n({ packageUnderTest: packed(), ...n8n }), options);
}

/** Starts both before the tests of a file and stops them after. */
function settingOf<N8n extends UsableN8n>(
	start: () => Promise<N8n>,
	options: SettingOptions,
): () => Setting<N8n> {
	let n8n: N8n | undefined;
	let sandbox: Sandbox | undefined;
	let running: Setting<N8n>;
	beforeAll(async () => {
		n8n = await start();
		sandbox = await startSandbox({
			customers: 250,
			...options.sandbox,
			deliveries: { ca: n8n.ca, ...PATIENT, ...options.sandbox?.deliveries },
		});
		const name = options.credentialName ?? 'Platform API';
		const credential = await n8n.client.createCredential('platformApi', name, {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.key,
		});
		running = { n8n, sandbox, credential };
	});
	afterEach(() => {
		running.sandbox.faults.clear();
		expect(running.sandbox.problems.splice(0)).toEqual([]);
	});
	afterAll(async () => {
		await n8n?.stop();
		await sandbox?.close();
	});
	return () => running;
}
