// Stryker plants faults in the compiled engine, one at a time, and runs the tests that reach each.
// `npm run check mutation -- --mutate 'dist/nodes/engine/base/**/*.js'` does so for one folder.

import { fileURLToPath } from 'node:url';

/** Tests of the repository rather than of the nodes. */
const ofRepository =
	'/unit/(check|docs|drawnScenes|examples|guesses|guides|layout|package|panel|release|start|subtitles)\\.';

const environment = fileURLToPath(new URL('firstFailure.cjs', import.meta.url));

export default {
	mutate: ['dist/nodes/engine/**/*.js'],
	testRunner: 'reaching',
	plugins: ['@stryker-mutator/jest-runner', './tools/reachingTests.mjs'],
	jest: {
		configFile: 'jest.config.cjs',
		config: { testEnvironment: environment, testPathIgnorePatterns: [ofRepository] },
		// It would load a test file for all that its imports lead to.
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	// What runs once, when a file is loaded, is mostly the text of a form; each such fault would run all tests.
	ignoreStatic: true,
	concurrency: '100%',
	// All tests, one after the other.
	dryRunTimeoutMinutes: 40,
	disableTypeChecks: false,
	ignorePatterns: ['docs/images'],
	// Lint and format would find what a red run leaves.
	cleanTempDir: 'always',
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
