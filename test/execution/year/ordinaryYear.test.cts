// Each example over an ordinary year. What it promises stands in the other files, what happens to it in scenes.cts.
import { install } from '@sinonjs/fake-timers';
import { startMailServer, type MailServer } from '../../n8n/mailServer.cts';
import { Example } from '../host/example.cts';
import { clearStore } from '../host/keyStore.cts';
import { sandboxFor } from '../host/run.cts';
import { check, DAY, scenesOf, type Play, type World, type Year } from './scenes.cts';
import { billing } from './billing.cts';
import { others } from './others.cts';
import { payments } from './payments.cts';
import { payouts } from './partners.cts';

const sandbox = sandboxFor({ customers: 20 });
let mailServer: MailServer;
/** Only the calendar: mails and requests go on by the real clock. */
let calendar: ReturnType<typeof install>;

beforeAll(async () => {
	mailServer = await startMailServer();
	calendar = install({ now: Date.now(), toFake: ['Date'] });
});

afterAll(async () => {
	calendar.uninstall();
	await mailServer.close();
});

const TODAY = Date.UTC(2026, 2, 2, 9);

async function newPlay(year: Year): Promise<Play> {
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
		const ran = await running;
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

const years = [...billing, ...payments, ...payouts, ...others];

describe.each(years.map((year, row) => [year.file, year, row] as const))(
	'%s',
	(_file, year, row) => {
		const start = async () => await newPlay(year);
		test.each(Object.entries(scenesOf(year, row, start)))('%s', async (_name, scene) => {
			const play = await start();
			await scene(play);
			// Some scenes have worlds of their own.
			if (play.world.runs.length > 0) check(play);
		});
	},
);
