// Everything that can be checked or made beside the scripts of package.json, by its name in `npm run check <name>`.

export interface Check {
	/** What it does, for the list that `npm run check` prints. */
	says: string;
	/** Commands, run one after the other until one fails. Arguments of the command line go to each of the first check. */
	commands: string[][];
	/** Minutes after which it has failed: many times what it takes, since a machine may be busy. None for what may take hours. */
	minutes?: number;
	/** Checks that have to be made before: `build` instead of `compile` if any needs it, `n8n` if it's to run at all. */
	needs?: Array<'build' | 'compile' | 'n8n'>;
	env?: Record<string, string>;
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

/** A suite in a real n8n: the packed package, and nothing of the sources. */
const inN8n = (says: string, minutes: number, suite: string, ...patterns: string[]): Check => ({
	says,
	commands: [suiteOf(suite, ...patterns)],
	minutes,
	needs: ['compile', 'n8n'],
});

/** Files of tests that say in seconds what a change of the nodes has forgotten. */
const quick = 'test/unit/(wording|constants|plantedFaults)';

/** Files of tests that make the pictures. */
const pictured =
	'/(agents|customers|editor|forms|inStep|money|newNodes|panel|retry|schemas|toolkit)\\.test';

export const checks = {
	format: {
		says: 'Every file is as `npm run format` writes it',
		commands: [['oxfmt', '--check']],
		minutes: 3,
	},
	lint: {
		says: "n8n's strict lint for the nodes",
		commands: [['n8n-node', 'lint']],
		minutes: 20,
	},
	code: {
		says: 'Our own lint and the types, and texts, constants and planted faults that a change must keep to',
		commands: [['oxlint'], ['jest', quick]],
		minutes: 15,
		needs: ['build'],
	},
	scan: {
		says: "n8n's scan of a published package, and its lint of the forms as n8n gets them",
		commands: [typescript('tools/scan.cts')],
		minutes: 3,
		needs: ['compile'],
	},
	unused: {
		says: 'Files, exports, members and dependencies that nothing uses, or that are missing',
		commands: [
			['knip', '--config', 'tools/knip.jsonc', '--no-progress'],
			typescript('tools/unusedMembers.cts'),
		],
		minutes: 3,
		needs: ['build'],
	},
	contract: {
		says: 'The contract is valid OpenAPI 3.1',
		commands: [typescript('test/contract/valid.cts')],
		minutes: 2,
	},
	build: {
		says: 'The package as it is published',
		commands: [['npm', 'run', 'build']],
		minutes: 15,
	},
	compile: {
		says: 'The same without looking at types, which is quicker',
		commands: [['gulp', 'compile']],
		minutes: 2,
	},
	tests: {
		says: 'Unit, contract and execution tests',
		commands: [['jest']],
		minutes: 45,
		needs: ['compile'],
	},
	thorough: {
		says: 'The same with all cases of each table, and many seeds that are new each time',
		commands: [['jest']],
		minutes: 40,
		needs: ['compile'],
		env: { THOROUGH: 'yes' },
	},
	guides: {
		says: 'The guides, followed to their end in one copy, which is linted and tested',
		commands: [typescript('test/guide/run.cts')],
		minutes: 120,
	},
	worlds: {
		says: 'The nodes against new services that the reference allows',
		commands: [typescript('test/worlds/run.cts')],
		minutes: 60,
		needs: ['compile'],
	},
	pairs: {
		says: 'Each two features that can meet in an operation, in scenes that are drawn anew',
		commands: [['jest', 'test/execution/pairs', '--maxWorkers', '1']],
		minutes: 20,
		needs: ['compile'],
		env: { THOROUGH: 'yes' },
	},
	cuts: {
		says: 'Each moment at which n8n or its store can fail, and each way to run the execution again',
		commands: [['jest', 'test/execution/everyCut', '--maxWorkers', '1']],
		minutes: 145,
		needs: ['compile'],
		env: { RUNS: 'all' },
	},
	faults: {
		says: 'Plants faults, one at a time: the tests must find them',
		commands: [typescript('tools/faults.cts')],
		minutes: 180,
	},
	n8n: {
		says: 'Installs the n8n that the suites below run',
		commands: [typescript('test/n8n/install.cts')],
		minutes: 25,
	},
	e2e: inN8n(
		'The packed package in a real n8n and a real browser, as people and an AI use it',
		35,
		'e2e',
	),
	builder: inN8n("Of e2e: n8n's own MCP server, as an AI uses it", 10, 'e2e', 'test/builder'),
	queue: inN8n('Queue mode, with workers that die', 15, 'queue'),
	registry: inN8n('Installed, updated, downgraded and removed by n8n itself', 10, 'registry'),
	weekly: inN8n('What takes long in a real n8n, or changes rarely', 40, 'weekly'),
	oldest: inN8n('The oldest supported n8n', 45, 'oldest'),
	service: {
		says: 'How a real service responds, held against the contract',
		commands: [typescript('test/service/check.cts')],
	},
	soak: {
		says: 'Memory, and hours of work',
		commands: [typescript('test/soak/memory.cts', '--expose-gc'), typescript('test/soak/soak.cts')],
		needs: ['compile'],
	},
	pictures: {
		says: 'Makes the screenshots of the docs anew, by the tests that show them',
		commands: [suiteOf('e2e', pictured)],
		needs: ['compile'],
		env: { PICTURES: 'yes' },
	},
	oldPictures: {
		says: 'Names the screenshots of the docs whose form has changed since',
		commands: [typescript('tools/pictures.cts')],
		minutes: 2,
		needs: ['compile'],
	},
	lock: {
		says: 'Writes the lock file anew, with the builds for all platforms',
		commands: [
			['npm', 'install', '--package-lock-only'],
			[...typescript('tools/maintenance.cts'), 'completeLock'],
		],
	},
	update: {
		says: 'Brings the pinned n8n up to date and runs all suites',
		commands: [[...typescript('tools/maintenance.cts'), 'update']],
	},
} satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;
