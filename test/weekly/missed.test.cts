// Payments while n8n is up, down and up again: each charge that is delivered is handled once, and for each whose delivery was lost
// the polling trigger beside it sounds the alarm once.
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

/** Seconds that a delivery may be late here, as long as a busy machine may take to handle all of a part. */
const LATE = 60;

/** The example, polling fast, and waiting no hour for a late delivery. */
const example = () => {
	const workflow = polledFast(exampleOf('23-paid-charges-with-an-alarm.json'));
	const nodes = workflow.nodes.map((node) =>
		node.type === 'n8n-nodes-base.wait'
			? { ...node, parameters: { ...node.parameters, amount: LATE, unit: 'seconds' } }
			: node,
	);
	return { ...workflow, nodes };
};

test('each delivered charge is handled once, and a lost delivery is an alarm', async () => {
	const { n8n, sandbox, credential } = running();
	const { client } = n8n;
	const { id } = await client.importWorkflow(example(), [credential]);

	const { subscriptions } = sandbox.state.subscriptions;
	const customers = sandbox.state.customers.customers.rows;
	const open = customers
		.filter((customer) => customer.subscriptions.length === 1)
		.map((customer) => subscriptions.rows.find(({ customerId }) => customerId === customer.id)!)
		.filter(({ status }) => status !== 'dismiss')
		.slice(0, 3 * PAYMENTS);
	expect(open).toHaveLength(3 * PAYMENTS);
	for (const row of open) subscriptions.update(row.id, { last_payment_status: 'pending' });

	const pay = async (customerIds: string[]) => {
		const charges = [];
		for (const customerId of customerIds) {
			charges.push((await chargeCustomer(sandbox, customerId, 'paid')).id);
		}
		await sandbox.deliveriesSettled();
		return charges;
	};
	const due = (part: number) =>
		open.slice(part * PAYMENTS, (part + 1) * PAYMENTS).map(({ customerId }) => customerId);
	const given = async (node: string, field: string) =>
		(await client.waitForExecutions(id, 0)).flatMap((each) =>
			itemsOf(each, node).map(({ json }) => String(json[field])),
		);
	const handled = async () => (await given('Handle payment', 'charge')).sort();
	const areHandled = async (charges: string[]) =>
		await until(`${charges.length} charges`, async () => {
			const all = await handled();
			return charges.every((each) => all.includes(each));
		});

	await client.activate(id);
	const oneOff = customers.find((customer) => customer.subscriptions.length === 0)!;
	const first = await pay([...due(0), oneOff.id]);
	await areHandled(first);

	await n8n.kill9();
	const killedAt = Date.now();
	const lost = await pay(due(1));
	await sleep(Number(DOWN_SECONDS) * 1000);
	await n8n.restart();
	const references = open.slice(PAYMENTS, 2 * PAYMENTS).map((row) => row.id);
	const alarms = async () => (await given('Alarm', 'subscription')).sort();
	await until('the alarms', async () => (await alarms()).length >= PAYMENTS);

	const later = await pay(due(2));
	await areHandled(later);
	expect(await handled()).toEqual([...first, ...later].sort());

	// The service delivers all of them again, those too that failed.
	const deliveries = sandbox.deliveries.filter(({ url }) => url.includes(PUBLIC_HOST));
	expect(deliveries.filter(({ state }) => state === 'failed')).toHaveLength(PAYMENTS);
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
	await areHandled(lost);
	expect(await handled()).toEqual([...first, ...lost, ...later].sort());
	// Of the others, none.
	await sleep((LATE + 10) * 1000);
	expect(await alarms()).toEqual([...references].sort());
	const ended = await client.waitForExecutions(id, 0);
	// A poll may have started an execution in the moment when n8n was killed. No other may have crashed.
	const wasKilled = ({ status, startedAt }: Execution) =>
		status === 'crashed' && Date.parse(startedAt) <= killedAt;
	expect(ended.filter((each) => each.status !== 'success' && !wasKilled(each))).toEqual([]);
	process.stdout.write(
		`Down for ${DOWN_SECONDS} s: ${first.length + later.length} charges handled, ${PAYMENTS} alarms, ` +
			`${deliveries.length} deliveries again: each charge handled once\n`,
	);
	await client.deactivate(id);
});
