// Platform Polling Trigger under n8n's durable scheduler, which gives a poll some seconds: a list that
// needs more is read in several polls, over a restart, and a failed poll tells n8n when to come back.
import { setTimeout as sleep } from 'node:timers/promises';
import { itemsOf, type Execution, type WorkflowJson } from '../n8n/client.cts';
import { until } from '../n8n/until.cts';
import { EVERY_TWO_SECONDS, ownSetting, WITHOUT_EDITOR } from './setting.cts';

/** How many rows, requests a second, and seconds that n8n gives a poll; a margin of 5 s is its own. */
const { POLL_ROWS = '2500', POLL_RATE = '4', POLL_TIMEOUT = '10' } = process.env;

const running = ownSetting(
	{
		env: {
			...WITHOUT_EDITOR,
			N8N_SCHEDULER_ENABLED: 'true',
			N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
			N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
			N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
			N8N_SCHEDULER_POLL_TIMEOUT: POLL_TIMEOUT,
			N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
			N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
		},
	},
	{ sandbox: { customers: Number(POLL_ROWS), check: false } },
);

const workflow = {
	name: 'Customers',
	nodes: [
		{
			id: 'trigger',
			name: 'New customer',
			type: 'n8n-nodes-platform-api.platformPollingTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: { pollTimes: EVERY_TWO_SECONDS, event: 'newCustomer' },
			credentials: { platformApi: { id: '', name: 'Platform API' } },
		},
		{
			id: 'done',
			name: 'Done',
			type: 'n8n-nodes-base.noOp',
			typeVersion: 1,
			position: [220, 0],
			parameters: {},
		},
	],
	connections: { 'New customer': { main: [[{ node: 'Done', type: 'main', index: 0 }]] } },
} as WorkflowJson;

const book = () => running().sandbox.state.customers.customers;

function add(place: 'front' | 'end', id: string): string {
	const row = { ...book().rows[0], id, email: `${id}@example.com`, externalId: id };
	book().add(row, place === 'front' ? 'front' : undefined);
	return id;
}

const reported = (executions: Execution[]) =>
	executions.flatMap((each) => itemsOf(each, 'Done').map(({ json }) => json.id));

/** Pages that were given, in order. */
const pages = () =>
	running().sandbox.requests.flatMap(({ path, status }) => {
		const page = /customers\.json\?.*page=(\d+)/.exec(path)?.[1];
		return page === undefined || status !== 200 ? [] : [Number(page)];
	});

const last = Math.ceil(Number(POLL_ROWS) / 100);

/** Waits until the list was read from its start to its end once more. */
async function untilSwept(): Promise<number> {
	running().sandbox.clearRequests();
	await until(
		'a sweep',
		() => {
			const read = pages().slice(Math.max(0, pages().indexOf(1)));
			const end = read.findIndex((page) => page >= last);
			// The last pages arrive in any order: the sweep has ended when the next one begins.
			return read[0] === 1 && end > 0 && read.includes(1, end);
		},
		900_000,
	);
	return pages().length;
}

test('a list that needs several polls is swept over a restart, each new row reported once', async () => {
	const { n8n, sandbox, credential } = running();
	const { client } = n8n;
	const { id } = await client.importWorkflow(workflow, [credential]);
	sandbox.rateLimit(Number(POLL_RATE));
	await client.activate(id, 600_000);
	await untilSwept();

	const added = [add('front', 'new-1'), add('end', 'new-2')];
	// In the middle of a sweep: the second poll of it has read the last page of the first one again.
	sandbox.clearRequests();
	await until(
		'the middle of a sweep',
		() => {
			const sweep = pages().slice(pages().lastIndexOf(1));
			return sweep[0] === 1 && new Set(sweep).size < sweep.length && !sweep.includes(last);
		},
		600_000,
	);
	await n8n.kill9();
	sandbox.clearRequests();
	added.push(add('front', 'new-3'));
	for (const row of book().rows.slice(10, 40)) book().remove(row.id);
	await n8n.restart();
	await until('a poll after the restart', () => pages().length > 0, 120_000);
	// It goes on where it was saved, and not at the start.
	expect(pages()[0]).toBeGreaterThan(1);

	await until(
		'the new rows',
		async () => reported(await client.waitForExecutions(id, 1)).length >= added.length,
		900_000,
	);
	const requests = await untilSwept();
	const executions = await client.waitForExecutions(id, 1);
	expect(executions.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
	expect(reported(executions).sort()).toEqual(added);
	expect(n8n.logs()).not.toContain('Poll exceeded its timeout');
	process.stdout.write(
		`${POLL_ROWS} rows at ${POLL_RATE} a second: ${requests} requests a sweep\n`,
	);
	await client.deactivate(id);
});

test('a 429 of ten minutes is not asked again before, and the list of executions says why', async () => {
	const { n8n, sandbox, credential } = running();
	sandbox.rateLimit(null);
	const { id } = await n8n.client.importWorkflow({ ...workflow, name: 'Refused' }, [credential]);
	await n8n.client.activate(id, 600_000);
	sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 600 });
	const [{ status, data }] = await n8n.client.waitForExecutions(id, 1);
	expect(status).toBe('error');
	expect(data.resultData.error?.message).toContain('HTTP 429');
	// Polls that n8n had begun by then end.
	await sleep(5_000);
	sandbox.clearRequests();
	const { length } = await n8n.client.waitForExecutions(id, 1);
	await sleep(15_000);
	expect(sandbox.requests).toEqual([]);
	expect(await n8n.client.waitForExecutions(id, 1)).toHaveLength(length);
	await n8n.client.deactivate(id);
});
