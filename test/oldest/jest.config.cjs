// The oldest supported n8n, in an installation of its own.
module.exports = {
	...require('../e2e/jest.config.cjs'),
	globalSetup: '<rootDir>/test/n8n/pack.cts',
	globalTeardown: undefined,
	testMatch: ['<rootDir>/test/oldest/**/*.test.cts'],
};
