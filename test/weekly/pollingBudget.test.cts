// Platform Polling Trigger under n8n's durable scheduler, which gives a poll some seconds: a list that
// needs more is read in several polls, over a restart, and a failed poll tells n8n when to come back.
//
// Numbers for the docs: POLL_ROWS=20000 POLL_RATE=2.
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresSettings, startPostgres, type Database } from '../n8n/databases.cts';
import { until } from '../n8n/until.cts';
import { given, triggered } from '../n8n/parts.cts';
import { EVERY_TWO_SECONDS, LEAN, ownSetting } from '../n8n/setting.cts';

/** How many rows, and requests a second: a sweep takes longer than n8n's 45 seconds for a poll. */
const { POLL_ROWS = '5000', POLL_RATE = '1' } = process.env;

const SCHEDULER = {
	...LEAN,
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
};

/** For what may take a few sweeps of the list. */
const PATIENCE = 900_000;

const workflow = triggered('Customers', 'PollingTrigger', {
	pollTimes: EVERY_TWO_SECONDS,
	event: 'newCustomer',
});

const last = Math.ceil(Number(POLL_ROWS) / 100);

/** How often a page comes again: each poll but the first of a sweep begins with the last page before it. */
const pollsOf = (pages: number[]) =>
	1 +
	pages.filter((page, n) => pages.indexOf(page) < n && pages.indexOf(pages[n - 1]) === n - 1)
		.length;

describe.each(['SQLite', 'PostgreSQL'])('on %s', (name) => {
	let postgres: Database | undefined;
	const env: Record<string, string> = { ...SCHEDULER };
	beforeAll(async () => {
		if (name === 'SQLite') return;
		postgres = await startPostgres();
		Object.assign(env, postgresSettings(postgres));
	});
	const running = ownSetting({ env }, { sandbox: { customers: Number(POLL_ROWS), check: false } });
	afterAll(async () => await postgres?.stop());

	const book = () => running().sandbox.state.customers.customers;

	function add(place: 'front' | 'end', id: string): string {
		const row = { ...book().rows[0], id, email: `${id}@example.com`, externalId: id };
		book().add(row, place === 'front' ? 'front' : undefined);
		return id;
	}

	/** Pages that were given, in order, and where in them sweeps begin. */
	function givenPages() {
		const all = running().sandbox.requests.flatMap(({ path, status }) => {
			const page = /customers\.json\?.*page=(\d+)/.exec(path)?.[1];
			return page === undefined || status !== 200 ? [] : [Number(page)];
		});
		const starts = all.flatMap((page, n) => (page === 1 && all[n - 1] !== 1 ? [n] : []));
		return { all, starts };
	}

	/** Those since the last sweep began. */
	function pages(): number[] {
		const { all, starts } = givenPages();
		return all.slice(starts.at(-1) ?? 0);
	}

	/** Waits until the list was read from its start to its end once more: the next sweep begins. */
	async function untilSwept(): Promise<number[]> {
		running().sandbox.clearRequests();
		await until('the end of a sweep', () => givenPages().starts.length > 1, PATIENCE);
		const { all, starts } = givenPages();
		const sweep = all.slice(starts[0], starts[1]);
		expect(Math.max(...sweep)).toBeGreaterThanOrEqual(last);
		return sweep;
	}

	test('a list that needs several polls is swept over a restart, each new row reported once', async () => {
		const { n8n, sandbox, credential } = running();
		const { client } = n8n;
		const { id } = await client.importWorkflow(workflow, [credential]);
		const executions = async () => await client.waitForExecutions(id, 0);
		const reported = async () => (await executions()).flatMap(given).map((item) => item.id);
		sandbox.rateLimit(Number(POLL_RATE));
		await client.activate(id, PATIENCE);
		await untilSwept();

		const added = [add('front', 'new-1'), add('end', 'new-2')];
		const isMidway = () => pages()[0] === 1 && pollsOf(pages()) > 1 && !pages().includes(last);
		await until('the middle of a sweep', isMidway, PATIENCE);
		await n8n.kill9();
		sandbox.clearRequests();
		added.push(add('front', 'new-3'));
		for (const row of book().rows.slice(10, 40)) book().remove(row.id);
		await n8n.restart();
		await until('a poll after the restart', () => pages().length > 0);
		// It goes on where it was saved, and not at the start.
		expect(pages()[0]).toBeGreaterThan(1);

		const all = async () => (await reported()).length >= added.length;
		await until('the new rows', all, PATIENCE);
		const begin = Date.now();
		const sweep = await untilSwept();
		expect((await reported()).sort()).toEqual(added);
		expect((await executions()).filter(({ status }) => status !== 'success')).toEqual([]);
		expect(n8n.logs()).not.toContain('Poll exceeded its timeout');
		process.stdout.write(
			`${name}: ${POLL_ROWS} rows at ${POLL_RATE} a second: a sweep of ${sweep.length} requests in ` +
				`${pollsOf(sweep)} polls, seen in ${Math.round((Date.now() - begin) / 1000)} s\n`,
		);
		await client.deactivate(id);
	});

	test('a 429 of ten minutes is not asked again before, and the list of executions says why', async () => {
		const { n8n, sandbox, credential } = running();
		sandbox.rateLimit(null);
		const refused = { ...workflow, name: 'Refused' };
		const { id } = await n8n.client.importWorkflow(refused, [credential]);
		await n8n.client.activate(id, PATIENCE);
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
});
