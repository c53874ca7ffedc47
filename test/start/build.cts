// The build of the package, left out where nothing has changed since the last one.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram } from '../n8n/program.cts';
import { withProgress } from '../n8n/progress.cts';

/** What the build reads and writes, from the root of the repository. */
const PARTS = [
	'credentials',
	'dist',
	'gulpfile.js',
	'icons',
	'nodes',
	'package-lock.json',
	'package.json',
	'tools',
	'tsconfig.json',
];

/**
 * Builds the package unless its sources and its build are as after the last call.
 * @param stampFile keeps what they were
 */
export async function ensureBuild(
	root: string,
	stampFile: string,
	signal: AbortSignal,
): Promise<void> {
	const last = await readFile(stampFile, 'utf8').catch(() => '');
	if (last === (await stateOf(root))) return;
	await withProgress('Building the package (10 to 30 seconds)', console.log, () =>
		runProgram('npm', ['run', 'build'], { cwd: root, signal }),
	);
	await mkdir(dirname(stampFile), { recursive: true });
	await writeFile(stampFile, await stateOf(root));
}

/** A digest of the names, sizes and times of all files. */
async function stateOf(root: string): Promise<string> {
	const digest = createHash('sha256');
	for (const part of PARTS) {
		for (const file of await filesOf(root, part)) {
			const { mtimeMs, size } = await stat(join(root, file));
			digest.update(`${file} ${size} ${mtimeMs}\n`);
		}
	}
	return digest.digest('hex');
}

async function filesOf(root: string, part: string): Promise<string[]> {
	const found = await stat(join(root, part)).catch(() => undefined);
	if (!found) return [];
	if (!found.isDirectory()) return [part];
	const below = await readdir(join(root, part), { recursive: true });
	return below.sort().map((name) => join(part, name));
}
