// Lists that a poll can't read as announced, or not in its time: what was found is reported, polling goes on, and
// what a first poll can tell to be new is new.
import type { IDataObject } from 'n8n-workflow';
import { wait } from '../wait.cts';
import { serveWatched, type Watched } from './host/listService.cts';
import { packageNodes } from './host/package.cts';
import { idsOf, Poller } from './host/poller.cts';
import { byId, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';

const service = new Service().inFile();
const sandbox = sandboxFor({ customers: 5 });

/** Pages that were asked for. */
const pages = () =>
	service.sent('GET').flatMap(({ path }) => /[?&]page=(\d+)/.exec(path)?.[1] ?? []);

const rowsOf = (count: number, from = 0) =>
	Array.from({ length: count }, (_each, n) => ({ id: `row-${n + from}` }));

const serve = (list: Watched) => serveWatched(service, list);

const urlStart = 'https://n8n.example.com/webhook/';

/** A webhook of this n8n. */
const webhook = (n: number, path = n) => ({
	id: `w${n}`,
	url: `${urlStart}${path}?secret=x`,
	events: ['a'],
});

/** A list of webhooks, and the trigger that has read it once. */
async function watched(list: Watched) {
	const poller = new Poller(service, { event: 'registeredWebhookMissing', urlStart });
	serve(list);
	await poller.publish();
	return { list, poller };
}

describe('a count that stays above the rows', () => {
	test('publishing works, and new rows are reported, with one warning', async () => {
		const list = serve({ rows: rowsOf(5), count: 6 });
		const poller = new Poller(service, { event: 'newCustomer' });
		expect(await poller.publish()).toBeNull();
		list.rows = [{ id: 'new' }, ...list.rows];
		list.count = 7;
		service.received = [];
		expect(idsOf(await poller.poll())).toEqual(['new']);
		// It's known that one is lacking, so nothing is read again for it.
		expect(pages()).toEqual(['1', '2']);
		expect(await poller.poll()).toBeNull();
		expect(poller.warnings).toEqual([
			expect.stringMatching(/announced 1 row more than it returned\. Those that it returned are/),
		]);
	});

	test('more lacking rows are searched for again, and reported when they come', async () => {
		const list = serve({ rows: rowsOf(5) });
		const poller = new Poller(service, { event: 'newCustomer' });
		await poller.publish();
		list.count = 8;
		service.received = [];
		expect(await poller.poll()).toBeNull();
		expect(pages()).toEqual(expect.arrayContaining(['1', '1', '1']));
		list.rows = rowsOf(8);
		expect(idsOf(await poller.poll())).toEqual(['row-5', 'row-6', 'row-7']);
	});

	test('rows that are lacking are not forgotten, and come back as no news', async () => {
		const list = serve({ rows: rowsOf(5) });
		const poller = new Poller(service, { event: 'newCustomer' });
		await poller.publish();
		Object.assign(list, { rows: rowsOf(2), count: 5 });
		expect(await poller.poll()).toBeNull();
		expect(poller.memory).not.toContain('goneSince');
		list.rows = rowsOf(5);
		expect(await poller.poll()).toBeNull();
	});

	test('only missing webhooks are not reported meanwhile', async () => {
		const { list, poller } = await watched({ rows: [webhook(1), webhook(2)] });
		Object.assign(list, { rows: [webhook(1)], count: 2 });
		expect(await poller.poll()).toBeNull();
		expect(poller.warnings).toEqual([expect.stringContaining("Missing webhooks aren't reported")]);
		list.count = 1;
		expect(idsOf(await poller.poll())).toEqual(['w2']);
	});

	test('a webhook whose URL changes meanwhile is reported as missing afterwards', async () => {
		const { list, poller } = await watched({ rows: [webhook(1), webhook(2)] });
		Object.assign(list, { rows: [webhook(1, 7), webhook(3)], count: 4 });
		// Only the new one must be saved.
		expect([await poller.poll(), await poller.poll()]).toEqual([[], null]);
		list.count = 2;
		expect(idsOf(await poller.poll())).toEqual(['w1', 'w2']);
		expect(await poller.poll()).toBeNull();
		list.rows = [];
		list.count = 0;
		expect(idsOf(await poller.poll())).toEqual(['w1', 'w3']);
	});
});

describe('pages that take half of the time of a poll', () => {
	/** Polls until the sweep is over; the pages that each poll asked for. */
	async function sweep(poller: Poller, between: () => void) {
		const asked: string[][] = [];
		do {
			service.received = [];
			await poller.poll().catch(() => undefined);
			asked.push(pages());
			between();
		} while (poller.memory.includes('"sweep"') && asked.length < 20);
		return asked;
	}

	test.each([250, 450])(
		'of %i rows that get fewer: each poll goes on, and the first sweep ends',
		async (count) => {
			const list = serve({ rows: rowsOf(count), takes: 18_000 });
			const poller = new Poller(service, { event: 'newCustomer' });
			poller.budget = 36_000;
			const asked = await sweep(poller, () => {
				list.rows = list.rows.slice(10);
			});
			const repeated = asked.filter((each, n) => n > 0 && each.join() === asked[n - 1].join());
			expect(repeated.length).toBeLessThan(2);
			expect(asked.length).toBeLessThan(20);
			list.takes = 1;
			list.rows = [{ id: 'new' }, ...list.rows];
			expect(idsOf(await poller.poll())).toEqual(['new']);
		},
	);

	test('rows without an ID on a page that is read once more count once', async () => {
		const rows: IDataObject[] = rowsOf(1150);
		rows.splice(550, 0, { name: 'a' }, { name: 'b' }, { name: 'c' });
		const list = serve({ rows, count: 1154, takes: 17_000 });
		const poller = new Poller(service, { event: 'newCustomer' });
		poller.budget = 36_000;
		// The first reading misses a row, and the count shows it.
		await sweep(poller, () => {
			if (list.rows.length < 1154)
				list.rows = [...rows.slice(0, 50), { id: 'missed' }, ...rows.slice(50)];
		});
		list.takes = 1;
		expect(await poller.poll()).toBeNull();
	});

	test('webhooks that are gone, or whose URL changed before their page is read, are missing at the end', async () => {
		const rows = Array.from({ length: 350 }, (_each, n) => webhook(n));
		const { list, poller } = await watched({ rows });
		list.rows = [webhook(0, 1_000), ...rows.slice(1, 349)];
		list.takes = 18_000;
		poller.budget = 36_000;
		const found: Array<IDataObject[] | null> = [];
		do found.push(await poller.poll());
		while (poller.memory.includes('"sweep"') && found.length < 20);
		expect(found.length).toBeGreaterThan(1);
		expect(found.flatMap((items) => idsOf(items) ?? [])).toEqual(['w0', 'w349']);
		list.takes = 1;
		expect(await poller.poll()).toBeNull();
	});

	test('and then more than all of it: after a poll without a page, the list is started over', async () => {
		const list = serve({ rows: rowsOf(450), takes: 10_000 });
		const poller = new Poller(service, { event: 'newCustomer' });
		poller.budget = 15_000;
		await poller.poll();
		expect(poller.memory).toContain('"sweep"');
		list.takes = 60_000;
		for (let n = 0; n < 3; n++) {
			await expect(poller.poll()).rejects.toMatchObject({
				message: expect.stringContaining('The API returned no row in the time'),
				failure: { cause: 'temporarily-unavailable' },
			});
		}
		expect(poller.warnings).toEqual([expect.stringContaining('starts the list over')]);
		list.takes = 1;
		service.received = [];
		await poller.poll();
		expect(pages()[0]).toBe('1');
		list.rows.unshift({ id: 'new' });
		expect(idsOf(await poller.poll())).toEqual(['new']);
	});
});

test('2,000 rows take 21 pages and less than 16 kB, in the middle of a list less than 17 kB', async () => {
	const list = serve({ rows: rowsOf(2_000) });
	const poller = new Poller(service, { event: 'newCustomer' });
	poller.budget = undefined;
	await poller.publish();
	// One behind the last page, too, which is full.
	expect(pages()).toHaveLength(21);
	expect(poller.memory.length).toBeLessThan(16_000);
	list.takes = 10_000;
	poller.budget = 30_000;
	await poller.poll();
	expect(poller.memory).toContain('"sweep"');
	expect(poller.memory.length).toBeLessThan(17_000);
	// What was read is known to be read.
	list.takes = 1;
	list.rows = [...list.rows, { id: 'new' }];
	expect(idsOf(await poller.poll())).toEqual(['new']);
	expect(await poller.poll()).toBeNull();
});

// n8n may run the first poll several times while it publishes, and gives up after 84 s.
test.each([
	['300 s, as n8n reports outside of its scheduler', 300_000, 30],
	['less', 299_999, 61],
	['36 s', 36_000, 36],
	['nothing, before n8n 2.40', undefined, 61],
])('of %s, the first poll takes no more than its time', async (_what, budget, most) => {
	serve({ rows: rowsOf(2_000), takes: 10_000 });
	const poller = new Poller(service, { event: 'newCustomer' });
	poller.budget = budget;
	const context = poller.context();
	const seconds: number[] = [];
	const isUnderWay: boolean[] = [];
	for (let polls = 0; polls < 2; polls++) {
		const begin = Date.now();
		await packageNodes().platformPollingTrigger.poll?.call(context);
		seconds.push((Date.now() - begin) / 1000);
		isUnderWay.push(poller.memory.includes('"sweep"'));
	}
	// A minute is enough for the list. The next poll has all of its time, and goes on.
	expect(isUnderWay).toEqual([most < 61, budget === 36_000]);
	expect(seconds[0]).toBeLessThanOrEqual(most);
	expect(seconds[0]).toBeGreaterThan(most - 11);
});

describe('rows that were made since the first poll began', () => {
	const newsletters = () => sandbox().state.newsletters.newsletters;
	const now = () => Math.floor(Date.now() / 1000);

	/** Adds a row while the first poll reads the list. */
	async function published(row: IDataObject) {
		const poller = new Poller(sandbox(), { event: 'newsletterStatusChanged' });
		sandbox().faults.add({ kind: 'delay', ms: 2_000, path: '/newsletters.json', times: 1 });
		const polled = poller.publish();
		await wait(1_000);
		newsletters().add({ ...newsletters().rows[0], ...row }, 'front');
		return { poller, items: await polled };
	}

	test('are new by their own time, once, and those before are not', async () => {
		const { poller, items } = await published({ id: 'made', created_at: now() });
		expect(items).toEqual([
			expect.objectContaining({
				id: 'made',
				previousStatus: null,
				event: 'newsletterStatusChanged',
			}),
		]);
		expect(await poller.poll()).toBeNull();
		const earlier = await published({ id: 'earlier', created_at: now() - 60 });
		expect(earlier.items).toBeNull();
	});

	test('also when the first attempt fails, and n8n tries again', async () => {
		const poller = new Poller(sandbox(), { event: 'newsletterStatusChanged' });
		sandbox().faults.add({ kind: 'status', status: 500, path: '/newsletters.json' });
		await expect(poller.publish()).rejects.toThrow('HTTP 500');
		await wait(5_000);
		newsletters().add({ ...newsletters().rows[0], id: 'between', created_at: now() - 2 }, 'front');
		sandbox().faults.clear();
		await wait(5_000);
		expect(idsOf(await poller.poll())).toEqual(['between']);
	});
});

test('a document ID that is named later and not found is told once', async () => {
	const [one] = sandbox()
		.state.aiDocuments.documents.rows.filter((row) => row.knowledge_base_id === 'akb-3')
		.map(({ id }) => id);
	const form = { event: 'documentStatusChanged', knowledgeBaseId: byId('akb-3') };
	const poller = new Poller(sandbox(), { ...form, documentIds: [one] });
	await poller.publish();
	poller.parameters = { ...form, documentIds: [one, 'ado-mistyped'] };
	await poller.publish();
	for (let n = 0; n < 3; n++) expect(await poller.poll()).toBeNull();
	expect(poller.warnings).toEqual([
		expect.stringContaining('found nothing for "ado-mistyped". Check the IDs.'),
	]);
});

test.each([undefined, null])(
	'pages of webhooks of others, as long as each other, are not one page again and again (count %s)',
	async (count) => {
		const others = Array.from({ length: 500 }, (_each, n) => ({
			...webhook(n),
			url: `https://other.example.com/webhook/${n}`,
		}));
		const rows = [...others, webhook(501), webhook(502)];
		const { list, poller } = await watched({ rows, count });
		list.rows = [...others, webhook(501)];
		expect(idsOf(await poller.poll())).toEqual(['w502']);
	},
);

test('a webhook that is watched is stored and shown without its query', async () => {
	const webhooks = Array.from({ length: 100 }, (_each, n) => ({
		id: `whk-${n}`,
		name: 'n8n: Dunning',
		description: `Registered by n8n at n8n.example.com for the workflow "Dunning" (ID ${n}). Removed when the workflow is unpublished.`,
		url: `${urlStart}${n}/webhook${n % 2 ? '?' : '%3F'}event=a.b&secret=very-secret#very-secret`,
		events: ['RecurringPayments.charge.paid'],
	}));
	const { list, poller } = await watched({ rows: webhooks });
	process.stdout.write(`A watched webhook: ${Math.round(poller.memory.length / 100)} bytes\n`);
	expect(poller.memory).not.toContain('secret');
	list.rows = webhooks.slice(2);
	const items = await poller.poll();
	expect(items?.map(({ data }) => (data as IDataObject).url)).toEqual([
		`${urlStart}0/webhook`,
		`${urlStart}1/webhook`,
	]);
	expect(JSON.stringify([items, await poller.poll('manual')])).not.toContain('very-secret');
});

test('a webhook that was missing and came back is missed again, over a restart of n8n too', async () => {
	const both = [webhook(1), webhook(2)];
	const { list, poller } = await watched({ rows: both });
	list.rows = [webhook(1)];
	expect(idsOf(await poller.poll())).toEqual(['w2']);
	list.rows = both;
	await poller.poll();
	// Lost while n8n is stopped.
	list.rows = [webhook(1)];
	expect(idsOf(await poller.publish())).toEqual(['w2']);
});
