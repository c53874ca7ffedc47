// Charges with an Idempotency Key in queue mode: workers that are killed, and two at the same moment.
import type { IDataObject } from 'n8n-workflow';
import { fetch } from 'undici';
import { itemsOf, outcome, type StoredCredential } from '../n8n/client.cts';
import { startQueueMode, type QueueMode } from '../n8n/queue.cts';
import { until } from '../n8n/until.cts';
import { chargeAll, chargesByCustomer, untilUnderWay } from '../n8n/chargeAll.cts';
import {
	byId,
	platform,
	rowOf,
	start,
	workflowOf,
	type Parameters,
	type Part,
} from '../n8n/parts.cts';
import { packed } from '../n8n/setting.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';

const CUSTOMERS = 300;

let n8n: QueueMode;
let sandbox: Sandbox;
let credential: StoredCredential;

beforeAll(async () => {
	sandbox = await startSandbox({ customers: CUSTOMERS });
	n8n = await startQueueMode({ packageUnderTest: packed() });
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

/** The workflow, with keys of its own. */
const imported = async () => (await n8n.client.importWorkflow(chargeAll, [credential])).id;

const moreThanOnce = () =>
	[...chargesByCustomer(sandbox).values()].filter((count) => count > 1).length;

const SUCCESS = { status: 'success', message: undefined };

/** Runs it, and returns the items of its charges. */
async function chargedBy(id: string): Promise<IDataObject[]> {
	const execution = await n8n.client.runWorkflow(id);
	expect(outcome(execution)).toEqual(SUCCESS);
	return itemsOf(execution, 'Charge').map(({ json }) => json);
}

// How many are charged twice is measured, not promised.
test('two workers at the same moment forget no customer, and neither fails', async () => {
	const id = await imported();
	const started = [await n8n.client.startWorkflow(id), await n8n.client.startWorkflow(id)];
	const both = await Promise.all(
		started.map(async (execution) => await n8n.client.waitForExecution(execution)),
	);
	expect(both.map(outcome)).toEqual([SUCCESS, SUCCESS]);
	expect(chargesByCustomer(sandbox).size).toBe(CUSTOMERS);

	const items = await chargedBy(id);
	expect(items.filter((item) => item.skipped === true)).toHaveLength(CUSTOMERS);
	const twice = moreThanOnce();
	const inDoubt = items.filter((item) => item.inDoubt === true).length;
	console.log(`At the same moment: ${twice} of ${CUSTOMERS} charged twice; ${inDoubt} in doubt`);
});

test('the workers are killed in the middle; run by another one, each customer is charged once', async () => {
	const id = await imported();
	await n8n.client.startWorkflow(id);
	await untilUnderWay(sandbox);
	await Promise.all(n8n.workers.map(async (worker) => await worker.kill()));
	const before = chargesByCustomer(sandbox).size;
	expect(before).toBeLessThan(CUSTOMERS);
	await n8n.startWorker();
	const items = await chargedBy(id);
	expect(items).toHaveLength(CUSTOMERS);
	expect(moreThanOnce()).toBe(0);
	const inDoubt = items.filter((item) => item.inDoubt === true);
	// The one on its way, those recorded ahead, and those that were not settled yet.
	expect(inDoubt.length).toBeLessThanOrEqual(51);
	const named = new Set([
		...chargesByCustomer(sandbox).keys(),
		...inDoubt.map((item) => String(item.idempotencyKey)),
	]);
	expect(named.size).toBe(CUSTOMERS);
	console.log(`Killed after ${before} charges: ${inDoubt.length} in doubt`);
});

test('Safety Limits hold in a loop whose rounds run on different workers', async () => {
	const charge = platform('Charge', 'Customers', {
		resource: 'charge',
		operation: 'create',
		customerId: byId('cus-100001'),
		services: { service: [{ name: 'Setup', amount: 40 }] },
		safetyLimits: { maxTotal: 100 },
	});
	const resumed: Part = {
		name: 'Resume URL',
		type: 'n8n-nodes-base.set',
		version: 3.4,
		parameters: { mode: 'raw', jsonOutput: '={{ { url: $execution.resumeUrl } }}' },
		to: ['Wait'],
	};
	// After a webhook call another worker may go on.
	const wait: Part = {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		version: 1.1,
		parameters: { resume: 'webhook' },
		to: ['Charge'],
	};
	const { id } = await n8n.client.importWorkflow(
		workflowOf('Limits', [
			{ ...start, to: ['Charge'] },
			{ ...charge, to: ['Resume URL'] },
			resumed,
			wait,
		]),
		[credential],
	);
	const execution = await n8n.client.startWorkflow(id);
	for (let round = 1; round <= 2; round++) {
		const url = await until(`round ${round}`, async () => {
			const { status, data } = await n8n.client.execution(execution);
			const rounds = data.resultData?.runData?.['Resume URL'] ?? [];
			if (status !== 'waiting' || rounds.length !== round) return undefined;
			return String(rounds.at(-1)?.data?.main[0]?.[0].json.url);
		});
		// The worker that had the round before is gone.
		const before = n8n.workers.splice(0);
		await n8n.startWorker();
		await Promise.all(before.map(async (worker) => await worker.kill()));
		const { pathname, search } = new URL(url);
		const { dispatcher } = n8n.client;
		await (await fetch(`${n8n.webhookUrl}${pathname}${search}`, { dispatcher })).text();
	}
	const { status, data } = await n8n.client.waitForExecution(execution);
	expect(status).toBe('error');
	expect(data.resultData.error?.message).toContain('Max Total is 100.00');
	expect([...chargesByCustomer(sandbox).values()]).toEqual([2]);
});

describe('a manual execution runs on a worker, as n8n 3 always has it', () => {
	const customerId = byId('cus-100001');
	const charge = (options: Parameters) =>
		rowOf(
			'Manual',
			start,
			platform('Charge', 'Customers', {
				resource: 'charge',
				operation: 'create',
				customerId,
				services: { service: [{ name: 'Setup', amount: 40 }] },
				...options,
			}),
		);

	/** Runs it from the editor, and proves that a worker did. */
	async function run(options: Parameters, stored = credential) {
		const { id } = await n8n.client.importWorkflow(charge(options), [stored]);
		return async () => {
			const execution = await n8n.client.runWorkflow(id);
			expect(execution.mode).toBe('manual');
			const started = `Worker started execution ${execution.id} `;
			expect(n8n.workers.filter((worker) => worker.output().includes(started))).toHaveLength(1);
			return execution;
		};
	}

	test('Safety Limits refuse', async () => {
		const { data } = await (await run({ safetyLimits: { maxTotal: 30 } }))();
		expect(data.resultData.error?.message).toContain('Max Total is 30.00');
		expect(chargesByCustomer(sandbox).size).toBe(0);
	});

	test('an Idempotency Key is known to the next one', async () => {
		const again = await run({ idempotencyKey: 'manual-1' });
		expect((await again()).status).toBe('success');
		expect(itemsOf(await again(), 'Charge')[0].json).toMatchObject({ skipped: true });
		expect([...chargesByCustomer(sandbox).values()]).toEqual([1]);
	});

	test('Dry Run: Only in Manual Executions sends nothing', async () => {
		const dry = await n8n.client.createCredential('platformApi', 'Platform API (dry)', {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.key,
			dryRun: 'manual',
		});
		const execution = await (await run({}, dry))();
		expect(itemsOf(execution, 'Charge')[0].json).toMatchObject({ dryRun: { method: 'POST' } });
		expect(chargesByCustomer(sandbox).size).toBe(0);
	});
});
