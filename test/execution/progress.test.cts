// What n8n's log has of a long run while it's under way.
import { ExecuteContext } from 'n8n-core';
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 60, latencyMs: 1_000 });

const form = {
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
};

const items = (count: number) =>
	sandbox()
		.state.customers.customers.rows.slice(0, count)
		.map(({ id }) => ({ customer: id }));

/** Charges customers, one each second. Returns what the log was told. */
async function charged(count: number, options: object = {}) {
	const told: string[] = [];
	const logger = { info: (text: string) => void told.push(text) };
	const spy = jest.spyOn(ExecuteContext.prototype, 'logger', 'get');
	spy.mockReturnValue(logger as never);
	await run(sandbox(), 'platformCustomers', 'charge.create', form, {
		items: items(count),
		...options,
	});
	spy.mockRestore();
	return told;
}

test('a run by hand tells every five seconds how far it is', async () => {
	expect(await charged(18)).toEqual([
		expect.stringMatching(/: [56] of 18 items, about 1[2-4] s left$/),
		expect.stringMatching(/: 1[0-2] of 18 items, about [6-8] s left$/),
		expect.stringMatching(/: 1[5-7] of 18 items, about [1-3] s left$/),
	]);
});

test.each([
	['a short one', 3, {}],
	['one that nobody looks at', 12, { mode: 'trigger' }],
])('%s tells nothing', async (_what, count, options) => {
	expect(await charged(count, options)).toEqual([]);
});
