// Platform Recurring Payments: settings and subscriptions.
import { run as runOn, sandboxFor } from '../host/run.cts';

const sandbox = sandboxFor({ customers: 200 });

const run = async (operation: string, parameters = {}) =>
	await runOn(sandbox(), 'platformRecurringPayments', operation, parameters);

test('settings come with their status', async () => {
	const { items } = await run('settings.get');
	expect(items.map(({ json }) => json)).toEqual([sandbox().state.recurring]);
});

test('all subscriptions come over several pages, although the list names no pages', async () => {
	const { rows } = sandbox().state.subscriptions.subscriptions;
	expect(rows.length).toBeGreaterThan(100);
	const { items, hints } = await run('subscription.getAll', { returnAll: true });
	expect(items.map(({ json }) => json.id)).toEqual(rows.map(({ recurringId }) => recurringId));
	expect(items[0].json).toMatchObject({ subscription_reference: rows[0].id });
	expect(hints).toEqual([]);
});

test('the first ones take one request', async () => {
	const { items } = await run('subscription.getAll', { limit: 3 });
	expect(items).toHaveLength(3);
	expect(sandbox().requests.map(({ path }) => path)).toEqual([
		'/recurring-payments/subscriptions.json?size=3&page=1',
	]);
});
