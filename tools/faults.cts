// `npm run check faults`: plants faults in a copy, one at a time, and runs the tests of `npm test` that execute the place until
// one fails. What they don't find is a gap of the tests. A fault is file, text and other text; `found` names the test that
// found it last, which runs first.
//
//   npm run check faults                     fifty that are written: those of the files whose last change is oldest
//   npm run check faults -- claim ledger     those of files with one of these names, however many there are
//   npm run check faults -- drawn            fifty that are drawn anew
//   npm run check faults -- drawn 7 100      a hundred that the seed 7 draws
//   npm run check faults -- again            those that were drawn last
//
// All tests run once before, to learn what each executes. EXECUTED=folder keeps that, or takes it from there.
import { spawn, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copyRepository, root } from '../test/copy.cts';
import { areaOf, drawnFaults, placeOf, type Fault } from './drawnFaults.cts';
import { executedIn, isExecutedIn, secondsOf, testsOf, type Executed } from './executed.cts';
import { compiled } from './transpile.cts';

const WRITTEN = join(__dirname, 'faults.json');
const DRAWN = join(__dirname, 'drawnFaults.json');

const COUNT = 50;

/** It finds every fault, since the text of the fault is no longer in its file. */
const OF_TOOLS = 'test/unit/check.test.cts';

/** Minutes for a share of the tests; all of them take six in one process. Faults can make a loop endless. */
const LIMIT = 12;

/** What finds such a fault. */
const HANGS = 'tests that never end';

/** The same, of one after which jest names no test. */
const CRASHES = 'tests that crash';

/** Seconds of tests for a fault, as they took when all of them ran. What takes longest and does most beside isn't run then. */
const BUDGET = 240;

/** Tests that run one share after the other until one fails. */
const SHARES = [3, 12, Infinity];

const faultsIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Fault[];

const wasFound = ({ found }: Fault) => Boolean(found);

