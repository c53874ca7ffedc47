/** Partners, fees and payouts of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';

interface List<Row = { id: string }> {
	entities: string;
	count: number;
	elements: Row[];
}

interface Fee {
	id: string;
	partner_id: string;
	fee_value: number;
	status: string;
}

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open()));
afterAll(() => close());

const first = () => sandbox.state.partners.partners.rows[0];

const feesOf = async (partnerId: string): Promise<Fee[]> =>
	(await send<List<Fee>>('GET', `/partners/${partnerId}/fees.json`)).body.elements;

/** Fees of the first partner that no payout has taken. */
async function freeFees(number: number): Promise<Fee[]> {
	const taken = new Set(sandbox.state.payouts.payouts.rows.flatMap(({ fees }) => fees));
	const free = (await feesOf(first().id)).filter(({ id }) => !taken.has(id));
	expect(free.length).toBeGreaterThanOrEqual(number);
	return free.slice(0, number);
}

const payoutBody = (fees: readonly Fee[]) => ({
	payout: {
		partner_id: first().id,
		transactions: fees.map(({ id }) => id),
		invoice: { number: 'INV (7) \\ Gdańsk', date: '2026-02-01' },
		vat_settings: { tax_id: 'standard' },
	},
});

async function createPayout(fees: readonly Fee[]): Promise<string> {
	const { body } = await send<{ id: string }>('POST', '/partners/payouts.json', payoutBody(fees));
	return body.id;
}

const setStatus = (payoutId: string, status: string, metadata?: object) =>
	send('PUT', `/partners/payouts/${payoutId}/status.json`, { payout: { status, metadata } });

describe('partners', () => {
	test('lists all over its pages, with partner_code', async () => {
		const pages = await Promise.all(
			[1, 2, 3].map((page) => send<List>('GET', `/partners.json?size=100&page=${page}`)),
		);
		expect(pages.map(({ body }) => body.elements.length)).toEqual([100, 100, 60]);
		expect(pages[0].body).toMatchObject({
			entities: 'Partner',
			count: 260,
			per_page: 100,
			pages: { current: 1, max: 3 },
		});
		expect(pages[0].body.elements[0]).toMatchObject({ partner_code: expect.any(String) });
		expect((await send('GET', '/partners.json?size=101')).status).toBe(400);
	});
});

describe('payouts', () => {
	test('lists all, and those of one partner, without pages', async () => {
		const all = await send<List>('GET', '/partners/payouts.json?size=100');
		expect(Object.keys(all.body)).toEqual(['entities', 'count', 'elements']);
		expect(all.body.elements).toHaveLength(100);
		const statuses = sandbox.state.payouts.payouts.rows.map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set(['pending', 'paid', 'refused']));

		const path = `/partners/${first().id}/payouts.json`;
		const own = await send<List<Fee>>('GET', `${path}?size=100&page=2`);
		expect(own.body).toMatchObject({ entities: 'PartnerPayout', count: 120 });
		expect(own.body.elements).toHaveLength(20);
		expect(own.body.elements.every(({ partner_id }) => partner_id === first().id)).toBe(true);
		for (const size of [0, 101]) {
			expect((await send('GET', `/partners/payouts.json?size=${size}`)).status).toBe(400);
		}
	});

	test('is made of pending fees, whose sum comes as text and is read as a number', async () => {
		const fees = await freeFees(3);
		const made = await send<{ id: string; total: string }>(
			'POST',
			'/partners/payouts.json',
			payoutBody(fees),
		);
		const sum = fees.reduce((total, { fee_value }) => total + fee_value, 0).toFixed(2);
		expect(made.body).toEqual({ id: expect.any(String), total: sum });
		const payout = {
			id: made.body.id,
			partner_id: first().id,
			status: 'pending',
			total: Number(sum),
			metadata: {},
		};
		const paths = [
			`/partners/payouts/${payout.id}.json`,
			`/partners/${first().id}/payouts/${payout.id}.json`,
		];
		for (const path of paths) expect((await send('GET', path)).body).toEqual(payout);
		const other = sandbox.state.partners.partners.rows[1].id;
		expect((await send('GET', `/partners/${other}/payouts/${payout.id}.json`)).status).toBe(404);

		const again = await send('POST', '/partners/payouts.json', payoutBody(fees.slice(2)));
		expect(again.status).toBe(409);
	});

	test('is paid once and takes its fees along; metadata is merged', async () => {
		const fees = await freeFees(2);
		const id = await createPayout(fees);
		const statuses = async () =>
			(await feesOf(first().id))
				.filter((fee) => fees.some((own) => own.id === fee.id))
				.map(({ status }) => status);
		await setStatus(id, 'pending', { approved_by: 'Ada', note: 'a' });
		const paid = await setStatus(id, 'paid', { note: 'b' });
		expect(paid.body).toEqual({ payout: { id, status: 'paid' } });
		expect(await statuses()).toEqual(['paid', 'paid']);
		for (const status of ['pending', 'paid', 'refused']) {
			const again = await setStatus(id, status, { note: 'c' });
			expect(again.body).toEqual({ error: 'Paid payouts cannot be updated' });
		}
		expect((await send('GET', `/partners/payouts/${id}.json`)).body).toMatchObject({
			status: 'paid',
			metadata: { approved_by: 'Ada', note: 'b' },
		});
		expect(await statuses()).toEqual(['paid', 'paid']);
	});
});
