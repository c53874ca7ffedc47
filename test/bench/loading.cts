// What the package adds to n8n's start.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startN8n } from '../n8n/instance.cts';
import { placePackage, type PackageUnderTest } from '../n8n/packageUnderTest.cts';
import { runProgram } from '../n8n/program.cts';
import manifest from '../../package.json';
import { goal, median, seconds, table, whole } from './report.cts';
import type { Section } from './sections.cts';
import { writeTrivialPackage } from './trivialPackage.cts';

/** Starts of the real n8n of each kind. */
const START_ROUNDS = 5;

interface Loading {
	milliseconds: number;
	residentMegabytes: number;
	heapMegabytes: number;
	nodes: number;
	credentials: number;
	descriptionBytes: number;
	compressedBytes: number;
}

/** n8n's own loader on a package, in a new process. */
async function load(node: string, folder: string): Promise<Loading> {
	const script = join(__dirname, 'loadingProcess.cjs');
	return JSON.parse(await runProgram(node, ['--expose-gc', script, folder])) as Loading;
}

function medians(rounds: Loading[]): Loading {
	const of = (key: keyof Loading) => median(rounds.map((round) => round[key]));
	return Object.fromEntries(
		(Object.keys(rounds[0]) as Array<keyof Loading>).map((key) => [key, of(key)]),
	) as unknown as Loading;
}

/** Milliseconds from the first to the last word of a starting n8n. */
async function startTime(packageUnderTest: PackageUnderTest): Promise<number> {
	let first = 0;
	let last = 0;
	const n8n = await startN8n({
		packageUnderTest,
		onOutput(text) {
			if (first === 0 && text.includes('Initializing n8n process')) first = performance.now();
			if (last === 0 && text.includes('Editor is now accessible')) last = performance.now();
		},
	});
	await n8n.stop();
	if (first === 0 || last === 0) throw new Error('n8n did not say when it started');
	return last - first;
}

/** Time and memory of loading, as text. */
export const loading: Section = async ({ node, quick }) => {
	const folder = await mkdtemp(join(tmpdir(), 'bench-'));
	try {
		await placePackage(folder, 'build');
		const own = join(folder, '.n8n/nodes/node_modules', manifest.name);
		const trivial = join(folder, 'trivial');
		await writeTrivialPackage(trivial, manifest.n8n.nodes.length);
		const ownRounds: Loading[] = [];
		const trivialRounds: Loading[] = [];
		for (let round = 0; round < (quick ? 3 : 7); round++) {
			ownRounds.push(await load(node, own));
			trivialRounds.push(await load(node, trivial));
		}
		const [ours, theirs] = [medians(ownRounds), medians(trivialRounds)];
		const starts: Record<'without' | 'trivial' | 'own', number[]> = {
			without: [],
			trivial: [],
			own: [],
		};
		for (let round = 0; round < (quick ? 0 : START_ROUNDS); round++) {
			starts.without.push(await startTime('none'));
			starts.trivial.push(await startTime({ folder: trivial }));
			starts.own.push(await startTime('build'));
		}
		const row = (name: string, value: (each: Loading) => string) => [
			name,
			value(ours),
			value(theirs),
		];
		const parts = [
			"## Loading at n8n's start",
			table(
				['', 'This package', `${theirs.nodes} nodes that do nothing`],
				[
					row('Time', ({ milliseconds }) => `${whole(milliseconds)} ms`),
					row('Resident memory', ({ residentMegabytes }) => `${residentMegabytes.toFixed(1)} MB`),
					row('Heap after collection', ({ heapMegabytes }) => `${heapMegabytes.toFixed(1)} MB`),
					row('Descriptions', ({ descriptionBytes }) => `${whole(descriptionBytes / 1000)} kB`),
					row(
						'Descriptions, compressed',
						({ compressedBytes }) => `${whole(compressedBytes / 1000)} kB`,
					),
				],
			),
			goal(`under 20 MB (${ours.residentMegabytes.toFixed(1)} MB)`, ours.residentMegabytes, {
				atMost: 20,
			}),
		];
		if (!quick) {
			const took = (each: number[]) =>
				`${seconds(median(each))} (${seconds(Math.min(...each))} to ${seconds(Math.max(...each))})`;
			parts.push(
				`The start of the real n8n took ${took(starts.own)} with the package, ${took(starts.trivial)} with ` +
					`the nodes that do nothing, and ${took(starts.without)} with neither (medians and ranges of ` +
					`${START_ROUNDS} starts each).`,
			);
			const share = ours.milliseconds / median(starts.without);
			const percent = (100 * share).toFixed(1);
			parts.push(
				goal(`loading is at most 3 % of n8n's start (${percent} %)`, share, { atMost: 0.03 }),
			);
		}
		return parts.join('\n\n');
	} finally {
		await rm(folder, { recursive: true });
	}
};
