// Executions side by side in one process, and processes side by side: one key, one server.
import { setTimeout as sleep } from 'node:timers/promises';
import { runNode } from '../execution/host/host.cts';
import { searchList } from '../execution/host/pickers.cts';
import { compare, Contenders, medianOf, type Column } from './compare.cts';
import type { Order } from './contender.cts';
import { platformCustomersForm } from './forms.cts';
import { control, startContender, withServer, type Server } from './processes.cts';
import { startRelay, type RelayOptions } from './relay.cts';
import { goal, median, seconds, table, times, whole } from './report.cts';
import type { Section } from './sections.cts';
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

/** Requests in flight above which a server becomes slower, the more the slower. */
const EASY = 40;

/** Milliseconds of its answers below that: so many that it is not n8n's own work that counts. */
const USUAL = 200;

const slowAbove: RelayOptions = {
	roundTrip: (connections) => USUAL * Math.max(1, (connections / EASY) ** 2),
};

/** Executions on a server that slows down, and the same with a number that is fixed. */
async function slowing(node: string, count: number, rounds: number) {
	const bounds = [10, 20, 32, 40].map((parallel): Column => ({
		title: `Fixed at ${parallel}`,
		way: 'tenExecutions',
		parallel,
	}));
	const columns = [many, ...bounds];
	const contenders = new Contenders(node);
	return await withServer({ customers: count, latency: 0 }, async (server) => {
		const relay = await startRelay(server.service.baseUrl, slowAbove);
		const near = { ...server, service: { ...server.service, baseUrl: relay.baseUrl } };
		try {
			const work = readsOf(count);
			const results = await compare({ contenders, server: near, columns, work, rounds, warmUp: 1 });
			return columns.map((column) => ({ ...column, milliseconds: medianOf(results, column) }));
		} finally {
			contenders.stop();
			await relay.stop();
		}
	});
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
	const slowed = quick ? 300 : 1000;
	const [ours, ...bounds] = await slowing(node, slowed, quick ? 1 : 3);
	const best = bounds.reduce((each, other) =>
		other.milliseconds < each.milliseconds ? other : each,
	);
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
		`${whole(slowed)} reads by 10 executions, from a server that takes ${USUAL} ms, and longer above ${EASY} requests in flight:`,
		table(
			['', ours.title, ...bounds.map(({ title }) => title)],
			[['Time', ...[ours, ...bounds].map(({ milliseconds }) => seconds(milliseconds))]],
		),
		goal(
			`at most 1.1 times the best fixed number (${times(ours.milliseconds / best.milliseconds)})`,
			ours.milliseconds / best.milliseconds,
			{ atMost: 1.1 },
		),
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
async function processesAt(
	node: string,
	count: number,
	order: Omit<Order, 'service'>,
	relayed?: RelayOptions,
) {
	return await withServer({ customers: TOTAL, latency: 20, log: true }, async (server) => {
		if (!relayed) await control(server, 'POST', '/rate-limit', { perSecond: RATE });
		const relay = relayed && (await startRelay(server.service.baseUrl, relayed));
		const service = { ...server.service, ...(relay && { baseUrl: relay.baseUrl }) };
		const contenders = await Promise.all(
			Array.from({ length: count }, async () => await startContender(node)),
		);
		try {
			const start = performance.now();
			const measured = await Promise.all(
				contenders.map(async (contender) => await contender.measure({ ...order, service })),
			);
			return {
				milliseconds: performance.now() - start,
				refused: relay?.refused() ?? (await refusedBy(server)),
				// Each goes on until its last execution has ended.
				rates: measured.map(({ results, milliseconds }) => (1000 * results) / milliseconds),
			};
		} finally {
			for (const contender of contenders) contender.stop();
			await relay?.stop();
		}
	});
}

/** Reads that the processes share. */
const TOTAL = 1600;

/** Requests at a time that the other server takes. */
const PLACES = 20;

/** Processes that do not know of each other, as text. */
export const workers: Section = async ({ node, quick, draw }) => {
	const counts = quick ? [1, 4] : [1, 2, 4, 8];
	const total = quick ? TOTAL / 4 : TOTAL;
	// Processes take turns at being fast, so a shorter time shows less fairness than there is.
	const time = quick ? 5 : 60;
	const at = async (relayed?: RelayOptions) => {
		const rows: Array<{ milliseconds: number; refused: number; rate: number; fair: number }> = [];
		for (const count of counts) {
			const share = { way: 'platformCustomers' as const, work: readsOf(total / count)() };
			const { milliseconds, refused } = await processesAt(node, count, share, relayed);
			const steady = { way: 'steadily' as const, work: { ...readsOf(50)(), seconds: time } };
			const { rates } = await processesAt(node, count, steady, relayed);
			const rate = rates.reduce((sum, each) => sum + each, 0);
			rows.push({ milliseconds, refused, rate, fair: fairness(rates) });
		}
		return rows;
	};
	const rated = await at();
	const placed = await at({ most: PLACES });
	const least = Math.min(...[...rated, ...placed].map(({ fair }) => fair));
	const rowsOf = (what: string, rows: typeof rated) =>
		rows.map(({ milliseconds, refused, rate, fair }, index) => [
			what,
			String(counts[index]),
			seconds(milliseconds),
			whole(refused),
			whole(rate),
			fair.toFixed(2),
		]);
	return [
		'## Processes side by side',
		`${whole(total)} reads with one key, shared out among processes that don't know of each other; and, as often as they can, executions of 50 reads for ${time} seconds, for the number of reads a second and its fairness.`,
		draw({
			name: 'processes',
			title: `${whole(total)} reads by several processes`,
			unit: 'seconds',
			series: [`${RATE} requests a second allowed`, `${PLACES} requests at a time allowed`],
			groups: counts.map((count, index) => ({
				name: `${count} ${count === 1 ? 'process' : 'processes'}`,
				values: [rated[index].milliseconds / 1000, placed[index].milliseconds / 1000],
			})),
		}),
		table(
			[
				'The API takes',
				'Processes',
				`${whole(total)} reads`,
				'Refused',
				'Reads a second',
				"Jain's index",
			],
			[
				...rowsOf(`${RATE} requests a second`, rated),
				...rowsOf(`${PLACES} requests at a time`, placed),
			],
		),
		goal(`Jain's index at least 0.9 (lowest: ${least.toFixed(2)})`, least, { atLeast: 0.9 }),
	].join('\n\n');
};
