// A score of what changed: faults in some of the compiled lines of the engine that differ since a commit, and
// tests that take little time, so the score that counts is that of what they reach ("covered"). The newest
// commit decides on the lines.
//
// npm run check changed -- [--since HEAD~20] [--minutes 5]
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { convertCompilerOptionsFromJson, readConfigFile, sys, transpileModule } from 'typescript';

/** Stryker takes a second or two for each fault, and there are about two in a line. */
const LINES = 60;

const tests = [
	...['traffic', 'values', 'verdict'].map((name) => `test/unit/${name}.test.cts`),
	...['errors', 'items', 'ledger', 'lists', 'money', 'retries', 'secrets', 'wholeRun'].map(
		(name) => `test/execution/${name}.test.cts`,
	),
];

const options = { since: { type: 'string' }, minutes: { type: 'string' } } as const;
const { since = 'HEAD~20', minutes = '5' } = parseArgs({ options }).values;

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });

const { config } = readConfigFile('tsconfig.json', (path) => sys.readFile(path)) as {
	config: { compilerOptions: object };
};
const { options: compilerOptions } = convertCompilerOptionsFromJson(config.compilerOptions, '.');

/** As the compiler writes it. */
const compiled = (source: string) => transpileModule(source, { compilerOptions }).outputText;

/** The lines of a compiled file that differ, in small pieces: `file.js:3-7`. */
function changedLines(source: string): string[] {
	const file = `dist/${source.replace(/\.ts$/, '.js')}`;
	const isNew = git('ls-tree', since, source) === '';
	const before = isNew ? '' : compiled(git('show', `${since}:${source}`));
	const diff = ['diff', '--no-index', '--unified=0', '--', '-', file];
	const { stdout } = spawnSync('git', diff, { input: before, encoding: 'utf8' });
	return [...stdout.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(
		([, start, count = '1']) => {
			const [first, end] = [Number(start), Number(start) + Number(count)];
			return Array.from({ length: Math.ceil((end - first) / 10) }, (_, index) => {
				const from = first + index * 10;
				return `${file}:${from}-${Math.min(from + 9, end - 1)}`;
			});
		},
	);
}

const seed = git('rev-parse', 'HEAD');
const orderOf = (piece: string) =>
	createHash('sha256')
		.update(seed + piece)
		.digest('hex');
const changed = git('diff', '--name-only', since, '--', 'nodes/engine')
	.split('\n')
	.filter((file) => file.endsWith('.ts') && existsSync(file))
	.flatMap(changedLines)
	.sort((one, other) => orderOf(one).localeCompare(orderOf(other)));

let lines = 0;
const chosen = changed.filter((piece) => {
	const [from, to] = piece.split(':')[1].split('-').map(Number);
	lines += to - from + 1;
	return lines <= LINES;
});
console.log(`${chosen.length} of ${changed.length} changed pieces of the engine`);
if (chosen.length > 0) {
	const until = Math.round(Date.now() / 1000 + Number(minutes) * 60);
	const { status } = spawnSync(
		'stryker',
		[
			'run',
			'tools/stryker.config.mjs',
			'--mutate',
			chosen.join(','),
			'--testFiles',
			tests.join(','),
		],
		{ stdio: 'inherit', env: { ...process.env, FAULTS_UNTIL: String(until) } },
	);
	process.exitCode = status ?? 1;
}
