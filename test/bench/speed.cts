// Time and memory of lists, reads and creates.
import {
	BOUND,
	CEILING,
	floor,
	floorAtCeiling,
	httpRequest,
	limit,
	limitAtBound,
	ours,
	oursAtBound,
	routing,
} from './columns.cts';
import {
	compare,
	Contenders,
	medianOf,
	type Column,
	type Comparison,
	type Results,
} from './compare.cts';
import { withServer, type ServerOptions } from './processes.cts';
import { goal, seconds, table, times, whole } from './report.cts';
import type { Section, Settings } from './sections.cts';
import { createsOf, readsOf, type Work } from './work.cts';

/** A row of a table. */
interface Case {
	name: string;
	latency: number;
	results: Results;
}

/** Fewest milliseconds a request at which a list must be much faster than n8n's own ways. */
const REMOTE = 20;

/** Rounds where all ways are done within seconds, and where they wait for the server for long. */
const roundsAt = (latency: number, quick: boolean) => (quick ? 2 : latency < REMOTE ? 11 : 5);

const allRows = (): Work => ({ kind: 'list' });

const fastestOf = (results: Results, columns: Column[]) =>
	Math.min(...columns.map((column) => medianOf(results, column)));

const nameOf = ({ latency, tls }: ServerOptions) => `${latency} ms${tls ? ', TLS' : ''}`;

function timeTable(cases: Case[], columns: Column[], ratios: Array<[string, Ratio]>): string {
	return table(
		['', ...columns.map(({ title }) => title), ...ratios.map(([title]) => title)],
		cases.map(({ name, results }) => [
			name,
			...columns.map((column) => seconds(medianOf(results, column))),
			...ratios.map(([, ratio]) => times(ratio(results))),
		]),
	);
}

type Ratio = (results: Results) => number;

const ratioOf =
	(column: Column, to: Column): Ratio =>
	(results) =>
		medianOf(results, column) / medianOf(results, to);

const gain: Ratio = (results) =>
	fastestOf(results, [httpRequest, routing]) / medianOf(results, ours);

/** The worst of the cases, for a goal that holds in each. */
const worst = (cases: Case[], ratio: Ratio, pick: (...ratios: number[]) => number) =>
	pick(...cases.map(({ results }) => ratio(results)));

/** A list of an API that nothing is known of: in each round from a server of its own. */
async function firstList(
	latency: number,
	rounds: number,
	contenders: Contenders,
): Promise<Results> {
	const columns = [ours, floorAtCeiling];
	const all: Results = new Map(columns.map((column) => [column, []]));
	for (let round = 0; round < rounds; round++) {
		const results = await withServer({ customers: 10_000, latency }, async (server) => {
			const base = { contenders, server, work: allRows };
			// The server must not be slower at first than later.
			await compare({ ...base, columns: [floorAtCeiling], rounds: 2 });
			return await compare({ ...base, columns, rounds: 1 });
		});
		for (const column of columns) all.get(column)?.push(...(results.get(column) ?? []));
	}
	return all;
}

async function lists(
	node: string,
	quick: boolean,
	plain: Contenders,
	draw: Settings['draw'],
): Promise<string> {
	const columns = [ours, httpRequest, routing, floor, floorAtCeiling, limit];
	const cases: Case[] = [];
	const list = async (options: ServerOptions, more: Partial<Comparison> = {}) => {
		const secure = options.tls;
		const name = `${whole(options.customers)} rows, ${nameOf(options)}`;
		const results = await withServer(options, async (server) => {
			const contenders = secure ? new Contenders(node, { caFile: server.caFile }) : plain;
			try {
				const rounds = roundsAt(options.latency, quick);
				const base = { contenders, server, columns, work: allRows, rounds, warmUp: 1 };
				return await compare({ ...base, ...more });
			} finally {
				if (secure) contenders.stop();
			}
		});
		cases.push({ name, latency: options.latency, results });
		console.log(`  ${name}`);
		return results;
	};
	const patient = [httpRequest, routing];
	await list({ customers: 10_000, latency: 0 });
	await list({ customers: 10_000, latency: 20 });
	if (!quick) await list({ customers: 10_000, latency: 20, tls: true });
	if (!quick) await list({ customers: 10_000, latency: 100 }, { patient });
	// A process that has done nothing else, since the memory that it once took it keeps.
	const fresh = new Contenders(node);
	const memory = await list(
		{ customers: 100_000, latency: 0 },
		{ contenders: fresh, fresh: true, rounds: quick ? 1 : 3, warmUp: 0 },
	);
	if (!quick) {
		const long = { rounds: 2, warmUp: 0 };
		await list({ customers: 100_000, latency: 20 }, { ...long, patient });
		await list({ customers: 100_000, latency: 100 }, { ...long, patient: [...patient, floor] });
	}

	const firsts: string[] = [];
	for (const latency of [REMOTE, 5 * REMOTE]) {
		const first = await firstList(latency, quick ? 1 : 7, plain);
		const share = times(ratioOf(ours, floorAtCeiling)(first));
		firsts.push(`${seconds(medianOf(first, ours))} at ${latency} ms (${share})`);
	}
	console.log('  first lists');
	const remote = cases.filter(({ latency }) => latency >= REMOTE);
	const toFloor = ratioOf(ours, floor);
	const slowest = worst(remote, gain, Math.min);
	const overhead = worst(remote, toFloor, Math.max);
	const peak = (column: Column) => medianOf(memory, column, 'peakMegabytes');
	return [
		'### Return All',
		draw({
			name: 'return-all',
			title: 'Return All',
			unit: 'seconds',
			series: [ours, httpRequest, routing].map(({ title }) => title),
			groups: cases.map(({ name, results }) => ({
				name,
				values: [ours, httpRequest, routing].map((column) => medianOf(results, column) / 1000),
			})),
		}),
		timeTable(cases, columns, [
			["against n8n's fastest", gain],
			[`against the helper, ${BOUND}`, toFloor],
			[`against the helper, ${CEILING}`, ratioOf(ours, floorAtCeiling)],
		]),
		[
			goal(
				`at ${REMOTE} ms and more at least 4 times as fast as n8n's fastest way (lowest: ${times(slowest)})`,
				slowest,
				{ atLeast: 4 },
			),
			goal(
				`at ${REMOTE} ms and more at most 1.1 times the request helper in a pool of ${BOUND} (highest: ${times(overhead)})`,
				overhead,
				{ atMost: 1.1 },
			),
		].join('\n'),
		`The first list that is read from an API begins with ${BOUND} requests at a time, since nothing is known of it yet. Of 10,000 rows it takes ${firsts.join(', ')}, in brackets against the helper with ${CEILING}.`,
		'### Memory of 100,000 rows',
		table(
			['', ...columns.map(({ title }) => title)],
			[
				['Peak above an idle process', ...columns.map((column) => `${whole(peak(column))} MB`)],
				[
					'against HTTP Request',
					...columns.map((column) => times(peak(column) / peak(httpRequest))),
				],
			],
		),
	].join('\n\n');
}

