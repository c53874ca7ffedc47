// Each two ways in which a service may send a list, and in which the nodes read it: all rows once, and what is missing is
// told. A poll may take several turns, in which rows go.
import type { IDataObject } from 'n8n-workflow';
import { seedsOf } from '../share.cts';
import { wait } from '../wait.cts';
import { scenesOf, type Feature, type Scene } from '../worlds/pairs.cts';
import { Poller } from './host/poller.cts';
import { run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = new Service().inFile();

const POLL = 'a poll';
const POLLS = 'several polls';
/** The list announces more rows or pages than there are. */
const LESS = ', and less comes';
const ENDS = ['count', 'pages', 'count and pages'].flatMap((end) => [end, end + LESS]);

const features: Feature[] = [
	{ name: 'announces', levels: ['nothing', 'count of the page', ...ENDS], shown: [{}] },
	{ name: 'behind', levels: ['empty', 'empty, count 0', 'not found', 'last again'], shown: [{}] },
	{ name: 'size', levels: ['as asked', '50'], shown: [{}] },
	{ name: 'rows', levels: ['350', '100', '7'], shown: [{}] },
	{
		name: 'read by',
		levels: ['all', 'a limit below', 'a limit above', 'skip', 'filter', POLL, POLLS],
		shown: [{}],
	},
	{ name: 'goes', levels: ['nothing', 'a row'], shown: [{ 'read by': [POLLS], rows: ['350'] }] },
	{ name: 'output', levels: ['simple', 'raw', 'ids'], shown: [{}] },
];

/** A list that a service sends as a scene has it. */
interface List {
	rows: Array<{ id: string; company_name: string }>;
	/** Milliseconds that a page takes. */
	takes: number;
}

function serve({ announces: announced, behind, size }: Scene, list: List): void {
	const isLess = announced.endsWith(LESS);
	const announces = announced.replace(LESS, '');
	service.behave(async ({ path }) => {
		const { searchParams, pathname } = new URL(path, 'http://service');
		if (pathname === '/company.json') return { body: { id: 'company' } };
		await wait(list.takes);
		const { rows } = list;
		const page = Number(searchParams.get('page') ?? 1);
		const atOnce = size === '50' ? 50 : Number(searchParams.get('size') ?? 25);
		const last = Math.max(1, Math.ceil(rows.length / atOnce));
		const isBehind = page > last;
		if (isBehind && behind === 'not found') return { status: 404, body: { error: 'Not found' } };
		const shown = isBehind && behind === 'last again' ? last : page;
		const elements = rows.slice((shown - 1) * atOnce, shown * atOnce);
		const isNone = isBehind && behind === 'empty, count 0';
		const count = rows.length + (isLess ? 10 : 0);
		// The reference doesn't say if an empty page behind the end is the last one.
		const max = last + (isLess ? 2 : 0);
		const body: IDataObject = { elements };
		if (announces === 'count of the page') body.count = elements.length;
		if (announces.startsWith('count and') || announces === 'count') body.count = isNone ? 0 : count;
		if (announces.endsWith('pages')) body.pages = { current: page, max: isNone ? 0 : max };
		return { body };
	});
}

const numbered = (length: number) =>
	Array.from({ length }, (_each, n) => ({ id: `r${n}`, company_name: n % 3 === 0 ? 'A' : 'B' }));

/** What a list gives for the forms of the node, and what must be told. */
async function read(scene: Scene, { rows }: List): Promise<string[]> {
	const [skip, limit] = {
		all: [0, Infinity],
		'a limit below': [0, 5],
		'a limit above': [0, 500],
		skip: [60, 500],
		filter: [0, Infinity],
	}[scene['read by']] as [number, number];
	const isFiltered = scene['read by'] === 'filter';
	const form = {
		returnAll: limit === Infinity,
		limit: limit === Infinity ? 50 : limit,
		simplify: scene.output !== 'raw',
		filters: isFiltered ? { company: 'A' } : {},
		options: { ...(skip > 0 && { skip }), ...(scene.output === 'ids' && { outputFields: 'id' }) },
	};
	const { items, error, hints } = await run(service, 'platformCustomers', 'customer.getAll', form);
	const all = rows.filter(({ company_name: name }) => !isFiltered || name === 'A');
	const wanted = all.slice(skip, skip + limit).map(({ id }) => id);
	const got = items.map(({ json }) => json.id);
	const atOnce = scene.size === '50' ? 50 : 100;
	const pages = Math.ceil(rows.length / atOnce) + 2;
	const announced = scene.announces.startsWith('count') ? rows.length + 10 : pages * atOnce;
	const isLess = scene.announces.endsWith(LESS) && announced > skip;
	// A full page that comes again: nothing shows if the list ends there, or if the service knows no pages.
	const isUnsure =
		scene.announces === 'nothing' && scene.behind === 'last again' && rows.length === atOnce;
	const isShort = (isLess || isUnsure) && wanted.length < limit;
	const isTold = /missing|announced/.test(hints.join());
	return [
		error ? `an error: ${error.message}` : '',
		got.join() === wanted.join() ? '' : `${got.length} rows, not ${wanted.length}`,
		isShort && !isTold ? `nobody is told that rows are missing: ${hints.join()}` : '',
		!isShort && isTold ? `rows are said to be missing: ${hints.join()}` : '',
	];
}

/** What a trigger reports of a list that it has read once, in one poll or several. */
async function poll(scene: Scene, list: List): Promise<string[]> {
	const poller = new Poller(service, { event: 'newCustomer' });
	if (scene['read by'] === POLLS) {
		// Three pages each. With time for one alone, a poll doesn't read its last page again, or it would never get on.
		list.takes = 10_000;
		poller.budget = 36_000;
	}
	let turns = 0;
	do {
		await (turns === 0 ? poller.publish() : poller.poll());
		// A list that gets shorter for ever, and repeats its last page behind its end, shows no end.
		if (scene.goes === 'a row' && turns < 5) list.rows = list.rows.slice(1);
	} while (poller.memory.includes('"sweep"') && turns++ < 20);
	list.takes = 1;
	list.rows = [{ id: 'new', company_name: 'New' }, ...list.rows];
	const news = (await poller.poll())?.map(({ id }) => id);
	const counts = scene.announces.startsWith('count') && scene.announces.endsWith(LESS);
	const isTold = poller.warnings.some((text) => text.includes('announced 10 rows more'));
	return [
		news?.join() === 'new' ? '' : `reported as new: ${String(news)}`,
		counts && !isTold ? `nobody is told of 10 rows: ${poller.warnings.join()}` : '',
	];
}

test('each two of them: all rows once, and what is missing is told', async () => {
	const problems: string[] = [];
	for (const seed of seedsOf(1, 3)) {
		for (const scene of scenesOf(features, seed)) {
			const list: List = { rows: numbered(Number(scene.rows)), takes: 1 };
			serve(scene, list);
			const act = scene['read by'].includes('poll') ? poll : read;
			const found = await act(scene, list).catch((error: Error) => [error.message]);
			const told = found.filter(Boolean).join('; ');
			if (told) problems.push(`seed ${seed} ${JSON.stringify(scene)}: ${told}`);
		}
	}
	expect(problems).toEqual([]);
});
