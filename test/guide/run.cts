// Follows the guides of docs/contributing/guides.md to their end in one copy of the repository, and lints and tests it. So a
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

const pattern = new RegExp(process.argv[2] ?? '', 'i');
const followed = [...new Set(all.filter(({ name }) => pattern.test(name)).flatMap(chain))];
const folder = copyRepository();
try {
	for (const guide of followed) {
		console.log(`Follows: ${guide.name}`);
		follow(folder, guide);
	}
	// The copy has what the guides make, and so no place for it a second time.
	rmSync(join(folder, 'test/unit/guides.test.cts'));
	// All tests are run instead of those that the guides name for a first look.
	const named = followed.flatMap(({ commands }) => commands);
	const first = new Set(named.filter((command) => !command.includes('npx jest')));
	// Without the test that is taken out, what it alone uses is unused.
	const lint = 'npm run check lint format code';
	for (const command of ['npm run format', ...first, lint, 'npm test']) {
		console.log(command);
		const { status } = spawnSync('sh', ['-c', command], { cwd: folder, stdio: 'inherit' });
		if (status === 0) continue;
		console.log(`FAILS: ${command}`);
		process.exitCode = 1;
		break;
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}
