// The life of the package in an n8n that installs it itself: from a registry on this machine.
module.exports = {
	...require('../e2e/jest.config.cjs'),
	globalSetup: '<rootDir>/test/registry/globalSetup.cts',
	globalTeardown: undefined,
	testMatch: ['<rootDir>/test/registry/**/*.test.cts'],
};
