// Platform Partners: partners, their fees and payouts, and reports as files.
import { areaOf, byId, credentialOf } from '../host/run.cts';

const { sandbox, run, bodies, sent } = areaOf('platformPartners', { customers: 40 });

const partners = () => sandbox().state.partners.partners;
const fees = () => sandbox().state.partners.fees.rows;
const payouts = () => sandbox().state.payouts.payouts;

/** The first partner has payouts, fees and a customer. */
const first = byId('ptn-1');

const payoutOf = (status: string, nth = 0) =>
	payouts().rows.filter((payout) => payout.status === status)[nth].id;

/** A fee of the first partner that is in no payout yet, a new one at every call. */
const freeFees = (() => {
	let used = 0;
	return (count: number) => {
		const taken = new Set(payouts().rows.flatMap((payout) => payout.fees));
		const free = fees().filter(({ id, partner_id }) => partner_id === 'ptn-1' && !taken.has(id));
		used += count;
		return free.slice(used - count, used);
	};
})();

describe('partner', () => {
	test('leaves its group when the group is set and empty, and only then', async () => {
		const { id } = partners().rows.find(
			({ partner_group_id }) => partner_group_id === 'grp-gold',
		) as { id: string };
		await run('partner.update', { partnerId: byId(id), updateFields: { description: 'x' } });
		expect(partners().get(id)?.partner_group_id).toBe('grp-gold');
		await run('partner.update', { partnerId: byId(id), updateFields: { partnerGroupId: '' } });
		expect(bodies().at(-1)).toEqual({ partner: { partner_group_id: '' } });
		expect(partners().get(id)?.partner_group_id).toBeUndefined();
	});
});

