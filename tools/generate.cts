// `npm run generate`: writes the committed files that follow from the operation table and the contract. The page of
// operations, the scopes on the credential page, rules, the record of parameters; numbers and addresses in pages.
// The table is read from dist, so build before.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json';
import { offers } from '../dist/nodes/ApiTool/catalog.js';
import { endpoints } from '../test/contract/contract.cts';
import { worldsTable } from '../test/contract/worlds.cts';
import { coverageTable, namesTable, operationsPage, scopesTable } from './pages.cts';
import { nodes, table } from '../test/table/operations.cts';
import { joined, RECORD, storedParameters, type Parameters } from './parameters.cts';
import { emptyFieldsTable } from './emptyFields.cts';
import { withAliases } from './codex.cts';
import { drawnTable, faultsTable } from './faults.cts';
import { outputKey } from '../dist/nodes/engine/node/hints.js';
import { NEWEST, outputLine, previewOf, triggerPreviews } from './previews.cts';
import { rulesTable } from './reliability.cts';
import { dryRunSamples } from './samples.cts';

/** Root of the repository. */
const root = join(__dirname, '..');

/**
 * A page of which parts are generated, as it must be; the rest is written by hand.
 *
 * @param path the page, below the root
 * @param parts generated text by the name of the part
 */
function pageWith(path: string, parts: Record<string, string>): [path: string, text: string] {
	let page = readFileSync(join(root, path), 'utf8');
	for (const [name, text] of Object.entries(parts)) {
		const begin = `<!-- ${name}: made by \`npm run generate\`, begin -->`;
		const end = `<!-- ${name}: end -->`;
		const [before, rest] = page.split(begin);
		const after = rest?.split(end)[1];
		if (after === undefined) throw new Error(`${path} lacks ${begin} or ${end}`);
		page = `${before}${begin}\n\n<!-- oxfmt-ignore -->\n${text}\n\n${end}${after}`;
	}
	return [path, page];
}

/** The record of parameters, to which new ones are added and from which none is ever taken. */
function parameterRecord(): string {
	const file = join(root, RECORD);
	const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Parameters) : {};
	return `${JSON.stringify(joined(recorded, storedParameters()), null, '\t')}\n`;
}

const TOOLS = 'nodes/ApiTool/areaTools.json';

/** The tools that Platform Tools offers of each area. One that's there stays as it is (nodes/ApiTool/catalog.ts). */
function toolsOfAreas(): string {
	const text = readFileSync(join(root, TOOLS), 'utf8');
	const recorded = JSON.parse(text) as object;
	const missing = [...new Set(offers.map(({ area }) => area))].filter(
		(area) => !(area in recorded),
	);
	if (missing.length === 0) return text;
	const namesOf = (area: string, changing: boolean) =>
		offers
			.filter((each) => each.area === area && each.changes === changing)
			.map(({ name }) => name)
			.sort();
	const added = missing.map((area) => [
		area,
		{ reads: namesOf(area, false), changes: namesOf(area, true) },
	]);
	return `${JSON.stringify({ ...recorded, ...Object.fromEntries(added) }, null, 2)}\n`;
}

/** Files with numbers, or that lead to this repository on the web, apart from its package.json. */
function filesWithAddresses(): string[] {
	const codexFiles = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.node.json'))
		.map((path) => `nodes/${path}`);
	return [
		'.github/ISSUE_TEMPLATE/config.yml',
		'CHANGELOG.md',
		'credentials/PlatformApi.credentials.ts',
		...codexFiles,
	];
}

/** The version of n8n that the suites run, by the folder that pins it. */
function pinnedN8n(folder: string): string {
	const { dependencies } = JSON.parse(
		readFileSync(join(root, 'test', folder, 'package.json'), 'utf8'),
	) as { dependencies: { n8n: string } };
	return dependencies.n8n;
}

