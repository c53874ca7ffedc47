// Follows the guides of docs/contributing/guides.md, each to its end in a copy of the repository, and runs all tests there. So a
// guide that isn't true any more fails here, and a test that no change can pass.
//
// npm run check guides -- [pattern]   only the guides whose name matches
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, root } from '../copy.cts';
import { follow, guides, type Guide } from './guides.cts';

const all = guides(root);

/** A guide behind those that it builds on. */
function chain(guide: Guide): Guide[] {
	if (guide.first === undefined) return [guide];
	const first = all.find(({ name }) => name === guide.first);
	if (!first) throw new Error(`${guide.name} builds on ${guide.first}, which is no guide`);
	return [...chain(first), guide];
}

/** What the first command that fails has printed; undefined when all are green. */
function failureOf(guide: Guide): string | undefined {
	const folder = copyRepository();
	try {
		for (const each of chain(guide)) follow(folder, each);
		// The copy has what the guides make, and so no place for it a second time.
		rmSync(join(folder, 'test/unit/guides.test.cts'));
		// All tests are run instead of those that the guide names for a first look.
		const named = guide.commands.filter((command) => !command.includes('npx jest'));
		for (const command of ['npm run format', ...named, 'npm test']) {
			const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
				cwd: folder,
				encoding: 'utf8',
				maxBuffer: 2 ** 28,
			});
			if (status !== 0) return `${command}\n${stdout}${stderr}`;
		}
		return undefined;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const pattern = new RegExp(process.argv[2] ?? '', 'i');
for (const guide of all.filter(({ name }) => pattern.test(name))) {
	const start = Date.now();
	const failure = failureOf(guide);
	const seconds = Math.round((Date.now() - start) / 1000);
	console.log(`${guide.name}: ${failure === undefined ? 'holds' : 'FAILS'} (${seconds} s)`);
	if (failure === undefined) continue;
	console.log(failure);
	process.exitCode = 1;
}
