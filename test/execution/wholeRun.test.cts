// A run of many writes: checked before the first one, within limits, each key once.
import { wait } from '../wait.cts';
import { KeyStore } from '../../dist/nodes/engine/run/keyStore.js';
import { inAnotherProcess } from './host/anotherProcess.cts';
import { clearStore, fillStore, store, storeContext, storedCount } from './host/keyStore.cts';
import type { RunOptions, RunResult } from './host/host.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service, type Handler } from './host/service.cts';
import { retryOnFail, useTools } from './host/tool.cts';

const service = Service.forFile();

let runs = 0;

beforeEach(clearStore);

/** Each charge has an ID of its own. */
const charges = (): Handler => {
	let last = 0;
	return ({ method }) => (method === 'POST' ? { body: { id: `ch-${++last}` } } : { status: 404 });
};

/** Orders to be charged. */
const orders = (count: number, change: (order: Order, index: number) => void = () => {}) =>
	Array.from({ length: count }, (_none, index) => {
		const order: Order = { orderId: `order-${index}`, customer: `cus-${index}`, amount: 10 };
		change(order, index);
		return order;
	});

interface Order extends Record<string, string | number> {
	orderId: string;
	customer: string;
	amount: number;
}

const charge = {
	resource: 'charge',
	operation: 'create',
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] },
};

const keyed = { ...charge, idempotencyKey: '={{ $json.orderId }}' };

async function run(
	items: Order[],
	parameters: RunOptions['parameters'] = {},
	options: Partial<RunOptions> = {},
): Promise<RunResult> {
	// What other tests have taught of the API is of another key.
	const api = { baseUrl: service.baseUrl, key: `key-of-run-${++runs}` };
	const form = { ...keyed, ...parameters };
	return await runWith(api, 'platformCustomers', 'charge.create', form, { items, ...options });
}

const noKey = { idempotencyKey: '' };

const CONTINUE = { onError: 'continueErrorOutput' as const };

describe('before the first write', () => {
	const bad = (order: Order, index: number) => {
		if (index === 37) order.customer = '';
		if (index === 3) order.amount = 'ten' as unknown as number;
	};

	test('with Stop, every item that is wrong is named, and nothing is sent', async () => {
		service.behave(charges());
		const { error } = await run(orders(40, bad), noKey);
		expect(service.sent()).toEqual([]);
		expect(error?.message).toBe(
			`2 of 40 items can't be sent, so nothing was sent. orderId order-3, row 4 (item 3): "Services" has a fault in line 1: Amount must be a number (got "ten"). orderId order-37, row 38 (item 37): "Customer" must not be empty, and the expression {{ $json.customer }} gives nothing.`,
		);
		expect(error?.context?.itemIndex).toBeUndefined();
	});

	test('equal faults are one, whatever the values', async () => {
		const all = await run(orders(30, (order) => (order.customer = '')));
		expect(all.error?.message).toBe(
			'None of the 30 items can be sent, so nothing was sent. All 30 rows: "Customer" must not be empty, and the expression {{ $json.customer }} gives nothing.',
		);
		const some = await run(
			orders(30, (order, index) => {
				if (index % 2 === 1) order.amount = `ten (${index})` as unknown as number;
			}),
		);
		expect(some.error?.message).toBe(
			`15 of 30 items can't be sent, so nothing was sent. key order-1, row 2 (item 1), also rows 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 4 more: "Services" has a fault in line 1: Amount must be a number (got "ten (1)").`,
		);
	});

	test('with Continue, the others are sent', async () => {
		service.behave(charges());
		const { items, errors } = await run(orders(5, bad), noKey, { settings: CONTINUE });
		expect([items.length, errors.length]).toEqual([4, 1]);
		expect(service.sent('POST')).toHaveLength(4);
	});
});

