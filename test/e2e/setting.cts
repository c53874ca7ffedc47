// What the end-to-end tests share: a real n8n with the packed package, a sandbox, a credential.
import type { StoredCredential } from '../n8n/client.cts';
import { startN8n, type N8nInstance, type N8nOptions } from '../n8n/instance.cts';
import { freePort } from '../n8n/ports.cts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox/index.cts';
import { PUBLIC_HOST } from '../sandbox/tls.cts';

/** The packed package that pack.cts has made. */
export const packed = () => ({ tarball: String(process.env.PACKED_PACKAGE) });

/** A running n8n and the service that its credential points to. */
export interface Setting {
	n8n: N8nInstance;
	sandbox: Sandbox;
	credential: StoredCredential;
}

export interface SettingOptions {
	n8n?: N8nOptions;
	sandbox?: SandboxOptions;
	/** n8n behind TLS under a public name: webhook triggers insist on it. */
	isPublic?: boolean;
}

async function publicAddress(): Promise<N8nOptions> {
	const port = await freePort();
	return { tls: true, port, webhookUrl: `https://${PUBLIC_HOST}:${port}/` };
}

/** Starts both before the tests of a file and stops them after. */
export function setting(options: SettingOptions = {}): () => Setting {
	let running: Setting;
	beforeAll(async () => {
		const n8n = await startN8n({
			packageUnderTest: packed(),
			...(options.isPublic && (await publicAddress())),
			...options.n8n,
		});
		const sandbox = await startSandbox({
			customers: 250,
			...options.sandbox,
			deliveries: { ca: n8n.ca, ...options.sandbox?.deliveries },
		});
		const credential = await n8n.client.createCredential('platformApi', 'Platform API', {
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
		await running?.n8n.stop();
		await running?.sandbox.close();
	});
	return () => running;
}
