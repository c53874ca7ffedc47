// End-to-end tests: the package in a real n8n, as people and an AI use it. Two files at a time: many tests wait for n8n's clock.
module.exports = {
	...require('../../jest.config.cjs'),
	testMatch: ['<rootDir>/test/{e2e,builder}/**/*.test.cts'],
	setupFiles: ['<rootDir>/test/setup.mjs'],
	globalSetup: '<rootDir>/test/e2e/globalSetup.cts',
	globalTeardown: '<rootDir>/test/e2e/globalTeardown.cts',
	maxWorkers: 2,
	testSequencer: '<rootDir>/test/e2e/sequencer.cjs',
	// With one worker, the browser for all files would keep it.
	forceExit: true,
};
