// Executions that go on where n8n begins anew, or that n8n takes for ended: nothing is sent twice, and nothing that
// wasn't sent comes out as sent.
import { type INodeExecutionData, type ITaskData } from 'n8n-workflow';
import { wait } from '../wait.cts';
import { begun } from './host/chargeRuns.cts';
import { answerCharges, customersCharged } from './host/charges.cts';
import { ownNode, runWorkflow, sourceOf, type RunOptions } from './host/host.cts';
import { clearStore, crashPoint, store } from './host/keyStore.cts';
import { byId, run as runWith } from './host/run.cts';
import { packageNodes } from './host/package.cts';
import { retryOnFail } from './host/tool.cts';
import { Service, type Reply } from './host/service.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

beforeEach(clearStore);

let runs = 0;

/** With a key of its own for each run: a pause that one was asked for must not hold up the next. */
const credential = () => ({ ...service.credential, apiKey: `key-of-run-${++runs}` });

const services = { service: [{ name: 'Setup', amount: 10 }] };

/** Those that were throttled are retried, which counts once. */
const sent = () => [...new Set(customersCharged(service))];

const behave = (odd?: Parameters<typeof answerCharges>[1]) => answerCharges(service, odd);

type Workflow = Parameters<typeof runWorkflow>[0];

/** Runs Source -> the nodes between -> a charge, whose output goes to `last`. */
async function chained(
	{ types, node = 'platformCustomers', parameters, settings, last }: ChainOptions,
	more: Partial<Workflow>,
) {
	const between = Object.keys(types).filter((name) => name !== 'source');
	const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	const names = ['Source', ...between, 'Node'];
	const connections = Object.fromEntries(
		names.slice(0, -1).map((name, at) => [name, { main: [to(names[at + 1])] }]),
	);
	const run = await runWorkflow({
		nodes: [
			{ ...common, id: 'source', name: 'Source', type: 'source' },
			...between.map((name) => ({ ...common, id: name, name, type: name })),
			nodeOf(node, { resource: 'charge', operation: 'create', services, ...parameters } as never, {
				id: 'charge',
				...settings,
			}),
		],
		connections: {
			...connections,
			...(last && { Node: { main: last.map((name) => (name === '' ? [] : to(name))) } }),
		},
		types: { ...packageNodes(), ...types },
		credential: credential(),
		start: 'Source',
		...more,
	});
	const tasks = run.data.resultData.runData.Node ?? [];
	return {
		error: (tasks.at(-1)?.error ?? run.data.resultData.error)?.message,
		outputs: tasks.map((task) =>
			task.data?.main.map((items) =>
				items?.map(({ json }) => json.error ?? json.id ?? json.skipped ?? json),
			),
		),
	};
}

interface ChainOptions {
	types: NonNullable<Workflow['types']>;
	/** Default: the one that charges. */
	node?: string;
	parameters: object;
	settings?: object;
	/** The node that each output leads to, empty for none. */
	last?: string[];
}

/** The node before gives the same JSON for each item, as one that sends an email does. */
const alike = ownNode('alike', async function () {
	const items = this.getInputData().map((_item, item) => ({
		json: { ok: true },
		pairedItem: { item },
	}));
	return await Promise.resolve([items]);
});

const customersOf = (customers: string[]) =>
	sourceOf(customers.map((customer) => ({ json: { customer } })));

const charged = async (customers: string[], more: Partial<Workflow>) =>
	await chained(
		{
			types: { source: customersOf(customers), alike },
			parameters: { customerId: byId("={{ $('Source').item.json.customer }}") },
		},
		more,
	);

/** A signal to cancel the execution, some time after it was asked for. */
function cancelSoon() {
	let cancel = () => {};
	const cancelAfter = new Promise<void>((resolve) => (cancel = resolve));
	const reply = async (answer: Reply): Promise<Reply> => {
		setTimeout(cancel, 200);
		return await Promise.resolve(answer);
	};
	return { cancelAfter, reply };
}

const tooMany: Reply = {
	status: 429,
	headers: { 'retry-after': '20' },
	body: { error: 'Too many' },
};

