// What holds for all test files of a worker.
import { register as registerHooks } from 'node:module';
import { addEventHandler } from 'jest-circus';
import { register } from 'tsx/cjs/api';

register();

// A test that calls no assertion, such as one that loops over nothing, can't fail. Hooks don't count, nor pictures.
addEventHandler(({ name }, { currentDescribeBlock }) => {
	if (name !== 'add_test' || process.env.PICTURES) return;
	const test = currentDescribeBlock.children.at(-1);
	const { fn } = test;
	test.fn = async () => {
		expect.setState({ assertionCalls: 0 });
		await fn();
		if (expect.getState().assertionCalls === 0) throw new Error('No assertion was called');
	};
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
