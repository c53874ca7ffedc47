// Copies of the package with a build of their own, in which faults are planted.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository } from '../copy.cts';

/** Copies that work at the same time. */
const WORKERS = 2;

/** Longest run of a test file; a fault that hangs it is found too. */
const TIMEOUT = 180_000;

/** One change of the build. */
export interface Change {
	/** What the fault is, for people. */
	what: string;
	/** Source file below nodes/. */
	file: string;
	/** The compiled file with the fault in it. */
	planted: string;
}

/** A fault, and the test files below test/, without `.test.cts`, of which one must go red. */
export type Fault = Change & { tests: readonly string[] };

/** Where the build has a source file below nodes/. */
export const compiledFile = (file: string) => join('dist/nodes', file.replace(/\.ts$/, '.js'));

function builtCopy(): string {
	const folder = copyRepository();
	const build = spawnSync('npm', ['run', 'build'], { cwd: folder, encoding: 'utf8' });
	if (build.status !== 0) throw new Error(`The build failed:\n${build.stdout}${build.stderr}`);
	return folder;
}

/** Runs one test file in a copy; whether it is green. */
async function isGreen(folder: string, test: string): Promise<boolean> {
	const environment = '--env=./test/mutation/firstFailure.cjs';
	const jest = spawn('node', ['node_modules/.bin/jest', environment, `test/${test}.test.cts`], {
		cwd: folder,
		stdio: 'ignore',
		// Fewer values for each form: there are many runs.
		env: { ...process.env, PROPERTY_RUNS: '30' },
	});
	const timer = setTimeout(() => jest.kill('SIGKILL'), TIMEOUT);
	const code = await new Promise<number | null>((resolve) => {
		jest.once('exit', resolve);
	});
	clearTimeout(timer);
	return code === 0;
}

/** The first of the tests that is red; they are tried in the order in which they are named. */
async function redTest(folder: string, tests: readonly string[]): Promise<string | undefined> {
	for (const test of tests) {
		if (!(await isGreen(folder, test))) return test;
	}
	return undefined;
}

/** Calls `work` for each entry, each time with a copy that is free. */
async function shareOut<T>(
	folders: string[],
	entries: readonly T[],
	work: (folder: string, entry: T) => Promise<void>,
): Promise<void> {
	let next = 0;
	const worker = async (folder: string) => {
		for (let index = next++; index < entries.length; index = next++) {
			await work(folder, entries[index]);
		}
	};
	await Promise.all(folders.map(worker));
}

/** Plants each fault alone and reports it; those that no test finds. */
export async function survivorsOf(faults: readonly Fault[], green: boolean): Promise<Fault[]> {
	const folders = Array.from({ length: WORKERS }, builtCopy);
	const survivors: Fault[] = [];
	const useless = new Set<string>();
	try {
		const named = green ? [] : [...new Set(faults.flatMap(({ tests }) => tests))];
		await shareOut(folders, named, async (folder, test) => {
			if (await isGreen(folder, test)) return;
			useless.add(test);
			console.log(`${test} is red without any fault, so it finds none`);
		});
		await shareOut(folders, faults, async (folder, fault) => {
			const path = join(folder, compiledFile(fault.file));
			const right = readFileSync(path, 'utf8');
			writeFileSync(path, fault.planted);
			const tests = fault.tests.filter((test) => !useless.has(test));
			const red = await redTest(folder, tests);
			writeFileSync(path, right);
			if (red === undefined) survivors.push(fault);
			console.log(`| ${fault.file} | ${fault.what} | ${red ?? '**survived**'} |`);
		});
	} finally {
		for (const folder of folders) rmSync(folder, { recursive: true, force: true });
	}
	return survivors;
}
