// What runs the tests: two workers side by side, and simulated time in files that share a worker.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { timers } from '../simulatedTimers.cts';

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

test('a timer from before the time was simulated can be cleared', async () => {
	let hasFired = false;
	const early = setTimeout(() => (hasFired = true), 1);
	timers.install();
	clearTimeout(early);
	timers.uninstall();
	await new Promise((resolve) => setTimeout(resolve, 10));
	expect(hasFired).toBe(false);
});
