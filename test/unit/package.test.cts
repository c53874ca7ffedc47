// The package as it would be published: what is in it, and n8n's rules for verified packages.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ICredentialType, INodeTypeDescription, Themed } from 'n8n-workflow';
import manifest from '../../package.json';
import { nodes, table } from '../table/operations.cts';
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

	test('has no dependencies but n8n-workflow as a peer, no overrides, no lifecycle scripts', () => {
		for (const field of ['dependencies', 'bundledDependencies', 'optionalDependencies']) {
			expect([field, fields[field] ?? {}]).toEqual([field, {}]);
		}
		expect(fields.overrides).toBeUndefined();
		expect(Object.keys(manifest.peerDependencies)).toEqual(['n8n-workflow']);
		const own = Object.keys(manifest.scripts);
		const automatic = [
			...[
				'dependencies',
				'install',
				'prepack',
				'prepare',
				'prepublish',
				'prepublishOnly',
				'publish',
			],
			...['preinstall', 'postinstall', 'preprepare', 'postprepare', 'postpack', 'postpublish'],
			...own.flatMap((name) => [`pre${name}`, `post${name}`]),
		];
		expectNone(
			own.filter((name) => automatic.includes(name)),
			'npm would run this script by itself. Give it another name.',
		);
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

const fileOf = (folder: string) =>
	manifest.n8n.nodes.find((file) => file.includes(`/${folder}/`)) as string;

/** Files of an icon, seen from the file that names it. */
function iconsOf(file: string, icon: unknown): string[] {
	const { light, dark } = icon as Themed<string> & object;
	return [light, dark].map((each) => join(dirname(file), each.replace(/^file:/, '')));
}

describe.each(nodes)('$displayName', ({ name, folder, description, resources }) => {
	const { icon, properties, usableAsTool } = description as INodeTypeDescription;

	test('has its icons, light and dark', () => {
		const files = iconsOf(fileOf(folder), icon);
		expectNone(
			files.filter((file) => !existsSync(join(root, file))),
			'Add the icon to icons/.',
		);
		expect(new Set(files).size).toBe(2);
		const others = nodes
			.filter((other) => other.name !== name)
			.map((other) => other.description.icon);
		expect(others).not.toContainEqual(icon);
	});

	test('has a codex file of its own', () => {
		const codex = json<Record<string, unknown>>(fileOf(folder).replace(/\.js$/, '.json'));
		expect(codex).toMatchObject({
			node: `${manifest.name}.${name}`,
			nodeVersion: '1.0',
			codexVersion: '1.0',
			categories: expect.arrayContaining([expect.any(String)]),
			resources: { primaryDocumentation: [{ url: expect.stringMatching(/^https:/) }] },
		});
		// The Docs link of the form leads to what is said of this node.
		const { resources: links } = codex as {
			resources: { primaryDocumentation: [{ url: string }] };
		};
		const [, page, anchor] =
			/\/blob\/main\/(docs\/\w+\.md)#([\w-]+)$/.exec(links.primaryDocumentation[0].url) ?? [];
		const headings = [...readFileSync(join(root, page), 'utf8').matchAll(/^## (.+)$/gm)];
		expect(anchor).toBe(description.displayName.toLowerCase().replace(/ /g, '-'));
		expect(headings.map(([, heading]) => heading)).toContain(description.displayName);
	});

	test('says what it does', () => {
		expect(description.description).toMatch(/^[A-Z].{20,}[^.]$/);
		expect(description.subtitle).toBeTruthy();
		const silent = properties
			.filter(({ type }) => type === 'boolean' || type === 'json')
			.filter((property) => !property.description);
		expectNone(
			silent.map((property) => property.name),
			'Give the field a description.',
		);
	});

	if (resources) {
		const operations = table.filter((entry) => entry.node === name);

		test('is a tool, whose operations have distinct action texts and descriptions', () => {
			expect(usableAsTool).toBe(true);
			const actions = operations.map(({ operation }) => operation.action);
			expectNone(
				actions.filter((action, index) => actions.indexOf(action) !== index),
				'Two operations of the node have this action. Give each its own.',
			);
			const silent = operations.filter(
				// A single sentence has no period at the end; several have one each.
				({ operation }) => !/^[A-Z].{10,}([^.]|\. .*\.)$/.test(operation.description),
			);
			expect(silent.map(({ title }) => title)).toEqual([]);
		});
	}
});

test('the credential has its icons and a documentation', () => {
	const [file] = manifest.n8n.credentials;
	const module = require(join(root, file)) as Record<string, new () => ICredentialType>;
	const { icon, documentationUrl } = new module[basename(file, '.credentials.js')]();
	expectNone(
		iconsOf(file, icon).filter((each) => !existsSync(join(root, each))),
		'Add the icon to icons/.',
	);
	expect(documentationUrl).toContain('docs/credential.md');
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
