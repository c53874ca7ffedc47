// An Idempotency Key among the options: where no money moves, it's still kept and sent once.
import { clearStore } from './host/keyStore.cts';
import { run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 5 });

beforeEach(clearStore);

const parameters = (idempotencyKey: string) => ({
	email: '={{ $json.mail }}',
	options: { idempotencyKey },
});

const create = async (key: string, ...mails: string[]) =>
	await run(sandbox(), 'platformCustomers', 'customer.create', parameters(key), {
		items: mails.map((mail) => ({ mail })),
	});

const created = () =>
	sandbox()
		.requests.filter(({ method }) => method === 'POST')
		.map(({ body }) => (body as { customer: { email: string } }).customer.email);

test('each key is sent once, also in a second execution', async () => {
	await create('={{ $json.mail }}', 'one@example.com');
	const { items } = await create('={{ $json.mail }}', 'one@example.com', 'two@example.com');
	expect(created()).toEqual(['one@example.com', 'two@example.com']);
	expect(items[0].json).toMatchObject({ skipped: true, idempotencyKey: 'one@example.com' });
});

test('a key that yields nothing is refused before anything is sent', async () => {
	const { error } = await create('={{ $json.order }}', 'three@example.com');
	expect(error?.message).toContain('"Idempotency Key" must not be empty');
	expect(created()).toEqual([]);
});

test('without a key nothing is skipped', async () => {
	const { items } = await create('', 'four@example.com', 'five@example.com');
	expect(items.map(({ json }) => json.skipped)).toEqual([undefined, undefined]);
});