describe('the form takes its values from an earlier node, and all items are alike', () => {
	test('after a cancel, the records come in another order', async () => {
		const { cancelAfter, reply } = cancelSoon();
		behave({ B: async () => await reply(tooMany) });
		await charged(['A', 'B'], { mode: 'webhook', cancelAfter });
		expect(sent()).toEqual(['A', 'B']);
		behave();
		const other = await charged(['B', 'A'], { mode: 'retry' });
		expect([sent(), other.error]).toEqual([[], expect.stringContaining('had other items')]);
		const same = await charged(['A', 'B'], { mode: 'retry' });
		expect([sent(), same.error]).toEqual([['B'], undefined]);
	});

	test('after a crash in a later node, there is another record', async () => {
		behave();
		await charged(['A', 'B'], { mode: 'webhook' });
		expect(sent()).toEqual(['A', 'B']);
		const other = await charged(['New', 'A'], { mode: 'retry' });
		expect([sent(), other.error]).toEqual([[], expect.stringContaining('had other items')]);
		const same = await charged(['A', 'B'], { mode: 'retry' });
		expect([sent(), same.outputs]).toEqual([[], [[[true, true]]]]);
	});

	const looped = async (
		customers: string[],
		{ parameters = {}, onRound = () => {}, ...more }: LoopOptions,
	) => {
		const all = customers.map((customer) => ({ json: { customer } }));
		const loop = ownNode('loop', async () => await Promise.resolve([all.splice(0, 1)]));
		const round = ownNode('round', async () => {
			onRound(all.length);
			return await Promise.resolve([[{ json: { ok: true }, pairedItem: { item: 0 } }]]);
		});
		return await chained(
			{
				types: { source: sourceOf([{ json: {} }]), loop, round },
				parameters: { customerId: byId("={{ $('loop').item.json.customer }}"), ...parameters },
				settings: { onError: 'continueRegularOutput' },
				last: ['loop'],
			},
			more,
		);
	};

	interface LoopOptions extends Partial<Workflow> {
		parameters?: object;
		onRound?: (left: number) => void;
	}

	test('a round of a loop that is refused at once counts as a round', async () => {
		behave();
		const maxItems = "={{ $('loop').item.json.customer === 'A' ? 'none' : 100 }}";
		const parameters = { safetyLimits: { maxItems } };
		await looped(['A', 'B', 'C'], { mode: 'webhook', parameters });
		expect(sent()).toEqual(['B', 'C']);
		await looped(['A', 'B', 'C'], { mode: 'retry' });
		expect(sent()).toEqual(['A']);
	});

	test('after a round of a Retry whose store fails, none is sent that has left no mark', async () => {
		behave();
		await looped(['A', 'B'], { mode: 'webhook' });
		expect(sent()).toEqual(['A', 'B']);
		const locked = () => {
			throw new Error('database is locked');
		};
		const onRound = (left: number) => (store.fault = left === 2 ? locked : undefined);
		const { outputs } = await looped(['A', 'B', 'C'], { mode: 'retry', onRound });
		expect(sent()).toEqual([]);
		expect(outputs.at(-1)).toEqual([[expect.stringContaining('or one was refused now')]]);
	});

	test('a total holds for rounds that went through before', async () => {
		behave();
		const parameters = { safetyLimits: { maxTotal: 30 } };
		await looped(['A', 'B', 'C'], { mode: 'webhook', parameters });
		expect(sent()).toEqual(['A', 'B', 'C']);
		const again = await looped(['A', 'B', 'C', 'D'], { mode: 'retry', parameters });
		expect(sent()).toEqual([]);
		expect(again.outputs.at(-1)).toEqual([
			[expect.stringContaining('the total of 4 items is 40.00')],
		]);
	});
});

const orders = ['cus-0', 'cus-1', 'cus-2'].map((customer) => ({ customer }));

async function chargedBy(more: Partial<RunOptions>, items = orders, parameters = {}) {
	const api = { baseUrl: service.baseUrl, key: `key-of-run-${++runs}` };
	const form = { customerId: byId('={{ $json.customer }}'), services, ...parameters };
	return await runWith(api, 'platformCustomers', 'charge.create', form, { items, ...more });
}

const idsOf = ({ items }: { items: INodeExecutionData[] }) =>
	items.map(({ json }) => json.id ?? json.error ?? json.skipped);

