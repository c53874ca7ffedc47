// Scenes of the model of running again (host/story.cts) that are all there are: each moment at which n8n or its store can fail,
// in an execution and in its Retry, and each way to run it again. `npm test` plays a share of them, `npm run check cuts` all.
//
//   RUNS=all npx jest test/execution/everyCut          # RUNS=500 SEED=7: a share of so many
//   RUNS=all PART=2/4 npx jest test/execution/everyCut # the second of four parts, which are all scenes together
import type { Again, Fate, Fault, Scene, Shape } from './host/again.cts';
import { Service } from './host/service.cts';
import { plain, plainAgain, Story } from './host/story.cts';

const service = Service.forFile();

const { RUNS = '60', SEED = '1', PART = '1/1' } = process.env;

const shapes: Shape[] = [
	'one run',
	'two runs',
	'a loop',
	'a Wait',
	'an error output that leads back',
	'an error output that leads back without error',
];

/** What comes of the Idempotency Key of the first execution. */
const keys: Record<string, Pick<Scene, 'isKeyed'> & Pick<Again, 'change'>> = {
	'no key': { isKeyed: false, change: 'none' },
	'the same key': { isKeyed: true, change: 'none' },
	'a key that is added': { isKeyed: false, change: 'key' },
	'a key that is removed': { isKeyed: true, change: 'no key' },
	'a key that is changed': { isKeyed: true, change: 'other key' },
};

/** Ways to run it again. Each Retry is in another process than the execution before. */
const ways: Record<string, { isLimited?: boolean; again: Array<Partial<Again>> }> = {
	'a Retry': { again: [{ isElsewhere: true }] },
	'two Retries, one after the other': { again: [{ isElsewhere: true }, { of: 'first' }] },
	'two Retries at once': { again: [{ isTwice: true }] },
	'Retries with other customers under a limit': {
		isLimited: true,
		again: [{ list: 'others' }, { of: 'first', isElsewhere: true }],
	},
};

const hows: Record<Fault['of'], Array<Fault['how']>> = {
	store: ['fails', 'loses', 'killed', 'cancelled'],
	request: ['fails', 'loses', 'killed before', 'killed', 'cancelled'],
};

/** What the first execution comes to before something fails in its Retry. With Continue, a declined card doesn't end it. */
const before = (onError: Scene['onError']): Array<Pick<Scene, 'cut' | 'fates'>> => [
	{ cut: 'killed', fates: ['applied', 'stalls'] },
	{ cut: 'cancelled', fates: ['applied', 'stalls'] },
	{
		cut: 'killed',
		fates: onError === 'stopWorkflow' ? ['applied', 'declined'] : ['declined', 'stalls'],
	},
];

const faultsIn = (moments: Record<Fault['of'], number>): Fault[] =>
	(['store', 'request'] as const).flatMap((of) =>
		Array.from({ length: moments[of] }, (_none, at) => at + 1).flatMap((at) =>
			hows[of].map((how) => ({ of, at, how })),
		),
	);

/** A scene to which each fault is added. */
interface Base {
	table: string;
	scene: Scene;
	isInRetry: boolean;
}

function basesOf(shape: Shape, onError: Scene['onError'], key: string): Base[] {
	const { isKeyed, change } = keys[key];
	const leadsBack = shape.startsWith('an error output');
	// Two rounds have two items each.
	const customers = leadsBack || shape === 'one run' ? [0, 1] : [0, 1, 2, 3];
	const fates: Fate[] = leadsBack ? ['declined'] : [];
	const table = `${shape}, ${onError}, ${key}`;
	return Object.values(ways).flatMap(({ again: steps, isLimited = false }) => {
		const again = steps.map((step) => ({ ...plainAgain, change, ...step }));
		const scene: Scene = { ...plain, shape, onError, isKeyed, isLimited, customers, fates, again };
		// The fault is in the first execution, or in the first Retry of one that has come to this.
		return [undefined, ...before(onError)].map((place) => ({
			table,
			scene: { ...scene, ...place },
			isInRetry: place !== undefined,
		}));
	});
}

const all = shapes.flatMap((shape) =>
	(shape.startsWith('an error output')
		? (['continueErrorOutput'] as const)
		: (['stopWorkflow', 'continueRegularOutput'] as const)
	).flatMap((onError) => Object.keys(keys).flatMap((key) => basesOf(shape, onError, key))),
);

/** Faults of each base, if not all are played. */
const FEW = 4;

const isWhole = RUNS === 'all';

const [part, parts] = PART.split('/').map(Number);

/** Every so many bases are played. */
const share = isWhole ? parts : Math.max(1, Math.floor((all.length * FEW) / Number(RUNS)));

const bases = all.filter((_each, at) => (at + (isWhole ? part : Number(SEED))) % share === 0);

/** A scene with each fault that it can have. Played without one, it tells how many moments there are. */
async function scenesOf({ scene, isInRetry }: Base): Promise<Scene[]> {
	const story = new Story(service, isInRetry ? scene : { ...scene, again: [] });
	await story.play();
	// A Retry is needed after a cut, or after an error.
	const { moments } = story.ends[isInRetry ? 1 : 0] ?? { moments: { store: 0, request: 0 } };
	const [retry, ...others] = scene.again;
	return faultsIn(moments).map((fault) =>
		isInRetry ? { ...scene, again: [{ ...retry, fault }, ...others] } : { ...scene, fault },
	);
}

let played = 0;

test.each([...new Set(bases.map(({ table }) => table))])(
	'%s: nothing twice, nothing lost unsaid',
	async (name) => {
		const found: string[] = [];
		for (const base of bases.filter(({ table }) => table === name)) {
			const scenes = await scenesOf(base);
			const step = isWhole ? 1 : Math.max(1, Math.floor(scenes.length / FEW));
			for (const scene of scenes.filter((_each, at) => (at + Number(SEED)) % step === 0)) {
				played++;
				const story = new Story(service, scene);
				const play = async () => {
					await story.play();
					await story.follow();
				};
				await play().catch((error: Error) =>
					found.push(`${error.message} in ${JSON.stringify(scene)}`),
				);
			}
		}
		expect(found).toEqual([]);
	},
);

test('each table has scenes', () => {
	expect(played).toBeGreaterThan(bases.length / 2);
	if (isWhole) process.stdout.write(`${played} scenes of part ${PART}\n`);
});
