// A copy of the repository to change and to build, beside the one that is worked on.
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Root of the repository. */
export const root = join(__dirname, '..');

const left = ['node_modules', 'dist', '.git', '.n8n-demo'];

/** Copies what is worked on, without builds; node_modules are shared. */
export function copyRepository(): string {
	const folder = mkdtempSync(join(tmpdir(), 'platform-api-'));
	cpSync(root, folder, {
		recursive: true,
		filter: (path) => !left.includes(relative(root, path).split('/').at(-1) ?? ''),
	});
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
	return folder;
}
