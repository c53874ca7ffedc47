// `npm run check`: what it runs is there, and its last line and exit code say what passed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { checks, type Check } from '../../tools/checks.cts';
import { expectNone } from '../none.cts';

const root = join(__dirname, '../..');

function check(args: string[], env: NodeJS.ProcessEnv = {}) {
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		['--require', 'tsx/cjs', 'tools/check.cts', ...args],
		{ cwd: root, encoding: 'utf8', env: { ...process.env, ...env } },
	);
	return { status, last: stdout.trim().split('\n').at(-1), stderr: stderr.trim() };
}

test.each(Object.entries(checks) as Array<[string, Check]>)(
	'%s runs what is there',
	(_name, each) => {
		const words = each.commands.flat();
		const files = words.filter((word) => /^(test|tools)\/.*\.\w+$/.test(word));
		expectNone(
			files.filter((file) => !existsSync(join(root, file))),
			"Correct tools/checks.cts: the file isn't there.",
		);
		const isInstalled = (program: string) =>
			['node', 'npm'].includes(program) || existsSync(join(root, 'node_modules/.bin', program));
		expect(each.commands.map(([program]) => program).filter((name) => !isInstalled(name))).toEqual(
			[],
		);
	},
);

test('each command is run in a fresh clone once a week', () => {
	const workflow = readFileSync(join(root, '.github/workflows/weekly.yml'), 'utf8');
	const scripts = Object.keys(manifest.scripts).map((name) => `npm (run )?${name}`);
	const commands = [...scripts, ...Object.keys(checks).map((name) => `npm run check ${name}`)];
	expectNone(
		commands.filter((each) => !new RegExp(`${each}( |$)`, 'm').test(workflow)),
		'Add the command to .github/workflows/weekly.yml.',
	);
});

test('a part that passes is named last, and what two rows name is made once', () => {
	const { status, last } = check(['contract', 'beside', 'contract']);
	expect([status, last]).toEqual([0, expect.stringMatching(/^Passed in \d+ s: contract$/)]);
});

test("a part that doesn't end in time fails", () => {
	const soon = String(Date.now() / 1000 + 0.5);
	const { status, last } = check(['contract', 'lint'], { CHECK_UNTIL: soon });
	// The first one may be quicker.
	expect([status, last]).toEqual([
		1,
		expect.stringMatching(/^FAILED in \d+ s: (contract, )?lint$/),
	]);
});

test('an unknown name is reported', () => {
	expect(check(['contracts'])).toMatchObject({ status: 1, stderr: 'There is no check contracts' });
});
