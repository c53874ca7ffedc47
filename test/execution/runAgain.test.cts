// Scenes of the model of running again (host/story.cts) that are drawn, and those that charged twice once.
//
//   RUNS=10000 SEED=7 npx jest test/execution/runAgain
import fc from 'fast-check';
import {
	World,
	type Again,
	type Change,
	type Fate,
	type Fault,
	type Scene,
	type Shape,
} from './host/again.cts';
import { dropOldest } from './host/keyStore.cts';
import { Service } from './host/service.cts';
import { plain, retriesOfCuts, said, Story } from './host/story.cts';

const service = Service.forFile();

const seldom = <T,>(value: T, other: T) =>
	fc.oneof(
		{ weight: 4, arbitrary: fc.constant(value) },
		{ weight: 1, arbitrary: fc.constant(other) },
	);

const isSeldom = seldom(false, true);

const fault: fc.Arbitrary<Fault | undefined> = fc.option(
	fc.record({
		of: fc.constantFrom<Fault['of']>('store', 'request'),
		at: fc.integer({ min: 1, max: 16 }),
		how: fc.constantFrom<Fault['how']>('cancelled', 'fails', 'killed before', 'killed', 'loses'),
	}),
	{ freq: 3, nil: undefined },
);

const again: fc.Arbitrary<Again> = fc.record({
	of: seldom<Again['of']>('last', 'first'),
	change: fc.oneof(
		{ weight: 3, arbitrary: fc.constant<Change>('none') },
		{
			weight: 1,
			arbitrary: fc.constantFrom<Change>('amount', 'key', 'no key', 'other key', 'other operation'),
		},
	),
	list: fc.constantFrom<Again['list']>(
		...Array<'same'>(6).fill('same'),
		'one more first',
		'others',
		'turned round',
	),
	isTwice: isSeldom,
	isElsewhere: fc.boolean(),
	isKilledLater: isSeldom,
	fault,
});

const fates: Fate[] = ['applied', 'declined', 'lost, applied', 'lost, not applied', 'stalls'];

const shapes: Shape[] = [
	'a loop',
	'a Wait',
	'an error output that leads back',
	'an error output that leads back without error',
	'one run',
	'two runs',
];

const scenes: fc.Arbitrary<Scene> = fc
	.record({
		shape: fc.constantFrom(...shapes),
		customers: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
		fates: fc.array(fc.constantFrom<Fate>('applied', ...fates), { minLength: 4, maxLength: 4 }),
		isNow: isSeldom,
		isKeyed: isSeldom,
		isAlike: isSeldom,
		onError: fc.constantFrom<Scene['onError']>(
			'continueErrorOutput',
			'continueRegularOutput',
			'stopWorkflow',
		),
		isTriedAgain: isSeldom,
		isLimited: isSeldom,
		cut: fc.constantFrom<Scene['cut']>('cancelled', 'killed'),
		savesProgress: isSeldom,
		isKilledLater: isSeldom,
		fault,
		again: fc.array(again, { minLength: 1, maxLength: 3 }),
	})
	.map((scene) => ({
		...scene,
		// Only an error output leads back.
		onError: scene.shape.startsWith('an error output') ? 'continueErrorOutput' : scene.onError,
		// Then nothing tells an item in doubt that comes back.
		isNow: scene.isNow && scene.shape !== 'an error output that leads back without error',
		// A key needs something to be made of.
		isKeyed: scene.isKeyed && !scene.isAlike,
		again: scene.again.map((step) => ({
			...step,
			change: scene.isAlike && /key/.test(step.change) ? 'none' : step.change,
		})),
	}));

test('however an execution runs again, nothing is sent twice, nothing is lost unsaid, and each advice ends well', async () => {
	const property = fc.assert(
		fc.asyncProperty(scenes, async (scene) => {
			const story = new Story(service, scene);
			await story.play();
			await story.follow();
		}),
		{
			numRuns: Number(process.env.RUNS ?? 100),
			seed: Number(process.env.SEED ?? 1),
			path: process.env.SCENE,
			includeErrorInReport: true,
			endOnFailure: process.env.SCENE !== undefined,
		},
	);
	await expect(property).resolves.toBeUndefined();
	const { all, refused } = retriesOfCuts;
	if (process.env.RUNS) process.stdout.write(`${refused} of ${all} Retries after a cut refused\n`);
});

