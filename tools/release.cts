// `npm run release -- 1.1.0`: sets the version, gives what is under Unreleased a heading, and makes the commit and
// the tag. Pushed, they start the workflow that tests and publishes. Nothing is published from this machine.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const UNRELEASED = '## [Unreleased]';

/**
 * The changelog with what is unreleased below a heading of the version, and the link of that.
 * @throws an error when nothing is unreleased, or the version is there already
 */
export function releaseChangelog(changelog: string, version: string, date: string): string {
	const heading = `## [${version}]`;
	if (changelog.includes(heading)) throw new Error(`CHANGELOG.md has ${version} already.`);
	const [, unreleased = ''] = changelog.split(/^## .*$/m);
	if (!changelog.includes(UNRELEASED) || unreleased.trim() === '') {
		throw new Error('CHANGELOG.md has nothing under Unreleased.');
	}
	const [link, last] = /^\[(\d[^\]]*)\]: \S+$/m.exec(changelog) ?? [];
	if (!link || !last) throw new Error('CHANGELOG.md has no link of the last version.');
	return changelog
		.replace(UNRELEASED, `${UNRELEASED}\n\n${heading} - ${date}`)
		.replace(link, `${link.replaceAll(last, version)}\n${link}`);
}

function release(version: string): void {
	const run = (command: string, ...args: string[]) =>
		execFileSync(command, args, { encoding: 'utf8' }).trim();
	if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
		throw new Error('Name the version: npm run release -- 1.1.0');
	if (run('git', 'status', '--porcelain')) throw new Error('Commit or stash your changes first.');
	const changelog = readFileSync('CHANGELOG.md', 'utf8');
	const date = new Date().toISOString().slice(0, 10);
	writeFileSync('CHANGELOG.md', releaseChangelog(changelog, version, date));
	run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
	run('git', 'commit', '--all', '--message', `Release ${version}`);
	run('git', 'tag', '--annotate', `v${version}`, '--message', version);
	console.log('Check the commit, then: git push --follow-tags');
}

if (require.main === module) {
	try {
		release(process.argv[2] ?? '');
	} catch (error) {
		console.error((error as Error).message);
		process.exitCode = 1;
	}
}
