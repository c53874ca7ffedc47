// What can be seen of a long run while it's under way.
import { useLeapingTime } from './host/leapingTime.cts';
import { byId, run, sandboxFor } from './host/run.cts';

useLeapingTime();
const sandbox = sandboxFor({ customers: 60, latencyMs: 1_000 });

const form = {
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
};

const items = (count: number) =>
	sandbox()
		.state.customers.customers.rows.slice(0, count)
		.map(({ id }) => ({ customer: id }));

/** Charges customers, one each second. Returns the run and what the editor was told. */
async function charged(count: number, options: object = {}) {
	const told: unknown[] = [];
	const sendDataToUI = (_type: string, data: unknown) =>
		void told.push(...(data as { messages: unknown[] }).messages);
	const result = await run(sandbox(), 'platformCustomers', 'charge.create', form, {
		items: items(count),
		more: { sendDataToUI } as never,
		...options,
	});
	return { ...result, told };
}

test('a run by hand tells every five seconds how far it is', async () => {
	const { told } = await charged(18);
	expect(told).toEqual([
		expect.stringMatching(/^[56] of 18 items, about 1[2-4] s left$/),
		expect.stringMatching(/^1[0-2] of 18 items, about [6-8] s left$/),
		expect.stringMatching(/^1[5-7] of 18 items, about [1-3] s left$/),
	]);
});

test.each([
	['a short one', 3, {}],
	['one that nobody looks at', 12, { mode: 'trigger' }],
])('%s tells nothing', async (_what, count, options) => {
	expect((await charged(count, options)).told).toEqual([]);
});
