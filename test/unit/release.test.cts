// `npm run release` in a repository of its own: the version, the changelog, the commit and the tag.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const LINK = 'https://github.com/a/b/releases/tag/v';

let folder: string;
const git = (...args: string[]) =>
	execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const release = (version: string) =>
	spawnSync(
		process.execPath,
		[
			'--require',
			require.resolve('tsx/cjs'),
			join(root, 'tools/maintenance.cts'),
			'release',
			version,
		],
		{ cwd: folder, encoding: 'utf8' },
	).stderr;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'release-'));
	git('init', '--quiet');
	git('config', 'user.name', 'Test');
	git('config', 'user.email', 'test@example.com');
	writeFileSync(join(folder, 'package.json'), '{"name": "a", "version": "1.0.0"}\n');
	writeFileSync(
		join(folder, 'CHANGELOG.md'),
		`# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.0.0] - 2026-01-01\n\n- First.\n\n[1.0.0]: ${LINK}1.0.0\n`,
	);
	git('add', '.');
	git('commit', '--quiet', '--message', 'First');
});

afterAll(() => rmSync(folder, { recursive: true }));

function expectRefused(version: string, why: string): void {
	const state = () => [git('rev-parse', 'HEAD'), read('CHANGELOG.md')];
	const before = state();
	expect(release(version)).toContain(why);
	expect(state()).toEqual(before);
}

test.each([
	['no version', '', 'Name the version'],
	['a version that is out', '1.0.0', 'has 1.0.0 already'],
])('%s is refused, and nothing changes', (_what, version, why) => expectRefused(version, why));

test('changes that are not committed are refused, and nothing changes', () => {
	writeFileSync(join(folder, 'new'), '');
	expectRefused('1.1.0', 'Commit or stash');
	rmSync(join(folder, 'new'));
});

test('one commit has the version and the changelog, and the tag is on it; then nothing is new', () => {
	expect(release('1.1.0')).toBe('');
	expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.1.0' });
	expect(read('CHANGELOG.md')).toMatch(
		/^# Changelog\n\n## \[Unreleased\]\n\n## \[1\.1\.0\] - [\d-]{10}\n\n- New\.\n\n## \[1\.0\.0\]/,
	);
	expect(read('CHANGELOG.md')).toContain(`[1.1.0]: ${LINK}1.1.0\n[1.0.0]: ${LINK}1.0.0\n`);
	expect(git('status', '--porcelain')).toBe('');
	expect(git('rev-parse', 'v1.1.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
	expectRefused('1.2.0', 'nothing under Unreleased');
});
