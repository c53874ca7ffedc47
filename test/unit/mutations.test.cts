// The planted faults against the code as it is: a fault whose place is gone would test nothing.
import { expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guards, testsOf } from '../guards.cts';
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

test('each file has tests that guard it, and they are there', () => {
	const files = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' });
	const used = Object.keys(guards).filter((each) => files.some((file) => file.startsWith(each)));
	expect(used).toEqual(Object.keys(guards));
	const named = [...new Set(files.flatMap(testsOf))];
	expect(named.filter((each) => !existsSync(join(root, `test/${each}.test.cts`)))).toEqual([]);
});
