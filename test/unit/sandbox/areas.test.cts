/** Service and company, currencies, webhooks, workflows, scheduler and DNS of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open({ customers: 20 })));
afterAll(() => close());

describe('service and company', () => {
	test.each([
		['/ping.json', { status: 'ok' }],
		['/connection.json', { endpoint: { apiVersion: '2026-02-01' } }],
		['/company.json', { name: expect.any(String) }],
		['/company/modules.json', expect.arrayContaining([expect.objectContaining({ active: true })])],
		['/company/stats/intelligence.json', { kpi: { total_customers: 20 } }],
	])('answers GET %s', async (path, body) => {
		const answer = await send('GET', path);
		expect(answer.status).toBe(200);
		if (Array.isArray(answer.body)) expect(answer.body).toEqual(body);
		else expect(answer.body).toMatchObject(body);
	});

	test('looks up a company by VAT number', async () => {
		const [known] = sandbox.state.company.register.keys();
		expect((await send('GET', `/company/${known}.json`)).body).toMatchObject({
			vatNumber: known,
			vies_interrogation: { valid: true },
		});
		expect(await send('GET', '/company/XX000.json')).toMatchObject({
			status: 404,
			body: { error: 'Company not found' },
		});
	});
});

describe('currencies', () => {
	test('lists upper-case codes and converts between them', async () => {
		const { body: codes } = await send<string[]>('GET', '/currencies.json');
		expect(codes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
		const same = await send('POST', '/currencies/EUR/EUR.json', { amount: 12.34 });
		expect(same.body).toEqual({ from: 'EUR', to: 'EUR', rate: 1, amount: 12.34 });
		const other = await send<{ rate: number; amount: number }>('POST', '/currencies/eur/USD.json', {
			amount: 100,
		});
		expect(other.body).toMatchObject({ from: 'EUR', to: 'USD' });
		expect(other.body.amount).toBeCloseTo(100 * other.body.rate, 2);
	});

	test.each(['XXX', 'toString'])('refuses %s', async (code) => {
		expect(await send('POST', `/currencies/EUR/${code}.json`, { amount: 1 })).toMatchObject({
			status: 400,
			body: { error: 'Invalid currency passed' },
		});
	});
});

describe('webhooks', () => {
	const [paid, failed] = ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'];
	const webhook = { name: 'Ledger', url: 'https://receiver.example/in?x=1', events: [paid] };

	test('offers both charge events', async () => {
		expect((await send('GET', '/webhooks/types.json')).body).toEqual([paid, failed]);
	});

	test('creates, reads, lists and deletes; the token is shown in full only once', async () => {
		const { status, body } = await send<{ id: string; token: string }>('POST', '/webhooks.json', {
			webhook: { ...webhook, events: failed, description: 'Failed charges' },
		});
		expect(status).toBe(200);
		expect(body).toMatchObject({ url: webhook.url, events: [failed] });
		const { token } = sandbox.state.webhooks.webhooks.get(body.id) ?? {};
		expect(body.token).toBe(token);

		const path = `/webhooks/${body.id}.json`;
		const list = await send<{ elements: unknown[] }>('GET', '/webhooks.json?size=100');
		const read = await send('GET', path);
		expect(list.body).toMatchObject({ entities: 'Webhook', pages: { current: 1, max: 1 } });
		expect(list.body.elements).toEqual([read.body]);
		expect(read.body).toMatchObject({ id: body.id, description: 'Failed charges' });
		expect(read.text).not.toContain(token);

		expect((await send('DELETE', path)).body).toEqual({ id: body.id, deleted: true });
		const unknown = { error: 'Webhook not found.' };
		expect((await send('DELETE', path)).body).toEqual(unknown);
		expect((await send('GET', path)).body).toEqual(unknown);
	});

	test.each([
		['no name', { url: webhook.url, events: [paid] }],
		['an http url', { ...webhook, url: 'http://receiver.example/in' }],
		['no url', { name: 'Ledger', events: [paid] }],
		['a broken url', { ...webhook, url: 'https://' }],
		['no events', { name: 'Ledger', url: webhook.url }],
		['an empty list of events', { ...webhook, events: [] }],
	])('refuses %s', async (_case, input) => {
		const answer = await send('POST', '/webhooks.json', { webhook: input });
		expect(answer.body).toEqual({ error: 'A valid url must be specified.' });
		expect(sandbox.state.webhooks.webhooks.size).toBe(0);
	});

	test('refuses an event that is not on offer', async () => {
		const input = { ...webhook, events: [paid, 'Customer.created'] };
		const answer = await send('POST', '/webhooks.json', { webhook: input });
		expect(answer.body).toEqual({ error: 'Some events are not available' });
	});
});

describe('workflows', () => {
	interface Run {
		success: boolean;
		execution_id: string;
		stages: { node: string; status: string }[];
	}

	test('lists workflows and pages their traces by 50', async () => {
		const list = await send<{ elements: { id: string }[] }>('GET', '/workflow.json?size=100');
		expect(list.body).toMatchObject({ entities: 'Workflow', count: list.body.elements.length });
		const path = `/workflow/${list.body.elements[0].id}/traces.json`;
		const pages = await Promise.all(
			[1, 2, 3].map((page) => send<{ elements: object[] }>('GET', `${path}?page=${page}`)),
		);
		expect(pages.map(({ body }) => body.elements.length)).toEqual([50, 50, 20]);
		expect(pages[0].body).toMatchObject({ entities: 'WorkflowTrace', per_page: 50, count: 120 });
		expect(pages[0].body.elements[0]).not.toHaveProperty('response');
	});

	test('runs a workflow and keeps its trace', async () => {
		const run = await send<Run>('POST', '/workflow/wfl-1.json', { data: { customer: 'c-1' } });
		expect(run.body).toMatchObject({ success: true, stages: [{ status: 'completed' }, {}, {}] });
		const traces = await send<{ elements: { id: string; uuid: string }[] }>(
			'GET',
			'/workflow/wfl-1/traces.json?size=1',
		);
		expect(traces.body.elements[0].uuid).toBe(run.body.execution_id);
		const trace = await send('GET', `/workflow/wfl-1/traces/${traces.body.elements[0].id}.json`);
		expect(trace.body).toMatchObject({
			workflow_id: 'wfl-1',
			status: 'executed',
			response: { input: { customer: 'c-1' }, stages: [{ status: 'SUCCESS' }, {}, {}] },
		});
	});

	test('answers a run that fails with success false', async () => {
		const { body: list } = await send<{ elements: { id: string; name: string }[] }>(
			'GET',
			'/workflow.json',
		);
		const failing = list.elements.find(({ name }) => name.startsWith('Failing'));
		const run = await send<Run>('POST', `/workflow/${failing?.id}.json`, { data: {} });
		expect(run).toMatchObject({ status: 200, body: { success: false } });
	});

	test('refuses unknown workflows and traces', async () => {
		const workflow = { error: 'This workflow does not exists' };
		expect((await send('POST', '/workflow/none.json', { data: {} })).body).toEqual(workflow);
		expect((await send('GET', '/workflow/none/traces.json')).body).toEqual(workflow);
		expect((await send('GET', '/workflow/wfl-2/traces/trc-1-1.json')).body).toEqual({
			error: 'Trace not found for this workflow.',
		});
		expect((await send('POST', '/workflow/wfl-1.json', {})).status).toBe(400);
	});
});

describe('scheduler', () => {
	const event = {
		event_type: 'action',
		title: 'Bill usage',
		schedule_date: '2031-03-05T09:00:00+01:00',
		end_date: '2031-03-05T10:00:00+01:00',
		action_type: 'workflow',
		action_details: { workflow_id: 'wfl-4', payload: { month: 3 } },
		recurrence: { type: 'month', interval: 1, endDate: '2032-03-05' },
	};
	const inRange = async (start: string, end: string) => {
		const query = new URLSearchParams({ start, end }).toString();
		const { body } = await send<{ count: number; events: { id: string }[] }>(
			'GET',
			`/scheduler/events.json?${query}`,
		);
		expect(body).toMatchObject({ status: 'fetch', range: { start, end } });
		expect(body.count).toBe(body.events.length);
		return body.events;
	};

	test('creates, finds by range, updates and deletes', async () => {
		const made = await send<{ id: string }>('POST', '/scheduler/events.json', { event });
		const { id } = made.body;
		expect(made.body).toEqual({ id, event: { id, event_type: 'action', action_type: 'workflow' } });
		expect(await inRange('2031-03-05', '2031-03-05')).toEqual([{ ...event, id }]);
		expect(await inRange('2031-03-05T08:30:00Z', '2031-03-06')).toHaveLength(1);
		expect(await inRange('2031-03-06', '2031-03-07')).toEqual([]);

		const path = `/scheduler/events/${id}.json`;
		const title = 'Bill usage early';
		const changed = { title, schedule_date: '2031-03-04T09:00:00+01:00' };
		const updated = await send('PUT', path, { event: changed });
		expect(updated.body).toEqual({ id, event: { id, title } });
		expect(await inRange('2031-03-04', '2031-03-04')).toEqual([{ ...event, ...changed, id }]);

		expect((await send('DELETE', path)).body).toEqual({ id, deleted: true });
		expect((await send('DELETE', path)).status).toBe(404);
	});

	test('names the allowed action types', async () => {
		for (const action_type of ['mail', undefined]) {
			const body = { event: { ...event, action_type } };
			const answer = await send<{ error: string }>('POST', '/scheduler/events.json', body);
			expect(answer.status).toBe(400);
			expect(answer.body.error).toMatch(/charge, job_runner, workflow/);
		}
	});

	test('needs a start and an end', async () => {
		expect((await send('GET', '/scheduler/events.json?start=2031-01-01')).status).toBe(400);
		expect((await send('GET', '/scheduler/events.json?start=x&end=y')).status).toBe(400);
	});
});

describe('DNS', () => {
	interface Lookup {
		recordTypes: string[];
		resolver_count: number;
		resolvers: { server: string }[];
		propagation: Record<string, { is_consistent: boolean; distinct_answers: number }>;
		queries: Record<string, { status: string; answers: object[] }[]>;
	}
	const capabilities = async () =>
		(
			await send<{ recordTypes: string[]; defaultRecordTypes: string[]; resolvers: object[] }>(
				'GET',
				'/dns/capabilities.json',
			)
		).body;

	test('has the documented record types', async () => {
		expect(await capabilities()).toMatchObject({
			recordTypes: ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'NS', 'SOA', 'CAA', 'SRV'],
			defaultRecordTypes: ['A', 'AAAA', 'CNAME', 'TXT'],
		});
	});

	test('asks the default record types at all resolvers, always with the same answers', async () => {
		const { defaultRecordTypes, resolvers } = await capabilities();
		const first = await send<Lookup>('GET', '/dns/lookup.json?target=shop.example');
		expect(first.body).toMatchObject({ recordTypes: defaultRecordTypes, resolvers });
		expect(Object.keys(first.body.queries)).toEqual(defaultRecordTypes);
		expect(first.body.queries.A).toHaveLength(resolvers.length);
		expect(first.body.propagation.A.is_consistent).toBe(true);
		const second = await send<Lookup>('GET', '/dns/lookup.json?target=shop.example');
		expect(second.body.queries).toEqual(first.body.queries);
	});

	test.each([
		'recordTypes=A&recordTypes=MX',
		'recordTypes[]=A&recordTypes[]=MX',
		'recordTypes=A,MX',
	])('reads %s', async (query) => {
		const { body } = await send<Lookup>('GET', `/dns/lookup.json?target=shop.example&${query}`);
		expect(body.recordTypes).toEqual(['A', 'MX']);
	});

	test('asks custom and additional resolvers too', async () => {
		const { body } = await send<Lookup>('POST', '/dns/lookup.json', {
			target: '192.0.2.7',
			recordTypes: ['TXT'],
			resolverPreset: ['public'],
			customResolvers: '192.0.2.53, 192.0.2.54',
			resolvers: ['192.0.2.55'],
		});
		expect(body.resolver_count).toBe(6);
		expect(body.resolvers.map(({ server }) => server)).toEqual(
			expect.arrayContaining(['192.0.2.53', '192.0.2.54', '192.0.2.55']),
		);
	});

	test('shows resolvers that disagree, and names that do not exist', async () => {
		const split = await send<Lookup>('GET', '/dns/lookup.json?target=split.example&recordTypes=A');
		expect(split.body.propagation.A.is_consistent).toBe(false);
		expect(split.body.propagation.A.distinct_answers).toBeGreaterThan(1);
		const none = await send<Lookup>('GET', '/dns/lookup.json?target=a.invalid&recordTypes=A');
		expect(none.body.queries.A[0]).toMatchObject({ status: 'NXDOMAIN', answers: [] });
	});

	test('needs a target', async () => {
		const required = { error: 'target is required' };
		expect((await send('GET', '/dns/lookup.json')).body).toEqual(required);
		expect((await send('POST', '/dns/lookup.json', {})).body).toEqual(required);
		expect((await send('GET', '/dns/lookup.json?target=a%20b')).status).toBe(400);
		expect((await send('GET', '/dns/lookup.json?target=a.example&recordTypes=X')).status).toBe(400);
	});
});
