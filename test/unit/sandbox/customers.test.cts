/** Customers, subscriptions, charges and recurring payments of the sandbox. */
import { blankCustomer } from '../../sandbox/areas/customers.cts';
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';

interface List {
	count: number;
	per_page: number;
	pages: { current: number; max: number };
	elements: { id: string }[];
}

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open({ customers: 250 })));
afterAll(() => close());
afterEach(() => sandbox.problems.splice(0));

const firstCustomer = () => sandbox.state.customers.customers.rows[0];
const exists = { error: 'A customer already exists with this email' };
const unknown = { error: 'This customer does not exist' };

async function createCustomer(customer: Record<string, unknown>): Promise<string> {
	const { status, body } = await send<{ customer: { id: string } }>('POST', '/customers.json', {
		customer,
	});
	expect(status).toBe(201);
	return body.customer.id;
}

describe('customers', () => {
	test('lists every customer once over its pages, with external_id', async () => {
		const pages = await Promise.all(
			[1, 2, 3].map((page) => send<List>('GET', `/customers.json?size=100&page=${page}`)),
		);
		expect(pages.map(({ body }) => body.elements.length)).toEqual([100, 100, 50]);
		expect(pages[2].body).toMatchObject({
			count: 250,
			per_page: 100,
			pages: { current: 3, max: 3 },
		});
		const ids = pages.flatMap(({ body }) => body.elements.map(({ id }) => id));
		expect(new Set(ids).size).toBe(250);
		const [element] = pages[0].body.elements;
		expect(element).toHaveProperty('external_id', firstCustomer().externalId);
		expect(element).not.toHaveProperty('externalId');
	});

	test('creates, reads, updates and deletes', async () => {
		const id = await createCustomer({
			externalId: 'new-1',
			company_name: 'Pine Tools Ltd',
			first_name: 'Ada',
			last_name: 'Weber',
			email: 'ada@pine.example',
			address: { country: 'IE', city: 'Cork', address: 'Quay 1' },
			vat_number: 'IE1',
		});
		const read = await send('GET', `/customers/${id}.json`);
		expect(read.body).toMatchObject({
			id,
			externalId: 'new-1',
			address: { country: 'IE', city: 'Cork', address: 'Quay 1' },
			vat_number: 'IE1',
		});
		expect(read.body).not.toHaveProperty('external_id');

		const update = { tags: ['vip'], address: { city: 'Dublin' } };
		const updated = await send('PUT', `/customers/${id}.json`, { customer: update });
		expect(updated).toMatchObject({ status: 200, body: { customer: { id } } });
		const again = await send('GET', `/customers/${id}.json`);
		expect(again.body).toMatchObject({
			company_name: 'Pine Tools Ltd',
			tags: ['vip'],
			address: { country: 'IE', city: 'Dublin' },
		});

		const deleted = await send('DELETE', `/customers/${id}.json`);
		expect(deleted).toMatchObject({ status: 202, body: { id, deleted: true } });
		expect(await send('GET', `/customers/${id}.json`)).toMatchObject({
			status: 404,
			body: unknown,
		});
	});

	test('refuses a known e-mail address or externalId on create and on update', async () => {
		const { email = '', externalId } = firstCustomer();
		const id = await createCustomer({ email: 'other@pine.example', externalId: 'other' });
		for (const customer of [{ email }, { email: email.toUpperCase() }, { externalId }]) {
			const create = await send('POST', '/customers.json', { customer });
			expect(create).toMatchObject({ status: 409, body: exists });
			const update = await send('PUT', `/customers/${id}.json`, { customer });
			expect(update).toMatchObject({ status: 409, body: exists });
		}
		const same = { customer: { email: 'other@pine.example' } };
		expect((await send('PUT', `/customers/${id}.json`, same)).status).toBe(200);
	});

	test('lets only one of two creations at once win', async () => {
		const body = { customer: { email: 'race@pine.example' } };
		const answers = await Promise.all([1, 2, 3].map(() => send('POST', '/customers.json', body)));
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
	});

	test('finds by externalId', async () => {
		const { id, externalId } = firstCustomer();
		const found = await send('GET', `/customers/customer.json?externalId=${externalId}`);
		expect(found).toMatchObject({ status: 200, body: { id, externalId } });
		const none = await send('GET', '/customers/customer.json?externalId=nobody');
		expect(none).toMatchObject({ status: 404, body: unknown });
		expect((await send('GET', '/customers/customer.json')).status).toBe(400);
	});
});

