// A file of tests leaves no timers behind. One would keep all its modules in memory, 34 MB a file: n8n-core looks for
// stale SSH connections as long as its process lives, and a timeout runs on after the response of its request.
const { TestEnvironment } = require('jest-environment-node');

module.exports = class extends TestEnvironment {
	constructor(...options) {
		super(...options);
		const { global } = this;
		const { setInterval } = global;
		this.timers = new Set();
		global.setInterval = (...call) => {
			const timer = setInterval(...call);
			this.timers.add(timer);
			return timer;
		};
		this.timeout = AbortSignal.timeout;
		// As the platform's, with a timer that can be ended, and by the simulated time of a file that has one.
		AbortSignal.timeout = (milliseconds) => {
			const controller = new AbortController();
			const end = () => controller.abort(new DOMException('Over', 'TimeoutError'));
			const timer = global.setTimeout(end, milliseconds);
			timer.unref();
			this.timers.add(timer);
			return controller.signal;
		};
	}

	async teardown() {
		AbortSignal.timeout = this.timeout;
		for (const timer of this.timers) clearTimeout(timer);
		await super.teardown();
	}
};
