// Processes that don't know of each other, as workers of queue mode: one key, one server.
import type { Order } from './contender.cts';
import { control, startContender, withServer } from './processes.cts';
import { goal, seconds, table, whole, type Section } from './report.cts';
import { readsOf } from './work.cts';

/** Requests a second that the limiting server takes. */
const RATE = 50;

/** Reads that the processes share. */
const TOTAL = 1600;

/** Jain's index of fairness: 1 if all are as fast as each other. */
function fairness(rates: number[]): number {
	const sum = rates.reduce((all, each) => all + each, 0);
	return sum ** 2 / (rates.length * rates.reduce((all, each) => all + each ** 2, 0));
}

/** The same work of several processes at once. */
async function processesAt(node: string, count: number, work: Order['work']) {
	return await withServer({ customers: TOTAL, latency: 20, log: true }, async (server) => {
		await control(server, 'POST', '/rate-limit', { perSecond: RATE });
		const contenders = await Promise.all(
			Array.from({ length: count }, async () => await startContender(node)),
		);
		try {
			const start = performance.now();
			const measured = await Promise.all(
				contenders.map(
					async (contender) => await contender.measure({ work, service: server.service }),
				),
			);
			const milliseconds = performance.now() - start;
			const requests = (await control(server, 'GET', '/requests')) as Array<{ status: number }>;
			return {
				milliseconds,
				refused: requests.filter(({ status }) => status === 429).length,
				// Each goes on until its last execution has ended.
				rates: measured.map(({ results, milliseconds }) => (1000 * results) / milliseconds),
			};
		} finally {
			for (const contender of contenders) contender.stop();
		}
	});
}

/** Their times and their shares, as text. */
export const workers: Section = async ({ node, quick }) => {
	const total = quick ? TOTAL / 4 : TOTAL;
	// Processes take turns at being fast, so a shorter time shows less fairness than there is.
	const time = quick ? 5 : 60;
	const rows: string[][] = [];
	let least = 1;
	for (const count of quick ? [1, 4] : [1, 2, 4, 8]) {
		const { milliseconds, refused } = await processesAt(node, count, readsOf(total / count));
		const { rates } = await processesAt(node, count, { ...readsOf(50), seconds: time });
		const rate = rates.reduce((sum, each) => sum + each, 0);
		const fair = fairness(rates);
		least = Math.min(least, fair);
		rows.push([String(count), seconds(milliseconds), whole(refused), whole(rate), fair.toFixed(2)]);
	}
	return [
		'## Processes side by side',
		`${whole(total)} reads with one key, ${RATE} a second allowed, shared out among processes that don't know of each other; and, as often as they can, executions of 50 reads for ${time} seconds, for the number of reads a second and its fairness.`,
		table(
			['Processes', `${whole(total)} reads`, 'Refused', 'Reads a second', "Jain's index"],
			rows,
		),
		goal(`Jain's index at least 0.9 (lowest: ${least.toFixed(2)})`, least, { atLeast: 0.9 }),
	].join('\n\n');
};
