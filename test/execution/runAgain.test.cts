// The three sentences of docs/money.md on running again, as a model: executions that are drawn, every way to run them again,
// and a person who follows the advice of each refusal. Nothing is applied twice, nothing is lost unsaid, and it ends well.
//
//   RUNS=10000 SEED=7 npx jest test/execution/runAgain
import fc from 'fast-check';
import {
	World,
	type Again,
	type Change,
	type Ended,
	type Fate,
	type Scene,
	type Shape,
} from './host/again.cts';
import { dropOldest } from './host/keyStore.cts';
import { useLeapingTime } from './host/leapingTime.cts';
import { Service } from './host/service.cts';

useLeapingTime();

const service = Service.forFile();

const seldom = <T,>(value: T, other: T) =>
	fc.oneof(
		{ weight: 4, arbitrary: fc.constant(value) },
		{ weight: 1, arbitrary: fc.constant(other) },
	);

const isSeldom = seldom(false, true);

const again: fc.Arbitrary<Again> = fc.record({
	of: seldom<Again['of']>('last', 'first'),
	change: fc.oneof(
		{ weight: 3, arbitrary: fc.constant<Change>('none') },
		{
			weight: 1,
			arbitrary: fc.constantFrom<Change>('amount', 'key', 'no key', 'other key', 'other operation'),
		},
	),
	list: fc.constantFrom<Again['list']>('same', 'same', 'same', 'one more first', 'turned round'),
	isTwice: isSeldom,
	isKilledLater: isSeldom,
});

const fates: Fate[] = ['applied', 'declined', 'lost, applied', 'lost, not applied', 'stalls'];

const shapes: Shape[] = [
	'a loop',
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
		cut: fc.constantFrom<Scene['cut']>('cancelled', 'killed'),
		savesProgress: isSeldom,
		isKilledLater: isSeldom,
		fault: fc.option(fc.record({ at: fc.integer({ min: 1, max: 12 }), isLost: fc.boolean() }), {
			freq: 6,
			nil: undefined,
		}),
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
	}));

const keyOf: Record<Change, (key?: string) => string | undefined> = {
	key: () => '={{ $json.order }}',
	'other key': () => "={{ 'v2-' + $json.order }}",
	'no key': () => undefined,
	amount: (key) => key,
	none: (key) => key,
	'other operation': (key) => key,
};

/** A whole run is refused, not only an item in doubt. */
const REFUSED =
	/n8n kept nothing of it|was retried before|doesn't tell what an earlier|another Idempotency Key or|came here first/;

class Story {
	readonly world: World;

	readonly ends: Ended[] = [];

	/** How often each customer may be charged: as often as it was on the list. */
	private readonly wanted = new Map<string, number>();

	constructor(readonly scene: Scene) {
		this.world = new World(service, scene);
	}

	private want(items: Array<{ customer: string }>): void {
		const counts = new Map<string, number>();
		for (const { customer } of items) {
			counts.set(customer, (counts.get(customer) ?? 0) + 1);
		}
		for (const [customer, count] of counts) this.wanted.set(customer, count);
	}

	/** Customers that still have to be charged, each as often as it's missing. */
	missing(): string[] {
		return [...this.wanted].flatMap(([customer, count]) =>
			Array.from(
				{ length: Math.max(0, count - (this.world.applied.get(customer) ?? 0)) },
				() => customer,
			),
		);
	}

	private check(end: Ended): void {
		const { applied } = this.world;
		for (const [customer, count] of this.wanted) {
			const times = applied.get(customer) ?? 0;
			if (times > count) throw new Error(`${customer} was charged ${times} times for ${count}`);
		}
		for (const { input, output } of end.runs) {
			if (!output) continue;
			const leadsBack = this.scene.shape.startsWith('an error output');
			// An item that a refused run has given out before isn't led back for ever.
			if (leadsBack ? output.length > input.length : output.length !== input.length) {
				throw new Error(`${input.length} items came in, ${output.length} out`);
			}
			for (const { error, skipped, reason, id } of output) {
				const isSent =
					error === undefined && (skipped !== true || /execution before/.test(String(reason)));
				const customer = /^ch-(cus-\d)/.exec(String(id))?.[1];
				if (!isSent || customer === undefined) continue;
				if (!applied.get(customer)) throw new Error(`${customer} came out as sent, and wasn't`);
			}
		}
	}

	async play(): Promise<void> {
		const { scene, world, ends } = this;
		this.want(world.items());
		ends.push(await world.execute({ isKilledLater: scene.isKilledLater, fault: scene.fault }));
		this.check(ends[0]);
		for (const step of scene.again) {
			const retried = step.of === 'first' ? ends[0] : ends[ends.length - 1];
			// n8n retries nothing that has succeeded.
			if (!retried.isCut && retried.error === undefined) continue;
			const isAnew = retried.isCut && !retried.saved;
			this.want(isAnew ? world.items(step.list) : retried.items);
			const retry = async () => await world.execute(this.optionsOf(retried, step));
			const both = await Promise.all(step.isTwice ? [retry(), retry()] : [retry()]);
			for (const end of both) this.check(end);
			this.checkRefusal(retried, step, both[0]);
			ends.push(both[both.length - 1]);
		}
	}