describe('an execution that n8n takes for ended while it goes on', () => {
	test('sends nothing, if its Retry has come to the node first', async () => {
		behave();
		await chargedBy({ retryOf: begun() });
		expect(sent()).toHaveLength(3);
		const own = await chargedBy({ mode: 'webhook', retryOf: begun() });
		expect([sent(), own.error?.message]).toEqual([[], expect.stringContaining('another Retry')]);
	});

	test('another one that began in the same millisecond is not taken for it', async () => {
		behave();
		await chargedBy({ mode: 'webhook', retryOf: begun() });
		await chargedBy({ mode: 'webhook', retryOf: begun() }, [{ customer: 'cus-9' }]);
		expect(sent()).toEqual(['cus-0', 'cus-1', 'cus-2', 'cus-9']);
	});

	test('a second try after the cancel changes nothing that a Retry has done', async () => {
		const { cancelAfter, reply } = cancelSoon();
		behave({ 'cus-0': async () => await reply(tooMany) });
		const settings = { ...retryOnFail, waitBetweenTries: 1500, maxTries: 2 };
		const [one] = orders;
		const first = chargedBy({ mode: 'webhook', retryOf: begun(), cancelAfter, settings }, [one]);
		await cancelAfter;
		await wait(300);
		expect(sent()).toEqual(['cus-0']);
		behave();
		await chargedBy({ retryOf: begun() }, [one]);
		expect(sent()).toEqual(['cus-0']);
		await first;
		await chargedBy({ retryOf: begun() }, [one]);
		expect(sent()).toEqual([]);
	});
});

const refused: Reply = { status: 422, body: { error: 'Declined' } };

const onceRefused = () => {
	let tries = 0;
	return () => (++tries === 1 ? refused : { body: { id: 'ch-cus-0' } });
};

describe('a Retry knows its items', () => {
	test('by the form that it has sent them with, if a person has corrected that', async () => {
		behave({ 'cus-1': () => refused });
		const first = await chargedBy({ mode: 'webhook', retryOf: begun() });
		expect(sent()).toEqual(['cus-0', 'cus-1']);
		behave();
		const other = { services: { service: [{ name: 'Setup', amount: 11 }] } };
		const again = async () => await chargedBy({ retryOf: first.run }, orders, other);
		expect([(await again()).error, sent()]).toEqual([undefined, ['cus-1', 'cus-2']]);
		// The execution was cut off in a later node.
		const second = await again();
		expect([second.error, sent(), second.items.length]).toEqual([undefined, [], 3]);
	});

	test('between the tries of Retry On Fail, also by a field that differs each time', async () => {
		behave({ 'cus-0': onceRefused() });
		const settings = { ...retryOnFail, onError: 'continueRegularOutput' as const };
		const name = '={{ Math.random() }}';
		const { items } = await chargedBy({ retryOf: begun(), settings }, orders, {
			services: { service: [{ name, amount: 10 }] },
		});
		expect(idsOf({ items })).toEqual(['ch-cus-0', 'ch-cus-1', 'ch-cus-2']);
	});

	test('with a key that is new in it, and calls that no other value', async () => {
		behave();
		await chargedBy({ mode: 'webhook', retryOf: begun() });
		expect(sent()).toHaveLength(3);
		const again = await chargedBy({ retryOf: begun() }, orders, {
			idempotencyKey: '={{ $json.customer }}',
		});
		const { hints } = again;
		expect([sent(), hints.join()]).toEqual([[], expect.not.stringContaining('other values')]);
	});
});

test('a Retry with nothing to send needs no number of what was sent', async () => {
	let isGone = false;
	service.behave(({ method }) => {
		if (method !== 'GET')
			return { body: { newsletter_id: 'n', status: 'queued', queued_recipients: 3 } };
		return isGone ? { status: 404, body: {} } : { body: { newsletter: { total_recipients: 3 } } };
	});
	const queue = async (mode: 'webhook' | 'retry') =>
		await runWith(
			service,
			'platformNewsletters',
			'newsletter.queue',
			{ newsletterId: byId('={{ $json.customer }}'), safetyLimits: { maxTotal: 30 } },
			{ items: orders, retryOf: begun(), mode },
		);
	expect((await queue('webhook')).error).toBeUndefined();
	isGone = true;
	const again = await queue('retry');
	expect([again.error, again.items.length]).toEqual([undefined, 3]);
});

