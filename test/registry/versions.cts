// The package as it is published now, and a next version of it.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFolder } from '../n8n/pack.cts';

export interface PackedVersion {
	version: string;
	tarball: string;
}

/** The operation that only the next version has: of Platform Company, resource Service. */
export const ADDED_OPERATION = 'pingAgain';

const ADDED_CODE = `
const ping = exports.service.operations.find(({ value }) => value === 'ping');
exports.service.operations.push({
	...ping,
	name: 'Ping Again',
	value: '${ADDED_OPERATION}',
	action: 'Ping the API again',
});
`;

/** @param tarball the packed package of this repository */
export function versionsOf(tarball: string): { present: PackedVersion; next: PackedVersion } {
	const folder = mkdtempSync(join(tmpdir(), 'next-'));
	execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	const manifestFile = join(folder, 'package.json');
	const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as { version: string };
	const { version } = manifest;
	const [major, minor] = version.split('.').map(Number);
	const nextVersion = `${major}.${minor + 1}.0`;
	writeFileSync(manifestFile, JSON.stringify({ ...manifest, version: nextVersion }));
	appendFileSync(join(folder, 'dist/nodes/Company/service.js'), ADDED_CODE);
	return {
		present: { version, tarball },
		next: { version: nextVersion, tarball: packFolder(folder) },
	};
}