const table = (head: string[], rows: Array<Array<string | number>>) =>
	[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const shown = ({ file, text, other }: Fault) => {
	const inLine = (code: string) => code.replace(/\s+/g, ' ').trim();
	return `${file}: \`${inLine(text)}\` as \`${inLine(other)}\``;
};

const listOf = (title: string, lines: string[]) =>
	lines.length > 0 ? ['', title, '', ...lines.map((line) => `- ${line}`)] : [];

/** How many were found in each part of the nodes, and what survived, for docs/contributing/verification.md. */
export function faultsTable(): string {
	const all = faultsIn(WRITTEN).filter((fault) => fault.found !== undefined);
	const partOf = ({ file }: Fault) => dirname(file).replace('nodes/', '');
	const rowOf = (name: string, own: Fault[]) => [name, own.length, own.filter(wasFound).length];
	const parts = [...new Set(all.map(partOf))].sort();
	const rows = parts.map((part) =>
		rowOf(
			part,
			all.filter((fault) => partOf(fault) === part),
		),
	);
	return [
		table(['Files', 'Planted', 'Found'], [...rows, rowOf('All', all)]),
		...listOf('Not found:', all.filter((fault) => !wasFound(fault)).map(shown)),
	].join('\n');
}

/** The same of those that were drawn last, with what was found when they were drawn. */
export function drawnTable(): string {
	const all = faultsIn(DRAWN);
	const unequal = all.filter(({ equal }) => equal === undefined);
	const rowOf = (name: string, own: Fault[]) => [
		name,
		own.length,
		own.filter(({ atFirst }) => atFirst).length,
		own.filter(wasFound).length,
	];
	const names = [...new Set(unequal.map(({ file }) => areaOf(file)))].sort();
	const rows = names.map((name) =>
		rowOf(
			name,
			unequal.filter(({ file }) => areaOf(file) === name),
		),
	);
	return [
		table(['Area', 'Drawn', 'Found at first', 'Found now'], [...rows, rowOf('All', unequal)]),
		...listOf('Not found:', unequal.filter((fault) => !wasFound(fault)).map(shown)),
		...listOf(
			'Nothing can tell these from the right code, so they are not counted:',
			all
				.filter(({ equal }) => equal !== undefined)
				.map((fault) => `${shown(fault)}. ${fault.equal}`),
		),
	].join('\n');
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

const lastChange = (file: string) => Number(git('log', '-1', '--format=%ct', '--', file));

/** Runs tests in a folder until one fails; its name. */
async function failing(
	folder: string,
	args: string[],
	env: NodeJS.ProcessEnv = {},
): Promise<string | undefined> {
	const jest = join(root, 'node_modules/.bin/jest');
	const child = spawn(jest, ['--bail', ...args], {
		cwd: folder,
		env: { ...process.env, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	});
	// With its workers, one of which may be busy for ever.
	const end = () => process.kill(-child.pid!, 'SIGKILL');
	const timer = setTimeout(end, LIMIT * 60_000);
	process.once('exit', end);
	let output = '';
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
	const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
	clearTimeout(timer);
	process.off('exit', end);
	if (code === 0) return undefined;
	if (code === null) return HANGS;
	return /^FAIL (\S+)/m.exec(output)?.[1] ?? CRASHES;
}

/** What each test executes. A test that fails anyway would find all faults, so none may. */
async function measured(folder: string): Promise<Executed[]> {
	const kept = process.env.EXECUTED;
	const into = kept ?? mkdtempSync(join(tmpdir(), 'executed-'));
	if (!existsSync(into) || kept === undefined) {
		const setup = ['tools/executed.mjs', 'test/setup.mjs', 'test/execution/host/environment.cts'];
		const files = setup.map((file) => join(folder, file));
		const args = ['--setupFiles', ...files, '--testPathIgnorePatterns', OF_TOOLS];
		const whole = await failing(folder, args, { EXECUTED: into });
		if (whole !== undefined) throw new Error(`The tests fail without a fault: ${whole}`);
	}
	const executed = executedIn(into);
	if (kept === undefined) rmSync(into, { recursive: true });
	return executed;
}

/** Plants a fault; the first test that finds it, or nothing. */
async function plant(folder: string, fault: Fault, executed: Executed[]): Promise<string> {
	const source = join(folder, fault.file);
	const target = join(folder, 'dist', fault.file.replace(/\.ts$/, '.js'));
	const [before, built] = [source, target].map((file) => readFileSync(file, 'utf8'));
	const planted = before.replace(fault.text, () => fault.other);
	const wrong = compiled(planted);
	const tests = testsOf(executed, fault.file, placeOf(built, wrong));
	let seconds = 0;
	const inOrder = [fault.found ?? '', ...tests]
		.filter((test, index, all) => test.endsWith('.cts') && all.indexOf(test) === index)
		.filter((test) => existsSync(join(folder, test)))
		.filter((test) => (seconds += secondsOf(executed, test)) < BUDGET || test === tests[0]);
	writeFileSync(source, planted);
	writeFileSync(target, wrong);
	let found: string | undefined;
	for (const share of fault.found ? [1, ...SHARES] : SHARES) {
		const some = inOrder.splice(0, share);
		if (found !== undefined || some.length === 0) break;
		found = await failing(folder, ['--maxWorkers', '1', '--runTestsByPath', ...some]);
	}
	writeFileSync(source, before);
	writeFileSync(target, built);
	return found ?? '';
}

/** Whether its text is in its file, once. */
function isThere({ file, text }: Fault): boolean {
	return readFileSync(join(root, file), 'utf8').split(text).length === 2;
}

/** Those whose text is no longer there, so they can't be planted. */
export const goneFaults = (all = faultsIn(WRITTEN)): Fault[] =>
	all.filter((fault) => !isThere(fault));

/** Of those that are written: with one of these names, or those of the files whose last change is oldest. */
function chosenOf(all: Fault[], names: string[]): Fault[] {
	const dates = new Map(all.map(({ file }) => [file, lastChange(file)]));
	return all
		.filter(({ file }) => names.length === 0 || names.some((name) => file.includes(name)))
		.sort((one, other) => dates.get(one.file)! - dates.get(other.file)!)
		.slice(0, names.length === 0 ? COUNT : Infinity);
}

/** Draws faults where a test executes the code. */
function draw(executed: Executed[], seed: number, count: number): Fault[] {
	console.log(`Seed ${seed}`);
	const files = git('ls-files', 'nodes').split('\n');
	const sources = files.filter((file) => file.endsWith('.ts'));
	return drawnFaults(count, seed, sources, (file, offset) => isExecutedIn(executed, file, offset));
}

async function main([source, ...others]: string[]): Promise<void> {
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
	const folders = Array.from({ length: Math.ceil(availableParallelism() / 2) }, copyRepository);
	for (const cwd of folders) execFileSync('npx', ['gulp', 'compile'], { cwd });
	const executed = await measured(folders[0]);

	const isDrawn = source === 'drawn';
	const file = isDrawn || source === 'again' ? DRAWN : WRITTEN;
	const [seed = Date.now() % 1e6, count = COUNT] = others.map(Number);
	const all = isDrawn ? draw(executed, seed, count) : faultsIn(file);
	const gone = goneFaults(all);
	for (const each of gone) console.log(`No longer there: ${shown(each)}`);
	const there = all.filter((fault) => !gone.includes(fault) && fault.equal === undefined);
	const names = [source, ...others].filter((word) => word !== undefined);
	const chosen = file === DRAWN ? there : chosenOf(there, names);
	console.log(`${chosen.length} faults at ${git('rev-parse', '--short', 'HEAD').trim()}`);

	const queue = [...chosen];
	const work = async (folder: string) => {
		for (let fault = queue.shift(); fault; fault = queue.shift()) {
			const begin = Date.now();
			fault.found = await plant(folder, fault, executed);
			if (isDrawn) fault.atFirst = wasFound(fault);
			// For the next run, and the page.
			writeFileSync(file, `${JSON.stringify(all, null, '\t')}\n`);
			const seconds = Math.round((Date.now() - begin) / 1000);
			const by = fault.found || 'SURVIVES';
			console.log(`${by} (${seconds} s)  ${fault.file}\n  ${fault.text}\n  ${fault.other}`);
		}
		rmSync(folder, { recursive: true });
	};
	await Promise.all(folders.map(work));

	const survivors = chosen.filter((fault) => !wasFound(fault)).length;
	console.log(`${chosen.length - survivors} of ${chosen.length} found`);
	const mustBeThere = file === WRITTEN ? gone.length : 0;
	if (survivors > chosen.length / 10 || mustBeThere > 0) process.exitCode = 1;
}

if (require.main === module) void main(process.argv.slice(2));
