// Stryker's runner for jest loads all test files for each fault, and goes on after a failure. This one loads
// only files with tests that reach the fault, the quickest first, until one fails. The first run finds them.
//
// FAULTS_UNTIL, in seconds since 1970, is when no more are tried: the score is that of those before.
import { readFileSync, writeFileSync } from 'node:fs';
import { strykerPlugins as plugins } from '@stryker-mutator/jest-runner';

const [jest] = plugins;

/** In the sandbox, which all workers share. */
const TIMES = 'testTimes.json';

const UNTIL = Number(process.env.FAULTS_UNTIL ?? Infinity) * 1000;

/** Milliseconds of each test, by its file. */
function timesOf(tests) {
	const files = {};
	for (const { id, fileName, timeSpentMs } of tests) {
		files[fileName] ??= {};
		files[fileName][id] = timeSpentMs;
	}
	return files;
}

/** The files of some tests, and which of these they have. */
function filesOf(times, wanted) {
	const isWanted = new Set(wanted);
	return Object.entries(times)
		.map(([file, tests]) => {
			const reaching = Object.entries(tests).filter(([id]) => isWanted.has(id));
			const time = reaching.reduce((sum, [, ms]) => sum + ms, 0);
			return { file, testFilter: reaching.map(([id]) => id), time };
		})
		.filter(({ testFilter }) => testFilter.length > 0)
		.sort((one, other) => one.time - other.time);
}

function reachingRunner(injector) {
	const runner = injector.injectFunction(jest.factory);
	const [run, dryRun, mutantRun] = [runner.run, runner.dryRun, runner.mutantRun].map((method) =>
		method.bind(runner),
	);
	let testFiles;
	runner.run = (settings) => run({ testFiles, ...settings });
	runner.dryRun = async (options) => {
		const result = await dryRun(options);
		writeFileSync(TIMES, JSON.stringify(timesOf(result.tests ?? [])));
		return result;
	};
	runner.mutantRun = async (options) => {
		const times = JSON.parse(readFileSync(TIMES, 'utf8'));
		let result;
		for (const { file, testFilter } of filesOf(times, options.testFilter)) {
			if (Date.now() > UNTIL) return { status: 'error', errorMessage: 'No time was left' };
			testFiles = [file];
			result = await mutantRun({ ...options, testFilter });
			if (result.status !== 'survived') return result;
		}
		return result;
	};
	return runner;
}
reachingRunner.inject = jest.factory.inject;

export const strykerPlugins = [{ ...jest, name: 'reaching', factory: reachingRunner }];
