// Platform Trigger in a real n8n behind TLS, with the sandbox delivering: what is registered, what
// starts an execution, and what is left behind, whatever goes wrong between.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Execution } from '../n8n/client.cts';
import type { N8nInstance } from '../n8n/instance.cts';
import { until } from '../n8n/until.cts';
import type { Sandbox } from '../sandbox/index.cts';
import { PUBLIC_HOST } from '../sandbox/tls.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { done, given, platform, rowOf, triggered, workflowOf } from '../n8n/parts.cts';
import { EVERY_TWO_SECONDS, LEAN, ownSetting } from '../n8n/setting.cts';

const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';

/** n8n's publication service leaves a publication to a process that may have died for 30 s, in place of two minutes. */
const SHORT_LEASE = {
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '30',
	N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
};

/** @param activation n8n's way to publish: the old one runs the hooks again at every start */
export function registersReliably(activation: 'old' | 'service'): void {
	const running = ownSetting(
		{ env: { ...LEAN, N8N_USE_WORKFLOW_PUBLICATION_SERVICE: String(activation === 'service') } },
		{ sandbox: { customers: 50, deliveries: { backoffMs: 50 } } },
	);
	let n8n: N8nInstance;
	let sandbox: Sandbox;
	let workflowId: string;
	const publicUrl = () => `https://${PUBLIC_HOST}:${new URL(n8n.url).port}/`;

	const webhooks = () => sandbox.state.webhooks.webhooks.rows;
	/** Those that are not the ten foreign ones. */
	const own = () => webhooks().filter(({ id }) => !id.startsWith('foreign-'));
	const registeredEvents = () =>
		own()
			.flatMap(({ events }) => events)
			.sort();
	const foreign = () => webhooks().filter(({ id }) => id.startsWith('foreign-')).length;

	beforeAll(async () => {
		({ n8n, sandbox } = running());
		for (const row of [...webhooks()]) sandbox.state.webhooks.webhooks.remove(row.id);
		const workflow = triggered('Charges', 'CustomersTrigger', {});
		const stored = await n8n.client.importWorkflow(workflow, [running().credential]);
		workflowId = stored.id;
		const path = `webhook/${workflow.nodes[0].webhookId}`;
		const addresses = [
			// The same prefix as this node's own address, and one with a similar path.
			`${publicUrl()}${path}/webhook/other`,
			`${publicUrl()}${path}`,
			`${publicUrl()}webhook/another/webhook?event=${PAID}`,
			`https://other.example.test/${path}/webhook?event=${PAID}`,
			...Array.from({ length: 6 }, (_each, n) => `https://foreign${n}.example.test/hook`),
		];
		addresses.forEach((url, n) =>
			sandbox.state.webhooks.webhooks.add({
				id: `foreign-${n}`,
				name: n % 2 === 0 ? 'n8n: Charges' : 'n8n: Charges 2',
				description: '',
				url,
				events: [PAID],
				token: `token-${n}`,
			} as (typeof sandbox.state.webhooks.webhooks.rows)[number]),
		);
		// Deliveries to the foreign addresses would only fail.
		for (const row of webhooks()) sandbox.state.webhooks.webhooks.update(row.id, { events: [] });
	});

	beforeEach(() => sandbox.clearRequests());

	afterEach(() => expect(foreign()).toBe(10));

	const publish = async () => await n8n.client.activate(workflowId);
	const unpublish = async () => await n8n.client.deactivate(workflowId);

	async function setEvents(events: string[], parameters = {}): Promise<void> {
		const { nodes } = await n8n.client.workflow(workflowId);
		const changed = nodes.map((node) =>
			node.name === 'Trigger'
				? { ...node, parameters: { ...node.parameters, events, ...parameters } }
				: node,
		);
		await n8n.client.updateWorkflow(workflowId, { nodes: changed });
	}

	async function charge(outcome: 'paid' | 'failed'): Promise<void> {
		const before = sandbox.deliveries.length;
		await chargeCustomer(sandbox, sandbox.state.customers.customers.rows[0].id, outcome);
		await sandbox.deliveriesSettled();
		const sent = sandbox.deliveries.slice(before);
		expect(sent.filter(({ state }) => state === 'failed')).toEqual([]);
	}

	/**
	 * The old activation runs the hooks at every start, after n8n has said that it is ready; its log
	 * tells when they have ended. The publication service runs none.
	 */
	async function hooksHaveRun(): Promise<void> {
		if (activation === 'service' || !(await n8n.client.workflow(workflowId)).active) return;
		const ended = /(Activated workflow|initial workflow activation try of) .*"Charges"/;
		await until('the end of the activation at the start', () => ended.test(n8n.logs()));
	}

	const executionsSoFar = async () => (await n8n.client.executions({ workflowId })).length;

	/** What `work` starts: exactly `count` executions, read when they have ended, newest first. */
	async function startedBy(work: () => Promise<unknown>, count: number): Promise<Execution[]> {
		const before = await executionsSoFar();
		await work();
		const wanted = before + count;
		const started = await n8n.client.waitForExecutions(workflowId, wanted, { newest: count });
		expect(await executionsSoFar()).toBe(wanted);
		return started;
	}

	test('publishing registers exactly two webhooks, one for each event', async () => {
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
		expect(own().every(({ name, events }) => name === `n8n: Charges (${events[0]})`)).toBe(true);
		const secrets = own().map(({ url }) => String(new URL(url).searchParams.get('secret')));
		expect(new Set(secrets).size).toBe(2);
		// n8n shows this to everybody who may see the workflow.
		const shown = JSON.stringify(await n8n.client.workflow(workflowId));
		expect(shown).toContain(own()[0].id);
		for (const hidden of [...secrets, ...own().map(({ token }) => token)]) {
			expect(shown).not.toContain(hidden);
		}
	});

	const CLOSED = 0;

	/** A request to the webhook, as anybody may send it. Returns its status, or CLOSED without a response. */
	async function send(path: string, body: string | Buffer = '{}', headers = {}): Promise<number> {
		const sent = request(`${n8n.url}${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body,
			dispatcher: n8n.client.dispatcher,
		});
		return await sent.then(
			async ({ statusCode, body: answer }) => {
				await answer.dump();
				return statusCode;
			},
			({ code }: { code?: string }) => {
				if (code === 'EPIPE' || code === 'ECONNRESET') return CLOSED;
				throw new Error(`No response: ${code}`);
			},
		);
	}

	test('deliveries count from the registration on, though another trigger takes long to publish', async () => {
		const polling = { event: 'paymentStatusChanged', pollTimes: { item: [{ mode: 'everyHour' }] } };
		const workflow = workflowOf('Publishing', [
			{ ...platform('Trigger', 'CustomersTrigger', { events: [PAID] }), to: ['Done'] },
			{ ...platform('Polling', 'PollingTrigger', polling), to: ['Done'] },
			done,
		]);
		const { id } = await n8n.client.importWorkflow(workflow, [running().credential]);
		const path = '/recurring-payments/subscriptions.json';
		sandbox.faults.add({ kind: 'delay', ms: 3_000, path });
		const mine = () => webhooks().filter(({ name }) => name.startsWith('n8n: Publishing ('));
		const publishing = { isOver: false };
		const published = n8n.client.activate(id).finally(() => {
			publishing.isOver = true;
		});
		await until('the registration', () => mine().length === 1);
		const { pathname, search } = new URL(mine()[0].url);
		const since = Date.now();
		const refused: number[] = [];
		let sent = 0;
		for (let after = 0; after < 3; after += Number(publishing.isOver)) {
			sent++;
			if ((await send(pathname + search)) !== 200) refused.push(Date.now() - since);
			await sleep(150);
		}
		await published;
		process.stdout.write(
			`Publishing (${activation}): ${sent} deliveries, ${refused.length} refused, the last one ` +
				`${refused.at(-1) ?? 0} ms after the registration\n`,
		);
		expect(refused).toEqual([]);
		const executions = await n8n.client.waitForExecutions(id, sent, { newest: 0 });
		expect(executions).toHaveLength(0);
		expect(await n8n.client.executions({ workflowId: id })).toHaveLength(sent);
		await n8n.client.deactivate(id);
	});

	test('what comes without the secret, or cannot be read, starts nothing, no error workflow either', async () => {
		const errors = rowOf('Errors', { name: 'Error', type: 'n8n-nodes-base.errorTrigger' }, done);
		const { id: errorWorkflow } = await n8n.client.importWorkflow(errors);
		// n8n runs a published one only.
		await n8n.client.activate(errorWorkflow);
		await n8n.client.updateWorkflow(workflowId, {
			settings: { executionOrder: 'v1', errorWorkflow },
		});
		await publish();
		const { pathname, search } = new URL(own()[0].url);
		const tooLarge = Buffer.alloc(17 * 1024 * 1024, 'x');
		const gzip = { 'content-encoding': 'gzip' };
		const before = await executionsSoFar();
		const statuses = [
			await send(`${pathname}?event[toString]=x`),
			await send(`${pathname}?event=${PAID}&secret[toString]=x`),
			await send(`${pathname}${search.replace('secret=', 'secret[]=')}`),
			await send(pathname, tooLarge),
			await send(pathname, 'no gzip', gzip),
			await send(pathname + search, tooLarge),
			await send(pathname + search, 'no gzip', gzip),
		];
		// n8n may close the connection before all of a large body was sent.
		const wanted = [401, 401, 401, 401, 401, 413, 400];
		const large = [3, 5];
		const seen = statuses.map((status, n) =>
			status === CLOSED && large.includes(n) ? wanted[n] : status,
		);
		expect(seen).toEqual(wanted);
		await startedBy(async () => await charge('paid'), 1);
		expect(await executionsSoFar()).toBe(before + 1);
		expect(await n8n.client.executions({ workflowId: errorWorkflow })).toEqual([]);
		await n8n.client.deactivate(errorWorkflow);
	});

	test('a charge that is paid and one that fails start one execution each', async () => {
		const executions = await startedBy(async () => {
			await charge('paid');
			await charge('failed');
		}, 2);
		const items = executions.flatMap(given);
		expect(items.map(({ event }) => event).sort()).toEqual([FAILED, PAID]);
		for (const item of items) {
			expect(Object.keys(item).sort()).toEqual(['body', 'deliveredAt', 'deliveryId', 'event']);
			expect(JSON.stringify(item)).not.toContain(sandbox.key);
		}
		expect(new Set(items.map(({ deliveryId }) => deliveryId)).size).toBe(2);
	});

	test('unpublishing leaves none', async () => {
		await unpublish();
		expect(own()).toEqual([]);
	});

	test('a registration that fails on the second event leaves nothing, and publishing again works', async () => {
		sandbox.faults.add({
			kind: 'status',
			status: 500,
			method: 'POST',
			path: '/webhooks.json',
			nth: { from: 2 },
			applied: true,
		});
		// n8n keeps trying with a growing pause; what matters is the state after each round.
		await n8n.client
			.rest('POST', `/workflows/${workflowId}/activate`, {
				versionId: (await n8n.client.workflow(workflowId)).versionId,
			})
			.catch(() => undefined);
		await n8n.client.waitForPublication(workflowId, 120_000).catch(() => undefined);
		expect(own()).toEqual([]);
		sandbox.faults.clear();
		await unpublish().catch(() => undefined);
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
	});

	test('a changed trigger gets its deliveries, also when a polling trigger beside it has saved its older data', async () => {
		const polling = { event: 'newCustomer', pollTimes: EVERY_TWO_SECONDS };
		const workflow = workflowOf('Beside', [
			{ ...platform('Trigger', 'CustomersTrigger', { events: [PAID] }), to: ['Done'] },
			{ ...platform('Polling', 'PollingTrigger', polling), to: ['Done'] },
			done,
		]);
		const { id } = await n8n.client.importWorkflow(workflow, [running().credential]);
		await n8n.client.activate(id);
		const { nodes } = await n8n.client.workflow(id);
		const settings = { name: 'Renamed' };
		const changed = nodes.map((node) =>
			node.name === 'Trigger' ? { ...node, parameters: { ...node.parameters, settings } } : node,
		);
		await n8n.client.updateWorkflow(id, { nodes: changed });
		await n8n.client.activate(id);
		const [{ id: registered, url }] = webhooks().filter(({ name }) => name === 'Renamed');
		const { pathname, search } = new URL(url);
		expect(await send(pathname + search)).toBe(200);
		const isSaved = async () =>
			JSON.stringify(await n8n.client.workflow(id)).includes(`"id":"${registered}"`);
		expect(await isSaved()).toBe(true);
		const { customers } = sandbox.state.customers;
		customers.add({ ...customers.rows[0], id: 'new', email: 'new@example.com', externalId: 'new' });
		await n8n.client.waitForExecutions(id, 2);
		// If n8n doesn't replace the data any more, this line tells it, and docs/contributing/upstream.md can too.
		process.stdout.write(
			`Older data (${activation}): ${(await isSaved()) ? 'kept' : 'replaced'}\n`,
		);
		expect(await send(pathname + search)).toBe(200);
		await n8n.restart();
		await hooksHaveRun();
		expect(await send(pathname + search)).toBe(200);
		await n8n.client.waitForExecutions(id, 4);
		await n8n.client.deactivate(id);
		expect(webhooks().filter(({ name }) => name === 'Renamed')).toEqual([]);
		// After the restart, deliveries of the workflow beside it still arrive.
		expect(registeredEvents()).toEqual([FAILED, PAID]);
		await startedBy(async () => await charge('paid'), 1);
	});

	describe('listening for a test event', () => {
		const ids = () =>
			own()
				.map(({ id }) => id)
				.sort();

		test('uses webhooks of its own at the public address, though the editor has a local one', async () => {
			const production = ids();
			await n8n.client.listen(workflowId);
			const listening = own().filter(({ id }) => !production.includes(id));
			expect(listening.map(({ url }) => new URL(url).pathname.split('/')[1])).toEqual([
				'webhook-test',
				'webhook-test',
			]);
			expect(listening.every(({ url }) => url.startsWith(publicUrl()))).toBe(true);
			// One of the listening and one of the published workflow.
			const executions = await startedBy(async () => await charge('paid'), 2);
			const test = executions.find(({ mode }) => mode === 'manual');
			expect(given(test!).map(({ event }) => event)).toEqual([PAID]);
			const areRemoved = () => own().length === production.length;
			await until('the removal of the test webhooks', areRemoved);
			expect(ids()).toEqual(production);

			// Without an event, too.
			await n8n.client.listen(workflowId);
			expect(own()).toHaveLength(4);
			await n8n.client.stopListening(workflowId);
			await until('the removal of the test webhooks', areRemoved);
			expect(ids()).toEqual(production);
		});
	});

	test('DELETE that answers 500 keeps the id, and the next activation cleans up', async () => {
		const fault = sandbox.faults.add({ kind: 'status', status: 500, method: 'DELETE' });
		await unpublish().catch(() => undefined);
		expect(fault.hits).toBeGreaterThan(0);
		expect(own()).toHaveLength(2);
		sandbox.faults.clear();
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
		await unpublish();
		expect(own()).toEqual([]);
		await publish();
	});

	// How n8n publishes makes no difference to what follows.
	if (activation === 'service') {
		describe('deliveries', () => {
			const post = async (body: string, contentType: string | undefined) => {
				const registered = own().find(({ events }) => events.includes(PAID));
				const url = new URL(String(registered?.url));
				const { statusCode, body: answer } = await request(
					`${n8n.url}${url.pathname}${url.search}`,
					{
						method: 'POST',
						headers: contentType ? { 'content-type': contentType } : {},
						body,
						dispatcher: n8n.client.dispatcher,
					},
				);
				// What n8n responds by itself would say nothing to the API.
				expect(await answer.text()).toBe('');
				return statusCode;
			};

			test.each([
				['broken JSON', '{"a":', 'application/json', '{"a":'],
				['a form', 'a=1&b=x%20y', 'application/x-www-form-urlencoded', { a: '1', b: 'x y' }],
				['an empty body', '', undefined, {}],
				[
					'a megabyte',
					JSON.stringify({ t: 'x'.repeat(1_000_000) }),
					'application/json',
					{ t: 'x'.repeat(1_000_000) },
				],
			])('%s arrives', async (_name, body, contentType, expected) => {
				const [execution] = await startedBy(
					async () => expect(await post(body, contentType)).toBe(200),
					1,
				);
				const [item] = given(execution);
				expect(item.body).toEqual(expected);
				expect(item.event).toBe(PAID);
			});
		});

		test('the token is checked over the raw body when asked for', async () => {
			await setEvents([PAID], {
				settings: { tokenCheck: 'hmac', headerName: 'x-sandbox-signature' },
			});
			await publish();
			await startedBy(async () => await charge('paid'), 1);
			const { pathname, search } = new URL(own()[0].url);
			const forged = { 'x-sandbox-signature': 'sha256=00' };
			expect(await send(pathname + search, '{}', forged)).toBe(401);
			await setEvents([PAID, FAILED], { settings: {} });
			await publish();
		});
	}

	test('kill -9 between the two registrations: the next publishing ends with exactly two', async () => {
		await unpublish();
		sandbox.faults.add({
			kind: 'stall',
			method: 'POST',
			path: '/webhooks.json',
			nth: 2,
			applied: true,
		});
		const { versionId } = await n8n.client.workflow(workflowId);
		void n8n.client
			.rest('POST', `/workflows/${workflowId}/activate`, { versionId })
			.catch(() => undefined);
		await until('the second registration', () => own().length === 2);
		await n8n.kill9();
		sandbox.faults.clear();
		await n8n.restart({ env: SHORT_LEASE });
		await hooksHaveRun();
		await n8n.client.waitForPublication(workflowId, 120_000);
		await unpublish();
		expect(own()).toEqual([]);
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
	});

	test('an address that is not public: a clear error and no request to the API', async () => {
		await unpublish();
		await n8n.restart({ webhookUrl: 'http://n8n.example.com/' });
		sandbox.clearRequests();
		await expect(publish()).rejects.toThrow(/WEBHOOK_URL/);
		expect(n8n.logs()).toContain('only sends events to public HTTPS URLs');
		expect(sandbox.requests).toEqual([]);
		await unpublish().catch(() => undefined);
	});
}
