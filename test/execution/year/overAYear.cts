// Tests of examples over an ordinary year. What they promise stands in the test files, what happens to them in scenes.cts.
import { install } from '@sinonjs/fake-timers';
import { exampleOf } from '../../e2e/examples.cts';
import { startMailServer, type MailServer } from '../../n8n/mailServer.cts';
import type { Sandbox } from '../../sandbox/index.cts';
import { Example } from '../host/example.cts';
import { clearStore } from '../host/keyStore.cts';
import { sandboxFor } from '../host/run.cts';
import { check, DAY, scenesOf, type Play, type World, type Year } from './scenes.cts';

const HOUR = 3_600_000;

const TODAY = Date.UTC(2026, 2, 2, 9);

/** What the examples of a file share. */
interface Shared {
	sandbox: () => Sandbox;
	mailServer: MailServer;
	/** Only the calendar: mails and requests go on by the real clock. */
	calendar: ReturnType<typeof install>;
}

async function newPlay(year: Year, { sandbox, mailServer, calendar }: Shared): Promise<Play> {
	clearStore();
	calendar.setSystemTime(TODAY);
	sandbox().reset();
	sandbox().faults.clear();
	sandbox().clearRequests();
	mailServer.mails.length = 0;
	const example = new Example(year.file, sandbox, () => mailServer);
	const world: World = {
		sandbox: sandbox(),
		example,
		mails: mailServer.mails,
		runs: [],
		occasions: [],
	};
	const occasion = async (_world: World, month: number) => {
		if (!world.occasions.includes(month)) world.occasions.push(month);
		return await year.occasion(world, month);
	};
	const noted = async (running: ReturnType<Example['run']>, isNew: boolean) => {
		let ran = await running;
		for (const json of ran.isWaiting ? (year.whileWaiting?.(world, ran) ?? []) : []) {
			if (json === undefined) calendar.setSystemTime(Date.now() + HOUR);
			ran = await example.resume(ran, json);
		}
		world.runs.push({ ...ran, isNew });
		// No two runs begin in the same moment.
		calendar.setSystemTime(Date.now() + 1000);
		return ran;
	};
	return await Promise.resolve({
		world,
		year: { ...year, occasion },
		day: (day) => calendar.setSystemTime(Math.max(Date.now(), TODAY + day * DAY)),
		run: async (given) => {
			// A trigger without items starts nothing.
			const [items] = Object.values(given);
			if (items.length > 0) await noted(example.run(given), true);
		},
		retry: async (ran) => void (await noted(example.retry(ran), false)),
		isWhole: true,
	});
}

/** The text beside an example. */
const noteOf = (file: string) =>
	exampleOf(file)
		.nodes.flatMap(({ type, parameters }) =>
			type.endsWith('.stickyNote') ? [String(parameters.content)] : [],
		)
		.join('\n');

/** Plays all scenes of these examples. */
export function overAYear(years: Year[]): void {
	const shared = { sandbox: sandboxFor({ customers: 20 }, 'real') } as Shared;

	beforeAll(async () => {
		shared.mailServer = await startMailServer();
		shared.calendar = install({ now: Date.now(), toFake: ['Date'] });
	});

	afterAll(async () => {
		shared.calendar.uninstall();
		await shared.mailServer.close();
	});

	describe.each(years.map((year, row) => [year.file, year, row] as const))(
		'%s',
		(_file, year, row) => {
			const start = async () => await newPlay(year, shared);
			const { isDone } = year;
			if (isDone) test('its note says so', () => expect(noteOf(year.file)).toContain(isDone));
			test.each(Object.entries(scenesOf(year, row, start)))('%s', async (_name, scene) => {
				const play = await start();
				await scene(play);
				// Some scenes have worlds of their own.
				if (play.world.runs.length > 0) check(play);
			});
		},
	);
}
