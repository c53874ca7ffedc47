// What runs a few times a year. Run from the root of the repository:
//
//   npm run release -- 1.1.0   Sets the version, gives what is under Unreleased a heading, and makes the commit and the
//                              tag. Pushed, they start the workflow that tests and publishes.
//   npm run check lock         Writes the lock file anew, with the builds for other platforms. npm leaves those out that
//                              the registry at hand doesn't serve, and `npm ci` then refuses the file everywhere.
//   npm run check update       Brings the pinned n8n up to date: the newest n8n of the registry for test/n8n, the n8n-core
//                              and n8n-workflow that it is made of for package.json, and both lock files. Then it runs all
//                              suites. What can't be resolved leaves everything as it was.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../test/n8n/program.cts';
import { withProgress } from '../test/n8n/progress.cts';

const ROOT = join(__dirname, '..');

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

interface Entry {
	version: string;
	cpu?: string[];
	dev?: boolean;
	libc?: string[];
	optional?: boolean;
	optionalDependencies?: Record<string, string>;
	os?: string[];
}

interface Lock {
	packages: Record<string, Entry>;
}

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

/** Packages that an entry of the lock file may install and that are not in it, by their place. */
export function missingFrom({ packages }: Lock): Array<[string, Entry]> {
	const known = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
	return Object.values(packages).flatMap(({ dev, optionalDependencies = {} }) =>
		Object.entries(optionalDependencies)
			.filter(([name]) => !known.has(name))
			.map(([name, version]): [string, Entry] => [
				`node_modules/${name}`,
				{ version, ...platformOf(name), ...(dev && { dev }), optional: true },
			]),
	);
}

/** What such a package is built for, by its name: `@swc/core-linux-arm-gnueabihf`. */
function platformOf(name: string): Pick<Entry, 'cpu' | 'libc' | 'os'> {
	const words = name.split(/[/-]/);
	const one = (among: string[]) => among.filter((word) => words.includes(word)).slice(0, 1);
	const [libc] = words.flatMap((word) =>
		word.startsWith('gnu') ? ['glibc'] : word.startsWith('musl') ? ['musl'] : [],
	);
	return { cpu: one(PROCESSORS), ...(libc && { libc: [libc] }), os: one(SYSTEMS) };
}

/** They have no checksum; npm checks those of the platform on which the file was written. */
function completeLock(): void {
	const file = join(ROOT, 'package-lock.json');
	const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
	const added = missingFrom(lock);
	const sorted = Object.entries(lock.packages)
		.concat(added)
		.sort(([one], [other]) => one.localeCompare(other, 'en'));
	const packages = Object.fromEntries(sorted);
	writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
	console.log(`${added.length} added.`);
}

const N8N = join(ROOT, 'test/n8n');
const FILES = [ROOT, N8N].flatMap((folder) =>
	['package.json', 'package-lock.json'].map((name) => join(folder, name)),
);
const SUITES = ['e2e', 'registry', 'queue', 'oldest'];

interface Release {
	version: string;
	dependencies: Record<string, string>;
}

async function newestRelease(): Promise<Release> {
	const args = ['view', 'n8n@latest', 'version', 'dependencies', '--json', '--loglevel=error'];
	const printed = await runProgram('npm', args, { cwd: ROOT });
	return JSON.parse(printed.slice(printed.indexOf('{'))) as Release;
}

/** Sets versions in a package.json; true, if any was another. */
async function pin(folder: string, versions: Record<string, string>): Promise<boolean> {
	const file = join(folder, 'package.json');
	const before = await readFile(file, 'utf8');
	let after = before;
	for (const [name, version] of Object.entries(versions)) {
		after = after.replace(new RegExp(`("${name}": )"[^"]*"`), `$1"${version}"`);
	}
	await writeFile(file, after);
	return after !== before;
}

async function resolveLock(folder: string): Promise<void> {
	await runProgram('npm', ['install', '--package-lock-only', '--loglevel=error'], { cwd: folder });
}

async function update(): Promise<void> {
	const { version, dependencies } = await newestRelease();
	const kept = await Promise.all(FILES.map(async (file) => await readFile(file, 'utf8')));
	const { 'n8n-core': core, 'n8n-workflow': workflow } = dependencies;
	const changes = [
		await pin(N8N, { n8n: version }),
		await pin(ROOT, { 'n8n-core': core, 'n8n-workflow': workflow }),
	];
	if (!changes.includes(true)) {
		console.log(`n8n ${version} is pinned already.`);
		return;
	}
	try {
		await withProgress(`Resolving n8n ${version}`, console.log, async () => {
			await resolveLock(N8N);
			await runProgram('npm', ['run', 'check', 'lock'], { cwd: ROOT });
		});
	} catch (error) {
		await Promise.all(FILES.map(async (file, index) => await writeFile(file, kept[index])));
		throw error;
	}
	await withProgress('Installing', console.log, () =>
		runProgram('npm', ['install', '--loglevel=error'], { cwd: ROOT }),
	);
	for (const suite of [['test'], ...SUITES.map((name) => ['check', name])]) {
		await withProgress(`npm run ${suite.join(' ')}`, console.log, () =>
			runProgram('npm', ['run', ...suite], { cwd: ROOT }),
		);
	}
}

const tasks: Record<string, (version: string) => unknown> = { release, completeLock, update };

async function main([task, version = '']: string[]): Promise<void> {
	await tasks[task](version);
}

if (require.main === module) {
	main(process.argv.slice(2)).catch(({ message }: Error) => {
		console.error(message);
		process.exitCode = 1;
	});
}