describe('Safety Limits', () => {
	const cents = (order: Order) => (order.amount = 0.1);
	const cases: Array<[string, object, Order[], string?, number?]> = [
		// As binary fractions, they add up to more.
		['all exactly', { maxAmount: 0.1, maxItems: 3, maxTotal: 0.3 }, orders(3, cents)],
		[
			'one cent over the total',
			{ maxTotal: 0.29 },
			orders(3, cents),
			'The 3 items have 0.30 in total, Max Total is 0.29 (Safety Limits). Nothing was sent.',
		],
		[
			'one amount over the max',
			{ maxAmount: 1000 },
			orders(9, (order, index) => (order.amount = index === 7 ? 1000.01 : 10)),
			'The amount is 1,000.01 in orderId order-7, row 8 (item 7), Max Amount is 1,000.00 (Safety Limits). Nothing was sent.',
			7,
		],
		[
			'one item too many',
			{ maxItems: 2 },
			orders(3),
			'This execution has 3 items, Max Items is 2 (Safety Limits). Nothing was sent.',
		],
	];

	test.each(cases)('%s', async (_title, safetyLimits, items, message, itemIndex) => {
		service.behave(charges());
		const { error } = await run(items, { ...noKey, safetyLimits });
		expect(error?.message).toBe(message);
		// n8n names that item. What is about all of them must not name one.
		expect(error?.context?.itemIndex).toBe(itemIndex);
		expect(service.sent()).toHaveLength(message === undefined ? items.length : 0);
	});

	test('what was refused does not count, what was sent before in the execution does', async () => {
		const refused = new Set(['/customers/cus-1/charges.json']);
		service.behave(({ path }) =>
			refused.delete(path) ? { status: 422, body: { error: 'No' } } : { body: { id: 'ch' } },
		);
		const tool = {
			...charge,
			customerId: byId("={{ $fromAI('id', '', 'string') }}"),
			services: { service: [{ name: 'Setup', amount: 40 }] },
			safetyLimits: { maxTotal: 100 },
		};
		const tools = [{ node: 'platformCustomers', parameters: tool }];
		await useTools(tools, service.credential, async ({ Tool_1: pay }) => {
			await pay.invoke({ id: 'cus-0' });
			expect(await pay.invoke({ id: 'cus-1' })).toContain('No (HTTP 422)');
			await pay.invoke({ id: 'cus-2' });
			expect(await pay.invoke({ id: 'cus-3' })).toContain(
				'The 3 items have 120.00 in total, with those sent earlier',
			);
		});
		expect(service.sent('POST')).toHaveLength(3);
	});
});

