// What the examples promise that start with a charge which was paid, or failed.
import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../../n8n/mailServer.cts';
import { Poller } from '../host/poller.cts';
import { reconciles, renew } from './reconciling.cts';
import { noneTwice, type Scene, type World } from './scenes.cts';
import { overAYear } from './overAYear.cts';

/** A delivery of a charge of two lines, as the sandbox sends it. */
function delivery(world: World, node: string, month: number): IDataObject {
	const sample = world.example.sample(node);
	const { charge } = (sample.body as { data: { charge: IDataObject } }).data;
	Object.assign(charge, {
		id: `chg-${month}`,
		services: [
			{ name: 'Seats', amount: 5.01 },
			{ name: 'Support', amount: 95.01 },
		],
	});
	return { ...sample, deliveryId: `delivery-${month}` };
}

/** JavaScript's sum of both has the noise of a fraction. */
const WHOLE = '100.02';

const texts = ({ mails }: World) => mails.map(textOf);

const namesWhole = (world: World) => {
	for (const text of texts(world)) expect(text).toContain(WHOLE);
};

/** Calls that were planned. */
const planned = ({ sandbox }: World) =>
	sandbox.requests.filter(
		({ method, path, status }) =>
			method === 'POST' && path.includes('/scheduler/') && Number(status) < 300,
	).length;

const messages = ({ runs }: World) => runs.flatMap(({ newRows }) => newRows('Tell Slack'));

/** The polling trigger of a published workflow, by its world. */
const pollers = new WeakMap<World, Poller>();

async function polled(world: World, node: string): Promise<IDataObject[]> {
	const poller =
		pollers.get(world) ?? new Poller(world.sandbox, world.example.node(node).parameters);
	pollers.set(world, poller);
	return (await poller.poll()) ?? [];
}

const handled = ({ runs }: World) => runs.flatMap(({ newRows }) => newRows('Handle payment'));

const DETECTED = '2026-04-01T12:00:00.000Z';

/** A payment is seen. The alarm sounds if its customer had no charge handled within the day before. */
const alarm =
	(lastCharge: string | undefined, sounds: boolean): Scene =>
	async ({ world: { sandbox, example } }) => {
		const { customers } = sandbox.state.customers;
		const { id } = customers.rows[1];
		const properties: Record<string, string> = lastCharge ? { last_charge_paid: lastCharge } : {};
		customers.update(id, { properties });
		const data = { id: 'rec-1', customer_id: id, subscription_reference: 'sub-1' };
		const to = { last_payment_status: 'paid', next_renew: '2026-05-01' };
		const seen = [{ detectedAt: DETECTED, status: 'paid', to, data }];
		const given = { 'Payment is paid': seen, 'The delivery may be late': seen };
		const { rows, error } = await example.run(given);
		expect(error).toBeUndefined();
		const told = { subscription: 'sub-1', customer: id, renewal: '2026-05-01', warning: '' };
		expect(rows('Alarm')).toEqual(sounds ? [{ ...told, lastCharge: lastCharge ?? 'none' }] : []);
	};

overAYear([
	{
		file: '06-reconcile-payments.json',
		async occasion(world, month) {
			// Publishing only saves the current state.
			if (!pollers.has(world)) await polled(world, 'Payment changed');
			renew(world, month);
			return { 'Payment changed': await polled(world, 'Payment changed') };
		},
		isDelivered: true,
		...reconciles,
	},
	{
		file: '23-paid-charges-with-an-alarm.json',
		occasion: (world, month) => ({ 'Charge paid': [delivery(world, 'Charge paid', month)] }),
		isDelivered: true,
		never: {
			'A charge is handled once': (world) => noneTwice(handled(world).map(({ charge }) => charge)),
			'It is handled with its whole amount': (world) => {
				expect(handled(world).filter(({ amount }) => Number(amount) !== Number(WHOLE))).toEqual([]);
			},
		},
		holds: {
			'Each charge is handled': (world) =>
				expect(handled(world)).toHaveLength(world.occasions.length),
		},
		own: {
			'a payment whose charge was never handled': alarm(undefined, true),
			'a payment whose charge was handled a day before': alarm('2026-03-31T11:59:59.000Z', true),
			'a payment whose charge was handled within the day': alarm('2026-03-31T12:00:01.000Z', false),
			'a payment whose charge is handled later': alarm('2026-04-01T12:30:00.000Z', false),
		},
	},
	{
		file: '29-alert-on-money-in-doubt.json',
		occasion: (_world, month) => ({
			'A workflow failed': [
				{
					workflow: { id: '1', name: 'Billing' },
					execution: {
						id: String(month),
						url: `https://n8n.example.com/execution/${month}`,
						error: { message: `The charge INV-${month} may have gone through` },
						lastNodeExecuted: 'Charge customer',
					},
				},
			],
		}),
		isOffline: true,
		isDone: 'Each failed execution is an email of its own.',
		never: {
			'An alert names what to look up': (world) => {
				const named = texts(world).filter((text) => /INV-\d+.*[^]*execution\/\d+/.test(text));
				expect(named).toEqual(texts(world));
			},
		},
		holds: {
			'Each error is one mail': ({ mails, runs }) =>
				expect(mails).toHaveLength(runs.filter(({ isNew }) => isNew).length),
		},
	},
	{
		file: '04-dunning-on-a-failed-charge.json',
		occasion: (world, month) => ({ 'Charge failed': [delivery(world, 'Charge failed', month)] }),
		isDelivered: true,
		never: {
			'One reminder for each failed charge': ({ mails, occasions }) =>
				expect(mails.length).toBeLessThanOrEqual(occasions.length),
			'The reminder names the whole amount': namesWhole,
			'One call for each failed charge': (world) =>
				expect(planned(world)).toBeLessThanOrEqual(world.occasions.length),
		},
		holds: {
			'Each failed charge has its reminder and its call': (world) =>
				expect([world.mails.length, planned(world)]).toEqual([
					world.occasions.length,
					world.occasions.length,
				]),
		},
	},
	{
		file: '05-receipt-on-a-paid-charge.json',
		occasion: (world, month) => ({ 'Charge paid': [delivery(world, 'Charge paid', month)] }),
		isDelivered: true,
		never: {
			'One receipt for each paid charge': ({ mails, occasions }) =>
				expect(mails.length).toBeLessThanOrEqual(occasions.length),
			'The receipt names the whole amount': namesWhole,
		},
		holds: {
			'Each paid charge has its receipt': (world) =>
				expect(
					texts(world).map((text) => /number of this payment is (\S+)\./.exec(text)?.[1]),
				).toEqual(world.occasions.map((month) => `chg-${month}`)),
		},
	},
	{
		file: '28-failed-charge-to-slack.json',
		occasion: (world, month) => ({ 'Charge failed': [delivery(world, 'Charge failed', month)] }),
		isDelivered: true,
		never: {
			'One message for each failed charge': (world) =>
				expect(messages(world).length).toBeLessThanOrEqual(world.occasions.length),
		},
		holds: {
			'Each failed charge has its message, with all services and amounts': (world) => {
				expect(messages(world)).toHaveLength(world.occasions.length);
				for (const { text } of messages(world))
					expect(text).toMatch(/Seats 5\.01\b.*Support 95\.01/);
			},
		},
	},
]);
