// Safety Limits that nothing gets around: numbers below 0, fees that are paid, and items that can't be measured.
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';
import { useTools } from './host/tool.cts';

const service = Service.forFile();

const CONTINUE = { settings: { onError: 'continueRegularOutput' as const } };

describe('usage below 0', () => {
	const usageOf = (more: object, additionalFields: object = {}) => ({
		customerId: byId('cus-1'),
		subscriptionId: byId('sub-1'),
		additionalFields: { value: '={{ $json.value }}', ...additionalFields },
		...more,
	});
	const record = async (values: number[], more: object = {}, additionalFields: object = {}) => {
		service.behave(() => ({ body: { id: 'us-1', amount: 1 } }));
		const items = values.map((value) => ({ value }));
		const form = usageOf(more, additionalFields);
		const { error } = await run(service, 'platformCustomers', 'usage.record', form, { items });
		return error?.message ?? `${service.sent('POST').length} sent`;
	};
	const limited = { safetyLimits: { maxTotal: 200 } };

	test.each(['amount', 'value'])('%s: is refused unless the user allows it', async (name) => {
		const form = (allowNegative?: boolean) => ({
			...usageOf({}),
			additionalFields: { [name]: -1, ...(allowNegative && { allowNegative }) },
		});
		const send = async (allowed?: boolean) =>
			(await run(service, 'platformCustomers', 'usage.record', form(allowed))).error?.message;
		service.behave(() => ({ body: { id: 'us-1' } }));
		expect(await send()).toMatch(
			/^"(Amount|Value)" must not be below 0, unless Allow Negative Usage is on \(got -1\)\. Nothing was sent\.$/,
		);
		expect(service.sent()).toEqual([]);
		expect(await send(true)).toBeUndefined();
		expect(service.sent('POST')[0].body).toEqual({ usage: { [name]: -1 } });
	});

	test('makes no room for others under Max Total, in any order', async () => {
		const allowed = { allowNegative: true };
		for (const values of [
			[-5900, 6000],
			[6000, -5900],
		]) {
			const outcome = await record(values, limited, allowed);
			expect(outcome).toContain('The 2 items have 6,000.00 in total, Max Total is 200.00');
		}
		expect(await record([-5900, 200], limited, allowed)).toBe('2 sent');
	});

	test('is refused as a tool of an agent', async () => {
		service.behave(() => ({ body: { id: 'us-1' } }));
		const parameters = {
			...{ resource: 'usage', operation: 'record' },
			...usageOf({}, { value: "={{ $fromAI('value', '', 'number') }}" }),
		};
		const tools = [{ node: 'platformCustomers', parameters }];
		await useTools(tools, service.credential, async ({ Tool_1: tool }) => {
			expect(await tool.invoke({ value: -5 })).toContain('must not be below 0');
		});
		expect(service.sent()).toEqual([]);
	});
});

describe('a payout whose fees are read for its limits', () => {
	const fees = (statuses: string[]) =>
		statuses.map((status, at) => ({ id: `fee-${at + 1}`, fee_value: 10, status }));
	const form = (transactions: string[]) => ({
		partnerId: byId('ptn-1'),
		transactions,
		invoiceNumber: 'INV-1',
		safetyLimits: { maxTotal: 100 },
	});

	test.each(['paid', 'PAID', ' Paid'])(
		'one with status %j is refused by its ID',
		async (status) => {
			service.behave(({ method }) => ({
				body:
					method === 'GET' ? { elements: fees(['pending', status]) } : { id: 'pay-1', total: 20 },
			}));
			const create = async (ids: string[]) =>
				(await run(service, 'platformPartners', 'payout.create', form(ids))).error?.message;
			expect(await create(['fee-1', 'fee-2'])).toBe(
				'"Fees" has the fee fee-2, which is paid already. Take it out, such as with the filter Status of Fee: Get Many. Nothing was sent.',
			);
			expect(await create(['fee-1', 'fee-9'])).toBe(
				`"Fees" doesn't have the fee fee-9. Nothing was sent.`,
			);
			expect(service.sent('POST')).toEqual([]);
			expect(await create(['fee-1'])).toBeUndefined();
		},
	);
});

describe('an item that cannot be measured', () => {
	const queue = { newsletterId: byId('={{ $json.id }}'), safetyLimits: { maxTotal: 100 } };
	const pay = { ...{ payoutId: byId('={{ $json.id }}'), status: 'paid' }, ...queue };
	const items = ['1', '2', '3'].map((id) => ({ id }));

	/** The second record isn't there. */
	const behave = () =>
		service.behave(({ method, path }) => {
			if (path.includes('/2')) return { status: 404, body: { error: 'Not found' } };
			const [, id] = /\/(\d)/.exec(path) ?? [];
			if (method === 'GET') return { body: { id, total: 10, total_recipients: 10 } };
			return { body: { payout: { id, status: 'paid' }, status: 'queued', queued_recipients: 10 } };
		});

	test.each([
		['platformNewsletters', 'newsletter.queue', queue],
		['platformPartners', 'payout.updateStatus', pay],
	])('%s: %s: with Continue the others are sent', async (node, operation, form) => {
		behave();
		const { items: output } = await run(service, node, operation, form, { items, ...CONTINUE });
		expect(output.map(({ json }) => typeof json.error)).toEqual([
			'undefined',
			'string',
			'undefined',
		]);
		expect(output[1].json.error).toContain('Not found');
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		const sent = service.received.filter(({ method }) => method !== 'GET');
		expect(sent.map(({ path }) => /\/(\d)/.exec(path)?.[1])).toEqual(['1', '3']);
	});

	test('a record without an amount is refused, and says what is missing', async () => {
		service.behave(() => ({ body: { id: '1', status: 'pending' } }));
		const { error } = await run(service, 'platformPartners', 'payout.updateStatus', pay, {
			items: [{ id: '1' }],
		});
		expect(error?.message).toContain(
			`"Amount" isn't in what the API returned, so Safety Limits can't be checked.`,
		);
		expect(service.received.filter(({ method }) => method !== 'GET')).toEqual([]);
	});

	test('with Stop nothing is sent', async () => {
		behave();
		const { error } = await run(service, 'platformNewsletters', 'newsletter.queue', queue, {
			items,
		});
		expect(error?.message).toContain('Not found');
		expect(service.sent('POST')).toEqual([]);
	});

	test('the others are still held to the limit', async () => {
		behave();
		const form = { ...queue, safetyLimits: { maxTotal: 19 } };
		const { items: output } = await run(service, 'platformNewsletters', 'newsletter.queue', form, {
			items,
			...CONTINUE,
		});
		expect(output.map(({ json }) => String(json.error))).toEqual([
			expect.stringContaining('Max Recipients is 19'),
			expect.stringContaining('Not found'),
			expect.stringContaining('Max Recipients is 19'),
		]);
		expect(service.sent('POST')).toEqual([]);
	});
});
