// What an AI builder sees and does: n8n with its own MCP server switched on.
module.exports = {
	...require('../e2e/jest.config.cjs'),
	globalSetup: '<rootDir>/test/e2e/pack.cts',
	globalTeardown: undefined,
	testMatch: ['<rootDir>/test/builder/**/*.test.cts'],
};
