/** Partners, fees and payouts of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';
import { unansweredRows } from './coverage.cts';

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
	const partner = {
		name: 'Willow Media Ltd',
		email: 'Hello@Willow.example',
		external_id: 'willow',
		code: 'WILLOW10',
		address: { country: 'IE', vat_number: 'IE1', city: 'Cork' },
	};
	const create = async (input: object = partner): Promise<string> => {
		const { body } = await send<{ partner: { id: string } }>('POST', '/partners.json', {
			partner: input,
		});
		return body.partner.id;
	};

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

	test('creates in the default group, reads and finds', async () => {
		const id = await create({ ...partner, partner_group_id: '' });
		const read = await send('GET', `/partners/${id}.json`);
		const { code, ...fields } = partner;
		expect(read.body).toMatchObject({ ...fields, id, partner_code: code });
		expect(read.body).toHaveProperty('partner_group_id');
		const queries = [
			'externalId=willow',
			'email=hello%40willow.example',
			'externalId=willow&email=hello%40willow.example',
		];
		for (const query of queries) {
			expect((await send('GET', `/partners/partner.json?${query}`)).body).toEqual(read.body);
		}
		const none = await send('GET', '/partners/partner.json?externalId=willow&email=a%40b.example');
		expect(none.status).toBe(404);
	});

	test.each(['', '?externalId=', '?email='])('needs a key to find by: %j', async (query) => {
		const answer = await send('GET', `/partners/partner.json${query}`);
		expect(answer.body).toEqual({ error: 'a valid externalId or email must be specified' });
	});

	test('updates only what is given', async () => {
		const id = await create({ ...partner, partner_group_id: 'grp-gold' });
		const path = `/partners/${id}.json`;
		const change = { code: 'W20', tags: 'agency, vip', address: { city: 'Dublin' } };
		const updated = await send('PUT', path, { partner: change });
		expect(updated.body).toEqual({ id, name: partner.name });
		expect((await send('GET', path)).body).toMatchObject({
			email: partner.email,
			partner_code: 'W20',
			tags: ['agency', 'vip'],
			partner_group_id: 'grp-gold',
			address: { country: 'IE', vat_number: 'IE1', city: 'Dublin' },
		});
		await send('PUT', path, { partner: { partner_group_id: '', tags: [] } });
		const read = await send('GET', path);
		expect(read.body).toMatchObject({ tags: [], partner_code: 'W20' });
		expect(read.body).not.toHaveProperty('partner_group_id');
	});

	test.each([
		['name', { ...partner, name: undefined }],
		['email', { ...partner, email: undefined }],
		['country', { ...partner, address: { city: 'Cork' } }],
	])('needs the %s', async (_field, input) => {
		expect((await send('POST', '/partners.json', { partner: input })).status).toBe(400);
	});

	test('deletes, unless customers are attached', async () => {
		const id = await create();
		const [customer] = sandbox.state.customers.customers.rows;
		const before = customer.partner;
		customer.partner = id;
		const attached = await send<List>('GET', `/partners/${id}/customers.json`);
		expect(attached.body).toEqual({
			entities: 'PartnerCustomers',
			count: 1,
			elements: [
				{
					id: customer.id,
					company_name: customer.company_name,
					email: customer.email,
					status: 'active',
				},
			],
		});
		const refused = await send<{ error: string }>('DELETE', `/partners/${id}.json`);
		expect(refused.body.error).toBe(
			`Unable to remove this partner. Customer attached to partner: ${customer.company_name}`,
		);
		customer.partner = before;
		const deleted = await send('DELETE', `/partners/${id}.json`);
		expect(deleted.body).toEqual({ id, deleted: true });
		expect((await send('GET', `/partners/${id}.json`)).status).toBe(404);
		expect((await send('DELETE', `/partners/${id}.json`)).status).toBe(404);
	});

	test('gives fees without a count, one fee, and stats that add them up', async () => {
		const { body } = await send<List<Fee>>('GET', `/partners/${first().id}/fees.json`);
		expect(Object.keys(body)).toEqual(['entities', 'elements']);
		const one = body.elements[0];
		const path = `/fees/${one.id}.json`;
		expect((await send('GET', `/partners/${first().id}${path}`)).body).toEqual(one);
		const other = sandbox.state.partners.partners.rows[1].id;
		expect((await send('GET', `/partners/${other}${path}`)).status).toBe(404);

		const stats = await send<Record<string, string>>('GET', `/partners/${first().id}/stats.json`);
		const earned = body.elements
			.filter(({ status }) => status !== 'refused')
			.reduce((sum, { fee_value }) => sum + fee_value, 0);
		expect(stats.body.commission_earned).toBe(earned.toFixed(2));
		expect(stats.body.currency).toMatch(/^[A-Z]{3}$/);
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

	test('refuses fees that are unknown or those of another partner, and none', async () => {
		const before = sandbox.state.payouts.payouts.size;
		const [own] = await freeFees(1);
		const foreign = sandbox.state.partners.fees.rows.find(
			({ partner_id }) => partner_id !== first().id,
		);
		const post = async (transactions: unknown, change: object = {}) => {
			const { payout } = payoutBody([]);
			const body = { payout: { ...payout, transactions, ...change } };
			return (await send('POST', '/partners/payouts.json', body)).status;
		};
		expect(await post([own.id, 'fee-none'])).toBe(404);
		expect(await post([foreign?.id])).toBe(404);
		expect(await post([own.id], { partner_id: 'nobody' })).toBe(404);
		expect(await post([])).toBe(400);
		expect(await post([own.id], { invoice: {} })).toBe(400);
		expect(sandbox.state.payouts.payouts.size).toBe(before);
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

	test('is refused, opened again and never paid while refused', async () => {
		const [fee] = await freeFees(1);
		const id = await createPayout([fee]);
		const path = `/partners/${first().id}/fees/${fee.id}.json`;
		await setStatus(id, 'refused');
		expect((await send('GET', path)).body).toMatchObject({ status: 'refused' });
		expect((await setStatus(id, 'paid')).status).toBe(409);
		await setStatus(id, 'pending');
		expect((await send('GET', path)).body).toMatchObject({ status: 'pending' });
		expect((await setStatus(id, 'draft')).status).toBe(400);
		expect((await setStatus('none', 'paid')).status).toBe(404);
	});

	test('reports as a PDF file, in base64 and as it is', async () => {
		const id = await createPayout(await freeFees(2));
		const path = `/partners/${first().id}/payouts/${id}/report`;
		const json = await send<{ stream: { type: string; base64_content: string } }>(
			'GET',
			`${path}.json`,
		);
		expect(json.body.stream.type).toBe('application/pdf');
		const bytes = Buffer.from(json.body.stream.base64_content, 'base64');
		const file = bytes.toString('latin1');
		const raw = await send('GET', `${path}.pdf`);
		expect(raw.headers['content-type']).toBe('application/pdf');
		expect(raw.text).toBe(bytes.toString());

		expect(file).toMatch(/^%PDF-1\.4\n/);
		const table = file.slice(Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]));
		expect(table).toMatch(/^xref\n0 6\n/);
		const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, digits]) =>
			Number(digits),
		);
		expect(offsets).toHaveLength(5);
		for (const [index, offset] of offsets.entries()) {
			expect(file.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`));
		}
		const length = Number(/\/Length (\d+)/.exec(file)?.[1]);
		expect(file.split('stream\n')[1]).toHaveLength(length + '\nend'.length);
		expect(file).toContain('(Invoice: INV \\(7\\) \\\\ Gda?sk 2026-02-01) Tj');

		const missing = await send('GET', `/partners/${first().id}/payouts/none/report.pdf`);
		expect(missing).toMatchObject({ status: 404, body: { error: 'Payout not found' } });
	});
});

test('has answered every row of the area', () => {
	expect(unansweredRows(sandbox, 'Partners')).toEqual([]);
	expect(sandbox.problems.filter((problem) => !problem.startsWith('Request'))).toEqual([]);
});
