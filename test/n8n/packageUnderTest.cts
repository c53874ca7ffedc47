// Puts this package into an n8n user folder, where n8n looks for community packages, so that its
// nodes have the type names that they have for users (`n8n-nodes-platform-api.<node>`).

import { access, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram } from './program.cts';
import type { Way } from './ways.cts';

const ROOT = join(__dirname, '..', '..');
const NAME = 'n8n-nodes-platform-api';

/** The part of package.json that tells n8n what to load. */
interface Manifest {
	n8n: { credentials: string[]; nodes: string[] };
}

/**
 * `build`: the compiled package of this repository, as it is in dist/.
 * `{ tarball }`: a file made by `npm pack`, installed by npm as a user would.
 * `none`: n8n's own nodes only.
 * `installed`: what this n8n has installed itself stays.
 */
export type PackageUnderTest = 'build' | 'installed' | 'none' | { tarball: string };

/** Where this n8n has the compiled files of the package. */
export const placeOfBuild = (userFolder: string) =>
	join(userFolder, '.n8n', 'nodes', 'node_modules', NAME, 'dist');

/** Makes `<userFolder>/.n8n/nodes` hold exactly the package asked for, for an n8n of this way. */
export async function placePackage(
	userFolder: string,
	source: PackageUnderTest,
	{ modules }: Pick<Way, 'modules'>,
): Promise<void> {
	if (source === 'installed') return;
	const folder = join(userFolder, '.n8n', 'nodes');
	await rm(folder, { recursive: true, force: true });
	if (source === 'none') return;

	await mkdir(folder, { recursive: true });
	await writeManifest(folder);
	if (source === 'build') await copyBuild(folder, modules);
	else await cp(await installedOnce(source.tarball), folder, { recursive: true });
}

/** Where npm has installed a packed package in this process, by the path of its file. */
const installed = new Map<string, Promise<string>>();

/** Has npm install it the first time only: that takes longer than n8n needs to read it. */
async function installedOnce(tarball: string): Promise<string> {
	const install = async () => {
		const folder = await mkdtemp(join(dirname(tarball), 'installed-'));
		await writeManifest(folder);
		await installTarball(folder, tarball);
		return folder;
	};
	const known = installed.get(tarball) ?? install();
	installed.set(tarball, known);
	return await known;
}

async function writeManifest(folder: string): Promise<void> {
	await writeFile(
		join(folder, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: {} }),
	);
}

async function copyBuild(folder: string, n8nModules: string | undefined): Promise<void> {
	const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
	for (const file of [...manifest.n8n.credentials, ...manifest.n8n.nodes]) {
		await access(join(ROOT, file)).catch(() => {
			throw new Error(`${file} is missing: run \`npm run build\` first.`);
		});
	}
	const modules = join(folder, 'node_modules');
	await mkdir(join(modules, NAME), { recursive: true });
	await cp(join(ROOT, 'dist'), join(modules, NAME, 'dist'), { recursive: true });
	await cp(join(ROOT, 'package.json'), join(modules, NAME, 'package.json'));
	if (n8nModules === undefined) return;
	// A user folder inside this repository would find the repository's n8n-workflow, a second
	// instance whose classes n8n does not know; an installed package gets n8n's own.
	await symlink(join(n8nModules, 'n8n-workflow'), join(modules, 'n8n-workflow'), 'dir');
}

async function installTarball(folder: string, tarball: string): Promise<void> {
	await runProgram(
		'npm',
		[
			'install',
			tarball,
			'--legacy-peer-deps',
			'--ignore-scripts',
			'--no-audit',
			'--no-fund',
			'--loglevel=error',
		],
		{ cwd: folder },
	);
}
