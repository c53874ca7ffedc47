// What an AI builder sees and does: n8n with its own MCP server switched on.
module.exports = {
	...require('../e2e/jest.config.cjs'),
	globalSetup: '<rootDir>/test/builder/globalSetup.cts',
	testMatch: ['<rootDir>/test/builder/**/*.test.cts'],
};
