// Everything that can be checked or made beside the scripts of package.json, by its name in `npm run check <name>`.

import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Check {
	/** What it does, for the list that `npm run check` prints. */
	says: string;
	/** Commands, run one after the other until one fails. Arguments of the command line go to each of the first check. */
	commands: string[][];
	/** Minutes after which it has failed. None for what may take hours. */
	minutes?: number;
	/** Whether others may run beside it. */
	isLong?: boolean;
	/** Whether it needs the build. */
	built?: boolean;
	env?: Record<string, string>;
	/** Where its command, jest, writes the results. Files that have failed run once more, and the report says so. */
	results?: string;
}

const typescript = (file: string, ...args: string[]) => [
	'node',
	...args,
	'--require',
	'tsx/cjs',
	file,
];

const suiteOf = (suite: string, ...patterns: string[]) => [
	'jest',
	'-c',
	`test/${suite}/jest.config.cjs`,
	...patterns,
];

/**
 * A suite in a real n8n: the packed package, and nothing of the sources. Much of it waits for n8n, which may stand
 * still for long on a busy machine. What fails twice isn't that.
 */
function inN8n(says: string, suite: string, minutes: number): Check {
	const results = join(tmpdir(), `results-${suite}-${process.pid}.json`);
	const commands = [suiteOf(suite, '--json', `--outputFile=${results}`)];
	return { says, commands, results, minutes, built: true };
}

const pictured = ['agents', 'customers', 'editor', 'forms', 'money', 'panel', 'schemas', 'toolkit'];

export const checks = {
	format: {
		says: 'Every file is as `npm run format` writes it',
		commands: [['prettier', '--check', '--log-level', 'warn', '.']],
		minutes: 5,
	},
	lint: {
		says: "n8n's strict lint for the nodes",
		commands: [['n8n-node', 'lint']],
		minutes: 5,
	},
	code: {
		says: 'Our own lint: nodes, tests and tools',
		commands: [['eslint', '--config', 'tools/lint.config.mjs', '.']],
		minutes: 10,
		built: true,
	},
	unused: {
		says: 'Files, exports and dependencies that nothing uses, or that are missing',
		commands: [['knip', '--config', 'tools/knip.jsonc', '--no-progress']],
		minutes: 5,
		built: true,
	},
	contract: {
		says: 'The contract is valid OpenAPI 3.1',
		commands: [typescript('test/contract/valid.cts')],
		minutes: 2,
	},
	types: {
		says: 'Types of the tests and the tools',
		commands: [['tsc', '-p', 'test']],
		minutes: 10,
		built: true,
	},
	build: {
		says: 'The package as it is published',
		commands: [['npm', 'run', 'build']],
		minutes: 5,
	},
	tests: {
		says: 'Unit, contract and execution tests',
		commands: [['jest']],
		minutes: 40,
		isLong: true,
		built: true,
	},
	guides: {
		says: 'The guides, each followed in a copy, and the tests that it names',
		commands: [typescript('test/guide/run.cts')],
		minutes: 15,
	},
	worlds: {
		says: 'The nodes against many services that the reference allows',
		commands: [typescript('test/worlds/run.cts')],
		minutes: 60,
		built: true,
	},
	n8n: {
		says: 'Installs the n8n that the suites below run',
		commands: [typescript('test/n8n/install.cts')],
		minutes: 12,
	},
	builder: inN8n("n8n's own MCP server, as an AI uses it", 'builder', 25),
	registry: inN8n('Installed, updated, downgraded and removed by n8n itself', 'registry', 25),
	queue: inN8n('Queue mode, with workers that die', 'queue', 25),
	e2e: inN8n('The packed package in a real n8n and a real browser', 'e2e', 35),
	oldest: inN8n('The oldest supported n8n', 'oldest', 45),
	service: {
		says: 'How a real service responds, held against the contract',
		commands: [typescript('test/service/check.cts')],
	},
	soak: {
		says: 'Memory, and hours of work',
		commands: [typescript('test/soak/memory.cts', '--expose-gc'), typescript('test/soak/soak.cts')],
		built: true,
	},
	pictures: {
		says: "Makes anew: the screenshots of the docs, by the tests that show them, the GIF of the README, the video for n8n's verification",
		commands: [
			suiteOf('e2e', ...pictured),
			suiteOf('builder', 'agents'),
			typescript('test/video/record.cts'),
		],
		built: true,
		env: { PICTURES: 'yes' },
	},
	lock: {
		says: 'Writes the lock file anew, with the builds for all platforms',
		commands: [['npm', 'install', '--package-lock-only'], typescript('tools/completeLock.cts')],
	},
	update: {
		says: 'Brings the pinned n8n up to date and runs all suites',
		commands: [typescript('tools/updateN8n.cts')],
	},
} satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;
