// Packs the package once for all end-to-end tests, as it would be published.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function pack(): void {
	const folder = mkdtempSync(join(tmpdir(), 'packed-'));
	const root = join(__dirname, '../..');
	const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: root,
	});
	const [{ filename }] = JSON.parse(printed.toString()) as Array<{ filename: string }>;
	process.env.PACKED_PACKAGE = join(folder, filename);
}
