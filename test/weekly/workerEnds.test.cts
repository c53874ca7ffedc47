// Charges without an Idempotency Key in queue mode, whose worker ends in the middle. n8n takes some minutes to find that out.
import { fetch } from 'undici';
import { outcome, type StoredCredential } from '../n8n/client.cts';
import { chargesByCustomer, untilUnderWay } from '../n8n/chargeAll.cts';
import { byId, platform, rowOf, webhook } from '../n8n/parts.cts';
import type { Program } from '../n8n/program.cts';
import { startQueueMode, type QueueMode } from '../n8n/queue.cts';
import { packed } from '../n8n/setting.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';

const CUSTOMERS = 300;

let n8n: QueueMode;
let sandbox: Sandbox;
let credential: StoredCredential;

beforeAll(async () => {
	sandbox = await startSandbox({ customers: CUSTOMERS });
	n8n = await startQueueMode({
		packageUnderTest: packed(),
		env: { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '3' },
	});
	credential = await n8n.client.createCredential('platformApi', 'Platform API', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
	});
});

afterAll(async () => {
	await n8n?.stop();
	await sandbox?.close();
});

beforeEach(() => sandbox.clearRequests());

const charge = platform('Charge', 'Customers', {
	resource: 'charge',
	operation: 'create',
	customerId: byId('={{ $json.id }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
});

const ways: Record<string, (worker: Program) => Promise<void>> = {
	'killed (kill -9)': async (worker) => await worker.kill(),
	// n8n waits for what is under way, and ends after three seconds all the same.
	'stopped (SIGTERM)': async (worker) => await worker.stop(60_000),
};

// So nothing is sent twice, and nobody is told what went through but by the API.
test.each(Object.entries(ways))(
	"its worker is %s in the middle: n8n's Retry runs no node",
	async (name, end) => {
		const { client } = n8n;
		const [path] = name.split(' ');
		const customers = { resource: 'customer', operation: 'getAll', returnAll: true };
		const workflow = rowOf(
			`Worker ${name}`,
			webhook(path),
			platform('Customers', 'Customers', customers),
			charge,
		);
		const { id } = await client.importWorkflow(workflow, [credential]);
		await client.activate(id);
		const { dispatcher } = client;
		await (await fetch(`${n8n.webhookUrl}/webhook/${path}`, { dispatcher })).text();
		await untilUnderWay(sandbox);
		await Promise.all(n8n.workers.splice(0).map(end));
		const before = chargesByCustomer(sandbox).size;
		expect(before).toBeLessThan(CUSTOMERS);
		await n8n.startWorker();
		const [{ id: cut }] = await client.executions({ workflowId: id });
		// n8n finds out when the worker no longer renews its lock.
		const ended = await client.waitForExecution(cut, 300_000);
		console.log(`Without keys, ${name}: ${JSON.stringify([outcome(ended), before])}`);
		expect(ended.status).toBe('error');
		for (const withSaved of [false, true]) {
			const again = await client.retryExecution(cut, withSaved);
			expect(outcome(again)).toEqual(outcome(ended));
			expect(again.data.resultData.runData).toEqual({});
		}
		const counts = [...chargesByCustomer(sandbox).values()];
		expect([counts.length, counts.filter((count) => count > 1)]).toEqual([before, []]);
	},
);
