// `npm run check faults`: plants faults in a copy, one at a time, and runs the tests of `npm test` until one fails. What
// they don't find is a gap of the tests. A fault is file, text and other text; `found` names the test that found it last,
// which runs first. Without names, fifty are planted: those of the files whose last change is oldest.
//
//   npm run check faults                     fifty
//   npm run check faults -- claim ledger     those of files with one of these names, however many there are
import { spawn, execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { copyRepository, root } from '../test/copy.cts';
import { compiled } from './transpile.cts';

const FILE = join(__dirname, 'faults.json');

const COUNT = 50;

/** It finds every fault, since the text of the fault is no longer in its file. */
const OF_TOOLS = 'test/unit/check.test.cts';

/** Minutes for a share of the tests; all of them take three. Faults can make a loop endless. */
const LIMIT = 12;

/** What finds such a fault. */
const HANGS = 'tests that never end';

/** Tests that run first, since they changed most often with the file of a fault. */
const LIKELIEST = 8;

/** Shares of the tests that run one after the other until one fails: the likeliest, then the quick ones. */
const SHARES = [1, LIKELIEST - 1, 40, Infinity];

interface Fault {
	file: string;
	text: string;
	/** What takes its place. */
	other: string;
	/** The test that found it last; empty if none did, undefined if it was never planted. */
	found?: string;
}

const allFaults = () => JSON.parse(readFileSync(FILE, 'utf8')) as Fault[];

/** How many were found in each part of the nodes, and what survived, for docs/contributing/verification.md. */
export function faultsTable(): string {
	const all = allFaults().filter((fault) => fault.found !== undefined);
	const partOf = ({ file }: Fault) => dirname(file).replace('nodes/', '');
	const rows = [...new Set(all.map(partOf))].sort().map((part) => {
		const own = all.filter((fault) => partOf(fault) === part);
		return `| ${part} | ${own.length} | ${own.filter(({ found }) => found !== '').length} |`;
	});
	const found = all.filter((fault) => fault.found !== '');
	const survivors = all.filter((fault) => !found.includes(fault));
	const lines = survivors.map(({ file, text, other }) => `- ${file}: \`${text}\` as \`${other}\``);
	return [
		'| Files | Planted | Found |',
		'| --- | --- | --- |',
		...rows,
		`| All | ${all.length} | ${found.length} |`,
		...(lines.length > 0 ? ['', 'Not found:', '', ...lines] : []),
	].join('\n');
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

const lastChange = (file: string) => Number(git('log', '-1', '--format=%ct', '--', file));

/** Files that changed together, commit by commit, without the large ones. */
function commits(): string[][] {
	const all = git('log', '--format=%x00', '--name-only', '-500', '--', 'nodes', 'test').split('\0');
	return all.map((each) => each.split('\n').filter(Boolean)).filter(({ length }) => length <= 40);
}

const testFiles = () =>
	git('ls-files', 'test/unit', 'test/contract', 'test/execution')
		.split('\n')
		.filter((file) => file.endsWith('.test.cts') && file !== OF_TOOLS);

/** Tests in another order: the likeliest first, then those that run no node, then the small ones. */
function inOrder({ file, found }: Fault, tests: string[], history: string[][]): string[] {
	const scores = new Map(tests.map((test) => [test, test === found ? Infinity : 0]));
	for (const files of history.filter((each) => each.includes(file))) {
		for (const test of files) {
			const score = scores.get(test);
			if (score !== undefined) scores.set(test, score + 1 / files.length);
		}
	}
	const sorted = [...tests].sort((one, other) => scores.get(other)! - scores.get(one)!);
	const costOf = (test: string) =>
		statSync(join(root, test)).size * (test.startsWith('test/execution/') ? 100 : 1);
	const others = sorted.slice(LIKELIEST).sort((one, other) => costOf(one) - costOf(other));
	return [...sorted.slice(0, LIKELIEST), ...others];
}

/** The first of these tests that fails in a folder. */
async function failing(folder: string, tests: string[]): Promise<string | undefined> {
	const jest = join(root, 'node_modules/.bin/jest');
	const args = ['--bail', '--maxWorkers', '2', '--runTestsByPath', ...tests];
	const child = spawn(jest, args, {
		cwd: folder,
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
	return /^FAIL (\S+)/m.exec(output)?.[1] ?? `no test: ${output.slice(-500)}`;
}

/** Plants a fault; the first of these tests that finds it, or nothing. */
async function plant(folder: string, fault: Fault, tests: string[]): Promise<string> {
	const source = join(folder, fault.file);
	const target = join(folder, 'dist', fault.file.replace(/\.ts$/, '.js'));
	const [before, built] = [source, target].map((file) => readFileSync(file, 'utf8'));
	const planted = before.replace(fault.text, () => fault.other);
	writeFileSync(source, planted);
	writeFileSync(target, compiled(planted));
	let found: string | undefined;
	for (const share of SHARES) {
		found ??= await failing(folder, tests.splice(0, share));
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
export const goneFaults = (all = allFaults()): Fault[] => all.filter((fault) => !isThere(fault));

async function main(names: string[]): Promise<void> {
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
	const all = allFaults();
	const gone = goneFaults(all);
	const there = all.filter((fault) => !gone.includes(fault));
	const dates = new Map(there.map(({ file }) => [file, lastChange(file)]));
	const chosen = there
		.filter(({ file }) => names.length === 0 || names.some((name) => file.includes(name)))
		.sort((one, other) => dates.get(one.file)! - dates.get(other.file)!)
		.slice(0, names.length === 0 ? COUNT : Infinity);
	for (const { file, text } of gone) console.log(`No longer there: ${file}: ${text}`);
	console.log(`${chosen.length} faults at ${git('rev-parse', '--short', 'HEAD').trim()}`);

	const tests = testFiles();
	const history = commits();
	const queue = [...chosen];
	const work = async () => {
		const folder = copyRepository();
		execFileSync('npx', ['gulp', 'compile'], { cwd: folder });
		// A test that fails anyway would find all of them.
		const whole = await failing(folder, tests);
		if (whole !== undefined) throw new Error(`The tests fail without a fault: ${whole}`);
		for (let fault = queue.shift(); fault; fault = queue.shift()) {
			const begin = Date.now();
			fault.found = await plant(folder, fault, inOrder(fault, tests, history));
			// For the next run, and the page.
			writeFileSync(FILE, `${JSON.stringify(all, null, '\t')}\n`);
			const seconds = Math.round((Date.now() - begin) / 1000);
			const { file, text, other, found } = fault;
			console.log(`${found || 'SURVIVES'} (${seconds} s)  ${file}\n  ${text}\n  ${other}`);
		}
		rmSync(folder, { recursive: true });
	};
	await Promise.all(Array.from({ length: Math.ceil(availableParallelism() / 2) }, work));

	const survivors = chosen.filter(({ found }) => found === '').length;
	console.log(`${chosen.length - survivors} of ${chosen.length} found`);
	if (survivors > chosen.length / 10 || gone.length > 0) process.exitCode = 1;
}

if (require.main === module) void main(process.argv.slice(2));
