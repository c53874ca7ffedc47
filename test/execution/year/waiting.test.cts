// What the example promises that charges, and waits for the outcome.
import type { IDataObject } from 'n8n-workflow';
import { noneTwice, type World } from './scenes.cts';
import { overAYear } from './overAYear.cts';

const charges = ({ sandbox }: World) => sandbox.state.charges.charges.rows;

/** A delivery of a charge, as the sandbox sends it. */
const delivery = (id: unknown, status: string): IDataObject => ({
	body: { data: { charge: { id, status } } },
});

/** The outcome of each month: the last one doesn't come in time. */
const OUTCOMES = ['paid', 'failed', undefined];

const STILL_OPEN = 'still open after two minutes';

/** Outcomes in which runs have ended. */
const outcomes = ({ runs }: World) =>
	runs.flatMap(({ newRows }) => [...newRows('Paid'), ...newRows('Not paid')]);

const isOwn = ({ url }: { url: string }) => url.startsWith('https://n8n.example.com/');

overAYear([
	{
		file: '20-wait-until-a-charge-is-paid.json',
		occasion: () => ({ 'Execute workflow': [{}] }),
		isDone: 'Each run creates another charge.',
		// First, the outcome of another charge.
		whileWaiting(world, { rows }) {
			const [{ id }] = rows('Create charge');
			const outcome = OUTCOMES[world.occasions.at(-1)! % OUTCOMES.length];
			return [delivery('chg-other', 'paid'), outcome ? delivery(id, outcome) : undefined];
		},
		never: {
			'A run charges once': (world) =>
				expect(charges(world).length).toBeLessThanOrEqual(
					world.runs.filter(({ isNew }) => isNew).length,
				),
			'A charge has one outcome': (world) => noneTwice(outcomes(world).map(({ charge }) => charge)),
		},
		holds: {
			'Each charge has its own outcome, or is still open': (world) => {
				expect(outcomes(world).map(({ charge }) => charge)).toEqual(
					charges(world).map(({ id }) => id),
				);
				const wanted = world.occasions.map(
					(month) => OUTCOMES[month % OUTCOMES.length] ?? STILL_OPEN,
				);
				const told = outcomes(world).map(({ outcome }) => outcome);
				expect([...new Set(told)].sort()).toEqual([...new Set(wanted)].sort());
			},
			'No webhook is left': ({ sandbox }) =>
				expect(sandbox.state.webhooks.webhooks.rows.filter(isOwn)).toEqual([]),
		},
	},
]);