	private optionsOf(retried: Ended, { change, list, isKilledLater }: Again) {
		return {
			retried,
			list,
			isKilledLater,
			form: {
				key: keyOf[change](this.world.keyOfScene),
				...(change === 'amount' && { amount: 12 }),
				...(change === 'other operation' && { isOtherOperation: true }),
			},
		};
	}

	/** The node must not refuse what it can tell. */
	private checkRefusal(retried: Ended, step: Again, end: Ended): void {
		const isPlain = step.change === 'none' && step.list === 'same' && !step.isTwice;
		const isFirst = this.ends.length === 1;
		if (!isPlain || !isFirst || this.scene.fault) return;
		const isRefused = said(end).some((text) => REFUSED.test(text));
		// After an error the ledger is there.
		if (!retried.isCut && isRefused) throw new Error('A Retry after an error is refused');
		// After a kill in a later node, what was wholly done goes on.
		const isDone = retried.runs.every(({ output }) =>
			output?.every(({ error }) => error === undefined),
		);
		const isLater = retried.error === 'killed' && retried.runs.length === 1 && !this.scene.isNow;
		if (isLater && isDone && !this.scene.isKeyed && isRefused) {
			throw new Error('A run that was wholly done is refused');
		}
	}

	/** What a person finds out about items in doubt: those that didn't go through, and after a word those that did. */
	private lookedUp({ runs }: Ended, asked: string): string {
		const inDoubt = asked.split(' ').flatMap((range) => {
			const [first, last = first] = range.split('-').map(Number);
			return Array.from({ length: last - first + 1 }, (_none, at) => first + at);
		});
		const inputs = runs.map(({ input }) => input);
		const input = inputs.pop() ?? [];
		// What is known as done isn't one of those that are asked for.
		const done = input.filter((_item, at) => at < Math.max(...inDoubt) && !inDoubt.includes(at));
		const left = new Map(this.world.applied);
		for (const { customer } of [...inputs.flat(), ...done]) {
			left.set(customer, (left.get(customer) ?? 0) - 1);
		}
		const went: number[] = [];
		const unsent: number[] = [];
		for (const at of inDoubt) {
			const { customer } = input[at];
			const count = left.get(customer) ?? 0;
			left.set(customer, count - 1);
			(count > 0 ? went : unsent).push(at);
		}
		return [...unsent, ...(went.length > 0 ? ['sent', ...went] : [])].join(' ');
	}

	/** A person does what each error says, until all customers are charged. */
	async follow(): Promise<void> {
		const { world, scene } = this;
		let end = this.ends[this.ends.length - 1];
		let form: Parameters<World['execute']>[0]['form'] = { key: world.keyOfScene };
		for (let turn = 0; turn < 12; turn++) {
			if (this.missing().length === 0) return;
			const { error } = end;
			const advice = error ?? '';
			const [, code, asked] =
				/enter (run-[\w-]{12}) ([\d -]+) in the option Release Key/.exec(advice) ?? [];
			const isError = error !== undefined && error !== 'killed' && !end.isCut;
			if (code) {
				form = { ...form, releaseKey: `${code} ${this.lookedUp(end, asked)}` };
				end = await world.execute({ retried: end, form });
			} else if (isError && !/in a new execution/.test(advice)) {
				// Such as a declined card.
				end = await world.execute({ retried: end, form });
			} else {
				const items = this.missing().map((customer, at) => ({
					customer,
					order: `new-${turn}-${at}`,
				}));
				form = { key: scene.isKeyed ? world.keyOfScene : undefined };
				end = await world.execute({ items, form });
			}
			this.check(end);
		}
		throw new Error(`The advice leads nowhere: ${JSON.stringify(said(end))}`);
	}
}

/** All that an execution says. */
const said = ({ error, runs }: Ended): string[] => [
	...(error === undefined ? [] : [error]),
	...runs.flatMap(({ output = [] }) =>
		output.flatMap((json) => (json.error ? [String(json.error)] : [])),
	),
];

test('however an execution runs again, nothing is sent twice, nothing is lost unsaid, and each advice ends well', async () => {
	const property = fc.assert(
		fc.asyncProperty(scenes, async (scene) => {
			const story = new Story(scene);
			await story.play();
			await story.follow();
		}),
		{
			numRuns: Number(process.env.RUNS ?? 200),
			seed: Number(process.env.SEED ?? 1),
			path: process.env.SCENE,
			includeErrorInReport: true,
			endOnFailure: process.env.SCENE !== undefined,
		},
	);
	await expect(property).resolves.toBeUndefined();
});

/** A scene without faults. */
const plain: Scene = {
	shape: 'one run',
	customers: [0, 1, 2],
	fates: [],
	isNow: false,
	isKeyed: false,
	isAlike: false,
	onError: 'stopWorkflow',
	isTriedAgain: false,
	cut: 'killed',
	savesProgress: false,
	isKilledLater: false,
	again: [],
};

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

	test('an item in doubt that an error output leads back comes back once more, and ends', async () => {
		const world = new World(service, {
			...plain,
			shape: 'an error output that leads back',
			onError: 'continueErrorOutput',
			fates: ['applied', 'lost, applied'],
		});
		const { runs } = await world.execute({});
		expect(runs).toHaveLength(3);
		expect([...world.applied.values()]).toEqual([1, 1, 1]);
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
