/** Newsletters and the suppression list of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';

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
});
