// Unit, contract and execution tests. Those in a real n8n have configurations of their own, made of this one.
// For what jest itself loads, such as a global setup.
require('tsx/cjs/api').register();

// A worker gets them from the process that forks it.
process.execArgv.push('--require', require.resolve('./test/workerData.cjs'));

module.exports = {
	rootDir: __dirname,
	testMatch: ['<rootDir>/test/{unit,contract,execution}/**/*.test.cts'],
	// Without a sandbox: the files of a worker share its modules, since n8n's engine takes three seconds to load.
	runner: ['jest-light-runner', { runtime: 'child_process' }],
	setupFiles: ['<rootDir>/test/setup.mjs', '<rootDir>/test/execution/host/environment.cts'],
	globalSetup: '<rootDir>/test/freshBuild.cts',
	transform: {},
	moduleFileExtensions: ['ts', 'cts', 'js', 'cjs', 'json', 'node'],
	// As many as there are cores; jest's own number leaves one of two idle.
	maxWorkers: '100%',
};