async function items(node: string, quick: boolean, plain: Contenders): Promise<string> {
	const reading = [ours, oursAtBound, httpRequest, routing, floor, floorAtCeiling, limit];
	const reads: Case[] = [];
	const servers: ServerOptions[] = [0, 20].map((latency) => ({ customers: 1000, latency }));
	if (!quick) servers.push({ customers: 1000, latency: 20, tls: true });
	for (const options of servers) {
		const results = await withServer(options, async (server) => {
			const contenders = options.tls ? new Contenders(node, { caFile: server.caFile }) : plain;
			try {
				const work = readsOf(1000);
				const rounds = roundsAt(options.latency, quick);
				return await compare({ contenders, server, columns: reading, work, rounds, warmUp: 1 });
			} finally {
				if (options.tls) contenders.stop();
			}
		});
		reads.push({ name: nameOf(options), latency: options.latency, results });
		console.log(`  1,000 reads, ${nameOf(options)}`);
	}

	const creating = [ours, httpRequest, routing, floor, limitAtBound];
	const creates: Case[] = [];
	for (const latency of quick ? [0, 20] : [0, 20, 100]) {
		const options = { customers: 0, latency };
		const results = await withServer(options, async (server) => {
			const work = createsOf(500);
			const rounds = roundsAt(latency, quick);
			const contenders = plain;
			return await compare({ contenders, server, columns: creating, work, rounds, warmUp: 1 });
		});
		creates.push({ name: nameOf(options), latency, results });
		console.log(`  500 creates, ${nameOf(options)}`);
	}

	const remote = ({ latency }: Case) => latency >= REMOTE;
	const readShare = worst(reads.filter(remote), ratioOf(oursAtBound, floor), Math.max);
	const createShare = worst(creates.filter(remote), ratioOf(ours, floor), Math.max);
	const against = (parallel: number) => `against the helper, ${parallel}`;
	return [
		'### 1,000 reads of 1,000 items',
		timeTable(reads, reading, [
			[`fixed, ${against(BOUND)}`, ratioOf(oursAtBound, floor)],
			[against(CEILING), ratioOf(ours, floorAtCeiling)],
		]),
		goal(
			`at ${REMOTE} ms and more at most 1.1 times the request helper at equal parallelism (highest: ${times(readShare)})`,
			readShare,
			{ atMost: 1.1 },
		),
		'### 500 creates',
		timeTable(creates, creating, [[against(BOUND), ratioOf(ours, floor)]]),
		goal(
			`at ${REMOTE} ms and more at most 1.1 times the request helper in a pool of ${BOUND} (highest: ${times(createShare)})`,
			createShare,
			{ atMost: 1.1 },
		),
	].join('\n\n');
}

/** Lists, their memory, reads and creates, as text. */
export const speed: Section = async ({ node, quick, draw }) => {
	const contenders = new Contenders(node);
	try {
		return [
			'## Speed and memory',
			await lists(node, quick, contenders, draw),
			await items(node, quick, contenders),
		].join('\n\n');
	} finally {
		contenders.stop();
	}
};
