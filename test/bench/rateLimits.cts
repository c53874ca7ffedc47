// What a rate limit costs: the limits of well-known business APIs, approximately as they are published, in
// simulated time. Each beside a plain client that keeps five requests in flight and waits after a refusal.
import { LimitedServer, type Limit } from '../unit/rateSimulation.cts';
import { READ, Service, type Reply, type Seen } from '../unit/simulatedService.cts';
import { sleep } from '../unit/simulatedTime.cts';
import { inSimulatedTime } from './simulatedClock.cts';
import { goal, table, times, type Section } from './report.cts';

interface Api {
	name: string;
	/** As its documentation says it, in short. */
	says: string;
	limit: Limit;
	/** It says in Retry-After how long to wait. */
	tells?: boolean;
	/** Seconds for which it refuses everything after one request too many. */
	punishes?: number;
}

const apis: Api[] = [
	{
		name: 'Stripe',
		says: '100 a second',
		limit: { counting: 'sliding window', limit: 100, period: 1000 },
	},
	{
		name: 'HubSpot',
		says: '100 in 10 s',
		limit: { counting: 'fixed window', limit: 100, period: 10_000, phase: 0.3 },
	},
	{
		name: 'Shopify',
		says: '2 a second, 40 at first, Retry-After',
		limit: { counting: 'token bucket', limit: 40, period: 20_000 },
		tells: true,
	},
	{
		name: 'Notion',
		says: '3 a second, Retry-After',
		limit: { counting: 'sliding window', limit: 3, period: 1000 },
		tells: true,
	},
	{
		name: 'Airtable',
		says: '5 a second, else 30 s refused',
		limit: { counting: 'sliding window', limit: 5, period: 1000 },
		punishes: 30,
	},
];

/** Executions side by side, and others of one request. */
const EXECUTIONS = 4;
const FOREIGN_EVERY = 5000;

/** Work for about so many seconds. */
const SECONDS = 60;

const perSecondOf = ({ limit: { limit, period } }: Api) => (1000 * limit) / period;
const itemsOf = (api: Api) => Math.ceil((perSecondOf(api) * SECONDS) / EXECUTIONS);

function serverOf({ limit, tells, punishes = 0 }: Api): (request: Seen) => Reply {
	const server = new LimitedServer(limit);
	let open = 0;
	return ({ at }) => {
		const isPunished = at < open;
		const { taken, retryAfter } = isPunished ? { taken: false, retryAfter: 0 } : server.request(at);
		if (taken) return {};
		if (!isPunished) open = at + 1000 * punishes;
		const wait = punishes > 0 ? Math.ceil((open - at) / 1000) : retryAfter;
		const headers = tells || punishes > 0 ? { 'retry-after': String(wait) } : undefined;
		return { status: 429, headers };
	};
}

interface Course {
	milliseconds: number;
	refused: number;
	failed: number;
	/** The longest time of another execution of one request. */
	worst: number;
}

/** Sends so many requests; gives how many failed. */
type Run = (items: number) => Promise<number>;

async function course(run: Run, items: number, refusals: () => number): Promise<Course> {
	let worst = 0;
	let isOver = false;
	let failed = 0;
	const counted = async (count: number) => void (failed += await run(count));
	const all = Promise.all(Array.from({ length: EXECUTIONS }, async () => await counted(items)));
	const foreign = (async () => {
		for (await sleep(FOREIGN_EVERY); !isOver; await sleep(FOREIGN_EVERY)) {
			const begin = performance.now();
			await counted(1);
			worst = Math.max(worst, performance.now() - begin);
		}
	})();
	await all;
	const milliseconds = performance.now();
	isOver = true;
	await foreign;
	return { milliseconds, refused: refusals(), failed, worst };
}

const ours = async (api: Api, perSecond?: number): Promise<Course> =>
	await inSimulatedTime(async () => {
		const service = new Service(serverOf(api));
		const run: Run = async (items) => {
			const outcomes = await service.execute({ route: READ, items, perSecond });
			return outcomes.filter((each) => !('status' in each && each.status === 200)).length;
		};
		const refusals = () => service.seen.filter(({ status }) => status === 429).length;
		return await course(run, itemsOf(api), refusals);
	});

/** Max seconds that a plain client tries again, as ours by default. */
const PATIENCE = 120_000;

const plain = async (api: Api): Promise<Course> =>
	await inSimulatedTime(async () => {
		const reply = serverOf(api);
		let refused = 0;
		const send = async (): Promise<boolean> => {
			const begin = performance.now();
			for (let backoff = 500; ; backoff = Math.min(16_000, 2 * backoff)) {
				const { status, headers } = reply({ at: performance.now() } as Seen);
				await sleep(100);
				if (status !== 429) return true;
				refused++;
				const wait = 1000 * Number(headers?.['retry-after'] ?? 0) || backoff;
				if (performance.now() + wait - begin > PATIENCE) return false;
				await sleep(wait);
			}
		};
		const run: Run = async (items) => {
			let next = 0;
			let failed = 0;
			const worker = async () => {
				while (next++ < items) if (!(await send())) failed++;
			};
			await Promise.all(Array.from({ length: Math.min(5, items) }, worker));
			return failed;
		};
		return await course(run, itemsOf(api), () => refused);
	});

/** The time of a client that knows the limit and is never refused. */
function idealOf(api: Api): number {
	const server = new LimitedServer(api.limit);
	let at = 0;
	for (let each = 0; each < EXECUTIONS * itemsOf(api); each++) {
		at += server.needed(at);
		server.request(at);
	}
	return at + 100;
}

/** The limits as a table, as text. */
export const rateLimits: Section = async () => {
	const rows: string[][] = [];
	const punished: number[] = [];
	let failed = 0;
	for (const api of apis) {
		const best = idealOf(api);
		const items = EXECUTIONS * itemsOf(api);
		const add = (way: string, { milliseconds, refused, worst, failed }: Course) => {
			const share = ((100 * refused) / items).toFixed(0);
			const wait = `${(worst / 1000).toFixed(1)} s`;
			rows.push([api.name, api.says, way, times(milliseconds / best), share, wait, String(failed)]);
		};
		add('Plain, 5 in flight', await plain(api));
		const learned = await ours(api);
		add('Platform', learned);
		const told = await ours(api, perSecondOf(api));
		add('Platform, Max Requests per Second', told);
		failed += told.failed + (api.punishes ? 0 : learned.failed);
		if (api.punishes) punished.push(told.milliseconds / best);
	}
	const worst = Math.max(...punished);
	return [
		'## What a rate limit costs',
		`${EXECUTIONS} executions of ${SECONDS} seconds of work in all, and every ${FOREIGN_EVERY / 1000} s another one of a single request, in simulated time. Responses take 100 ms. The limits are approximately those that the APIs publish.`,
		table(
			[
				'API',
				'Limit',
				'Client',
				'Time to the best',
				'Refused in 100',
				'Worst wait of one',
				'Failed',
			],
			rows,
		),
		[
			goal(
				`at most 1.2 times the best where a limit is set that punishes (${times(worst)})`,
				worst,
				{
					atMost: 1.2,
				},
			),
			goal(`no item fails, apart from an unknown limit that punishes (${failed})`, failed, {
				atMost: 0,
			}),
		].join('\n'),
	].join('\n\n');
};
