// What holds for all test files of a worker.
import { register as registerHooks } from 'node:module';
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

// A test that calls no assertion, such as one that loops over nothing, can't fail. Hooks don't count, nor pictures.
addEventHandler(({ name }, { currentDescribeBlock: { children, hooks } }) => {
	if (name === 'add_hook') hooks.at(-1).fn = ending(hooks.at(-1).fn);
	if (name !== 'add_test') return;
	const test = children.at(-1);
	const { fn } = test;
	test.fn = ending(async () => {
		expect.setState({ assertionCalls: 0 });
		await fn();
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