/** The sentences that say how many there are of something, with the numbers of today. */
function withNumbers(text: string): string {
	const isAlias = ({ method, path }: { method: string; path: string }) =>
		endpoints.some((other) => method === other.method && path === `${other.path}.json`);
	const asked = endpoints.filter((each) => !isAlias(each)).length;
	const areas = new Set(endpoints.map(({ area }) => area)).size;

	return text
		.replace(
			/Tested in [\d.]+ and [\d.]+\d/,
			`Tested in ${pinnedN8n('n8n-oldest')} and ${pinnedN8n('n8n')}`,
		)
		.replace(/all \d+ endpoints of/, `all ${asked} endpoints of`)
		.replace(/All \d+ nodes belong/, `All ${manifest.n8n.nodes.length} nodes belong`)
		.replace(/has \d+ endpoints in \d+ areas/, `has ${asked} endpoints in ${areas} areas`);
}

/** A file with the addresses of the repository that package.json names. */
function withAddresses([path, page]: [path: string, text: string]): [path: string, text: string] {
	const { name, repository } = manifest;
	const [, place] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? [];
	if (place === undefined) throw new Error('package.json: "repository" is not on GitHub');
	const known = new RegExp(
		`https://(github|raw\\.githubusercontent)\\.com/[\\w.-]+/${name}(?![\\w-])`,
		'g',
	);
	// What was released had the numbers of its day.
	const text = path === 'CHANGELOG.md' ? page : withNumbers(page);
	return [path, text.replace(known, (_all, host: string) => `https://${host}.com/${place}`)];
}

/** All generated files, text by path below the root. */
export function generatedFiles(): Map<string, string> {
	const outputs = [
		...table.flatMap((entry) => {
			// An AI builder makes new nodes.
			const preview = previewOf(entry, NEWEST);
			return preview ? [[outputKey(entry.operation), outputLine(preview)]] : [];
		}),
		...nodes
			.filter(({ name }) => name in triggerPreviews)
			.map(({ name }) => [name, outputLine(triggerPreviews[name])]),
	];
	return new Map([
		['nodes/api/outputs.json', `${JSON.stringify(Object.fromEntries(outputs), null, 2)}\n`],
		['docs/operations.md', operationsPage()],
		pageWith('docs/contributing/empty-fields.md', { ends: emptyFieldsTable() }),
		pageWith('docs/credential.md', { scopes: scopesTable() }),
		pageWith('docs/nodes.md', { names: namesTable() }),
		pageWith('test/sandbox/CHOICES.md', { worlds: worldsTable() }),
		pageWith('docs/reliability.md', {
			rules: rulesTable(),
		}),
		[TOOLS, toolsOfAreas()],
		['nodes/api/dryRunSamples.json', `${JSON.stringify(dryRunSamples(), null, 2)}\n`],
		[RECORD, parameterRecord()],
		...filesWithAddresses().map((path) => withAddresses(withAliases(pageWith(path, {})))),
		withAddresses(
			pageWith('docs/contributing/verification.md', {
				faults: faultsTable(),
				drawn: drawnTable(),
			}),
		),
		withAddresses(pageWith('README.md', { nodes: coverageTable() })),
	]);
}

/** Whether a generated file stands in the repository as it must be. */
export function isCurrent(path: string, text: string): boolean {
	const file = join(root, path);
	return existsSync(file) && readFileSync(file, 'utf8') === text;
}

if (require.main === module) {
	const files = generatedFiles();
	const stale = [...files].filter(([path, text]) => !isCurrent(path, text));
	for (const [path, text] of stale) {
		writeFileSync(join(root, path), text);
		console.log(`written ${path}`);
	}
	console.log(`${files.size} files, ${stale.length} written`);
	// A line that is added to a file may be one of several in a list.
	const written = stale.map(([path]) => path);
	// Fixtures are left as they are written.
	const format = ['oxfmt', '--no-error-on-unmatched-pattern', ...written];
	if (stale.length > 0) execFileSync('npx', format, { cwd: root, stdio: 'inherit' });
	const ofNodes = written.filter((path) => path.startsWith('nodes/'));
	if (ofNodes.length > 0) {
		console.log('Some are a part of the nodes, which pages tell of. So once more with these:');
		for (const path of ofNodes) copyFileSync(join(root, path), join(root, 'dist', path));
		const again = ['--require', 'tsx/cjs', __filename];
		execFileSync(process.execPath, again, { cwd: root, stdio: 'inherit' });
	}
}
