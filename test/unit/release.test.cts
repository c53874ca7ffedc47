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

beforeEach(() => {
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

afterEach(() => rmSync(folder, { recursive: true }));

test('one commit has the version and the changelog, and the tag is on it', () => {
	expect(release('1.1.0')).toBe('');
	expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.1.0' });
	expect(read('CHANGELOG.md')).toMatch(
		/^# Changelog\n\n## \[Unreleased\]\n\n## \[1\.1\.0\] - [\d-]{10}\n\n- New\.\n\n## \[1\.0\.0\]/,
	);
	expect(read('CHANGELOG.md')).toContain(`[1.1.0]: ${LINK}1.1.0\n[1.0.0]: ${LINK}1.0.0\n`);
	expect(git('status', '--porcelain')).toBe('');
	expect(git('rev-parse', 'v1.1.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
});

test.each([
	['no version', '', () => undefined, 'Name the version'],
	['a version that is out', '1.0.0', () => undefined, 'has 1.0.0 already'],
	[
		'changes that are not committed',
		'1.1.0',
		() => writeFileSync(join(folder, 'new'), ''),
		'Commit or stash',
	],
	['nothing new', '1.2.0', () => release('1.1.0'), 'nothing under Unreleased'],
])('%s is refused, and nothing changes', (_what, version, prepare, why) => {
	prepare();
	const before = git('rev-parse', 'HEAD');
	const text = read('CHANGELOG.md');
	expect(release(version)).toContain(why);
	expect([git('rev-parse', 'HEAD'), read('CHANGELOG.md')]).toEqual([before, text]);
});
