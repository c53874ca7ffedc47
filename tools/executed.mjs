// A file of jest's setup, for tools/faults.cts: writes which code of dist each test file executes, and how long it takes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { addEventHandler, getState } from 'jest-circus';

const session = new Session();
session.connect();
const ask = (method, params) =>
	new Promise((resolve, reject) => {
		session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer)));
	});
await ask('Profiler.enable');
await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const folder = process.env.EXECUTED;
mkdirSync(folder, { recursive: true });
// Before a test lets time leap.
const now = performance.now.bind(performance);
let begin = now();
let written = 0;

/** What was executed since the last test file of this process. */
async function write() {
	const { result } = await ask('Profiler.takePreciseCoverage');
	const files = result.flatMap(({ url, functions }) => {
		const file = /\/dist\/(nodes\/.*)\.js$/.exec(url)?.[1];
		if (file === undefined) return [];
		const ranges = functions.flatMap((each) =>
			each.ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count]),
		);
		return [[`${file}.ts`, ranges]];
	});
	const seconds = (now() - begin) / 1000;
	begin = now();
	const { testPath } = expect.getState();
	const text = JSON.stringify({ testPath, seconds, files: Object.fromEntries(files) });
	writeFileSync(join(folder, `${process.pid}.${written++}.json`), text);
}

addEventHandler(({ name }) => {
	if (name !== 'add_test') return;
	const { hooks } = getState().rootDescribeBlock;
	if (!hooks.some(({ fn }) => fn === write)) hooks.push({ type: 'afterAll', fn: write });
});
