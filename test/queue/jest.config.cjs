// The trigger in n8n's queue mode: needs redis-server and PostgreSQL on the machine.
module.exports = {
	...require('../e2e/jest.config.cjs'),
	testMatch: ['<rootDir>/test/queue/**/*.test.cts'],
};