describe('Idempotency Key', () => {
	const sentTo = () => service.sent('POST').map(({ path }) => path.split('/')[2]);

	test('a second execution skips what the first one sent', async () => {
		service.behave(charges());
		const first = await run(orders(3));
		const second = await run(orders(4), { options: { outputFields: 'id' } });
		expect(first.items.map(({ json }) => json.id)).toEqual(['ch-1', 'ch-2', 'ch-3']);
		expect(second.items.map(({ json }) => json.skipped ?? json.id)).toEqual([
			true,
			true,
			true,
			'ch-4',
		]);
		expect(second.items[0].json).toEqual({
			skipped: true,
			idempotencyKey: 'order-0',
			inDoubt: false,
			reason: "This key was sent before, so it wasn't sent again.",
		});
		expect(second.hints).toEqual([
			'3 items were skipped, because the Idempotency Key was sent before.',
		]);
		// Each key and its request, and two texts of each run.
		expect(storedCount()).toBe(2 * 4 + 2 * 2);
	});

	test.each([2, 3, 12])('of %i items with one key side by side, one is sent', async (count) => {
		service.behave(charges());
		const same = orders(count, (order) => (order.orderId = ' Zoë '.normalize('NFD')));
		same[0].orderId = 'Zoë'.normalize('NFC');
		const { items } = await run(same, { requests: { maxParallel: 10 } });
		expect(items.filter(({ json }) => json.skipped)).toHaveLength(count - 1);
		expect(service.sent('POST')).toHaveLength(1);
	});

	test('a key that is freed while an item begins to wait for it keeps nothing waiting', async () => {
		let asked = 0;
		service.behave(async () => {
			await wait(asked++ === 0 ? 30 : 60);
			return { body: { id: 'ch' } };
		});
		const some = orders(3, (order, index) => (order.orderId = index === 0 ? 'a' : 'b'));
		for (const pause of [0, 10, 20, 30, 40]) {
			clearStore();
			store.times = [20 + pause];
			asked = 0;
			const { items } = await run(some, { requests: { maxParallel: 2 } });
			expect(items.filter(({ json }) => json.skipped)).toHaveLength(1);
		}
	});

	test('of three items with one key, the first of which is refused, the second is sent', async () => {
		let asked = 0;
		service.behave(() =>
			++asked === 1 ? { status: 422, body: { error: 'Declined' } } : { body: { id: 'ch' } },
		);
		const same = orders(3, (order) => (order.orderId = 'same'));
		const requests = { maxParallel: 3 };
		const { items, errors } = await run(same, { requests }, { settings: CONTINUE });
		expect([errors.length, items.map(({ json }) => json.skipped ?? json.id)]).toEqual([
			1,
			['ch', true],
		]);
	});

	test('two executions, each with keys that the other waits for, come to their ends', async () => {
		service.behave(async () => {
			await wait(30);
			return { body: { id: 'ch' } };
		});
		const [few, more] = [orders(4), orders(6)];
		const requests = { maxParallel: 3 };
		const others = [more[3], more[4], more[5], more[1]];
		await Promise.all([run(few, { requests }), run(others, { requests })]);
		expect(service.sent('POST')).toHaveLength(6);
	});

	test('two executions of the same orders at the same moment send each one once', async () => {
		service.behave(charges());
		const requests = { maxParallel: 10 };
		const both = await Promise.all([
			run(orders(40), { requests }),
			run(orders(40).reverse(), { requests }),
		]);
		expect(new Set(sentTo()).size).toBe(40);
		expect(service.sent('POST')).toHaveLength(40);
		expect(both.flatMap(({ items }) => items.filter(({ json }) => json.skipped))).toHaveLength(40);
		expect(both.flatMap(({ items }) => items.filter(({ json }) => json.inDoubt))).toEqual([]);
	});

	test('a refusal releases the key, doubt keeps it, and says so', async () => {
		service.behave(({ path }) => {
			if (path.includes('cus-0')) return { status: 422, body: { error: 'Card declined' } };
			if (path.includes('cus-1')) return { status: 502, body: 'Bad gateway' };
			return { body: { id: 'ch' } };
		});
		await run(orders(3), {}, { settings: CONTINUE });
		service.behave(charges());
		const { items, hints } = await run(orders(3), {}, { settings: CONTINUE });
		expect(sentTo()).toEqual(['cus-0']);
		expect(items.map(({ json }) => json.inDoubt)).toEqual([undefined, true, false]);
		expect(items[1].json.reason).toContain('enter the key in the option Release Key');
		expect(hints[0]).toContain('In doubt, so check them: order-1.');
	});

	test('a key in doubt is released by name, once; a key that went through is not', async () => {
		service.behave(() => ({ status: 502, body: 'Bad gateway' }));
		await run(orders(1));
		const release = { options: { releaseKey: 'order-0' } };
		await run(orders(1), release);
		expect(service.sent('POST')).toHaveLength(2);
		service.behave(charges());
		const { items } = await run(orders(1), release);
		expect(service.sent()).toEqual([]);
		expect(items[0].json.reason).toContain('It was released once already');
		await run(orders(2));
		await run(orders(2), { options: { releaseKey: 'order-1' } });
		expect(sentTo()).toEqual(['cus-1']);
	});

	test('Retry On Fail goes on where it was', async () => {
		let refusals = 1;
		service.behave(({ path }) =>
			path.includes('cus-2') && refusals-- > 0
				? { status: 422, body: { error: 'Not yet' } }
				: { body: { id: path } },
		);
		const { items } = await run(orders(4), {}, { settings: retryOnFail });
		expect(items.map(({ json }) => json.skipped)).toEqual(Array(4).fill(undefined));
		expect(service.sent('POST')).toHaveLength(5);
	});

	test('Retry On Fail ends with the error of an item in doubt, and sends nothing after it', async () => {
		service.behave(({ path }) =>
			path.includes('cus-2') ? { status: 502, body: 'Bad gateway' } : { body: { id: path } },
		);
		const { error } = await run(orders(4), {}, { settings: retryOnFail });
		expect(error?.message).toContain('HTTP 502');
		expect(error?.context?.itemIndex).toBe(2);
		expect(sentTo()).toEqual(['cus-0', 'cus-1', 'cus-2']);
	});

	test('a run that is cancelled leaves in doubt what was on its way', async () => {
		const cancelAfter = service.hold(({ path }) => path.includes('cus-2'), charges());
		await run(orders(5), {}, { cancelAfter });
		service.behave(charges());
		const { items } = await run(orders(5));
		expect(items.map(({ json }) => json.inDoubt)).toEqual([
			false,
			false,
			true,
			undefined,
			undefined,
		]);
	});

	test('what went through keeps its key if the run is cancelled while the whole record is read', async () => {
		const customer = { body: { customer: { id: 'cus-9' } } };
		const cancelAfter = service.hold(
			({ method }) => method === 'GET',
			() => customer,
		);
		const form = { email: 'one@example.com', idempotencyKey: 'one', returnWholeRecord: true };
		const create = async (options: Partial<RunOptions> = {}) =>
			await runWith(service, 'platformCustomers', 'customer.create', form, options);
		await create({ cancelAfter });
		expect(service.sent('POST')).toHaveLength(1);
		service.behave(() => customer);
		const { items } = await create();
		expect(items[0].json).toMatchObject({ skipped: true, inDoubt: true });
		expect(service.sent('POST')).toEqual([]);
	});

	test('a full history of 10,000 keys lets the oldest go', async () => {
		service.behave(charges());
		await run(orders(1));
		fillStore(40_000);
		await run(orders(30).slice(1));
		expect(storedCount()).toBeLessThanOrEqual(40_030);
		const again = await run(orders(30));
		expect(again.items.map(({ json }) => json.skipped ?? json.id)).toEqual([
			'ch-31',
			...Array<boolean>(29).fill(true),
		]);
	});

	test.each([
		['={{ $json.nothing }}', 'must not be empty'],
		...['$json', 'NaN', 'true', '2 ** 53 + 1', '1.5'].map((value) => [
			`={{ ${value} }}`,
			'must be text or a whole number',
		]),
		['={{ String($json) }}', 'must not have an object in it'],
		['=order-{{ $json }}', 'must not have an object in it (got "order-[object Object]")'],
	])('%s is no key', async (idempotencyKey, fault) => {
		service.behave(charges());
		const { error } = await run(orders(1), { idempotencyKey });
		expect(error?.message).toContain(`"Idempotency Key" ${fault}`);
		expect(service.sent()).toEqual([]);
	});

	test('another operation of the node has keys of its own', async () => {
		service.behave(() => ({ body: { id: 'cus-9', customer: { id: 'cus-9' } } }));
		await run(orders(1));
		const usage = {
			customerId: byId('cus-1'),
			subscriptionId: byId('sub-1'),
			additionalFields: { amount: 1 },
			idempotencyKey: 'order-0',
		};
		const { items, error } = await runWith(service, 'platformCustomers', 'usage.record', usage);
		expect([error?.message, items[0]?.json.skipped]).toEqual([undefined, undefined]);
	});
});

