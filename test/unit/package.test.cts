// The package as it would be published: what is in it, and n8n's rules for verified packages.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { nodes } from '../table/operations.cts';
import { missingFrom } from '../../tools/maintenance.cts';
import { expectNone } from '../none.cts';

const root = join(__dirname, '../..');

/** Files below a folder of the repository, as paths from its root, without installed packages. */
const filesBelow = (folder: string): string[] =>
	readdirSync(join(root, folder), { withFileTypes: true })
		.filter(({ name }) => name !== 'node_modules')
		.flatMap((entry) => {
			const path = join(folder, entry.name);
			return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
		});

const withText = (pattern: RegExp, paths: string[]) =>
	paths.filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')));

const json = <T,>(path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;

describe('npm pack', () => {
	interface Packed {
		size: number;
		files: Array<{ path: string }>;
	}
	let packed: Packed;

	const paths = ({ files }: Packed) => files.map(({ path }) => path).sort();

	beforeAll(() => {
		const report = execFileSync('npm', ['pack', '--dry-run', '--json'], {
			cwd: root,
			stdio: 'pipe',
		});
		[packed] = JSON.parse(report.toString()) as Packed[];
	});

	test('holds what n8n loads, what a user reads, and nothing else', () => {
		expect(paths(packed).filter((path) => !path.startsWith('dist/'))).toEqual([
			'CHANGELOG.md',
			'LICENSE',
			'README.md',
			'package.json',
		]);
		const compiled = /^dist\/(nodes(\/\w+){1,3}|credentials)\/\w+(\.node|\.credentials)?\.js$/;
		const codex = /^dist\/nodes\/\w+\/\w+\.node\.json$/;
		const preview = /^dist\/nodes\/\w+\/__schema__\/v[\d.]+(\/\w+\/\w+)?\.json$/;
		const facts = /^dist\/nodes\/(api\/(outputs|dryRunSamples)|ApiTool\/areaTools)\.json$/;
		const icon = /^dist\/icons\/[\w.]+\.svg$/;
		const known = [compiled, codex, preview, icon, facts];
		const stray = paths(packed).filter(
			(path) => path.startsWith('dist/') && !known.some((pattern) => pattern.test(path)),
		);
		expectNone(
			stray,
			'Only compiled code, codex files, previews and icons are published. Correct `files` in package.json.',
		);
		expect(paths(packed).filter((path) => compiled.test(path)).length).toBeGreaterThan(
			nodes.length,
		);
	});

	test('is small', () => {
		expect(packed.size).toBeLessThan(400_000);
	});
});

describe('package.json', () => {
	const fields: Record<string, unknown> = manifest;

	test('has no dependencies but n8n-workflow as a peer, and no overrides', () => {
		for (const field of ['dependencies', 'bundledDependencies', 'optionalDependencies']) {
			expect([field, fields[field] ?? {}]).toEqual([field, {}]);
		}
		expect(fields.overrides).toBeUndefined();
		expect(Object.keys(manifest.peerDependencies)).toEqual(['n8n-workflow']);
	});

	test('refuses a publication from a machine: a provenance is made by a release only', () => {
		expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
	});

	test('names one repository, in all of its addresses', () => {
		const { bugs, homepage, repository } = manifest;
		const address = repository.url.replace(/^git\+|\.git$/g, '');
		expect(repository.url).toBe(`git+${address}.git`);
		expect([homepage, bugs.url]).toEqual([`${address}#readme`, `${address}/issues`]);
		expect(address.endsWith(`/${manifest.name}`)).toBe(true);
	});

	// Only where a tag is built: then repository and author have to be the real ones.
	const onTag = process.env.GITHUB_REF_TYPE === 'tag' ? test : test.skip;
	onTag('is released with the real repository and author', () => {
		const { author, repository } = manifest;
		expect(repository.url).toBe(`git+https://github.com/${process.env.GITHUB_REPOSITORY}.git`);
		expect(author.email).not.toMatch(/[@.](example(\.\w+)?|invalid|localhost|test)$/);
	});

	test('has a lock file that installs on every platform', () => {
		const lock = json<Parameters<typeof missingFrom>[0]>('package-lock.json');
		expectNone(
			missingFrom(lock).map(([path]) => path),
			'Run `npm run check lock`: the lock file lacks builds for other platforms.',
		);
	});

	test('lists exactly the nodes and credentials that are built', () => {
		const built = filesBelow('dist');
		expect(built.filter((path) => path.endsWith('.node.js')).sort()).toEqual(
			[...manifest.n8n.nodes].sort(),
		);
		expect(built.filter((path) => path.endsWith('.credentials.js'))).toEqual(
			manifest.n8n.credentials,
		);
	});
});

/** n8n names a tool after its action. */
test.each(nodes)('$displayName: each operation has an action of its own', ({ resources = [] }) => {
	const actions = resources.flatMap(({ operations }) => operations.map(({ action }) => action));
	expectNone(
		actions.filter((action, index) => actions.indexOf(action) !== index),
		'Two operations of the node have this action. Give each its own.',
	);
});

test.each(nodes)('$displayName has a codex file of its own', ({ name, folder, displayName }) => {
	const file = manifest.n8n.nodes.find((each) => each.includes(`/${folder}/`))!;
	interface Codex {
		node: string;
		categories: string[];
		resources: { primaryDocumentation: [{ url: string }] };
	}
	const { node, categories, resources } = json<Codex>(file.replace(/\.js$/, '.json'));
	expect(node).toBe(`${manifest.name}.${name}`);
	expect(categories.length).toBeGreaterThan(0);
	// The Docs link of the form leads to what is said of this node.
	const [, page, anchor] =
		/\/blob\/main\/(docs\/\w+\.md)#([\w-]+)$/.exec(resources.primaryDocumentation[0].url) ?? [];
	expect(anchor).toBe(displayName.toLowerCase().replace(/ /g, '-'));
	expect(readFileSync(join(root, page), 'utf8').split('\n')).toContain(`## ${displayName}`);
});

test("the sources switch off no rule: n8n's scan lints without inline comments", () => {
	const switches = /eslint-|\/[*/]\s*(eslint|globals?|exported)\b|@ts-(ignore|nocheck|expect)/;
	const sources = ['nodes', 'credentials'].flatMap(filesBelow).filter((f) => f.endsWith('.ts'));
	expect(sources.length).toBeGreaterThan(50);
	expect(withText(switches, sources)).toEqual([]);
});

test('no file switches off a rule of our own lint, which has no setting against it', () => {
	const switches = /oxlint-(disable)/;
	const all = ['nodes', 'credentials', 'test', 'tools'].flatMap(filesBelow);
	const sources = all.filter((path) => /\.[cm]?[jt]s$/.test(path));
	expect(sources.length).toBeGreaterThan(400);
	expect(withText(switches, sources)).toEqual([]);
});
