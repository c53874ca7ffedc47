// What the examples promise that start with a charge which was paid, or failed.
import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../../n8n/mailServer.cts';
import type { World, Year } from './scenes.cts';

/** A delivery of a charge of two lines, as the sandbox sends it. */
function delivery(world: World, node: string, month: number): IDataObject {
	const sample = world.example.sample(node);
	const { charge } = (sample.body as { data: { charge: IDataObject } }).data;
	Object.assign(charge, {
		id: `chg-${month}`,
		services: [
			{ name: 'Seats', amount: 5 },
			{ name: 'Support', amount: 95.5 },
		],
	});
	return { ...sample, deliveryId: `delivery-${month}` };
}

const WHOLE = '100.50';

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

const messages = ({ runs }: World) => runs.flatMap(({ rows }) => rows('Tell Slack'));

export const payments: Year[] = [
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
				for (const { text } of messages(world)) expect(text).toMatch(/Seats 5\b.*Support 95\.5/);
			},
		},
	},
];
