// What runs the tests: simulated time in files that share a worker, and a build that is as new as the sources.
import { newerSources } from '../freshBuild.cts';
import { timers } from '../simulatedTimers.cts';

// Only in a process of test/weekly/runner.
if (process.env.RUNNER_LOOPS) {
	describe('a block', () => {
		test('a loop', () => {
			for (;;) expect(true).toBe(true);
		});
	});
}

test('a timer from before the time was simulated can be cleared', async () => {
	let hasFired = false;
	const early = setTimeout(() => (hasFired = true), 1);
	timers.install();
	clearTimeout(early);
	timers.uninstall();
	await new Promise((resolve) => setTimeout(resolve, 10));
	expect(hasFired).toBe(false);
});

test('a build that is older than a source is named', () => {
	const older = newerSources((path) => (path === 'dist/nodes/api/upsert.js' ? 1 : 2));
	expect(older).toEqual(['nodes/api/upsert.ts']);
});
