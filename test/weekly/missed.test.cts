// Payments while n8n is up, down and up again: Platform Trigger and Platform Polling Trigger in one
// workflow handle each of them once.
//
// Numbers for the docs: DOWN_SECONDS=600, and a --testTimeout of half an hour.
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from 'undici';
import { type Execution, itemsOf } from '../n8n/client.cts';
import { until } from '../n8n/until.cts';
import { PUBLIC_HOST } from '../sandbox/tls.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { exampleOf, polledFast } from '../e2e/examples.cts';
import { LEAN, ownSetting } from '../n8n/setting.cts';

const { DOWN_SECONDS = '5' } = process.env;

/** Payments in each of the three times. */
const PAYMENTS = 10;

const running = ownSetting(
	{ env: LEAN },
	{ sandbox: { customers: 120, deliveries: { attempts: 3, backoffMs: 50 } } },
);

test('none is lost and none handled twice, with deliveries that come late or again', async () => {
	const { n8n, sandbox, credential } = running();
	const { client } = n8n;
	const example = polledFast(exampleOf('23-paid-charges-none-missed.json'));
	const { id } = await client.importWorkflow(example, [credential]);

	const { subscriptions } = sandbox.state.subscriptions;
	const open = sandbox.state.customers.customers.rows
		.filter((customer) => customer.subscriptions.length === 1)
		.map((customer) => subscriptions.rows.find(({ customerId }) => customerId === customer.id)!)
		.filter(({ status }) => status !== 'dismiss')
		.slice(0, 3 * PAYMENTS);
	expect(open).toHaveLength(3 * PAYMENTS);
	for (const row of open) subscriptions.update(row.id, { last_payment_status: 'pending' });

	const wasPaid = (count: number) => open.slice(0, count).map(({ recurringId }) => recurringId);
	const pay = async (from: number) => {
		const due = open.slice(from, from + PAYMENTS);
		for (const { customerId } of due) await chargeCustomer(sandbox, customerId, 'paid');
		await sandbox.deliveriesSettled();
	};
	const handled = async () =>
		(await client.waitForExecutions(id, 0)).flatMap((each) =>
			itemsOf(each, 'Handle payment').map(({ json }) => json.subscription),
		);
	const areHandled = async (count: number) =>
		await until(`${count} payments`, async () => {
			const all = await handled();
			return wasPaid(count).every((each) => all.includes(each));
		});

	await client.activate(id);
	await pay(0);
	await areHandled(PAYMENTS);

	await n8n.kill9();
	const killedAt = Date.now();
	await pay(PAYMENTS);
	await sleep(Number(DOWN_SECONDS) * 1000);
	await n8n.restart();
	await areHandled(2 * PAYMENTS);

	await pay(2 * PAYMENTS);
	await areHandled(3 * PAYMENTS);

	// The service delivers all of them again, those too that failed.
	const deliveries = sandbox.deliveries.filter(({ url }) => url.includes(PUBLIC_HOST));
	expect(deliveries.filter(({ state }) => state === 'failed')).toHaveLength(PAYMENTS);
	const before = (await client.executions({ workflowId: id })).length;
	for (const { payload, url } of deliveries) {
		const { pathname, search } = new URL(url);
		const { status } = await fetch(`${n8n.url}${pathname}${search}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(payload),
			dispatcher: client.dispatcher,
		});
		expect(status).toBe(200);
	}
	await client.waitForExecutions(id, before + deliveries.length);
	expect((await handled()).sort()).toEqual(wasPaid(3 * PAYMENTS).sort());
	const ended = await client.waitForExecutions(id, 0);
	// A poll may have started an execution in the moment when n8n was killed. No other may have crashed.
	const wasKilled = ({ status, startedAt }: Execution) =>
		status === 'crashed' && Date.parse(startedAt) <= killedAt;
	expect(ended.filter((each) => each.status !== 'success' && !wasKilled(each))).toEqual([]);
	process.stdout.write(
		`Down for ${DOWN_SECONDS} s: ${3 * PAYMENTS} payments, ${PAYMENTS} without a delivery, ` +
			`${deliveries.length} deliveries again: each payment handled once\n`,
	);
	await client.deactivate(id);
});
