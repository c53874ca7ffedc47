// Executions side by side in one process, and processes side by side: one key, one server.
import { setTimeout as sleep } from 'node:timers/promises';
import { runNode } from '../execution/host/host.cts';
import { searchList } from '../execution/host/pickers.cts';
import { compare, Contenders, medianOf, type Column } from './compare.cts';
import type { Order } from './contender.cts';
import { platformCustomersForm } from './forms.cts';
import { control, startContender, withServer, type Server } from './processes.cts';
import { goal, median, seconds, table, times, whole, type Section } from './report.cts';
import { readsOf } from './work.cts';

/** Requests a second that the limiting server takes. */
const RATE = 50;

const one: Column = { title: 'One execution', way: 'platformCustomers' };
const many: Column = { title: '10 executions', way: 'tenExecutions' };

interface Refused {
	milliseconds: number;
	refused: number;
}

async function refusedBy(server: Server): Promise<number> {
	const requests = (await control(server, 'GET', '/requests')) as Array<{ status: number }>;
	return requests.filter(({ status }) => status === 429).length;
}

/** A column on a server of its own that takes so many requests a second. */
async function limited(node: string, column: Column, count: number): Promise<Refused> {
	const contenders = new Contenders(node);
	return await withServer({ customers: count, latency: 5, log: true }, async (server) => {
		await control(server, 'POST', '/rate-limit', { perSecond: RATE });
		const columns = [column];
		const work = readsOf(count);
		const results = await compare({ contenders, server, columns, work, rounds: 1 });
		return { milliseconds: medianOf(results, column), refused: await refusedBy(server) };
	}).finally(() => contenders.stop());
}

/** Milliseconds of a picker's answer, alone and while a long list is read in the same process. */
async function picker(customers: number, tries: number) {
	return await withServer({ customers, latency: 20 }, async ({ service }) => {
		const credential = { ...service };
		const ask = async () => {
			const start = performance.now();
			const sandbox = { baseUrl: service.baseUrl, key: service.apiKey };
			await searchList(sandbox, 'platformPartners', 'partners', {}, { credential });
			return performance.now() - start;
		};
		const several = async () => {
			const all: number[] = [];
			for (let each = 0; each < tries; each++) {
				await sleep(30);
				all.push(await ask());
			}
			return median(all);
		};
		await ask();
		const alone = await several();
		let isRead = false;
		const list = runNode({
			node: 'platformCustomers',
			credential,
			parameters: platformCustomersForm('list'),
			items: [{}],
		}).finally(() => {
			isRead = true;
		});
		await sleep(300);
		const during = await several();
		if (isRead) throw new Error('The list was read before the picker was asked');
		await list;
		return { alone, during };
	});
}

/** Executions of one process, as text. */
export const executions: Section = async ({ node, quick }) => {
	const count = quick ? 600 : 3000;
	const single = await limited(node, one, count);
	const together = await limited(node, many, count);
	// What is taken at the very beginning costs no time.
	const ideal = (count / RATE - 1) * 1000;
	const share = together.milliseconds / ideal;
	const refusals = together.refused / Math.max(1, single.refused);
	const { alone, during } = await picker(200_000, quick ? 5 : 15);
	return [
		'## Executions side by side',
		`${whole(count)} reads, ${RATE} a second allowed: the ideal is ${seconds(ideal)}.`,
		table(
			['', one.title, many.title],
			[
				['Time', seconds(single.milliseconds), seconds(together.milliseconds)],
				['Requests refused', whole(single.refused), whole(together.refused)],
			],
		),
		[
			goal(`at most 1.15 times the ideal time (${times(share)})`, share, { atMost: 1.15 }),
			goal(`refused at most 1.5 times as often as one execution (${times(refusals)})`, refusals, {
				atMost: 1.5,
			}),
		].join('\n'),
		goal(
			`a picker responds while a long list is read within 3 times its usual time (${whole(during)} ms, alone ${whole(alone)} ms)`,
			during / alone,
			{ atMost: 3 },
		),
	].join('\n\n');
};

/** Jain's index of fairness: 1 if all are as fast as each other. */
function fairness(rates: number[]): number {
	const sum = rates.reduce((all, each) => all + each, 0);
	return sum ** 2 / (rates.length * rates.reduce((all, each) => all + each ** 2, 0));
}

/** The same work of several processes at once. */
async function processesAt(node: string, count: number, order: Omit<Order, 'service'>) {
	return await withServer({ customers: TOTAL, latency: 20, log: true }, async (server) => {
		await control(server, 'POST', '/rate-limit', { perSecond: RATE });
		const contenders = await Promise.all(
			Array.from({ length: count }, async () => await startContender(node)),
		);
		try {
			const start = performance.now();
			const measured = await Promise.all(
				contenders.map(
					async (contender) => await contender.measure({ ...order, service: server.service }),
				),
			);
			return {
				milliseconds: performance.now() - start,
				refused: await refusedBy(server),
				// Each goes on until its last execution has ended.
				rates: measured.map(({ results, milliseconds }) => (1000 * results) / milliseconds),
			};
		} finally {
			for (const contender of contenders) contender.stop();
		}
	});
}

/** Reads that the processes share. */
const TOTAL = 1600;

/** Processes that do not know of each other, as text. */
export const workers: Section = async ({ node, quick }) => {
	const total = quick ? TOTAL / 4 : TOTAL;
	// Processes take turns at being fast, so a shorter time shows less fairness than there is.
	const time = quick ? 5 : 60;
	const rows: string[][] = [];
	let least = 1;
	for (const count of quick ? [1, 4] : [1, 2, 4, 8]) {
		const share = { way: 'platformCustomers' as const, work: readsOf(total / count)() };
		const { milliseconds, refused } = await processesAt(node, count, share);
		const steady = { way: 'steadily' as const, work: { ...readsOf(50)(), seconds: time } };
		const { rates } = await processesAt(node, count, steady);
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
