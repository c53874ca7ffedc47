// Brings the pinned n8n up to date: the newest n8n of the registry for test/n8n, the n8n-core and
// n8n-workflow that it is made of for package.json, and both lock files. Then it installs them and
// runs all suites. What cannot be resolved leaves everything as it was.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../test/n8n/program.cts';
import { withProgress } from '../test/n8n/progress.cts';

const ROOT = join(__dirname, '..');
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

async function lock(folder: string): Promise<void> {
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
			await lock(N8N);
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

void update().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
