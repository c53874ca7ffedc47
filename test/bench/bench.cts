// `npm run bench`: the package beside what else could do its work, in one run. The results are
// printed, and kept in docs/benchmarks.md. `npm run bench -- --quick` leaves
// out what is long and keeps nothing.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../n8n/install.cts';
import { runProgram } from '../n8n/program.cts';
import { adaptation } from './adaptation.cts';
import { loading } from './loading.cts';
import { realN8n } from './realN8n.cts';
import { machineFacts, writeResults } from './report.cts';
import { speed } from './speed.cts';

const PAGE = join(__dirname, '../../docs/benchmarks.md');

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
	const { quick } = values;
	const { node, version } = await ensureN8n();
	const nodeVersion = (await runProgram(node, ['--version'])).trim().replace(/^v/, '');
	const parts = [`Machine: ${machineFacts(nodeVersion, version)}.`];
	for (const section of [speed, realN8n, loading, adaptation]) {
		const text = await section(node, quick);
		console.log(`\n${text}`);
		parts.push(text);
	}
	if (!quick) await writeResults(PAGE, parts.join('\n\n'));
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