test('a crash of a big run is refused with few calls of the store, and holds n8n up for no second', async () => {
	let back = () => {};
	behave({ 'cus-0': () => ((back = crashPoint()), refused) });
	const many = [...new Array(4000).keys()].map((index) => ({ customer: `cus-${index}` }));
	await chargedBy({ mode: 'webhook', retryOf: begun() }, many);
	back();
	store.calls = 0;
	const { error } = await chargedBy({ retryOf: begun() }, many);
	expect([error?.message, store.calls < 10]).toEqual([expect.stringContaining('cut off'), true]);
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'a cancel with %s: the items that were left out go on as errors, not as they came in',
	async (onError) => {
		const { cancelAfter, reply } = cancelSoon();
		behave({
			'cus-1': async () => {
				await reply({});
				return await new Promise(() => {});
			},
		});
		const then = '{{ $json.id ?? $json.error ?? $json.customer }}';
		const first = await chargedBy({ cancelAfter, settings: { onError }, then });
		expect(sent()).toEqual(['cus-0', 'cus-1']);
		const [output] = first.run.data.executionData?.nodeExecutionStack ?? [];
		const errors = [
			'The execution was canceled. It may have gone through.',
			'The execution was canceled.',
		];
		expect(output.data.main[0]?.map(({ json }) => json.id ?? json.error)).toEqual(
			onError === 'continueErrorOutput' ? ['ch-cus-0'] : ['ch-cus-0', ...errors],
		);
	},
);

test('an item in doubt is not sent again where the error output leads back to the node', async () => {
	behave({ A: () => ({ status: 504, body: 'Gateway timeout' }) });
	let rounds = 0;
	const again = ownNode('again', async function () {
		return await Promise.resolve([++rounds < 4 ? this.getInputData() : []]);
	});
	const { outputs } = await chained(
		{
			types: { source: customersOf(['A', 'B']), again },
			parameters: { customerId: byId('={{ $json.customer }}') },
			settings: { onError: 'continueErrorOutput' },
			last: ['', 'again'],
		},
		{ mode: 'webhook' },
	);
	expect(customersCharged(service).filter((customer) => customer === 'A')).toHaveLength(1);
	expect(outputs).toHaveLength(3);
	expect(outputs.at(-1)?.[1]).toEqual([expect.stringContaining('The same request may have gone')]);
});

test('a check of a person is made again there', async () => {
	const answers: Reply[] = [
		{ status: 504, body: 'Gateway timeout' },
		{ body: { decision: 'allow' } },
	];
	service.behave(() => answers.shift());
	let rounds = 0;
	const again = ownNode('again', async function () {
		return await Promise.resolve([++rounds < 4 ? this.getInputData() : []]);
	});
	const form = {
		resource: 'risk',
		operation: 'assessSession',
		sentinelId: 's1',
		ip: '1.2.3.4',
		userAgent: 'x',
	};
	await chained(
		{
			types: { source: sourceOf([{ json: {} }]), again },
			node: 'platformIdentity',
			parameters: form,
			settings: { onError: 'continueErrorOutput' },
			last: ['', 'again'],
		},
		{ mode: 'webhook' },
	);
	expect(answers).toEqual([]);
});

test('Keep New passes its own again after a crash, also with the runs that n8n adds', async () => {
	const keep = async (more: Partial<RunOptions>) =>
		await runWith(
			service,
			'platformWebhooks',
			'delivery.keepNew',
			{ key: '={{ $json.id }}', options: {} },
			{ items: [{ id: 'a' }], ...more },
		);
	const first = await keep({ mode: 'webhook', retryOf: begun() });
	expect(first.items).toHaveLength(1);
	// As n8n's recovery leaves it: each node that had begun has a run.
	const added = {
		startTime: 1,
		executionIndex: 0,
		executionTime: 1,
		source: [null],
		executionStatus: 'success',
		data: { main: [[{ json: { isArtificialRecoveredEventItem: true } }]] },
	} as unknown as ITaskData;
	const again = await keep({ retryOf: begun({ Source: [added], Node: [added], Later: [] }) });
	const { Node: tasks } = again.run.data.resultData.runData;
	expect(tasks.at(-1)?.data?.main[0]?.map(({ json }) => json)).toEqual([{ id: 'a' }]);
});
