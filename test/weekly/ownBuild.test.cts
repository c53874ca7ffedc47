// n8n's own build of the package. It takes each PNG for an icon, and makes no output schema previews, which follow from
// the operation table: these only `npm run build` makes.
import { execFileSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** Files that npm would pack in a folder. */
function packedIn(cwd: string): string[] {
	const report = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd, stdio: 'pipe' });
	const [{ files }] = JSON.parse(report.toString()) as Array<{ files: Array<{ path: string }> }>;
	return files.map(({ path }) => path).sort();
}

test('holds the same but for previews', () => {
	const copy = mkdtempSync(join(tmpdir(), 'built-'));
	const parts = ['credentials', 'icons', 'nodes', 'package.json', 'tsconfig.json'];
	for (const part of [...parts, 'CHANGELOG.md', 'LICENSE', 'README.md'])
		cpSync(join(root, part), join(copy, part), { recursive: true });
	symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
	// A picture of the docs, and an icon of the n8n that the tests install.
	for (const folder of ['docs/images', 'test/n8n/node_modules/n8n-nodes-base']) {
		mkdirSync(join(copy, folder), { recursive: true });
		writeFileSync(join(copy, folder, 'picture.png'), '');
	}
	execFileSync(join(root, 'node_modules/.bin/n8n-node'), ['build'], { cwd: copy, stdio: 'pipe' });
	expect(existsSync(join(copy, 'dist/docs/images/picture.png'))).toBe(true);
	expect(packedIn(copy)).toEqual(packedIn(root).filter((path) => !path.includes('__schema__')));
	rmSync(copy, { recursive: true });
});
