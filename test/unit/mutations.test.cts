// The planted faults against the code as it is: a fault whose place is gone would test nothing.
import { expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutations } from '../mutation/mutations.cts';

const root = join(__dirname, '../..');

const nameOf = ({ file, what }: { file: string; what: string }) => `${file}: ${what}`;

test('each planted fault has its place, exactly once', () => {
	const lost = mutations.filter(({ file, from }) => {
		const path = join(root, 'nodes', file);
		return !existsSync(path) || readFileSync(path, 'utf8').split(from).length !== 2;
	});
	expect(lost.map(nameOf)).toEqual([]);
});

test('each planted fault changes something, and names tests that are there', () => {
	const idle = mutations.filter(({ from, to, tests }) => {
		const missing = tests.filter((each) => !existsSync(join(root, `test/${each}.test.cts`)));
		return from === to || tests.length === 0 || missing.length > 0;
	});
	expect(idle.map(nameOf)).toEqual([]);
});

test('no fault is planted twice', () => {
	const names = mutations.map(nameOf);
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
