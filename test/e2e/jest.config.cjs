// End-to-end tests: the package in a real n8n. Two files at a time: many tests wait for n8n's clock.
const { transform, moduleFileExtensions } = require('../../jest.config.cjs');

module.exports = {
	rootDir: '../..',
	testMatch: ['<rootDir>/test/e2e/**/*.test.cts'],
	transform,
	moduleFileExtensions,
	testSequencer: '<rootDir>/test/sequencer.cjs',
	globalSetup: '<rootDir>/test/e2e/globalSetup.cts',
	globalTeardown: '<rootDir>/test/e2e/globalTeardown.cts',
	// A minute's work on a quiet machine may take ten on a busy one.
	testTimeout: 600_000,
	maxWorkers: 2,
};
