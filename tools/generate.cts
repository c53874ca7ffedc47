// Writes the files that are derived from the operation table and the contract (npm run generate).
// The table is read from dist, so build before.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles, isCurrent, root, strayFiles } from './generated.cts';

const files = generatedFiles();
const stale = [...files].filter(([path, text]) => !isCurrent(path, text));
for (const [path, text] of stale) {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), text);
	console.log(`written ${path}`);
}
const stray = strayFiles(files);
for (const path of stray) {
	rmSync(join(root, path));
	console.log(`removed ${path}`);
}
console.log(`${files.size} files, ${stale.length} written, ${stray.length} removed`);
