// The same life in queue mode: what is done on the main process reaches the webhook process and the
// worker by themselves.
import { startQueueMode, type QueueMode } from '../n8n/queue.cts';
import { PATIENT } from '../n8n/setting.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { charges, Flow, PACKAGE, ping, pingAgain } from '../registry/flow.cts';
import { startRegistry, type Registry } from '../registry/registry.cts';
import { versionsOf } from '../registry/versions.cts';

const { present, next } = versionsOf(String(process.env.PACKED_PACKAGE));

let registry: Registry;
let n8n: QueueMode;
let sandbox: Sandbox;
let flow: Flow;
let ids: Record<'charges' | 'ping' | 'pingAgain', string>;

beforeAll(async () => {
	registry = await startRegistry();
	await registry.publish(present.tarball);
	n8n = await startQueueMode({
		tls: true,
		workers: 1,
		packageUnderTest: 'none',
		env: { ...registry.env, N8N_REINSTALL_MISSING_PACKAGES: 'true' },
	});
	sandbox = await startSandbox({ customers: 100, deliveries: { ca: n8n.ca, ...PATIENT } });
});

afterAll(async () => {
	await n8n?.stop();
	await sandbox?.close();
	await registry?.stop();
});

afterEach(() => expect(sandbox.problems.splice(0)).toEqual([]));

/** Waits until the webhook process and the worker have done as the main process has. */
async function followed(done: 'installed' | 'uninstalled', times: number): Promise<void> {
	const line = `Community package ${done}: ${PACKAGE}`;
	const deadline = Date.now() + 60_000;
	for (const program of [n8n.webhook, ...n8n.workers]) {
		while (program.output().split(line).length - 1 < times) {
			if (Date.now() > deadline) {
				throw new Error(`A process does not follow:\n${program.output().slice(-2000)}`);
			}
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	}
}

const statusOf = async (id: string) => (await n8n.client.runWorkflow(id)).status;

test('installed on the main process, it runs on the worker', async () => {
	await n8n.client.installPackage(PACKAGE);
	await followed('installed', 1);
	const credential = await n8n.client.createCredential('platformApi', 'Platform API', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
	});
	flow = new Flow(n8n.client, sandbox, credential);
	ids = {
		charges: await flow.store(charges),
		ping: await flow.store(ping),
		pingAgain: await flow.store(pingAgain),
	};
	expect(await statusOf(ids.ping)).toBe('success');
	expect(await statusOf(ids.pingAgain)).toBe('error');
	await n8n.client.activate(ids.charges);
	await flow.during(async () => undefined);
	expect(flow.webhooks()).toHaveLength(2);
});

test('an update under load loses and doubles nothing', async () => {
	await registry.publish(next.tarball);
	const before = flow.webhooks();
	await flow.during(async () => {
		await n8n.client.updatePackage(PACKAGE);
		await followed('installed', 2);
	});
	expect(flow.webhooks()).toEqual(before);
	expect(await statusOf(ids.pingAgain)).toBe('success');
});

test('neither does a downgrade', async () => {
	const before = flow.webhooks();
	await flow.during(async () => {
		await n8n.client.updatePackage(PACKAGE, present.version);
		await followed('installed', 3);
	});
	expect(flow.webhooks()).toEqual(before);
	expect(await statusOf(ids.pingAgain)).toBe('error');
	expect(await statusOf(ids.ping)).toBe('success');
});

test('a new worker fetches the package by itself', async () => {
	await n8n.workers[0].stop();
	await n8n.startWorker();
	await flow.during(async () => undefined);
});

test('unpublished and uninstalled, it is gone everywhere', async () => {
	await n8n.client.deactivate(ids.charges);
	expect(flow.webhooks()).toEqual([]);
	await n8n.client.uninstallPackage(PACKAGE);
	await expect(statusOf(ids.ping)).rejects.toThrow('Unrecognized node type');
});
