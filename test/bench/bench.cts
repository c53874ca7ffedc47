// `npm run bench`: the package beside what else could do its work, in one run. The results are
// printed, and kept in docs/contributing/benchmarks.md and docs/images/bench. After `--`:
// `--quick` leaves out what is long and keeps nothing; `--only speed,slices` measures and keeps only these
// sections; `--against folder` compares with another build of the package, and keeps nothing.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../n8n/install.cts';
import { runProgram } from '../n8n/program.cts';
import { against } from './against.cts';
import { pictureOf, writeChart, type Chart } from './charts.cts';
import { loading } from './loading.cts';
import { realN8n } from './realN8n.cts';
import { machineFacts, writeResults } from './report.cts';
import type { Section } from './sections.cts';
import { executions, workers } from './sides.cts';
import { rateLimits } from './rateLimits.cts';
import { slices } from './slices.cts';
import { speed } from './speed.cts';

const page = join(__dirname, '../../docs/contributing/benchmarks.md');
const images = join(__dirname, '../../docs/images/bench');

/** The sections by name, in the order of the page. */
const sections: Record<string, Section> = {
	speed,
	realN8n,
	executions,
	slices,
	workers,
	rateLimits,
	loading,
};

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			quick: { type: 'boolean', default: false },
			only: { type: 'string', default: Object.keys(sections).join() },
			against: { type: 'string' },
		},
	});
	const { quick } = values;
	const { node, version } = await ensureN8n();
	if (values.against !== undefined) {
		console.log(await against(resolve(values.against), node, quick));
		return;
	}
	const nodeVersion = (await runProgram(node, ['--version'])).trim().replace(/^v/, '');
	const facts = `Machine: ${machineFacts(nodeVersion, version)}.`;
	for (const name of values.only.split(',')) {
		if (!(name in sections)) throw new Error(`There is no section ${name}`);
		const charts: Chart[] = [];
		const draw = (chart: Chart) => {
			charts.push(chart);
			return pictureOf(chart);
		};
		const text = await sections[name]({ node, quick, draw });
		console.log(`\n${text}`);
		if (quick) continue;
		for (const chart of charts) await writeChart(images, chart);
		await writeResults(page, text, facts);
	}
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
