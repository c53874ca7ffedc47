// The trigger in n8n's queue mode: needs redis-server and PostgreSQL on the machine.
module.exports = {
	...require('../e2e/jest.config.cjs'),
	globalSetup: '<rootDir>/test/n8n/pack.cts',
	globalTeardown: undefined,
	testMatch: ['<rootDir>/test/queue/**/*.test.cts'],
};
