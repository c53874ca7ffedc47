// Platform Trigger in a real n8n behind TLS, with the sandbox delivering: what is registered, what
// starts an execution, and what is left behind, whatever goes wrong between.
import { request } from 'undici';
import { itemsOf, type WorkflowJson } from '../n8n/client.cts';
import { startN8n, type N8nInstance } from '../n8n/instance.cts';
import { freePort } from '../n8n/ports.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { packed } from './setting.cts';
import { PUBLIC_HOST } from '../sandbox/tls.cts';

const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';

interface TriggerSettings {
	name?: string;
	events?: string[];
	parameters?: Record<string, unknown>;
}

function workflowWith({
	name = 'Charges',
	events,
	parameters = {},
}: TriggerSettings = {}): WorkflowJson {
	return {
		name,
		nodes: [
			{
				id: 'trigger',
				name: 'Platform Trigger',
				type: 'n8n-nodes-platform-api.platformTrigger',
				typeVersion: 1,
				position: [0, 0],
				webhookId: '6f6d1c50-5a55-4a0f-9d4c-3a36a3c1d001',
				parameters: { ...(events ? { events } : {}), ...parameters },
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
		connections: {
			'Platform Trigger': { main: [[{ node: 'Done', type: 'main', index: 0 }]] },
		},
	} as WorkflowJson;
}

describe.each([
	['the publication service', 'true'],
	['the old activation', 'false'],
])('with %s', (_title, publicationService) => {
	let n8n: N8nInstance;
	let sandbox: Sandbox;
	let port: number;
	let workflowId: string;
	const env = { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: publicationService };
	const publicUrl = () => `https://${PUBLIC_HOST}:${port}/`;

	const webhooks = () => sandbox.state.webhooks.webhooks.rows;
	/** Those that are not the ten foreign ones. */
	const own = () => webhooks().filter(({ id }) => !id.startsWith('foreign-'));
	const registeredEvents = () =>
		own()
			.flatMap(({ events }) => events)
			.sort();
	const foreign = () => webhooks().filter(({ id }) => id.startsWith('foreign-')).length;

	beforeAll(async () => {
		port = await freePort();
		n8n = await startN8n({
			packageUnderTest: packed(),
			tls: true,
			port,
			webhookUrl: publicUrl(),
			env,
		});
		sandbox = await startSandbox({ customers: 50, deliveries: { ca: n8n.ca, backoffMs: 50 } });
		for (const row of [...webhooks()]) sandbox.state.webhooks.webhooks.remove(row.id);
		const credential = await n8n.client.createCredential('platformApi', 'Platform API', {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.key,
		});
		const stored = await n8n.client.importWorkflow(workflowWith(), [credential]);
		workflowId = stored.id;
		const path = `webhook/6f6d1c50-5a55-4a0f-9d4c-3a36a3c1d001`;
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

	afterAll(async () => {
		await n8n?.stop();
		await sandbox?.close();
	});

	beforeEach(() => sandbox.clearRequests());

	afterEach(() => {
		sandbox.faults.clear();
		expect(foreign()).toBe(10);
		expect(sandbox.problems.splice(0)).toEqual([]);
	});

	const publish = async () => await n8n.client.activate(workflowId);
	const unpublish = async () => await n8n.client.deactivate(workflowId);

	async function setEvents(events: string[], parameters = {}): Promise<void> {
		const { nodes } = await n8n.client.workflow(workflowId);
		const changed = nodes.map((node) =>
			node.name === 'Platform Trigger'
				? { ...node, parameters: { ...node.parameters, events, ...parameters } }
				: node,
		);
		await n8n.client.updateWorkflow(workflowId, { nodes: changed });
	}

	async function charge(outcome: 'paid' | 'failed'): Promise<void> {
		const [customer] = sandbox.state.customers.customers.rows;
		const answer = await request(
			`${sandbox.baseUrl}/2026-02-01/customers/${customer.id}/charges.json`,
			{
				method: 'POST',
				headers: { authorization: `Bearer ${sandbox.key}`, 'content-type': 'application/json' },
				body: JSON.stringify({
					charge: { capture: false, services: [{ name: 'Seats', amount: 5, taxProfile: 'x' }] },
				}),
			},
		);
		const { id } = (await answer.body.json()) as { id: string };
		sandbox.settle(id, outcome);
		await sandbox.deliveriesSettled();
	}

	/**
	 * The old activation runs the hooks at every start, after n8n has said that it is ready, and does
	 * not wait for them when it unpublishes; the publication service runs none. Waits until nothing
	 * has been registered or removed for five seconds.
	 */
	async function settled(): Promise<void> {
		if (publicationService === 'true') return;
		const state = () =>
			own()
				.map(({ id }) => id)
				.join();
		let since = Date.now();
		for (let known = state(); Date.now() - since < 5000;) {
			await new Promise((resolve) => setTimeout(resolve, 100));
			if (state() === known) continue;
			known = state();
			since = Date.now();
		}
	}

	const executionsSoFar = async () => (await n8n.client.executions({ workflowId })).length;

	test('publishing registers exactly two webhooks, one for each event', async () => {
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
		expect(own().every(({ name }) => name === 'n8n: Charges')).toBe(true);
		expect(new Set(own().map(({ url }) => new URL(url).searchParams.get('secret'))).size).toBe(1);
	});

	test('a charge that is paid and one that fails start one execution each', async () => {
		const before = await executionsSoFar();
		await charge('paid');
		await charge('failed');
		const executions = await n8n.client.waitForExecutions(workflowId, before + 2);
		expect(executions).toHaveLength(before + 2);
		const items = executions.slice(0, 2).flatMap((each) => itemsOf(each, 'Done'));
		expect(items.map(({ json }) => json.event).sort()).toEqual([FAILED, PAID]);
		for (const { json } of items) {
			expect(Object.keys(json).sort()).toEqual(
				['body', 'deliveredAt', 'deliveryId', 'event', 'headers', 'rawBody'].sort(),
			);
			expect(JSON.parse(String(json.rawBody))).toEqual(json.body);
			expect(JSON.stringify(json)).not.toContain(sandbox.key);
		}
		expect(new Set(items.map(({ json }) => json.deliveryId)).size).toBe(2);
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

	test('one that fails once ends with exactly the wanted ones', async () => {
		await unpublish();
		sandbox.faults.add({
			kind: 'status',
			status: 500,
			method: 'POST',
			path: '/webhooks.json',
			nth: 2,
			times: 1,
		});
		// The publication service tries again by itself; the old activation gives up and leaves none.
		await publish().catch(async () => {
			expect(own()).toEqual([]);
			await publish();
		});
		expect(registeredEvents()).toEqual([FAILED, PAID]);
	});

	test('someone deleted one webhook at the service: publishing again completes them', async () => {
		sandbox.state.webhooks.webhooks.remove(own()[0].id);
		await unpublish();
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
	});

	test('changed events are followed on republishing', async () => {
		await setEvents([PAID]);
		await publish();
		expect(registeredEvents()).toEqual([PAID]);
		await setEvents([PAID, FAILED]);
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
		const before = await executionsSoFar();
		await charge('failed');
		expect(await n8n.client.waitForExecutions(workflowId, before + 1)).toHaveLength(before + 1);
	});

	test('a changed name is followed on republishing', async () => {
		await setEvents([PAID, FAILED], { settings: { name: 'Renamed' } });
		await publish();
		expect(own().map(({ name }) => name)).toEqual(['Renamed', 'Renamed']);
		await setEvents([PAID, FAILED], { settings: {} });
		await publish();
		expect(own().map(({ name }) => name)).toEqual(['n8n: Charges', 'n8n: Charges']);
	});

	test('after a restart deliveries still arrive', async () => {
		await n8n.restart({ env });
		await settled();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
		const before = await executionsSoFar();
		await charge('paid');
		expect(await n8n.client.waitForExecutions(workflowId, before + 1)).toHaveLength(before + 1);
	});

	test('test listening uses webhooks of its own and never touches the production ones', async () => {
		const production = own()
			.map(({ id }) => id)
			.sort();
		await n8n.client.listen(workflowId);
		expect(own()).toHaveLength(4);
		expect(own().map(({ id }) => id)).toEqual(expect.arrayContaining(production));
		await n8n.client.stopListening(workflowId);
		const deadline = Date.now() + 10_000;
		while (own().length > 2 && Date.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		expect(
			own()
				.map(({ id }) => id)
				.sort(),
		).toEqual(production);
	});

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
		const deadline = Date.now() + 20_000;
		while (own().length < 2 && Date.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		expect(own()).toHaveLength(2);
		await n8n.kill9();
		sandbox.faults.clear();
		await n8n.restart({ env });
		await settled();
		await n8n.client.waitForPublication(workflowId, 120_000);
		await unpublish();
		expect(own()).toEqual([]);
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
	});

	test('DELETE that answers 404 ends well', async () => {
		sandbox.faults.add({
			kind: 'status',
			status: 404,
			body: { error: 'Webhook not found.' },
			method: 'DELETE',
			applied: true,
		});
		const { status } = await unpublish();
		expect(status).toBe('not_published');
		expect(own()).toEqual([]);
		sandbox.faults.clear();
		await publish();
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

	test('a changed WEBHOOK_URL is followed when the workflow is published again', async () => {
		const other = `https://hooks.${PUBLIC_HOST}:${port}/`;
		await n8n.restart({ env, webhookUrl: other });
		await settled();
		await unpublish();
		expect(own()).toEqual([]);
		await publish();
		expect(registeredEvents()).toEqual([FAILED, PAID]);
		expect(own().every(({ url }) => url.startsWith(other))).toBe(true);
		await n8n.restart({ env, webhookUrl: publicUrl() });
		await settled();
		await unpublish();
		await publish();
		expect(own().every(({ url }) => url.startsWith(publicUrl()))).toBe(true);
	});

	describe('deliveries', () => {
		const post = async (
			body: string | Buffer,
			contentType: string | undefined,
			change: (url: URL) => void = () => undefined,
		) => {
			const registered = own().find(({ events }) => events.includes(PAID));
			const url = new URL(String(registered?.url));
			change(url);
			const { statusCode, body: answer } = await request(`${n8n.url}${url.pathname}${url.search}`, {
				method: 'POST',
				headers: contentType ? { 'content-type': contentType } : {},
				body,
				dispatcher: n8n.client.dispatcher,
			});
			await answer.dump();
			return statusCode;
		};

		test.each([
			['JSON', '{"a":{"b":1}}', 'application/json', { a: { b: 1 } }],
			['an array', '[{"a":1},{"a":2}]', 'application/json', [{ a: 1 }, { a: 2 }]],
			['broken JSON', '{"a":', 'application/json', '{"a":'],
			['a form', 'a=1&b=x%20y', 'application/x-www-form-urlencoded', { a: '1', b: 'x y' }],
			['text', 'paid', 'text/plain', 'paid'],
			['an empty response', '', undefined, {}],
			[
				'a megabyte',
				JSON.stringify({ t: 'x'.repeat(1_000_000) }),
				'application/json',
				{ t: 'x'.repeat(1_000_000) },
			],
		])('%s arrives', async (_name, body, contentType, expected) => {
			const before = await executionsSoFar();
			expect(await post(body, contentType)).toBe(200);
			const [execution] = await n8n.client.waitForExecutions(workflowId, before + 1);
			const [{ json }] = itemsOf(execution, 'Done');
			expect(json.body).toEqual(expected);
			expect(json.rawBody).toBe(body);
			expect(json.event).toBe(PAID);
		});

		test.each([
			['no secret', (url: URL) => url.searchParams.delete('secret')],
			['a wrong secret', (url: URL) => url.searchParams.set('secret', 'f'.repeat(48))],
			['no event', (url: URL) => url.searchParams.delete('event')],
			[
				'an event that is not registered',
				(url: URL) => url.searchParams.set('event', 'Other.event'),
			],
		])('%s: 401 and no execution', async (_name, change) => {
			const before = await executionsSoFar();
			expect(await post('{}', 'application/json', change)).toBe(401);
			await new Promise((resolve) => setTimeout(resolve, 300));
			expect(await executionsSoFar()).toBe(before);
		});
	});

	test('the token is checked over the raw body when asked for', async () => {
		await setEvents([PAID], { tokenCheck: 'hmac', headerName: 'x-sandbox-signature' });
		await publish();
		const before = await executionsSoFar();
		await charge('paid');
		expect(await n8n.client.waitForExecutions(workflowId, before + 1)).toHaveLength(before + 1);
		const { url } = own()[0];
		const { pathname, search } = new URL(url);
		const forged = await request(`${n8n.url}${pathname}${search}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-sandbox-signature': 'sha256=00' },
			body: '{}',
			dispatcher: n8n.client.dispatcher,
		});
		expect(forged.statusCode).toBe(401);
		await setEvents([PAID, FAILED], { tokenCheck: 'none' });
		await publish();
	});

	test('a burst of 1,000 deliveries, 5 % forged: 950 executions, 50 answers of 401', async () => {
		const { url } = own().find(({ events }) => events.includes(PAID)) as { url: string };
		const { pathname, search } = new URL(url);
		const countOf = executionsSoFar;
		const before = await countOf();
		const statuses: number[] = [];
		let next = 0;
		const sender = async () => {
			while (next < 1000) {
				const n = next++;
				const forged = n % 20 === 7;
				const { statusCode, body } = await request(
					`${n8n.url}${pathname}${forged ? search.replace(/secret=./, 'secret=x') : search}`,
					{
						method: 'POST',
						headers: { 'content-type': 'application/json' },
						body: JSON.stringify({ number: n }),
						dispatcher: n8n.client.dispatcher,
					},
				);
				await body.dump();
				statuses.push(statusCode);
			}
		};
		await Promise.all(Array.from({ length: 50 }, sender));
		expect(statuses.filter((status) => status === 401)).toHaveLength(50);
		expect(statuses.filter((status) => status === 200)).toHaveLength(950);
		const deadline = Date.now() + 120_000;
		while ((await countOf()) < before + 950 && Date.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, 500));
		}
		await new Promise((resolve) => setTimeout(resolve, 1000));
		expect((await countOf()) - before).toBe(950);
		const executions = await n8n.client.executions({ workflowId });
		expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['success']));
	});

	test.each([['http://n8n.example.com/'], ['https://localhost:5678/'], ['https://127.0.0.1/']])(
		'WEBHOOK_URL %s: a clear error and no request to the API',
		async (webhookUrl) => {
			await unpublish();
			await n8n.restart({ env, webhookUrl });
			sandbox.clearRequests();
			await expect(publish()).rejects.toThrow(/WEBHOOK_URL/);
			expect(sandbox.requests).toEqual([]);
			await unpublish().catch(() => undefined);
		},
	);
});
