// Adaptive parallelism beside fixed bounds (the request helper, which waits when it is refused), on
// servers that ask for opposite ones; and whether a long list lets the items beside it through.
import { runNode } from '../execution/host/host.cts';
import type { LoggedRequest } from '../sandbox/index.cts';
import { CEILING, ours } from './columns.cts';
import { compare, Contenders, medianOf, type Column } from './compare.cts';
import { withServer, type Server, type ServerOptions } from './processes.cts';
import { goal, seconds, table, whole } from './report.cts';
import type { Section } from './sections.cts';
import { readsOf } from './work.cts';

const BOUNDS = [1, 2, 5, 10, 20, CEILING];

/** Requests a second that the limiting server lets through. */
const RATE = 10;

const adaptive: Column = { ...ours, title: 'Adaptive' };
const fixed: Column[] = BOUNDS.map((parallel) => ({
	title: `Fixed at ${parallel}`,
	way: 'waitingHelper',
	parallel,
}));
/** A number that the user set: several executions don't go beyond it together. */
const unbounded: Column = {
	title: `Platform Customers, at most ${CEILING}`,
	way: 'platformCustomers',
	parallel: CEILING,
};
const columns = [adaptive, ...fixed, unbounded];

/** Asks the sandbox for what only its tests may know or do. */
export async function control({ service }: Server, method: string, path: string, body?: object) {
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
		const work = readsOf(count);
		const common = { contenders, server, columns, work };
		const results = await compare({ ...common, patient, rounds, warmUp: 1 });
		return columns.map((column) => medianOf(results, column));
	});
}

/** Each column once, on a limiting server of its own, all at the same time: they mostly wait. */
async function onLimitedServers(
	contenders: Contenders,
	count: number,
): Promise<Array<{ milliseconds: number; refused: number }>> {
	return await Promise.all(
		columns.map(
			async (column) =>
				await withServer({ customers: count, latency: 0, log: true }, async (server) => {
					await control(server, 'POST', '/rate-limit', { perSecond: RATE });
					const work = readsOf(count);
					const only = [column];
					const results = await compare({ contenders, server, columns: only, work, rounds: 1 });
					const requests = (await control(server, 'GET', '/requests')) as LoggedRequest[];
					const refused = requests.filter(({ status }) => status === 429).length;
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
export const adaptation: Section = async ({ node, quick }) => {
	const contenders = new Contenders(node);
	try {
		const rounds = quick ? 1 : 3;
		const count = quick ? 100 : 300;
		const fast = await onServer({ customers: count, latency: 0 }, contenders, count, rounds);
		const slow = await onServer({ customers: count, latency: 100 }, contenders, count, rounds);
		const limited = await onLimitedServers(contenders, count);
		const totals = columns.map(
			(_column, index) => fast[index] + slow[index] + limited[index].milliseconds,
		);
		const ofFixed = <T,>(values: T[]) => values.slice(1, fixed.length + 1);
		const fastest = Math.min(...ofFixed(totals));
		const fewest = Math.min(...ofFixed(limited).map(({ refused }) => refused));
		const { position, requests } = await lastShortRequest();
		return [
			'## Adaptive parallelism',
			table(
				['', ...columns.map(({ title }) => title)],
				[
					[`Fast server, ${count} reads`, ...fast.map(seconds)],
					[`100 ms a request, ${count} reads`, ...slow.map(seconds)],
					[
						`${RATE} requests a second, ${count} reads`,
						...limited.map(({ milliseconds }) => seconds(milliseconds)),
					],
					['Total', ...totals.map(seconds)],
					['Requests refused by the limit', ...limited.map(({ refused }) => whole(refused))],
				],
			),
			[
				goal(
					`in total as fast as the fastest of the fixed bounds, within 2 % (${seconds(totals[0])}, ${seconds(fastest)})`,
					totals[0],
					{ atMost: 1.02 * fastest },
				),
				goal(
					`refused less often than any of them (${limited[0].refused}, the fewest of theirs ${fewest})`,
					limited[0].refused,
					{ atMost: fewest - 1 },
				),
			].join('\n'),
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
};
