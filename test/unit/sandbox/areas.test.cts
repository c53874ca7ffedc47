/** Service and company, currencies, webhooks, workflows, scheduler and DNS of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open({ customers: 20 })));
afterAll(() => close());

describe('webhooks', () => {
	const [paid, failed] = ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'];
	const webhook = { name: 'Ledger', url: 'https://receiver.example/in?x=1', events: [paid] };

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
});
