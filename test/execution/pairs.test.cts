// Each two features that can meet in an operation meet in a scene, by what the operation declares: a new option is tested by
// being there. `npm test` plays a share of the scenes of new nodes, `npm run check thorough` all, drawn anew, and those of version 1.
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { isThorough, seedsOf, shareOf } from '../share.cts';
import { inOrder, keyOf } from '../table/existing.cts';
import { newestVersion, nodes, onlyReads, table } from '../table/operations.cts';
import { featuresOf, pairsIn, pairsOf, scenesOf, subNodes } from '../worlds/pairs.cts';
import { Scenery, problemsIn } from '../worlds/scenes.cts';

const [seed] = seedsOf(1, 1);

/** Scenes that are played at once, each in a sandbox of its own: most of their time is waiting. */
const SIDE_BY_SIDE = 4;

/** What the engine adds to a form, it adds to all of a kind. */
const kindOf = ({ operation: { endpoint, run } }: (typeof table)[number]) =>
	[endpoint.kind, onlyReads(endpoint.route), run !== undefined].join();

/** Versions of a node whose forms are played: that of a new one, and where all is, the first. */
function versionsOf({ node }: (typeof table)[number]): number[] {
	const newest = newestVersion(nodes.find(({ name }) => name === node)!.description);
	return isThorough ? [...new Set([newest, 1])] : [newest];
}

/** The scenes of all operations. Where not all are played, two features of the engine meet once for each kind. */
const proven = new Map<string, Set<string>>();
const forms = [...inOrder(table), ...subNodes].flatMap((entry) =>
	versionsOf(entry).map((version) => ({ entry, version })),
);
const operations = forms.map(({ entry, version }) => {
	const features = featuresOf(entry, version);
	const known = proven.get(kindOf(entry)) ?? new Set();
	proven.set(kindOf(entry), known);
	const scenes = scenesOf(features, seed, isThorough ? undefined : known);
	return { entry, version, features, pairs: pairsOf(features), scenes };
});

test('each two features of an operation are in a scene', () => {
	const open = operations.flatMap(({ entry, pairs, scenes }) => {
		const met = new Set(scenes.flatMap(pairsIn));
		const others = proven.get(kindOf(entry));
		return [...pairs]
			.filter((pair) => !met.has(pair) && !others?.has(pair))
			.map((pair) => `${keyOf(entry)}: ${pair}`);
	});
	expect(open).toEqual([]);
	const count = operations.reduce((sum, { pairs }) => sum + pairs.size, 0);
	expect(count).toBeGreaterThan(50_000);
});

const sandboxes: Sandbox[] = [];
afterEach(async () => {
	await Promise.all(sandboxes.splice(0).map(async (sandbox) => await sandbox.close()));
});

test('whatever meets, the invariants hold', async () => {
	const lanes = Array.from({ length: SIDE_BY_SIDE }, async (_each, lane) => {
		const sandbox = await startSandbox({ customers: 60, keepAnswers: true });
		sandboxes.push(sandbox);
		const problems: string[] = [];
		let hasWritten = false;
		for (const [row, { entry, version, features, scenes }] of operations.entries()) {
			if (row % SIDE_BY_SIDE !== lane) continue;
			const share = shareOf(scenes, subNodes.includes(entry) ? 3 : 24, row);
			for (const scene of share) {
				const { method, route } = entry.operation.endpoint;
				const isUsedUp: boolean = hasWritten && (scene === share[0] || method === 'DELETE');
				if (isUsedUp) sandbox.reset();
				else sandbox.renewKey();
				hasWritten = !onlyReads(route) || (hasWritten && !isUsedUp);
				const found = await problemsIn(new Scenery(sandbox, entry, features, scene, version));
				if (found.length > 0)
					problems.push(`${keyOf(entry)} ${version} ${JSON.stringify(scene)} ${found.join('; ')}`);
			}
		}
		return problems;
	});
	expect({ seed, problems: (await Promise.all(lanes)).flat() }).toEqual({ seed, problems: [] });
});
