// End-to-end tests: the package in a real n8n, one after the other.
const { transform, moduleFileExtensions } = require('../../jest.config.cjs');

module.exports = {
	rootDir: '../..',
	testMatch: ['<rootDir>/test/e2e/**/*.test.cts'],
	transform,
	moduleFileExtensions,
	globalSetup: '<rootDir>/test/e2e/pack.cts',
	testTimeout: 300_000,
	maxWorkers: 1,
};