describe('payout', () => {
	test('is created from fees however they are given, one after the other', async () => {
		sandbox().faults.add({ kind: 'delay', ms: 20 });
		const given = [freeFees(2), freeFees(2), freeFees(1)].map((each) => each.map(({ id }) => id));
		const { items } = await run(
			'payout.create',
			{
				partnerId: first,
				transactions: '={{ $json.fees }}',
				invoiceNumber: '=INV-{{ $json.n }}',
				additionalFields: { invoiceDate: '2026-03-01T22:30:00', taxId: 'vat-19' },
			},
			{
				items: [
					{ n: 1, fees: given[0] },
					{ n: 2, fees: given[1].join(', ') },
					{ n: 3, fees: JSON.stringify(given[2]) },
				],
			},
		);
		expect(bodies()).toEqual(
			given.map((transactions, index) => ({
				payout: {
					partner_id: 'ptn-1',
					transactions,
					invoice: { number: `INV-${index + 1}`, date: '2026-03-01' },
					vat_settings: { tax_id: 'vat-19' },
				},
			})),
		);
		expect(sandbox().requests.map(({ inFlight }) => inFlight)).toEqual([1, 1, 1]);
		for (const { json } of items) {
			expect(json.total).toMatch(/^\d+\.\d\d$/);
			expect(payouts().get(String(json.id))).toBeDefined();
		}
	});

	test('with a fee twice is refused, in one item and over the items of a run', async () => {
		const [one, other] = freeFees(2).map(({ id }) => id);
		const pay = async (fees: string[], onError?: 'continueRegularOutput') =>
			await run(
				'payout.create',
				{
					partnerId: first,
					transactions: '={{ $json.fees }}',
					invoiceNumber: '=INV-{{ $itemIndex }}',
				},
				{ items: fees.map((each) => ({ fees: each })), settings: { onError } },
			);
		const twice = await pay([`${one}, ${other}, ${one}`]);
		expect(twice.error?.message).toContain(
			`"Fee Names or IDs" must not have an entry twice (got "${one}")`,
		);
		const items = [one, other, `${other}, ${one}`];
		expect((await pay(items)).error?.message).toContain(
			`1 of 3 items can't be sent, so nothing was sent. fees ${other}, ${one}, row 3 (item 2): "Fee Names or IDs" has ${other} of partner ptn-1, which row 2 (item 1) has, too`,
		);
		expect(bodies()).toEqual([]);
		const going = await pay([one, one, other], 'continueRegularOutput');
		expect(going.items.map(({ json }) => json.error)).toEqual([
			undefined,
			expect.stringContaining(`has ${one} of partner ptn-1, which row 1 (item 0) has, too [fees`),
			undefined,
		]);
		expect(bodies()).toHaveLength(2);
	});

	test('keeps to Safety Limits by the values of its fees, and by its total when it becomes paid', async () => {
		const chosen = freeFees(2);
		const sum = chosen.reduce((total, { fee_value }) => total + fee_value, 0);
		const transactions = chosen.map(({ id }) => id);
		const create = { partnerId: first, transactions, invoiceNumber: 'INV-9' };
		const limited = (max: number) => ({ safetyLimits: { maxTotal: max } });
		const over = await run('payout.create', { ...create, ...limited(sum - 0.01) });
		expect(over.error?.message).toContain(`has ${sum.toFixed(2)} in total, Max Total is`);
		const { id } = payouts().get(payoutOf('pending', 3))!;
		const pay = { payoutId: byId(id), status: 'paid' };
		const { total } = payouts().get(id)!;
		const unpaid = await run('payout.updateStatus', { ...pay, ...limited(total - 0.01) });
		expect(unpaid.error?.message).toContain('Max Total is');
		expect(sandbox().requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		const paid = await run('payout.updateStatus', { ...pay, ...limited(total) });
		expect(paid.error).toBeUndefined();
		const made = await run('payout.create', { ...create, ...limited(sum) });
		expect(made.error).toBeUndefined();
	});
});

describe('report', () => {
	const form = { partnerId: first, payoutId: byId('pay-1') };

	test.each([
		['stream', 'report.pdf'],
		['base64', 'report.json'],
	])('comes as a file by %s', async (downloadAs, endpoint) => {
		const { items } = await run('payout.downloadReport', { ...form, downloadAs });
		expect(sent()).toEqual([`GET /partners/ptn-1/payouts/pay-1/${endpoint}`]);
		const { data, fileName, mimeType } = items[0].binary?.data ?? {};
		expect({ fileName, mimeType }).toEqual({
			fileName: 'payout-pay-1.pdf',
			mimeType: 'application/pdf',
		});
		const file = Buffer.from(String(data), 'base64');
		expect(file.subarray(0, 8).toString('latin1')).toBe('%PDF-1.4');
		expect(file.toString('latin1')).toMatch(/Payout pay-1[\s\S]*%%EOF\n$/);
		const ids = { partner_id: 'ptn-1', payout_id: 'pay-1' };
		expect(items[0].json).toEqual({ fileName: 'payout-pay-1.pdf', fileSize: file.length, ...ids });
		const fileIn = async (binaryPropertyName: string) =>
			await run('payout.downloadReport', { ...form, downloadAs, binaryPropertyName });
		const named = await fileIn('report');
		expect(Object.keys(named.items[0].binary ?? {})).toEqual(['report']);
		const none = await fileIn('={{ "" }}');
		expect(none.error?.message).toContain('"Put Output File in Field" must not be empty');
	});

	test.each([404, 403])('is no missing record if a proxy sends its page (%i)', async (status) => {
		sandbox().faults.add({ kind: 'html', status });
		const { error } = await run('payout.downloadReport', form);
		expect(error?.description).toMatch(/^Check Base URL/);
	});

	const pdf = { 'content-type': 'application/pdf' };

	test.each([
		{ kind: 'html' as const },
		{ kind: 'status' as const, body: { report: 'soon' } },
		{ kind: 'status' as const, body: '', headers: pdf },
	])('is no file if nothing comes, or another content type: %j', async (fault) => {
		sandbox().faults.add({ status: 200, ...fault });
		const { error, items } = await run('payout.downloadReport', form);
		expect([error === undefined, items]).toEqual([false, []]);
	});

	test.each([
		['attachment; filename="May.pdf"', 'May.pdf'],
		['attachment; filename=May.pdf; size=3', 'May.pdf'],
		['attachment; filename=" "', 'payout-pay-1.pdf'],
		['inline', 'payout-pay-1.pdf'],
	])('has the name that comes with it: %s', async (disposition, fileName) => {
		const headers = { ...pdf, 'content-disposition': disposition };
		sandbox().faults.add({ kind: 'status', status: 200, body: '%PDF-1.4', headers });
		const { items } = await run('payout.downloadReport', form);
		expect(items[0].json).toMatchObject({ fileName, fileSize: 8 });
	});

	test('without its content is an error, not an empty file', async () => {
		sandbox().faults.add({
			kind: 'status',
			status: 200,
			body: { stream: { type: 'application/pdf' } },
		});
		const { error } = await run('payout.downloadReport', { ...form, downloadAs: 'base64' });
		expect(error?.message).toContain('JSON in an unexpected shape');
	});
});

test('the sentence of a picker that waits is no choice', async () => {
	const form = { partnerId: first, transactions: [''], invoiceNumber: 'INV-1' };
	const { error } = await run('payout.create', form);
	expect(error?.message).toContain('"Fee Names or IDs"');
	expect(sandbox().requests).toEqual([]);
});

describe('payouts of many fees', () => {
	/** Fees that are in no payout yet, by partner, of partners with several. */
	const withFees = () => {
		const taken = new Set(payouts().rows.flatMap((payout) => payout.fees));
		const free = fees().filter(({ id }) => !taken.has(id));
		return partners()
			.rows.map(({ id }) => free.filter(({ partner_id }) => partner_id === id))
			.map((own) => own.map(({ id, partner_id }) => ({ id, partner_id })))
			.filter((own) => own.length > 1);
	};
	const form = {
		partnerId: byId('={{ $json.partner_id }}'),
		invoiceNumber: 'INV-1',
		transactions: '={{ [$json.id] }}',
	};
	const sentPayouts = () =>
		bodies().flatMap(({ payout }) => (payout ? [payout as { transactions: string[] }] : []));

	test('one invoice number on several payouts of one partner is refused, and nothing is sent', async () => {
		const [items] = withFees();
		const { error } = await run('payout.create', form, { items });
		expect(error?.message).toContain('"Invoice Number" has INV-1 of partner');
		expect(error?.message).toContain('set Specify Fees to From Input Items');
		const settings = { onError: 'continueRegularOutput' };
		const { items: out } = await run('payout.create', form, { items, settings });
		expect(out.map(({ json }) => typeof json.error)).toEqual(items.map(() => 'string'));
		expect(sentPayouts()).toEqual([]);
	});

	test('a dry run says what only the API can refuse, and refuses a fee that is paid', async () => {
		const [items] = withFees();
		const credential = { ...credentialOf(sandbox()), dryRun: true };
		const gathered = { ...form, feesAs: 'items', feeField: 'id' };
		const { hints, error } = await run('payout.create', gathered, { items, credential });
		expect(error).toBeUndefined();
		expect(hints[0]).toContain(
			'The API has checked nothing, such as whether a fee is part of another payout already.',
		);
		const fee = sandbox().state.partners.fees.get(items[0].id)!;
		fee.status = 'paid';
		const paid = await run('payout.create', gathered, { items, credential });
		fee.status = 'pending';
		expect(paid.error?.message).toContain(`has the fee ${fee.id}, which is paid already`);
		expect(sentPayouts()).toEqual([]);
	});

	test('From Input Items makes one payout of all fees', async () => {
		const [items] = withFees();
		const gathered = { ...form, feesAs: 'items', feeField: 'id' };
		const { items: out, error } = await run('payout.create', gathered, { items });
		expect(error).toBeUndefined();
		expect(sentPayouts().map(({ transactions }) => transactions)).toEqual([
			items.map(({ id }) => id),
		]);
		expect(out).toHaveLength(1);
		expect(out[0].pairedItem).toEqual(items.map((_item, item) => ({ item })));
	});

	test('fees of several partners are refused, or paid out by partner', async () => {
		const groups = withFees();
		expect(groups.length).toBeGreaterThan(1);
		// Mixed, as a list of all fees may be.
		const items = [...groups[0].slice(0, 1), ...groups[1], ...groups[0].slice(1)];
		const refused = await run('payout.create', { ...form, feesAs: 'items' }, { items });
		expect(refused.error?.message).toContain('"Partner" must be the same for all input items');
		expect(refused.error?.message).toContain(
			'row 2 (item 1) has another value. Or set Specify Fees to From Input Items, by Partner',
		);
		expect(sentPayouts()).toEqual([]);
		const byPartner = { ...form, feesAs: 'partners' };
		const { items: out, error } = await run('payout.create', byPartner, { items });
		expect(error).toBeUndefined();
		expect(sentPayouts()).toEqual(
			[groups[0], groups[1]].map((fees) =>
				expect.objectContaining({
					partner_id: fees[0].partner_id,
					transactions: fees.map(({ id }) => id),
				}),
			),
		);
		expect(out.map(({ pairedItem }) => pairedItem)).toEqual(
			[groups[0], groups[1]].map((fees) => fees.map((fee) => ({ item: items.indexOf(fee) }))),
		);
	});

	test('an Idempotency Key or an invoice that differs within a payout is refused', async () => {
		const [items] = withFees();
		const gathered = { ...form, feesAs: 'items', idempotencyKey: '={{ $json.id }}' };
		const { error } = await run('payout.create', gathered, { items });
		expect(error?.message).toContain('"Idempotency Key" must be the same for all input items');
		const other = { ...form, feesAs: 'partners', invoiceNumber: '=INV-{{ $json.id }}' };
		const invoice = await run('payout.create', other, { items });
		expect(invoice.error?.message).toContain('"Invoice Number" must be the same');
		expect(sentPayouts()).toEqual([]);
	});
});
