// Packs the package once for all end-to-end tests, as it would be published.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packs a folder's package into a temporary folder; returns the path of the file. */
export function packFolder(folder: string): string {
	const destination = mkdtempSync(join(tmpdir(), 'packed-'));
	const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', destination], {
		cwd: folder,
	});
	const [{ filename }] = JSON.parse(printed.toString()) as Array<{ filename: string }>;
	return join(destination, filename);
}

export default function pack(): void {
	process.env.PACKED_PACKAGE = packFolder(join(__dirname, '../..'));
}
