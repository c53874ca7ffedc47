// What holds for all test files of a worker.
import { writeSync } from 'node:fs';
import { register as registerHooks } from 'node:module';
import { Worker } from 'node:worker_threads';
import { addEventHandler } from 'jest-circus';
import { register } from 'tsx/cjs/api';

register();

/** Far above what the busiest machine needs: what hangs is told by its name, and the other tests go on. */
const HANGS_AFTER_MINUTES = 10;

const { setTimeout: later, clearTimeout: cancel } = globalThis;

/** The same function, which fails when it hangs. */
function ending(fn) {
	return async () => {
		let timer;
		const hung = new Promise((_, fail) => {
			const error = new Error(`It hung for ${HANGS_AFTER_MINUTES} minutes`);
			timer = later(fail, HANGS_AFTER_MINUTES * 60_000, error);
		});
		await Promise.race([fn(), hung]).finally(() => cancel(timer));
	};
}

/** Far above what a busy machine takes from a process. */
const BLOCKED_AFTER_MINUTES = Number(process.env.TEST_BLOCKED_AFTER_MINUTES ?? 3);

// A loop without an end stops all timers of the worker, so only another thread can tell which test it is. It goes by a beat
// of the worker, and ends the process, which fails the file.
const watchdog = new Worker(
	`const { parentPort, workerData: minutes } = require('node:worker_threads');
	let test = 'No test';
	let timer;
	parentPort.on('message', (name) => {
		if (name) test = name;
		clearTimeout(timer);
		timer = setTimeout(() => {
			require('node:fs').writeSync(2, \`\n\${test} has blocked its process for \${minutes} minutes.\n\`);
			process.kill(process.pid, 'SIGKILL');
		}, minutes * 60_000);
	});`,
	{ eval: true, workerData: BLOCKED_AFTER_MINUTES },
);
watchdog.unref();
setInterval(() => watchdog.postMessage(''), Math.min(5000, BLOCKED_AFTER_MINUTES * 15_000)).unref();

/** The name of a test with those of its blocks. */
const nameOf = (test) => (test.parent ? `${nameOf(test.parent)} ${test.name}`.trim() : '');

// A test that calls no assertion, such as one that loops over nothing, can't fail. Hooks don't count, nor pictures.
addEventHandler(({ name }, { currentDescribeBlock: { children, hooks } }) => {
	if (name === 'add_hook') hooks.at(-1).fn = ending(hooks.at(-1).fn);
	if (name !== 'add_test') return;
	const test = children.at(-1);
	const { fn } = test;
	test.fn = ending(async () => {
		watchdog.postMessage(nameOf(test));
		expect.setState({ assertionCalls: 0 });
		const slow = later(() => writeSync(2, `\n${nameOf(test)} has run for a minute.\n`), 60_000);
		try {
			await fn();
		} finally {
			cancel(slow);
		}
		if (expect.getState().assertionCalls === 0 && !process.env.PICTURES) {
			throw new Error('No assertion was called');
		}
	});
});

// The runner imports test files. They're CommonJS, and loaded as what they require is.
const load = `export const load = (url, context, next) =>
	url.split('?')[0].endsWith('.cts')
		? { format: 'commonjs', source: null, shortCircuit: true }
		: next(url, context);`;
registerHooks(`data:text/javascript,${encodeURIComponent(load)}`);

// As the platform's, but by the simulated time of a file that has one.
AbortSignal.timeout = (milliseconds) => {
	const controller = new AbortController();
	const end = () => controller.abort(new DOMException('Over', 'TimeoutError'));
	setTimeout(end, milliseconds).unref?.();
	return controller.signal;
};
