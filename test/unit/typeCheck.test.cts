// The type check of the tests, beside the others, which wait more than they compute.
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');

test('all tests and tools have the right types', async () => {
	const compiler = require.resolve('typescript/bin/tsc');
	const checked = promisify(execFile)(process.execPath, [compiler, '-p', 'test'], { cwd: root });
	const { stdout } = await checked.catch((failure: { stdout: string }) => failure);
	expect(stdout).toBe('');
}, 600_000);
