// `npm run bench`: the package beside what else could do its work, in one run. The results are printed, and kept in
// docs/contributing/benchmarks.md. After `--`: `--quick` leaves out what is long and keeps nothing; `--only slices,keeping`
// measures and keeps only these sections.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../n8n/install.cts';
import { runProgram } from '../n8n/program.cts';
import { rateLimits } from './rateLimits.cts';
import { realN8n } from './realN8n.cts';
import { machineFacts, writeResults, type Section } from './report.cts';
import { keeping } from './keeping.cts';
import { slices } from './slices.cts';
import { workers } from './workers.cts';

const page = join(__dirname, '../../docs/contributing/benchmarks.md');

/** The sections by name, in the order of the page. */
const sections: Record<string, Section> = {
	realN8n,
	slices,
	keeping,
	workers,
	rateLimits,
};

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			quick: { type: 'boolean', default: false },
			only: { type: 'string', default: Object.keys(sections).join() },
		},
	});
	const { quick } = values;
	const { node, version } = await ensureN8n();
	const nodeVersion = (await runProgram(node, ['--version'])).trim().replace(/^v/, '');
	const facts = `Machine: ${machineFacts(nodeVersion, version)}.`;
	for (const name of values.only.split(',')) {
		if (!(name in sections)) throw new Error(`There is no section ${name}`);
		const text = await sections[name]({ node, quick });
		console.log(`\n${text}`);
		if (!quick) await writeResults(page, text, facts);
	}
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
