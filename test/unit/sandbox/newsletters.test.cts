/** Newsletters and the suppression list of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';
import { unansweredRows } from './coverage.cts';

interface List<Row> {
	count: number;
	elements: Row[];
}

interface Stats {
	newsletter: { id: string };
	stats: Record<string, number>;
	progress: Record<string, number>;
	failures: { status: string }[];
}

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open()));
afterAll(() => close());

const notDraft = { error: 'Only newsletters in draft status can be updated' };

/** Customers by whether they are suppressed: in a new sandbox the eighth of each forty is. */
const customerIds = () => sandbox.state.customers.customers.rows.map(({ id }) => id);
const reachable = () => customerIds().slice(0, 3);
const suppressedId = () => customerIds()[7];

interface Created {
	id: string;
	status: string;
	skipped_suppressed: number;
	skipped_not_found: number;
}

async function create(contact_ids?: string[], title = 'Spring letter'): Promise<Created> {
	const newsletter = { title, subject: 'Spring', template_id: 'monthly.html', contact_ids };
	return (await send<Created>('POST', '/newsletters.json', { newsletter })).body;
}

const queue = (id: string) =>
	send<Record<string, unknown>>('POST', `/newsletters/${id}/queue.json`);

describe('campaigns', () => {
	test('lists all over its pages, newest first', async () => {
		type Row = { id: string; status: string; created_at: number };
		const pages = await Promise.all(
			[1, 2].map((page) => send<List<Row>>('GET', `/newsletters.json?size=100&page=${page}`)),
		);
		expect(pages.map(({ body }) => body.elements.length)).toEqual([100, 30]);
		expect(pages[1].body).toMatchObject({
			entities: 'Newsletter',
			count: 130,
			pages: { current: 2, max: 2 },
		});
		const rows = pages.flatMap(({ body }) => body.elements);
		expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['draft', 'queued']));
		const times = rows.map(({ created_at }) => created_at);
		expect(times).toEqual([...times].sort((a, b) => b - a));
		expect((await send('GET', '/newsletters.json?size=101')).status).toBe(400);
	});

	test('creates a draft, counting the contacts that it skips', async () => {
		const ids = [...reachable(), reachable()[0], suppressedId(), 'cus-none', 'cus-nobody'];
		const made = await create(ids);
		expect(made).toEqual({
			id: made.id,
			status: 'draft',
			skipped_suppressed: 1,
			skipped_not_found: 2,
		});
		const read = await send<{ created_at: number }>('GET', `/newsletters/${made.id}.json`);
		expect(read.body).toEqual({
			id: made.id,
			title: 'Spring letter',
			subject: 'Spring',
			template_id: 'monthly.html',
			status: 'draft',
			scheduled_at: null,
			total_recipients: 3,
			created_at: expect.any(Number),
		});
		expect(Math.abs(read.body.created_at - Date.now() / 1000)).toBeLessThan(60);
		expect((await send('POST', '/newsletters.json', { newsletter: { title: 'A' } })).status).toBe(
			400,
		);
	});

	test('updates a draft, and nothing once it is queued', async () => {
		const { id } = await create(reachable());
		const path = `/newsletters/${id}.json`;
		const updated = await send('PUT', path, { newsletter: { subject: 'Summer' } });
		expect(updated.body).toMatchObject({ id, title: 'Spring letter', subject: 'Summer' });
		await queue(id);
		const refused = await send('PUT', path, { newsletter: { subject: 'Autumn' } });
		expect(refused.body).toEqual(notDraft);
		const recipients = { newsletter: { contact_ids: [] } };
		const set = await send('PUT', `/newsletters/${id}/recipients.json`, recipients);
		expect(set.body).toEqual(notDraft);
		expect((await send('GET', path)).body).toMatchObject({
			subject: 'Summer',
			status: 'queued',
			total_recipients: 3,
		});
	});

	test('queues once; those who left in the meantime are skipped', async () => {
		const [, , third] = reachable();
		const { id } = await create(reachable());
		const email = sandbox.state.customers.customers.get(third)?.email ?? '';
		await send('POST', '/newsletters/unsubscribes.json', {
			unsubscribe: { email: email.toUpperCase() },
		});
		const queued = await queue(id);
		expect(queued.body).toEqual({
			newsletter_id: id,
			status: 'queued',
			queued_recipients: 2,
			skipped_suppressed: 1,
			skipped_not_found: 0,
		});
		expect((await queue(id)).body).toEqual({
			error: 'This newsletter is already queued and cannot be queued again',
		});
		const { body } = await send<Stats>('GET', `/newsletters/${id}/stats.json`);
		expect(body).toMatchObject({
			newsletter: { id, status: 'queued' },
			stats: { pending: 2, processing: 0, sent: 0, failed: 0, skipped: 1, total: 3 },
			failures: [{ customer_id: third, email, status: 'skipped', reason: 'suppressed' }],
		});
		await send('POST', '/newsletters/unsubscribes/resubscribe.json', { unsubscribe: { email } });
	});

	test('refuses to queue without recipients, and beyond the usage limit', async () => {
		const empty = await create();
		expect((await queue(empty.id)).status).toBe(409);
		const over = await create(reachable(), 'Beyond the usage limit');
		expect(await queue(over.id)).toMatchObject({
			status: 409,
			body: { error: 'Newsletter usage limit reached' },
		});
		expect((await send('GET', `/newsletters/${over.id}.json`)).body).toMatchObject({
			status: 'draft',
		});
	});

	test('sends a test, in any status', async () => {
		const { id } = await create(reachable());
		const path = `/newsletters/${id}/test.json`;
		const test_email = 'me@sandbox.example';
		const sent = await send('POST', path, { newsletter: { test_email } });
		expect(sent.body).toEqual({ newsletter_id: id, test_email, sent: true });
		expect((await send('POST', path, { newsletter: {} })).status).toBe(400);
		expect((await send('POST', path, { newsletter: { test_email: 'me' } })).status).toBe(400);
	});

	test('deletes with its queue', async () => {
		const { id } = await create(reachable());
		await queue(id);
		const path = `/newsletters/${id}`;
		expect((await send('DELETE', `${path}.json`)).body).toEqual({ id, deleted: true });
		expect((await send('GET', `${path}.json`)).status).toBe(404);
		expect((await send('GET', `${path}/stats.json`)).status).toBe(404);
		expect((await queue(id)).status).toBe(404);
	});
});

