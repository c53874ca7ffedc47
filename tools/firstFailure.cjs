// A planted fault needs to be found once: behind the first failure, the tests of a file are skipped.
const TestEnvironment = require('../test/environment.cjs');

module.exports = class extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (name === 'test_fn_failure' || name === 'hook_failure') this.hasFailed = true;
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
	}
};
