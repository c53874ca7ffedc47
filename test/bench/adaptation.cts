// Adaptive parallelism beside every fixed bound, on servers that ask for opposite ones; and whether
// a long list lets the items beside it through.
import { runNode } from '../execution/host/host.cts';
import type { LoggedRequest } from '../sandbox/index.cts';
import { ours } from './columns.cts';
import { compare, Contenders, medianOf, type Column } from './compare.cts';
import { withServer, type Server, type ServerOptions } from './processes.cts';
import { goal, seconds, table, whole } from './report.cts';
import type { Work } from './work.cts';

const BOUNDS = [1, 2, 5, 10, 20];

/** Requests a second that the limiting server lets through. */
const RATE = 10;

const adaptive: Column = { ...ours, title: 'Adaptive' };
const fixed: Column[] = BOUNDS.map((parallel) => ({
	title: `Fixed at ${parallel}`,
	way: 'platformCustomers',
	parallel,
}));
const columns = [adaptive, ...fixed];

const reads = (count: number) => (): Work => ({
	kind: 'read',
	ids: Array.from({ length: count }, (_, index) => `cus-${100_001 + index}`),
});

async function control({ service }: Server, method: string, path: string, body?: object) {
	const answer = await fetch(`${service.baseUrl}/sandbox${path}`, {
		method,
		headers: {
			authorization: `Bearer ${service.apiKey}`,
			...(body && { 'content-type': 'application/json' }),
		},
		body: body && JSON.stringify(body),
	});
	if (!answer.ok) throw new Error(`The server's control answers ${answer.status}`);
	return (await answer.json()) as unknown;
}

/** Times in milliseconds, by column, on one server. */
async function onServer(
	options: ServerOptions,
	contenders: Contenders,
	count: number,
	rounds: number,
): Promise<number[]> {
	return await withServer(options, async (server) => {
		const patient = options.latency > 0 ? fixed.slice(0, 2) : [];
		const work = reads(count);
		const common = { contenders, server, columns, work };
		const results = await compare({ ...common, patient, rounds, warmUp: 1 });
		return columns.map((column) => medianOf(results, column));
	});
}

/** Each column on a limiting server of its own, all at the same time, since they mostly wait. */
async function onLimitedServers(
	contenders: Contenders,
	count: number,
	rounds: number,
): Promise<Array<{ milliseconds: number; refused: number }>> {
	return await Promise.all(
		columns.map(
			async (column) =>
				await withServer({ customers: count, latency: 0, log: true }, async (server) => {
					await control(server, 'POST', '/rate-limit', { perSecond: RATE });
					const work = reads(count);
					const only = [column];
					const results = await compare({ contenders, server, columns: only, work, rounds });
					const requests = (await control(server, 'GET', '/requests')) as LoggedRequest[];
					const refused = requests.filter(({ status }) => status === 429).length / rounds;
					return { milliseconds: medianOf(results, column), refused };
				}),
		),
	);
}

/** Rows of the list, and items of one row each, that share an execution. */
const LONG = 10_000;
const SHORT = 50;

/**
 * How many requests the server had got when the last of the short items was asked for: one item
 * reads a long list, those behind it one row each.
 */
async function lastShortRequest(): Promise<{ position: number; requests: number }> {
	return await withServer({ customers: LONG, latency: 20, log: true }, async (server) => {
		const { error } = await runNode({
			node: 'platformCustomers',
			credential: { ...server.service },
			parameters: {
				resource: 'customer',
				operation: 'getAll',
				returnAll: '={{ $json.all }}',
				limit: 1,
			},
			items: [{ all: true }, ...Array.from({ length: SHORT }, () => ({ all: false }))],
		});
		if (error) throw error;
		const requests = (await control(server, 'GET', '/requests')) as LoggedRequest[];
		const isShort = ({ path }: LoggedRequest) => /[?&]size=1(&|$)/.test(path);
		return { position: requests.findLastIndex(isShort) + 1, requests: requests.length };
	});
}

/** Adaptive parallelism, as text. */
export async function adaptation(node: string, quick: boolean): Promise<string> {
	const contenders = new Contenders(node);
	try {
		const rounds = quick ? 1 : 3;
		const count = quick ? 100 : 300;
		const limitedCount = quick ? 30 : 60;
		const fast = await onServer({ customers: count, latency: 0 }, contenders, count, rounds);
		const slow = await onServer({ customers: count, latency: 100 }, contenders, count, rounds);
		const limited = await onLimitedServers(contenders, limitedCount, rounds);
		const totals = columns.map(
			(_column, index) => fast[index] + slow[index] + limited[index].milliseconds,
		);
		const best = Math.min(...totals.slice(1));
		const { position, requests } = await lastShortRequest();
		return [
			'## Adaptive parallelism',
			table(
				['', ...columns.map(({ title }) => title)],
				[
					[`Fast server, ${count} reads`, ...fast.map(seconds)],
					[`100 ms a request, ${count} reads`, ...slow.map(seconds)],
					[
						`${RATE} requests a second, ${limitedCount} reads`,
						...limited.map(({ milliseconds }) => seconds(milliseconds)),
					],
					['Total', ...totals.map(seconds)],
					['Requests refused by the limit', ...limited.map(({ refused }) => whole(refused))],
				],
			),
			goal(
				`faster in total than every fixed bound (${seconds(totals[0])}, the best of them ${seconds(best)})`,
				totals[0],
				{ atMost: best },
			),
			goal(
				`a list of ${whole(LONG)} rows does not hold up ${SHORT} items of one row behind it: they are ` +
					`through after ${position} of ${requests} requests`,
				position,
				{ atMost: 2 * SHORT },
			),
		].join('\n\n');
	} finally {
		contenders.stop();
	}
}
