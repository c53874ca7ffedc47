// What n8n's Retry does with an item, by how its run has ended and how far the item was: docs/money.md as a table.
import { World, type Scene } from './host/again.cts';
import { Service } from './host/service.cts';
import { plain } from './host/story.cts';

const service = Service.forFile();

/** How far an item was. */
type Item = 'done' | 'in doubt' | 'not begun' | 'on its way' | 'refused';

/** It comes out as done, it's charged, a person is asked about it, or it waits for what a person is asked about. */
type Fate = 'asked' | 'left' | 'sent' | 'waits';

type Runs = 'cancelled' | 'failed' | 'killed';

/** With On Error: Stop, the first item that fails ends the run. */
const stops: Record<Runs, Partial<Record<Item, Fate>>> = {
	failed: { done: 'left', refused: 'sent', 'in doubt': 'asked', 'not begun': 'sent' },
	cancelled: { done: 'left', 'on its way': 'asked', 'not begun': 'waits' },
	killed: { done: 'asked', 'on its way': 'asked', 'not begun': 'asked' },
};

/** With On Error: Continue, none does. What was killed within a slice of items may have been sent, all of it. */
const goesOn: Record<Exclude<Runs, 'failed'>, Record<Item, Fate>> = {
	cancelled: {
		...{ done: 'left', refused: 'asked', 'in doubt': 'asked', 'on its way': 'asked' },
		'not begun': 'sent',
	},
	killed: {
		...{ done: 'asked', refused: 'asked', 'in doubt': 'asked', 'on its way': 'asked' },
		'not begun': 'asked',
	},
};

const fateOf: Record<Item, Scene['fates']> = {
	done: ['applied'],
	refused: ['declined'],
	'in doubt': ['lost, applied'],
	'on its way': [],
	'not begun': [],
};

const cells = Object.entries({ stopWorkflow: stops, continueRegularOutput: goesOn }).flatMap(
	([onError, runs]) =>
		Object.entries(runs).flatMap(([how, items]) =>
			(Object.entries(items) as Array<[Item, Fate]>).map(
				([item, fate]) => [onError as Scene['onError'], how as Runs, item, fate] as const,
			),
		),
);

test.each(cells)('%s, %s: an item that was %s is %s', async (onError, how, item, fate) => {
	const ends = how === 'failed' ? 'declined' : 'stalls';
	const world = new World(service, {
		...plain,
		customers: [0, 1, 2, 3],
		onError,
		fates: [...fateOf[item], ends],
		...(how !== 'failed' && { cut: how }),
	});
	const customer = item === 'not begun' ? 'cus-3' : 'cus-0';
	const first = await world.execute({});
	const before = world.applied.get(customer) ?? 0;
	const retry = await world.execute({ retried: first });
	const row = retry.runs
		.flatMap(({ input, output = [] }) =>
			output.flatMap((each, at) => (input[at].customer === customer ? [each] : [])),
		)
		.at(0);
	const count = world.applied.get(customer) ?? 0;
	expect(count - before).toBe(fate === 'sent' ? 1 : 0);
	// What is asked about is named: in the error of the run, or by that of its own item.
	const about = /In doubt: (.*?)\. Check/.exec(retry.error ?? '')?.[1] ?? '';
	const isAsked = about.includes(`for ${customer}`) || String(row?.error).includes('Check it.');
	expect(isAsked).toBe(fate === 'asked');
	if (fate === 'waits') expect(about).not.toBe('');
});
