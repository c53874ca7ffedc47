// Time and memory of lists, reads and creates, on n8n's engine alone.
import { compare, Contenders, medianOf, type Column, type Results } from './compare.cts';
import { withServer } from './processes.cts';
import { goal, seconds, table, times, whole, type Section } from './report.cts';
import { createsOf, readsOf, type Work } from './work.cts';

const ours: Column = { title: 'Platform Customers', way: 'platformCustomers' };
const httpRequest: Column = { title: 'HTTP Request', way: 'httpRequest' };
/** As many requests at a time as the package has at most. */
const helper: Column = { title: 'Request helper', way: 'helper', parallel: 32 };

const columns = [ours, httpRequest, helper];

/** Fewest milliseconds of a request at which a list must be much faster than with n8n's own node. */
const REMOTE = 20;

interface Case {
	name: string;
	latency: number;
	results: Results;
}

const allRows = (): Work => ({ kind: 'list' });

const ratio = (results: Results, column: Column, to: Column) =>
	medianOf(results, column) / medianOf(results, to);

/** Lists, reads and creates, and the memory of a long list, as text. */
export const speed: Section = async ({ node, quick }) => {
	const contenders = new Contenders(node);
	const cases: Case[] = [];
	const measure = async (name: string, work: () => Work, customers: number, latency: number) => {
		const rounds = quick ? 2 : latency < REMOTE ? 11 : 5;
		const results = await withServer({ customers, latency }, async (server) => {
			return await compare({ contenders, server, columns, work, rounds, warmUp: 1 });
		});
		cases.push({ name: `${name}, ${latency} ms`, latency, results });
		console.log(`  ${name}, ${latency} ms`);
	};
	try {
		for (const latency of quick ? [0, REMOTE] : [0, REMOTE, 100]) {
			await measure('Return All of 10,000 rows', allRows, 10_000, latency);
			if (latency <= REMOTE) await measure('1,000 reads', readsOf(1000), 1000, latency);
			await measure('500 creates', createsOf(500), 0, latency);
		}
	} finally {
		contenders.stop();
	}
	// Processes that have done nothing else, since the memory that one once took it keeps.
	const fresh = new Contenders(node);
	const memory = await withServer({ customers: 100_000, latency: 0 }, async (server) => {
		const rounds = quick ? 1 : 3;
		return await compare({
			contenders: fresh,
			server,
			columns,
			work: allRows,
			rounds,
			fresh: true,
		});
	});
	const gains = cases
		.filter(({ name, latency }) => name.startsWith('Return') && latency >= REMOTE)
		.map(({ results }) => ratio(results, httpRequest, ours));
	const least = Math.min(...gains);
	return [
		'## On the engine alone',
		table(
			['', ...columns.map(({ title }) => title), 'against HTTP Request', 'against the helper'],
			[
				...cases.map(({ name, results }) => [
					name,
					...columns.map((column) => seconds(medianOf(results, column))),
					times(ratio(results, ours, httpRequest)),
					times(ratio(results, ours, helper)),
				]),
				[
					'Memory of 100,000 rows',
					...columns.map((column) => `${whole(medianOf(memory, column, 'peakMegabytes'))} MB`),
					'',
					'',
				],
			],
		),
		goal(
			`lists at ${REMOTE} ms and more at least 4 times as fast as HTTP Request (lowest: ${times(least)})`,
			least,
			{ atLeast: 4 },
		),
	].join('\n\n');
};
