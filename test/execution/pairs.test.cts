// Each two features that can meet in an operation meet in a scene, by what the operation declares: a new option is tested by
// being there. `npm test` plays a share of the scenes of new nodes, `npm run check thorough` all, drawn anew, and those of version 1.
import { isThorough, seedsOf, shareOf } from '../share.cts';
import { inOrder, keyOf } from '../table/existing.cts';
import { newestVersion, nodes, onlyReads, table } from '../table/operations.cts';
import { featuresOf, pairsIn, pairsOf, scenesOf, subNodes } from '../worlds/pairs.cts';
import { Scenery, problemsIn } from '../worlds/scenes.cts';
import { sandboxFor } from './host/run.cts';

const [seed] = seedsOf(1, 1);

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

const sandbox = sandboxFor({ customers: 60, keepAnswers: true });

const played = operations.flatMap(({ entry, version, features, scenes }, row) => {
	const share = shareOf(scenes, Math.min(scenes.length, subNodes.includes(entry) ? 3 : 24), row);
	const title = `${keyOf(entry)} ${version}`;
	return share.length > 0 ? [{ title, entry, version, features, share }] : [];
});

test.each(played)(
	'$title: whatever meets, the invariants hold',
	async ({ entry, version, features, share }) => {
		sandbox().reset();
		for (const scene of share) {
			if (entry.operation.endpoint.method === 'DELETE') sandbox().reset();
			else sandbox().renewKey();
			const problems = await problemsIn(new Scenery(sandbox(), entry, features, scene, version));
			expect({ seed, scene, problems }).toEqual({ seed, scene, problems: [] });
		}
	},
);
