// What runs the tests of `npm test`: two workers side by side, and a test that never ends. It takes long, and rarely changes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

test('a worker that is slow to start gets its data', () => {
	const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)';
	const slow = `if (process.env.TINYPOOL_WORKER_ID === '2') ${wait}`;
	const { status, stderr } = spawnSync(
		'node_modules/.bin/jest',
		['--maxWorkers', '2', 'test/unit/redact', 'test/unit/verdict'],
		{
			cwd: join(__dirname, '../..'),
			encoding: 'utf8',
			env: {
				...process.env,
				NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(slow)}`,
			},
			// Without its data it would wait for ever.
			timeout: 120_000,
		},
	);
	expect([status, stderr]).toEqual([0, expect.stringContaining('2 passed, 2 total')]);
});

test('a loop without an end is told by the name of its test', () => {
	const { status, stderr } = spawnSync(
		'node_modules/.bin/jest',
		['--maxWorkers', '2', 'test/unit/runner', 'test/unit/redact', '-t', 'a block'],
		{
			cwd: join(__dirname, '../..'),
			encoding: 'utf8',
			env: { ...process.env, TEST_BLOCKED_AFTER_MINUTES: '0.02', RUNNER_LOOPS: 'yes' },
			timeout: 120_000,
		},
	);
	expect([status, stderr]).toEqual([
		1,
		expect.stringContaining('a block a loop has blocked its process for 0.02 minutes.'),
	]);
});