describe('encoding of ids', () => {
	const ids = ['../x', 'a/b', 'a?b', 'a#b', '%2e%2e', '..', '%', 'é 中', ' ', 'a.json', 'a+b'];

	test.each(ids)('reaches the customer %j and no other', async (id) => {
		const book = sandbox.state.customers.customers;
		book.add(blankCustomer(id));
		const encoded = encodeURIComponent(id);
		expect((await send('GET', `/customers/${encoded}.json`)).body).toMatchObject({ id });
		const charge = { charge: { services: [{ name: 'Seat', amount: 5 }] } };
		const charged = await send('POST', `/customers/${encoded}/charges.json`, charge);
		expect(charged.body).toMatchObject({ customer_id: id });
		expect((await send('DELETE', `/customers/${encoded}.json`)).status).toBe(202);
		expect(book.get(id)).toBeUndefined();
		expect(sandbox.problems).toEqual([]);
	});

	test('does not climb out of a segment', async () => {
		const climbing = await send('GET', '/customers/..%2Fcompany.json');
		expect(climbing).toMatchObject({ status: 404, body: unknown });
		const raw = await send('GET', '/customers/../company.json');
		expect(raw.status).toBe(404);
		expect(sandbox.problems).toEqual([expect.stringContaining('no such endpoint')]);
	});
});

describe('subscriptions', () => {
	const own = () => `/customers/${firstCustomer().id}/subscriptions`;
	const first = () => `${own()}/${firstCustomer().subscriptions[0]}`;

	test('records usage once for an externalId, newest first', async () => {
		const usage = { amount: 2, value: 40, value_type: 'call', externalId: 'u-1' };
		const made = await send<{ id: string }>('POST', `${first()}.json`, { usage });
		expect(made).toMatchObject({ status: 200, body: { amount: 2 } });
		expect((await send('POST', `${first()}.json`, { usage })).status).toBe(409);
		const history = await send<List>('GET', `${first()}.json?size=100&page=1`);
		expect(history.body).toMatchObject({ type: 'CustomerSubscriptionUsages', count: 131 });
		expect(history.body.elements[0].id).toBe(made.body.id);
		const rest = await send<List>('GET', `${first()}.json?size=100&page=2`);
		expect(rest.body.elements).toHaveLength(31);
	});

	test('dismisses, which clears the next renewal', async () => {
		const path = `${first()}/status.json`;
		const before = await send('GET', path);
		expect(before.body).toMatchObject({ next_renew: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
		const body = { subscription: { status: 'dismiss' } };
		expect((await send('PUT', path, body)).body).toMatchObject({
			status: 'dismiss',
			next_renew: null,
		});
		expect((await send('GET', path)).body).toMatchObject({ next_renew: null });
		await send('PUT', path, { subscription: { status: 'active' } });
		expect((await send('GET', path)).body).toEqual(before.body);
	});
});

describe('charges and recurring payments', () => {
	const charge = (name: string) => ({
		charge: { capture: true, services: [{ name, amount: 12.5, taxProfile: 'standard' }] },
	});

	test('shows the outcome of a charge on the recurring subscriptions of its customer', async () => {
		const path = `/customers/${firstCustomer().id}/charges.json`;
		const statuses = async () => {
			const { body } = await send<{
				elements: { customerId: string; status: string; last_payment_status: string }[];
			}>('GET', '/recurring-payments/subscriptions.json?size=100');
			return body.elements
				.filter(({ customerId, status }) => {
					return customerId === firstCustomer().id && status !== 'dismiss';
				})
				.map(({ last_payment_status }) => last_payment_status);
		};
		for (const outcome of ['failed', 'paid'] as const) {
			const made = await send<{ id: string }>('POST', path, charge('Seat'));
			sandbox.settle(made.body.id, outcome);
			expect(new Set(await statuses())).toEqual(new Set([outcome]));
		}
	});

	test('settles by itself when asked to, by the name of the service', async () => {
		const own = await open({ customers: 1, settleAfterMs: 20 });
		const path = `/customers/${own.sandbox.state.customers.customers.rows[0].id}/charges.json`;
		const paid = await own.send<{ id: string }>('POST', path, charge('Setup'));
		const failed = await own.send<{ id: string }>('POST', path, charge('Card declined'));
		const held = await own.send<{ id: string }>('POST', path, {
			charge: { ...charge('Setup').charge, capture: false },
		});
		await new Promise((resolve) => setTimeout(resolve, 200));
		const status = (id: string) => own.sandbox.state.charges.charges.get(id)?.status;
		expect([paid, failed, held].map(({ body }) => status(body.id))).toEqual([
			'paid',
			'failed',
			'pending',
		]);
		await own.close();
	});
});
