// Mutation check: plants each fault of mutations.cts in a copy of the package, one at a time, and
// runs the tests that must find it. Faults that no test finds are listed, and make the check fail.
//
// npm run test:mutation -- [--green] [pattern]
//   pattern: only the faults whose file and description match
//   --green: the tests are known to be green, so they aren't run without a fault first
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { copyRepository, root } from '../copy.cts';
import { mutations, type Mutation } from './mutations.cts';

/** Copies that work at the same time. */
const WORKERS = 2;

/** Longest run of a test file; a fault that hangs it is found too. */
const TIMEOUT = 180_000;

/** A copy of the repository with a build of its own. */
function builtCopy(): string {
	const folder = copyRepository();
	const build = spawnSync('npm', ['run', 'build'], { cwd: folder, encoding: 'utf8' });
	if (build.status !== 0) throw new Error(`The build failed:\n${build.stdout}${build.stderr}`);
	return folder;
}

const sourceOf = (folder: string, file: string) =>
	readFileSync(join(folder, 'nodes', file), 'utf8');

/** The source with the fault in it. */
function planted(folder: string, { file, from, to, what }: Mutation): string {
	const parts = sourceOf(folder, file).split(from);
	if (parts.length !== 2) {
		throw new Error(`${file}, "${what}": stands ${parts.length - 1} times in the source:\n${from}`);
	}
	return parts.join(to);
}

/** Puts a source into the build as the compiler would. */
function compile(folder: string, file: string, source: string): void {
	const { outputText } = transpileModule(source, {
		compilerOptions: {
			module: ModuleKind.CommonJS,
			target: ScriptTarget.ES2022,
			esModuleInterop: true,
		},
	});
	writeFileSync(join(folder, 'dist/nodes', file.replace(/\.ts$/, '.js')), outputText);
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
async function redTest(folder: string, tests: string[]): Promise<string | undefined> {
	for (const test of tests) {
		if (!(await isGreen(folder, test))) return test;
	}
	return undefined;
}

/** Calls `work` for each entry, each time with a copy that is free. */
async function shareOut<T>(
	folders: string[],
	entries: T[],
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

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		options: { green: { type: 'boolean', default: false } },
		allowPositionals: true,
	});
	const pattern = new RegExp(positionals[0] ?? '');
	const chosen = mutations.filter(({ file, what }) => pattern.test(`${file} ${what}`));
	for (const mutation of chosen) planted(root, mutation);
	console.log(`${chosen.length} faults to plant`);
	const folders = Array.from({ length: WORKERS }, builtCopy);
	const survivors: Mutation[] = [];
	try {
		const named = new Set(chosen.flatMap((mutation) => mutation.tests));
		const tests = values.green ? [] : [...named];
		const useless = new Set<string>();
		await shareOut(folders, tests, async (folder, test) => {
			if (await isGreen(folder, test)) return;
			useless.add(test);
			console.log(`${test} is red without any fault, so it finds none`);
		});
		await shareOut(folders, chosen, async (folder, mutation) => {
			const { file, what } = mutation;
			compile(folder, file, planted(folder, mutation));
			const red = await redTest(
				folder,
				mutation.tests.filter((test) => !useless.has(test)),
			);
			compile(folder, file, sourceOf(folder, file));
			if (red === undefined) survivors.push(mutation);
			console.log(`| ${file} | ${what} | ${red ?? '**survived**'} |`);
		});
	} finally {
		for (const folder of folders) rmSync(folder, { recursive: true, force: true });
	}
	console.log(`\n${chosen.length - survivors.length} of ${chosen.length} faults were found`);
	for (const { file, what } of survivors) console.log(`survived: ${file}: ${what}`);
	process.exitCode = survivors.length > 0 ? 1 : 0;
}

void main();
