// Mutation check: plants faults in a copy of the package, one at a time, and runs the tests that must
// find them.
//
// npm run check mutation -- [--green] [pattern]
//   the faults of mutations.cts, each of which must be found
// npm run check mutation -- --since <commit> [--count 20] [--seed n] [--min 0] [--green] [pattern]
//   faults that operators make of the files that changed since a commit: a score, which fails below --min
//
//   pattern: only the faults whose file and description match
//   --green: the tests are known to be green, so they aren't run without a fault first
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { root } from '../copy.cts';
import { testsOf } from '../guards.cts';
import { compiledFile, survivorsOf, type Fault } from './copies.cts';
import { mutations, type Mutation } from './mutations.cts';
import { faultsOf, sampleOf } from './operators.cts';

const { values, positionals } = parseArgs({
	options: {
		green: { type: 'boolean', default: false },
		since: { type: 'string' },
		count: { type: 'string', default: '20' },
		seed: { type: 'string' },
		min: { type: 'string', default: '0' },
	},
	allowPositionals: true,
});

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

/** A fault of the list, as the compiler would put it into the build. */
function byHand({ what, file, from, to, tests }: Mutation): Fault {
	const parts = readFileSync(join(root, 'nodes', file), 'utf8').split(from);
	if (parts.length !== 2) {
		throw new Error(`${file}, "${what}": stands ${parts.length - 1} times in the source:\n${from}`);
	}
	const { outputText } = transpileModule(parts.join(to), {
		compilerOptions: {
			module: ModuleKind.CommonJS,
			target: ScriptTarget.ES2022,
			esModuleInterop: true,
		},
	});
	return { what, file, planted: outputText, tests };
}

/** All faults that operators make of the files that changed since a commit. */
function generated(since: string): Fault[] {
	const changed = git('diff', '--name-only', '--relative=nodes', since, '--', 'nodes')
		.split('\n')
		.filter((file) => file.endsWith('.ts') && existsSync(join(root, compiledFile(file))));
	console.log(`Files that changed: ${changed.join(', ')}`);
	return changed.flatMap((file) => {
		const code = readFileSync(join(root, compiledFile(file)), 'utf8');
		return faultsOf(file, code).map((fault) => ({ ...fault, tests: testsOf(file) }));
	});
}

async function main(): Promise<void> {
	const { since, count, min } = values;
	// The seed is the newest commit's, unless one is given.
	const seed = Number(values.seed ?? Number.parseInt(git('rev-parse', 'HEAD').slice(0, 7), 16));
	const pattern = new RegExp(positionals[0] ?? '');
	const all = since === undefined ? mutations.map(byHand) : generated(since);
	const meant = all.filter(({ file, what }) => pattern.test(`${file} ${what}`));
	const chosen = since === undefined ? meant : sampleOf(meant, Number(count), seed);
	console.log(`${chosen.length} of ${all.length} faults to plant, seed ${seed}`);
	if (chosen.length === 0) return;
	const survivors = await survivorsOf(chosen, values.green);
	const found = chosen.length - survivors.length;
	const score = Math.round((100 * found) / chosen.length);
	console.log(`\n${found} of ${chosen.length} faults were found: ${score} %`);
	for (const { file, what } of survivors) console.log(`survived: ${file}: ${what}`);
	if (score < (since === undefined ? 100 : Number(min))) process.exitCode = 1;
}

void main();
