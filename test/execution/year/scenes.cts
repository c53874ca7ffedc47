// What happens to a workflow in an ordinary year, for any example: it's run again, a delivery comes late, the API fails or refuses in the
// middle and somebody presses Retry, a column is renamed or blank. After each scene the promises of the example must hold.
import type { IDataObject } from 'n8n-workflow';
import type { Mail } from '../../n8n/mailServer.cts';
import { shareOf } from '../../share.cts';
import type { FaultRule, Sandbox } from '../../sandbox/index.cts';
import type { Example, Given, Ran } from '../host/example.cts';

export const DAY = 86_400_000;

/** Fails with what came twice. */
export function noneTwice(keys: unknown[]): void {
	const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
	expect(twice).toEqual([]);
}

/** What promises look at. In a real n8n, there is nothing else. */
export interface Seen {
	sandbox: Sandbox;
	mails: Mail[];
	/** All runs so far, Retries included. */
	runs: Array<Pick<Ran, 'newRows' | 'rows'>>;
	/** Occasions that have come: one for each month in a year. */
	occasions: number[];
}

/** All that can be seen of a world in which an example runs. */
export interface World extends Seen {
	example: Example;
	runs: Array<Ran & { isNew: boolean }>;
}

/** What an example promises, in the words of its users. Each sentence is a test. */
export interface Promises<W = Seen> {
	/** Must hold at every moment, whatever fails. */
	never: Record<string, (world: W) => void>;
	/** Must hold when everything has gone through in the end. */
	holds: Record<string, (world: W) => void>;
}

/** An example, and what may happen to it. */
export interface Year extends Promises<World> {
	file: string;
	/** Brings about an occasion, such as the orders or the delivery of a month, and returns what starts the workflow then. */
	occasion(world: World, month: number): Given | Promise<Given>;
	/** What starts it doesn't come again after a failure: only Retry goes on. */
	isDelivered?: true;
	/** It sends no request to the API. */
	isOffline?: true;
	/** What fails goes to an error output, and comes again with the next run. */
	goesOn?: true;
	/** Each run is a job of its own, such as a report: run again, it does it again. What its note says of that. */
	isDone?: string;
	/** What comes for a run that waits: items, or undefined once its time is over. */
	whileWaiting?(world: World, ran: Ran): Array<IDataObject | undefined>;
	/** A node whose rows come from a sheet, and columns that may be blank or renamed there. */
	columns?: { node: string; names: string[] };
	/** What happens to this example alone. */
	own?: Record<string, Scene>;
}

/** Plays a scene in a world. */
export type Scene = (play: Play) => Promise<void>;

/** A new world for an example, and the ways to act in it. */
export interface Play {
	world: World;
	year: Year;
	/** Sets the date, in days from today. */
	day(day: number): void;
	run(given: Given): Promise<void>;
	retry(ran: Ran): Promise<void>;
	/** True if all has gone through. If not, only what must never happen is looked at. */
	isWhole: boolean;
}

/** A deep copy, since a run must not change what is given again later. */
const copyOf = (given: Given): Given => structuredClone(given);

/** Number of requests of a run without faults. */
async function requestsOf(play: Play): Promise<number> {
	const { sandbox } = play.world;
	const given = await play.year.occasion(play.world, 0);
	const before = sandbox.requests.length;
	await play.run(given);
	return sandbox.requests.length - before;
}

/** A person still has to look at an item. */
const isInDoubt = ({ run }: Ran) =>
	JSON.stringify(run.data.resultData.runData).includes('"inDoubt":true');

/** Runs with a fault at one request, goes on, and looks at what is promised. A day later all of it comes once more. */
async function withFault(play: Play, rule: FaultRule, goOn: Scene): Promise<void> {
	const { world } = play;
	const given = copyOf(await play.year.occasion(world, 0));
	const fault = world.sandbox.faults.add({ ...rule, times: 1 });
	await play.run(given);
	fault.remove();
	await goOn(play);
	const last = world.runs.at(-1)!;
	const hasEnded = last.error === undefined && !isInDoubt(last);
	play.isWhole = hasEnded && !play.year.goesOn;
	check(play);
	play.isWhole = hasEnded;
	if (play.year.isDone) return;
	play.day(2);
	await play.run(copyOf(await play.year.occasion(world, 0)));
	check(play);
}

const MONTHS = Array.from({ length: 12 }, (_each, month) => month);

/** Faults of a request in the middle: what the API, or the way to it, may do. */
const faults: Record<string, FaultRule> = {
	'a 503 that did nothing': { kind: 'status', status: 503 },
	'a lost response': { kind: 'reset-after' },
	'a refusal (403)': { kind: 'status', status: 403, body: { message: 'Missing scope' } },
};

/** A way in which somebody goes on after a fault. */
interface Way {
	how: string;
	goOn: Scene;
}

const RETRY: Way = {
	how: 'Retry',
	async goOn(play) {
		const { runs } = play.world;
		for (let tries = 0; runs.at(-1)?.error !== undefined && tries < 3; tries++) {
			await play.retry(runs.at(-1)!);
		}
	},
};

const NEXT_DAY: Way = {
	how: 'the same again the next day',
	async goOn(play) {
		play.day(1);
		await play.run(copyOf(await play.year.occasion(play.world, 0)));
	},
};

/**
 * The scenes of an example, by what happens.
 * @param row number of the example, for its share of the requests
 */
export function scenesOf(
	year: Year,
	row: number,
	newPlay: () => Promise<Play>,
): Record<string, Scene> {
	const scenes: Record<string, Scene> = {
		'the same again, on the same day, the next and ten days later': async (play) => {
			for (const day of [0, 0, 1, 10]) {
				play.day(day);
				await play.run(copyOf(await play.year.occasion(play.world, 0)));
			}
		},
		'a year of months': async (play) => {
			for (const month of shareOf(MONTHS, 3, row)) {
				play.day(month * 31);
				await play.run(copyOf(await play.year.occasion(play.world, month)));
			}
		},
	};
	let counted: Promise<number> | undefined;
	const ways = year.isDelivered || year.isDone ? [RETRY] : [RETRY, NEXT_DAY];
	for (const [share, [what, rule]] of Object.entries(year.isOffline ? {} : faults).entries()) {
		// One way for each fault in `npm test`, the other one for the next example.
		for (const { how, goOn } of shareOf(ways, ways.length, share + row)) {
			// At a share of the requests, another one for each fault and example.
			scenes[`${what} at a request, and ${how}`] = async () => {
				const count = await (counted ??= newPlay().then(requestsOf));
				const all = Array.from({ length: count }, (_each, index) => index + 1);
				for (const nth of shareOf(all, Math.min(24, count), share + row)) {
					await withFault(await newPlay(), { ...rule, nth }, goOn);
				}
			};
		}
	}
	const { columns } = year;
	for (const name of columns?.names ?? []) {
		const changed: Record<string, (row: IDataObject) => void> = {
			blank: (row) => (row[name] = ''),
			renamed: (row) => {
				row[`${name}_new`] = row[name];
				delete row[name];
			},
		};
		for (const [how, change] of Object.entries(changed)) {
			scenes[`the column ${name} is ${how}`] = async (play) => {
				const given = copyOf(await play.year.occasion(play.world, 0));
				for (const row of given[columns!.node]) change(row);
				await play.run(given);
				play.isWhole = false;
			};
		}
	}
	return { ...scenes, ...year.own };
}

/** Looks at what is promised. */
export function check({ world, year, isWhole }: Play): void {
	for (const look of Object.values(year.never)) look(world);
	if (isWhole) for (const look of Object.values(year.holds)) look(world);
}
