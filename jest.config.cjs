// Unit, contract and execution tests. The end-to-end tests have a configuration of their own.
module.exports = {
	testMatch: ['<rootDir>/test/{unit,contract,execution}/**/*.test.cts'],
	transform: {
		'\\.(ts|cts)$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	moduleFileExtensions: ['ts', 'cts', 'js', 'cjs', 'json', 'node'],
	testEnvironment: '<rootDir>/test/environment.cjs',
	testSequencer: '<rootDir>/test/sequencer.cjs',
	setupFiles: ['<rootDir>/test/execution/host/environment.cts'],
	// Most take seconds; a busy machine may take ten times as long.
	testTimeout: 60_000,
	// As many as there are cores; jest's own number leaves one of two idle.
	maxWorkers: '100%',
	// A bigger process takes so long to end that jest ends it by force, and says that a test has left something open.
	workerIdleMemoryLimit: '500MB',
	// Looked up in jest's sandbox each time, they cost the simulations more than all their work.
	sandboxInjectedGlobals: ['Math', 'Infinity'],
};