describe('recipients and stats', () => {
	test('shows all customers and the chosen ones, and searches name and e-mail', async () => {
		const { id } = await create(reachable());
		const path = `/newsletters/${id}/recipients.json`;
		type Snapshot = { all_customers: { id: string; email: string; is_suppressed: boolean }[] };
		const all = await send<Snapshot>('GET', path);
		expect(all.body).toMatchObject({ newsletter_status: 'draft', selected_ids: reachable() });
		expect(all.body.all_customers).toHaveLength(250);
		const shown = new Map(all.body.all_customers.map((customer) => [customer.id, customer]));
		expect(shown.get(suppressedId())?.is_suppressed).toBe(true);
		expect(shown.get(reachable()[0])?.is_suppressed).toBe(false);

		const customer = sandbox.state.customers.customers.get(reachable()[0]);
		const { email = '', first_name, last_name } = customer ?? {};
		for (const search of [email.toUpperCase(), `${first_name} ${last_name}`]) {
			const query = new URLSearchParams({ search }).toString();
			const found = await send<Snapshot>('GET', `${path}?${query}`);
			expect(found.body.all_customers.map((row) => row.email)).toContain(email);
			expect(found.body.all_customers.length).toBeLessThan(10);
		}
	});

	test('sets the recipients in place of the ones before', async () => {
		const { id } = await create(reachable());
		const ids = [customerIds()[10], suppressedId(), 'nobody'];
		const path = `/newsletters/${id}/recipients.json`;
		const saved = await send('PUT', path, { newsletter: { contact_ids: ids } });
		expect(saved.body).toEqual({
			newsletter_id: id,
			saved_recipients: 1,
			skipped_suppressed: 1,
			skipped_not_found: 1,
		});
		const read = await send('GET', `/newsletters/${id}/recipients.json`);
		expect(read.body).toMatchObject({ selected_ids: [customerIds()[10]] });
		expect((await send('PUT', path, { newsletter: {} })).status).toBe(400);
	});

	test('counts the mails of a sent campaign and limits the failures', async () => {
		const { rows } = sandbox.state.newsletters.newsletters;
		const model = rows.find(
			({ queue: mails }) =>
				mails.length > 4 && mails.every(({ status }) => ['sent', 'skipped'].includes(status)),
		);
		const [first, second, third] = model?.queue ?? [];
		for (const mail of model?.queue ?? []) mail.status = 'sent';
		first.status = 'failed';
		second.status = 'skipped';
		third.status = 'failed';
		const total = model?.queue.length ?? 0;
		const path = `/newsletters/${model?.id}/stats.json`;
		const { body } = await send<Stats>('GET', path);
		expect(body.stats).toEqual({
			pending: 0,
			processing: 0,
			sent: total - 3,
			failed: 2,
			skipped: 1,
			total,
		});
		expect(body.progress).toMatchObject({ processed: total, total, overall_progress: 100 });
		expect(body.progress.delivery_rate).toBeCloseTo(((total - 3) / (total - 1)) * 100, 1);
		expect(body.failures.map(({ status }) => status)).toEqual(['failed', 'skipped', 'failed']);
		for (const limit of [0, 2]) {
			const limited = await send<Stats>('GET', `${path}?failure_limit=${limit}`);
			expect(limited.body.failures).toHaveLength(limit);
		}
	});
});

