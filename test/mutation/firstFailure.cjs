// A test run that ends with its first failure: a planted fault needs to be found once.
const { TestEnvironment } = require('jest-environment-node');

module.exports = class extends TestEnvironment {
	handleTestEvent({ name }) {
		if (name === 'test_fn_failure' || name === 'hook_failure') process.exit(1);
	}
};
