// Deliberate faults of the nodes, each of which some world must find: they are planted in a copy of
// the package, one at a time, and worlds are tried until one fails.
//
//   npm run test:worlds:faults [-- --seeds 20]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(__dirname, '../..');

/** A fault of the compiled code: `from` stands there exactly once. */
interface Fault {
	what: string;
	/** File below dist/nodes. */
	file: string;
	from: string;
	to: string;
}

const faults: Fault[] = [
	{
		what: 'paging: a list ends where one of its announcements says so',
		file: 'shared/client/list/listState.js',
		from: 'return this.total < (this.count ?? 0) || this.number < (this.last ?? 0);',
		to: 'return this.total < (this.count ?? 0) && this.number < (this.last ?? 0);',
	},
	{
		what: 'not found: only the statuses 404 and 410 say so',
		file: 'shared/client/http/answer.js',
		from: 'return absent !== undefined && message === absent &&',
		to: 'return false && message === absent &&',
	},
	{
		what: 'envelopes: an error body under 200 is a result',
		file: 'shared/client/http/answer.js',
		from: 'const said = errorText(body.error);',
		to: 'const said = status < 400 ? undefined : errorText(body.error);',
	},
	{
		what: 'envelopes: only an array is a list of rows',
		file: 'shared/client/list/rows.js',
		from: 'if ((0, operation_1.isRecord)(rows) && Object.keys(rows).length === 0)',
		to: 'if (false)',
	},
	{
		what: 'paging: a full page ends the list where a count says so',
		file: 'shared/client/list/listState.js',
		from: "return !this.isFull && (this.paging === 'none' ||",
		to: "return (this.paging === 'none' ||",
	},
	{
		what: 'paging: Skip to a page that is refused is an error',
		file: 'shared/client/list/pages.js',
		from: 'await this.lookAt(page + 1, { isSkippedTo: true });',
		to: 'await this.lookAt(page + 1);',
	},
	{
		what: 'paging: the last page, sent for all behind it, is taken for them',
		file: 'shared/client/list/pages.js',
		from: 'if (compared.add(rows) === 0)',
		to: 'if (false)',
	},
	{
		what: 'paging: a picker does not know where the list ends',
		file: 'shared/pickers.js',
		from: 'await api.page(each, shape, page);',
		to: 'await api.page(each, shape);',
	},
	{
		what: 'paging: a count as text is none',
		file: 'shared/client/list/page.js',
		from: 'const number = (0, operation_1.numberOf)(value);',
		to: "const number = typeof value === 'number' ? value : undefined;",
	},
	{
		what: 'paging: a size that is refused is an error',
		file: 'shared/client/api.js',
		from: 'if (!(0, answer_1.isRefusal)(answer))',
		to: 'if (true)',
	},
	{
		what: 'envelopes: what is documented as an array has none',
		file: 'shared/client/list/rows.js',
		from: "(body, key || 'elements')",
		to: '(body, key)',
	},
	{
		what: 'create or update: a bare list holds no record',
		file: 'shared/upsert.js',
		from: 'Array.isArray(answer) ? answer : [inner(answer, root)].filter(isFilled)',
		to: '[inner(answer, root)].filter(isFilled)',
	},
	{
		what: 'ids: one of digits is taken for a number and cut',
		file: 'shared/upsert.js',
		from: 'return String(known.id);',
		to: 'return String(known.id).replace(/^\\d(\\d+)$/, "$1");',
	},
	{
		what: 'clearing: an empty field that clears is left out',
		file: 'shared/form/containers.js',
		from: 'return send.emptyClears && isLeftEmpty(field, value)',
		to: 'return false && isLeftEmpty(field, value)',
	},
];

const left = ['node_modules', '.git', 'n8n', 'n8n-oldest', '.n8n-demo', 'docs'];

/** A copy of the package with its build. */
function copy(): string {
	const folder = mkdtempSync(join(tmpdir(), 'worlds-'));
	cpSync(root, folder, {
		recursive: true,
		filter: (path) => !left.includes(relative(root, path).split('/').pop() as string),
	});
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
	return folder;
}

/** The code with the fault in it. */
function planted(source: string, { what, from, to }: Fault): string {
	const parts = source.split(from);
	if (parts.length !== 2) throw new Error(`"${what}" stands ${parts.length - 1} times in the code`);
	return parts.join(to);
}

/** Which world found the fault, as the run says it; undefined if none did. */
function foundBy(folder: string, seeds: string): string | undefined {
	const run = ['test/worlds/run.cts', '--from', '1', '--seeds', seeds, '--first'];
	const { stdout, status } = spawnSync('node', ['--require', 'tsx/cjs', ...run], {
		cwd: folder,
		encoding: 'utf8',
	});
	return status === 0 ? undefined : /^\d+\/\d+ seed \d+: \d+ failures/m.exec(stdout)?.[0];
}

function main(): void {
	const { values } = parseArgs({ options: { seeds: { type: 'string', default: '20' } } });
	const folder = copy();
	let survived = 0;
	try {
		for (const fault of faults) {
			const file = join(folder, 'dist/nodes', fault.file);
			const source = readFileSync(file, 'utf8');
			writeFileSync(file, planted(source, fault));
			const found = foundBy(folder, values.seeds);
			writeFileSync(file, source);
			if (found === undefined) survived += 1;
			console.log(`${fault.what}: ${found ?? 'SURVIVED'}`);
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	console.log(`${faults.length - survived} of ${faults.length} faults were found`);
	process.exitCode = survived > 0 ? 1 : 0;
}

main();