describe('suppression list', () => {
	const path = '/newsletters/unsubscribes.json';
	const email = 'Gone@Pine.example';

	test('lists all over its pages', async () => {
		const pages = await Promise.all(
			[1, 2, 3, 4].map((page) =>
				send<List<{ email: string }>>('GET', `${path}?size=100&page=${page}`),
			),
		);
		expect(pages.map(({ body }) => body.elements.length)).toEqual([100, 100, 100, 50]);
		expect(pages[3].body).toMatchObject({ entities: 'Unsubscribes', count: 350 });
		const emails = pages.flatMap(({ body }) => body.elements.map((row) => row.email));
		expect(new Set(emails).size).toBe(350);
		expect(pages[0].body.elements[0]).toMatchObject({ unsubscribed_at: expect.any(Number) });
		expect((await send('GET', `${path}?size=101`)).status).toBe(400);
	});

	test('adds once and removes, whatever the case', async () => {
		const unsubscribe = { email, reason: 'asked by phone' };
		for (let time = 0; time < 2; time += 1) {
			const added = await send('POST', path, { unsubscribe });
			expect(added.body).toEqual({ email, unsubscribed: true });
		}
		const list = await send<List<object>>('GET', `${path}?size=1`);
		expect(list.body.count).toBe(351);
		expect(list.body.elements).toEqual([
			{
				email: email.toLowerCase(),
				reason: 'asked by phone',
				unsubscribed_at: expect.any(Number),
			},
		]);

		const remove = { unsubscribe: { email: email.toUpperCase() } };
		const resubscribe = '/newsletters/unsubscribes/resubscribe.json';
		const removed = await send('POST', resubscribe, remove);
		expect(removed.body).toEqual({ email: email.toUpperCase(), resubscribed: true });
		expect((await send('POST', resubscribe, remove)).body).toEqual({
			error: 'Email not found in suppression list',
		});
	});

	test('needs an address', async () => {
		expect((await send('POST', path, { unsubscribe: {} })).status).toBe(400);
		expect((await send('POST', path, { unsubscribe: { email: 'gone' } })).status).toBe(400);
	});
});

test('has answered every row of the area', () => {
	expect(unansweredRows(sandbox, 'Newsletters')).toEqual([]);
	expect(sandbox.problems.filter((problem) => !problem.startsWith('Request'))).toEqual([]);
});
