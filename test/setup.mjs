// What holds for all test files of a worker.
import { register as registerHooks } from 'node:module';
import { register } from 'tsx/cjs/api';

register();

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
