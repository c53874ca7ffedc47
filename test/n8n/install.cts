// Makes a pinned n8n ready to run: its packages, a Node.js that it accepts, and the SQLite driver,
// which n8n's package manager flags leave uncompiled. Bun unpacks the packages of npm's lock file in a tenth of npm's time.

import { createHash } from 'node:crypto';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { runProgram } from './program.cts';
import { type Log, withProgress } from './progress.cts';

/** The folder of the n8n that all tests run unless they ask for another. */
const NEWEST = __dirname;

/** The folder of the oldest n8n that the package supports. */
export const OLDEST = join(__dirname, '..', 'n8n-oldest');

const MINIMUM_NODE = 24;

const ROOT = join(__dirname, '..', '..');

/** What building the SQLite driver from source takes, with the Debian package that brings it. */
const BUILD_TOOLS = { python3: 'python3', make: 'make', 'g++': 'g++' };

export interface N8nInstallation {
	/** Node.js 24 or newer. */
	node: string;
	/** n8n's start script, to be run by `node`. */
	n8n: string;
	/** Version of n8n. */
	version: string;
}

/**
 * Installs the pinned n8n where it is missing or outdated; less than a second where it is not.
 * @param log receives a line of progress now and then; a first installation takes a minute or more.
 * @param signal ends an installation under way.
 * @param folder with the package.json and the lock file that pin it.
 */
export async function ensureN8n(
	log: Log = console.log,
	signal?: AbortSignal,
	folder = NEWEST,
): Promise<N8nInstallation> {
	const modules = join(folder, 'node_modules');
	const stampFile = join(modules, '.ready.json');
	const rebuild: Rebuild = async (name, { cwd = folder, env } = {}) => {
		await runProgram('npm', ['rebuild', name, '--ignore-scripts=false'], {
			cwd,
			env: { ...process.env, ...env },
			signal,
		});
	};

	const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
	const version: string = JSON.parse(lock).packages['node_modules/n8n'].version;
	const n8n = join(modules, 'n8n', 'bin', 'n8n');
	const wanted = createHash('sha256')
		.update(lock + process.platform + process.arch)
		.digest('hex');

	const stamp = await readStamp(stampFile);
	// A path within the folder is kept relative to it, so that the folder may be moved.
	const known = stamp && resolve(modules, stamp.node);
	if (stamp?.wanted === wanted && known && (await exists(known)) && (await exists(n8n))) {
		return { node: known, n8n, version };
	}

	const missing = await missingTools();
	if (missing !== undefined) throw new Error(missing);
	// What an interrupted installation has half unpacked looks like whole packages.
	await rm(modules, { recursive: true, force: true });
	await withProgress(`Installing n8n ${version} (2.2 GB, takes up to 3 minutes)`, log, async () => {
		await rebuild('bun', { cwd: ROOT });
		const bun = join(ROOT, 'node_modules', '.bin', 'bun');
		const args = ['install', '--frozen-lockfile', '--no-save', '--ignore-scripts'];
		await runProgram(bun, args, { cwd: folder, signal });
	});
	const node = await ensureNode(modules, rebuild, log);
	await ensureSqlite(folder, node, rebuild, log, signal);
	const kept = node.startsWith(modules) ? relative(modules, node) : node;
	await writeFile(stampFile, JSON.stringify({ wanted, node: kept }));
	return { node, n8n, version };
}

/** Runs the scripts that a package has for its installation; those of all others are left out. */
type Rebuild = (name: string, options?: { cwd?: string; env?: NodeJS.ProcessEnv }) => Promise<void>;

async function readStamp(file: string): Promise<{ wanted: string; node: string } | undefined> {
	return await readFile(file, 'utf8').then(JSON.parse, () => undefined);
}

/** The Node.js that runs this, when n8n accepts it; else the one of the npm package `node`. */
async function ensureNode(modules: string, rebuild: Rebuild, log: Log): Promise<string> {
	if (Number.parseInt(process.versions.node, 10) >= MINIMUM_NODE) return process.execPath;

	const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
	const folder = `${prefix}-${process.platform}-${process.arch}`;
	const node = join(modules, 'node', 'node_modules', folder, 'bin', 'node');
	const runs = async () => await succeeds(() => runProgram(node, ['--version']));
	if (!(await runs())) {
		await withProgress('Installing Node.js 24 for n8n (about 10 seconds)', log, () =>
			rebuild('node'),
		);
	}
	if (!(await runs())) {
		throw new Error(
			`n8n needs Node.js ${MINIMUM_NODE} or newer, and none was found for ${process.platform} on ` +
				`${process.arch}. Install Node.js ${MINIMUM_NODE} and run this command with it.`,
		);
	}
	return node;
}

/** Fetches or compiles the SQLite driver for `node`, unless it loads already. */
async function ensureSqlite(
	folder: string,
	node: string,
	rebuild: Rebuild,
	log: Log,
	signal?: AbortSignal,
): Promise<void> {
	const load = () => runProgram(node, ['-e', 'require("sqlite3")'], { cwd: folder, signal });
	if (await succeeds(load)) return;
	signal?.throwIfAborted();

	const root = dirname(dirname(node));
	const headers = (await exists(join(root, 'include', 'node'))) ? { npm_config_nodedir: root } : {};
	const env = {
		...headers,
		PATH: [dirname(node), process.env.PATH].join(delimiter),
		// Half the time of what the driver asks for, which is optimized most.
		CFLAGS: '-O1',
		CXXFLAGS: '-O1',
		JOBS: 'max',
	};
	try {
		await withProgress('Compiling the SQLite driver of n8n (about a minute)', log, () =>
			rebuild('sqlite3', { env }),
		);
		await load();
	} catch (error) {
		signal?.throwIfAborted();
		throw new Error(`The SQLite driver of n8n could not be compiled. ${error}`);
	}
}

/** What the SQLite driver lacks to be compiled here, for people; undefined if nothing. */
async function missingTools(): Promise<string | undefined> {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const missing: string[] = [];
	for (const [tool, debianPackage] of Object.entries(BUILD_TOOLS)) {
		const found = await Promise.all(
			folders.map(async (folder) => await exists(join(folder, tool))),
		);
		if (!found.includes(true)) missing.push(debianPackage);
	}
	if (missing.length === 0) return undefined;
	return (
		`n8n's SQLite driver is compiled here, and these tools are missing: ${missing.join(', ')}. ` +
		`On Debian or Ubuntu run: apt-get install ${missing.join(' ')} ` +
		'(on macOS: xcode-select --install), then run this command again.'
	);
}

async function exists(path: string): Promise<boolean> {
	return await succeeds(() => access(path));
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
	return await work().then(
		() => true,
		() => false,
	);
}

if (require.main === module) {
	ensureN8n().then(
		({ version }) => console.log(`n8n ${version} is ready.`),
		(error: Error) => {
			console.error(error.message);
			process.exitCode = 1;
		},
	);
}