describe('two processes with one store', () => {
	/** The module as each process has it. */
	const processes = [1, 2].map(() => {
		const load = () =>
			require('../../dist/nodes/engine/run/keyStore.js') as typeof import('../../dist/nodes/engine/run/keyStore.js');
		return inAnotherProcess(load).KeyStore;
	});

	test('each of 40 keys is recorded by one of them, however often the other overwrites it', async () => {
		const keys = Array.from({ length: 40 }, (_none, index) => `key-${index}`);
		store.times = [1, 4, 1, 1, 9, 2, 6];
		const taken = await Promise.all(
			processes.map(async (KeyStore) => {
				const own = new KeyStore(storeContext(), 10_000);
				const mine: string[] = [];
				for (const key of keys) {
					const known = await own.add([key], [`doubt ${key}`]);
					if (known.has(key)) continue;
					mine.push(key);
					await own.remove([`doubt ${key}`]);
				}
				return mine;
			}),
		);
		expect(taken.flat().sort()).toEqual([...keys].sort());
		expect(Math.min(...taken.map(({ length }) => length))).toBeGreaterThan(0);
	}, 60_000);
});

test('a look pushes out no older texts, even if it is cut off', async () => {
	const keys = Array.from({ length: 100 }, (_none, index) => `key-${index}`);
	const wanted = Array.from({ length: 3000 }, (_none, index) => `wanted-${index}`);
	const own = new KeyStore(storeContext(), 2000);
	await own.add(keys);
	let most = 0;
	store.fault = () => (most = Math.max(most, storedCount()));
	expect((await own.look([...wanted, 'key-7'])).has('key-7')).toBe(true);
	store.fault = undefined;
	expect(most).toBeLessThan(2000);
	expect((await own.look(keys)).size).toBe(100);
});

describe('Platform Webhooks › Delivery › Keep New', () => {
	const keep = async (ids: string[], parameters: RunOptions['parameters'] = {}) => {
		const form = { key: '={{ $json.deliveryId }}', ...parameters };
		const items = ids.map((deliveryId) => ({ deliveryId }));
		const run = await runWith(service, 'platformWebhooks', 'delivery.keepNew', form, { items });
		return run.error?.message ?? run.items.map(({ json }) => json.deliveryId);
	};

	test('each delivery passes once, also when many come at once', async () => {
		expect(await keep(['a', 'b', 'a'])).toEqual(['a', 'b']);
		const many = Array.from({ length: 20 }, (_none, index) => `d-${index % 10}`);
		const passed = await Promise.all(many.map(async (id) => await keep([id])));
		expect(passed.flat()).toHaveLength(10);
		expect(await keep(['b', 'c'])).toEqual(['c']);
	});

	test('its window slides, and it never fails because it is full', async () => {
		const options = { keysToRemember: 5 };
		for (const id of ['1', '2', '3', '4', '5', '6', '7']) await keep([id], { options });
		expect(await keep(['7', '1'], { options })).toEqual(['1']);
	});
});