const key = '={{ $json.order }}';

describe('scenes that charged twice once', () => {
	test.each([
		['the first round', 0],
		['the round that was killed', 2],
	])(
		'a loop is killed, and %s has a new customer: no release frees a round that has others now',
		async (_round, at) => {
			const customers = [0, 1, 2, 3];
			const fates: Fate[] = ['applied', 'applied', 'stalls'];
			const world = new World(service, { ...plain, shape: 'a loop', customers, fates });
			const first = await world.execute({});
			const items = world.items();
			items.splice(at, 0, { customer: 'cus-9', order: 'order-9' });
			const retry = await world.execute({ retried: first, items });
			expect(retry.runs).toHaveLength(1 + at / 2);
			expect(retry.error).toContain('n8n kept nothing of it, so nothing was sent');
			expect(retry.error).not.toContain('Release Key');
			expect([...world.applied.values()]).toEqual([1, 1, 1]);
		},
	);

	test('a key that is added before the Retry of a killed execution proves nothing', async () => {
		const scene: Scene = { ...plain, shape: 'an error output that leads back' };
		const world = new World(service, {
			...scene,
			onError: 'continueErrorOutput',
			fates: ['applied', 'applied', 'stalls'],
		});
		const first = await world.execute({});
		const retry = await world.execute({ retried: first, form: { key } });
		expect([...world.applied.values()]).toEqual([1, 1, 1]);
		expect(said(retry)).toEqual(Array(3).fill(expect.stringContaining('another Idempotency Key')));
	});

	test('declined cards come back without their error, and n8n is killed twice', async () => {
		const world = new World(service, {
			...plain,
			shape: 'an error output that leads back without error',
			customers: [0],
			onError: 'continueErrorOutput',
			fates: ['declined'],
		});
		const first = await world.execute({ isKilledLater: true });
		const second = await world.execute({ retried: first, isKilledLater: true });
		await world.execute({ retried: { ...second, isCut: true } });
		await Promise.all([world.execute({ retried: first }), world.execute({ retried: first })]);
		expect([...world.applied.values()]).toEqual([1]);
	});

	test.each([
		['', 'an error output that leads back', false],
		[', although its request is another one each time', 'an error output that leads back', true],
		[', although its error is gone', 'an error output that leads back without error', false],
	] as const)(
		'an item in doubt that an error output leads back comes back once more, and ends%s',
		async (_how, shape, isNow) => {
			const world = new World(service, {
				...plain,
				isNow,
				shape,
				onError: 'continueErrorOutput',
				fates: ['applied', 'lost, applied'],
			});
			const { runs } = await world.execute({});
			expect(runs).toHaveLength(3);
			expect([...world.applied.values()]).toEqual([1, 1, 1]);
		},
	);

	test('an item with a key that comes back says that it may have gone through, also if the store fails', async () => {
		const story = new Story(service, {
			...plain,
			shape: 'an error output that leads back',
			customers: [1, 0],
			fates: ['applied', 'lost, applied'],
			isKeyed: true,
			isLimited: true,
			onError: 'continueErrorOutput',
			fault: { of: 'store', at: 4, how: 'fails' },
		});
		await story.play();
		expect(said(story.ends[0])).toContain('database is locked. It may have gone through.');
	});

	test('what was done without a key is known by its key the next day', async () => {
		const world = new World(service, { ...plain, fates: ['applied', 'applied', 'declined'] });
		const first = await world.execute({});
		await world.execute({ retried: first, form: { key } });
		const nextDay = await world.execute({ form: { key } });
		expect([...world.applied.values()]).toEqual([1, 1, 1]);
		expect(nextDay.runs[0].output?.map(({ skipped }) => skipped)).toEqual([true, true, true]);
	});
});

test('a long loop is remembered, although the store has dropped its first texts', async () => {
	const customers = Array.from({ length: 120 }, (_none, at) => at);
	const world = new World(service, { ...plain, shape: 'a loop', customers });
	// As if n8n was killed in a later node.
	const first = { ...(await world.execute({})), isCut: true };
	dropOldest(60);
	const retry = await world.execute({ retried: first });
	expect(retry.error).toContain('nothing was sent');
	expect(Math.max(...world.applied.values())).toBe(1);
});
