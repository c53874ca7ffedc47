// Writes the committed files that are derived from the operation table and the contract (npm run generate).
// The table is read from dist, so build before.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles, isCurrent, root } from './generated.cts';

const files = generatedFiles();
const stale = [...files].filter(([path, text]) => !isCurrent(path, text));
for (const [path, text] of stale) {
	writeFileSync(join(root, path), text);
	console.log(`written ${path}`);
}
console.log(`${files.size} files, ${stale.length} written`);
// The pages tell what the nodes do, and these are a part of them.
if (stale.some(([path]) => path.startsWith('nodes/'))) {
	execFileSync('npm', ['run', 'generate'], { cwd: root, stdio: 'inherit' });
}
