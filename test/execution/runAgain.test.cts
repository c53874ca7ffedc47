// Runs of charges that are drawn, with every fault of a service and every way to run them again, against a model
// of what the service has applied: nothing is applied twice, and each item is told as what it is. And two
// executions at the same time, with responses in an order that is drawn.
import fc from 'fast-check';
import type { IRun } from 'n8n-workflow';
import { clearStore, crashPoint } from './host/keyStore.cts';
import type { RunOptions, RunResult } from './host/host.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service, type Reply } from './host/service.cts';
import { retryOnFail } from './host/tool.cts';

const service = Service.forFile();

const charge = {
	customerId: byId('={{ $json.id }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
};

const keyed = { idempotencyKey: '={{ $json.id }}' };

/** What the service does with the first request for an item. Later ones are applied. */
type Fault =
	'lost, applied' | 'lost, not applied' | 'none' | 'refused' | 'says an error' | 'stalls';

/** How the run is started again. A crash is a cancel after which the store is as it was. */
type Again = 'Retry' | 'Retry of the first';

interface Scene {
	faults: Fault[];
	isKeyed: boolean;
	goesOn: boolean;
	isTriedAgain: boolean;
	isCrash: boolean;
	again: Again[];
}

const scenes: fc.Arbitrary<Scene> = fc.record({
	faults: fc.array(
		fc.constantFrom<Fault>(
			'lost, applied',
			'lost, not applied',
			'none',
			'none',
			'none',
			'refused',
			'says an error',
			'stalls',
		),
		{ minLength: 1, maxLength: 5 },
	),
	isKeyed: fc.boolean(),
	goesOn: fc.boolean(),
	isTriedAgain: fc.boolean(),
	isCrash: fc.boolean(),
	again: fc.array(fc.constantFrom<Again>('Retry', 'Retry', 'Retry of the first'), {
		maxLength: 3,
	}),
});

let runs = 0;

/** Plays a scene. Returns how often each item was applied, and all that came of each run. */
async function play({ faults, isKeyed, goesOn, isTriedAgain, isCrash, again }: Scene) {
	clearStore();
	const applied = faults.map(() => 0);
	const asked = faults.map(() => 0);
	let cancel = () => {};
	let restore: (() => void) | undefined;
	const reply = (index: number): Reply | undefined | Promise<undefined> => {
		const fault = asked[index]++ === 0 ? faults[index] : 'none';
		if (fault === 'refused') return { status: 422, body: { error: 'Declined' } };
		if (fault === 'lost, not applied') return { status: 502, body: 'Bad gateway' };
		applied[index]++;
		if (fault === 'lost, applied') return undefined;
		if (fault === 'says an error') return { body: { error: { code: 'late' } } };
		if (fault !== 'stalls') return { body: { id: `ch-${index}` } };
		if (isCrash) restore = crashPoint();
		cancel();
		return new Promise(() => {});
	};
	service.behave(({ path }) => reply(Number(path.split('/')[2])));
	const api = { baseUrl: service.baseUrl, key: `key-of-scene-${++runs}` };
	const once = async (more: Partial<RunOptions>): Promise<RunResult> => {
		const cancelAfter = new Promise<void>((resolve) => (cancel = resolve));
		const result = await runWith(
			api,
			'platformCustomers',
			'charge.create',
			{ ...charge, ...(isKeyed && keyed) },
			{
				items: faults.map((_fault, index) => ({ id: String(index) })),
				settings: {
					...(isTriedAgain && { ...retryOnFail, maxTries: 2 }),
					...(goesOn && { onError: 'continueErrorOutput' as const }),
				},
				cancelAfter,
				...more,
			},
		);
		restore?.();
		restore = undefined;
		return result;
	};
	const results = [await once({})];
	for (const way of again) {
		const last = results.at(-1) as RunResult;
		const from = way === 'Retry of the first' ? results[0] : last;
		if (from.run.status === 'success') break;
		// n8n keeps nothing of a cancelled run, and a crashed one begins anew.
		const isKept = from.run.status === 'error';
		results.push(await once(isKept ? { retryOf: from.run } : { mode: 'retry' }));
	}
	return { applied, results };
}

const kept = ({ data }: IRun) =>
	Object.values(data.executionData?.contextData.flow ?? {}).flatMap((book) =>
		Object.keys((book as { runs: object }).runs),
	);

test('however a run starts again, nothing is applied twice and each item has its state', async () => {
	await fc.assert(
		fc.asyncProperty(scenes, async (scene) => {
			const { applied, results } = await play(scene);
			expect(Math.max(...applied)).toBeLessThanOrEqual(1);
			for (const { items, run } of results) {
				// n8n shows nothing of a run that failed or was cancelled.
				if (run.status !== 'success') continue;
				for (const { json, pairedItem } of items) {
					const { item } = pairedItem as { item: number };
					// What comes out of the success output was applied, or says that it was skipped.
					if (json.skipped !== true) expect([item, applied[item]]).toEqual([item, 1]);
				}
				if (!scene.isTriedAgain) expect(kept(run)).toEqual([]);
			}
			const last = results.at(-1) as RunResult;
			if (last.run.status !== 'success') return;
			// A run that went on to its end has told of each item.
			const told = [...last.items, ...last.errors].map(({ pairedItem }) => pairedItem);
			expect(told).toHaveLength(scene.faults.length);
		}),
		{ numRuns: Number(process.env.RUNS ?? 200), seed: Number(process.env.SEED ?? 1) },
	);
}, 300_000);

/** Orders of an execution. Those of another may be the same. */
const orders = fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 5 });

const faultOfEach = fc.array(fc.constantFrom<Fault>('none', 'none', 'refused', 'lost, applied'), {
	minLength: 6,
	maxLength: 6,
});

test('two executions at the same time send each key once, in whatever order the API responds', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			orders,
			orders,
			faultOfEach,
			async (scheduler, first, second, faults) => {
				clearStore();
				const applied = faults.map(() => 0);
				const asked = faults.map(() => 0);
				service.behave(async ({ path }) => {
					const index = Number(path.split('/')[2]);
					const fault = asked[index]++ === 0 ? faults[index] : 'none';
					await scheduler.schedule(Promise.resolve(), `response to ${index}`);
					if (fault === 'refused') return { status: 422, body: { error: 'Declined' } };
					applied[index]++;
					return fault === 'none' ? { body: { id: `ch-${index}` } } : undefined;
				});
				const api = { baseUrl: service.baseUrl, key: `key-of-scene-${++runs}` };
				const execution = async (ids: number[]) =>
					await runWith(
						api,
						'platformCustomers',
						'charge.create',
						{ ...charge, ...keyed, requests: { maxParallel: 3 } },
						{
							items: ids.map((id) => ({ id: String(id) })),
							settings: { onError: 'continueErrorOutput' },
						},
					);
				const ends = Promise.all([execution(first), execution(second)]);
				const results = await scheduler.waitFor(ends);
				const told = results.map(({ items, errors }) => items.length + errors.length);
				expect(told).toEqual([first.length, second.length]);
				for (const id of new Set([...first, ...second])) {
					const isTriedOnce =
						faults[id] === 'refused' && !(first.includes(id) && second.includes(id));
					expect([id, applied[id]]).toEqual([id, isTriedOnce ? 0 : 1]);
				}
			},
		),
		{ numRuns: Number(process.env.RUNS ?? 60), seed: Number(process.env.SEED ?? 1) },
	);
}, 300_000);
