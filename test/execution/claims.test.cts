// Where n8n or its store fails, and an execution is run again: what a claim, a key and the ledger tell of its items.
import type { IDataObject, INodeType, IRun } from 'n8n-workflow';
import { KeyStore } from '../../dist/nodes/engine/run/keyStore.js';
import { Milestones } from '../../dist/nodes/engine/run/milestones.js';
import { bothSides } from '../constants.cts';
import { shareOf } from '../share.cts';
import { wait } from '../wait.cts';
import { begun, World, type Fate, type Fault, type Scene } from './host/again.cts';
import { answerCharges, customersCharged, lost, refused } from './host/charges.cts';
import { ownNode, runWorkflow } from './host/host.cts';
import {
	clearStore,
	crashPoint,
	lockStore,
	store,
	storeContext,
	storedCount,
} from './host/keyStore.cts';
import { packageNodes } from './host/package.cts';
import { byId } from './host/run.cts';
import { Service, type Reply } from './host/service.cts';
import { plain as plainScene, plainAgain, Story } from './host/story.cts';
import { runTools } from './host/tool.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

beforeEach(clearStore);

const key = '={{ $json.order }}';

const plain: Scene = { ...plainScene, customers: [0, 1, 2, 3] };

const worldOf = (scene: Partial<Scene>) => new World(service, { ...plain, ...scene });

const timesOf = ({ applied }: World) => Math.max(...applied.values());

/** An execution whose node gets these lists, one after the other. With `back`, its error output leads to that one, and back. */
async function runs(
	lists: IDataObject[][],
	form: object,
	settings: object = {},
	{
		back,
		...more
	}: {
		retryOf?: IRun;
		mode?: 'retry' | 'webhook';
		cancelAfter?: Promise<void>;
		back?: INodeType;
	} = {},
): Promise<IRun> {
	const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	const source = ownNode(
		'Source',
		async () => await Promise.resolve(lists.map((list) => list.map((json) => ({ json })))),
		[],
	);
	return await runWorkflow({
		nodes: [
			{ ...common, id: 'source', name: 'Source', type: 'source' },
			...(back ? [{ ...common, id: 'back', name: 'Back', type: 'back' }] : []),
			nodeOf('platformCustomers', form as never, { id: 'node', ...settings }),
		],
		connections: {
			Source: { main: lists.map(() => to('Node')) },
			...(back && { Node: { main: [[], to('Back')] }, Back: { main: [to('Node')] } }),
		},
		types: { ...packageNodes(), source, ...(back && { back }) },
		credential: service.credential,
		start: 'Source',
		...more,
	});
}

const messageOf = ({ data }: IRun) => data.resultData.error?.message ?? '';

/** JSON of all items that came out, without those of an error output. */
const outputOf = ({ data }: IRun) =>
	data.resultData.runData.Node.flatMap((run) => run.data?.main[0] ?? []).map(({ json }) => json);

const charge = {
	resource: 'charge',
	operation: 'create',
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] },
};

const orders = (...customers: string[]) =>
	customers.map((customer) => ({ customer, amount: 10, order: `of ${customer}` }));

const storeFault = (at: number, how: Fault['how']): Fault => ({ of: 'store', at, how });

/** Calls of the store in a Retry. */
const calls = [1, 2, 3, 4, 5, 6, 7];

test.each([
	...calls.flatMap((at) => [
		['declined', 'loses', at] as const,
		['declined', 'fails', at] as const,
		// What a look has left proves nothing to any other.
		['stalls', 'killed', at] as const,
	]),
])(
	"after a charge that was %s, n8n's store %s in call %d of the Retry: nothing that was not sent comes out as sent",
	async (fate, how, at) => {
		const again = [
			{ ...plainAgain, fault: storeFault(at, how) },
			{ ...plainAgain, of: 'first' as const, isElsewhere: true },
		];
		const fates: Fate[] = ['applied', 'applied', fate];
		const story = new Story(service, { ...plain, fates, again });
		await story.play();
		await story.follow();
		expect(timesOf(story.world)).toBe(1);
	},
);

test.each([
	['of an execution after an error', { fates: ['applied', 'declined'] }, undefined],
	['of one that was killed before it had claimed anything', {}, storeFault(1, 'killed')],
] as Array<[string, Partial<Scene>, Fault?]>)(
	'two Retries at once %s: one is refused',
	async (_what, scene, fault) => {
		const world = worldOf(scene);
		const first = await world.execute({ fault });
		const retry = async () => await world.execute({ retried: first });
		const ends = await Promise.all([retry(), retry()]);
		expect(ends.map(({ error }) => error)).toEqual([
			undefined,
			expect.stringContaining('was retried before'),
		]);
		expect([...world.applied.values()]).toEqual([1, 1, 1, 1]);
	},
);

test('a Retry goes on, although n8n was killed in a Retry of an execution before it', async () => {
	const world = worldOf({ fates: ['applied', 'declined'] });
	const first = await world.execute({});
	const failed = await world.execute({
		retried: first,
		fault: { of: 'request', at: 1, how: 'fails' },
	});
	// It leaves what it has looked up.
	await world.execute({ retried: first, fault: storeFault(2, 'killed') });
	const last = await world.execute({ retried: failed });
	expect([failed.error, last.error]).toEqual([expect.stringContaining('Declined'), undefined]);
	expect([...world.applied.values()]).toEqual([1, 1, 1, 1]);
});

describe('Create or Update by email, whose email is not in the body', () => {
	const upsert = {
		resource: 'customer',
		operation: 'upsert',
		matchBy: 'email',
		email: '={{ $json.email }}',
		fields: { companyName: 'C' },
	};
	const people = (...names: string[]) => names.map((name) => ({ email: `${name}@example.com` }));

	test('one in doubt makes no doubt of the others in the next round', async () => {
		let posts = 0;
		service.behave(({ method }) => {
			if (method === 'GET') return { body: { count: 0, elements: [] } };
			return ++posts === 2 ? lost : { body: { customer: { id: `cus-${posts}` } } };
		});
		const lists = [people('a', 'b'), people('c'), people('d')];
		const run = await runs(lists, upsert, { onError: 'continueRegularOutput' });
		expect(outputOf(run).map(({ error }) => error === undefined)).toEqual([
			...[true, false, true, true],
		]);
		expect(posts).toBe(4);
	});

	test('other emails in the Retry of a run that was done are other customers', async () => {
		service.behave(({ method }) => ({
			body: method === 'GET' ? { count: 0, elements: [] } : { customer: { id: 'cus' } },
		}));
		await runs([people('a', 'b')], upsert, {}, { retryOf: begun() });
		service.sent('POST');
		const retry = await runs([people('c', 'd')], upsert, {}, { retryOf: begun() });
		expect([outputOf(retry), messageOf(retry)]).toEqual([
			[],
			expect.stringContaining('nothing was sent'),
		]);
	});
});

describe('a key', () => {
	/** The form before, that of the Retry, who is charged then, and what it says. */
	const keyed = { ...charge, idempotencyKey: key };
	test.each([
		['that is new', charge, keyed, [], 'as of a sub-workflow, so nothing was sent'],
		['that is not there', charge, charge, [], 'as of a sub-workflow, so nothing was sent'],
		['that was there', keyed, keyed, ['cus-2', 'cus-3'], ''],
	])(
		'%s in the Retry of a sub-workflow, of which n8n knows no beginning: only keys prove what was sent',
		async (_what, before, form, sent, message) => {
			answerCharges(service, { 'cus-2': refused });
			const items = orders('cus-1', 'cus-2', 'cus-3');
			await runs([items], before);
			answerCharges(service);
			const retryOf = begun();
			delete retryOf.data.executionData?.runtimeData;
			const retry = await runs([items], form, {}, { retryOf });
			expect([customersCharged(service), messageOf(retry)]).toEqual([
				sent,
				expect.stringContaining(message),
			]);
		},
	);

	test.each([
		['another credential', { credential: '2' }],
		['another operation', { isOtherOperation: true }],
	])('with %s proves nothing of a run that was killed', async (_what, form) => {
		const world = worldOf({ isKeyed: true, fates: ['applied', 'applied', 'stalls'] });
		const first = await world.execute({});
		const retry = await world.execute({ retried: first, form: { key, ...form } });
		expect([...world.applied.values()]).toEqual([1, 1, 1]);
		expect(retry.error).toContain('so nothing was sent');
	});

	test('lets no limit be passed over an execution and its Retry', async () => {
		const world = worldOf({ shape: 'a loop', isKeyed: true, fates: ['applied', 'stalls'] });
		const form = { key, more: { safetyLimits: { maxTotal: 20 } } };
		const first = await world.execute({ form });
		const retry = await world.execute({ retried: first, form });
		expect([...world.applied.values()]).toEqual([1, 1]);
		expect(retry.error).toContain('Max Total is 20.00');
	});

	test('lets no limit be passed by Retries with other customers, of which nothing tells what was sent', async () => {
		const world = worldOf({ isKeyed: true, customers: [0, 1], fates: ['applied', 'stalls'] });
		const form = { key, more: { safetyLimits: { maxTotal: 20 } } };
		const first = await world.execute({ form });
		const others = ['cus-8', 'cus-9'].map((customer) => ({ customer, order: `of ${customer}` }));
		for (const items of [others, others.slice(0, 1)]) {
			const { error } = await world.execute({ retried: first, form, items });
			expect(error).toContain('with another list, Idempotency Key or Safety Limit');
		}
		// The same list goes on, and its keys tell the rest.
		const { error } = await world.execute({ retried: first, form });
		expect(error).toBeUndefined();
		expect([...world.applied]).toEqual([
			['cus-0', 1],
			['cus-1', 1],
		]);
	});

	test('and items that other executions have sent, count for a limit only where the run was cut off', async () => {
		const world = worldOf({ isKeyed: true });
		await world.execute({});
		const form = { key, more: { safetyLimits: { maxItems: 1 } } };
		const second = await world.execute({ form });
		expect([second.error, timesOf(world)]).toEqual([undefined, 1]);
	});

	test('that is removed leaves what it has skipped to a person', async () => {
		// The next keys are recorded while a request is under way, and are in doubt after a crash, too.
		const customers = [0, 1, 2, 3, 4, 5];
		const fates: Scene['fates'] = [
			'stalls',
			'applied',
			'applied',
			'applied',
			'applied',
			'declined',
		];
		const world = worldOf({ isKeyed: true, customers, fates });
		const first = await world.execute({});
		const keyed = await world.execute({ retried: first });
		expect(keyed.error).toContain('Declined');
		const before = new Map(world.applied);
		for (const other of [undefined, "={{ 'v2-' + $json.order }}"]) {
			const retry = await world.execute({ retried: keyed, form: { key: other } });
			expect(retry.error).toMatch(/In doubt: charge .*of 10\.00 for cus-0, row 1 \(item 0\);/);
			expect(world.applied).toEqual(before);
		}
		await world.execute({ retried: keyed });
		expect([world.applied.get('cus-0'), world.applied.get('cus-5')]).toEqual([1, 1]);
	});

	const faults = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14].flatMap((at) => [
		storeFault(at, 'loses'),
		storeFault(at, 'fails'),
	]);

	test.each(shareOf(faults, 5))(
		'that is removed because the store failed in the Retry frees nothing: %j',
		async (fault) => {
			const world = worldOf({ isKeyed: true, fates: ['applied', 'stalls', 'declined'] });
			const first = await world.execute({});
			const failed = await world.execute({ retried: first, fault });
			await world.execute({ retried: failed, form: { key: undefined } });
			expect(timesOf(world)).toBe(1);
		},
	);
});

test("n8n's Retry of an agent leaves the calls of its tools alone that are about somebody else", async () => {
	answerCharges(service, { 'cus-1': lost });
	const tool = {
		node: 'platformCustomers',
		parameters: {
			resource: 'charge',
			operation: 'create',
			customerId: byId("={{ $fromAI('customer') }}"),
			services: { service: [{ name: 'Setup', amount: 10 }] },
		} as never,
	};
	const called = (customer: string) => [[{ node: 'Tool 1', input: { customer } }]];
	let first: IRun | undefined;
	await runTools([tool], service.credential, called('cus-1'), { ended: (run) => (first = run) });
	answerCharges(service);
	customersCharged(service);
	// The agent begins anew.
	const data = structuredClone(first?.data);
	if (data) {
		data.resultData.runData = {};
		const stack = begun().data.executionData?.nodeExecutionStack ?? [];
		Object.assign(data.executionData ?? {}, { nodeExecutionStack: stack });
	}
	const retryOf = { ...first, data } as IRun;
	const [[other]] = await runTools([tool], service.credential, called('cus-2'), { retryOf });
	expect([customersCharged(service), JSON.stringify(other)]).toEqual([
		['cus-2'],
		expect.stringContaining('ch-cus-2'),
	]);
	const [[same]] = await runTools([tool], service.credential, called('cus-1'), { retryOf });
	expect([customersCharged(service), JSON.stringify(same)]).toEqual([
		[],
		expect.stringContaining('may have gone through'),
	]);
});

test('of two executions that began in one millisecond, each has a Retry of its own', async () => {
	answerCharges(service, { 'cus-2': refused });
	const items = [orders('cus-1', 'cus-2', 'cus-3')];
	const twins = [begun(), begun()];
	const ends: IRun[] = [];
	for (const retryOf of twins)
		ends.push(await runs(items, charge, {}, { retryOf, mode: 'webhook' }));
	answerCharges(service);
	customersCharged(service);
	for (const end of ends) {
		expect(messageOf(await runs(items, charge, {}, { retryOf: end }))).toBe('');
		expect(customersCharged(service)).toEqual(['cus-2', 'cus-3']);
	}
	// Where n8n has kept nothing, nothing tells them apart.
	const retry = await runs(items, charge, {}, { retryOf: begun() });
	expect([customersCharged(service), messageOf(retry)]).toEqual([
		[],
		expect.stringContaining('nothing was sent'),
	]);
});

test('n8n is killed while a long loop leaves its first text anew', async () => {
	const world = worldOf({
		shape: 'a loop',
		customers: Array.from({ length: 102 }, (_none, at) => at),
		fates: ['lost, applied'],
		onError: 'continueRegularOutput',
	});
	const crashes: Array<() => void> = [];
	let before = 0;
	store.fault = () => {
		const count = storedCount();
		if (count < before) crashes.push(crashPoint());
		before = count;
	};
	const first = { ...(await world.execute({})), isCut: true };
	store.fault = undefined;
	expect(crashes.length).toBeGreaterThan(1);
	// It leaves it at the end of the fiftieth round.
	for (const restart of crashes.slice(-6)) {
		restart();
		// It stops at the first round.
		await world.execute({ retried: first, form: { onError: 'stopWorkflow' } });
		expect(world.applied.get('cus-0')).toBe(1);
	}
});

describe('a run that is refused before it has claimed anything', () => {
	const limited = { more: { safetyLimits: { maxTotal: 10 } } };
	const TOLD =
		/An earlier execution (may have sent these|has sent) items|may have gone through|Already done/;

	const ways = (['one run', 'a loop'] as const).flatMap((shape) => [
		{ shape, onError: 'stopWorkflow' as const },
		{ shape, onError: 'continueRegularOutput' as const },
	]);

	test.each([
		['a limit', limited, undefined, ways],
		['a field that is wrong now', { amount: 'much' as never }, undefined, ways],
		...[1, 5, 9].map(
			(at, row) =>
				[`n8n's store at ${at}`, {}, storeFault(at, 'fails'), shareOf(ways, 2, row)] as const,
		),
	] as const)(
		'tells that an earlier execution may have sent its items: %s',
		async (_why, form, fault, scenes) => {
			for (const scene of scenes) {
				const fates: Fate[] = ['applied', 'applied', 'applied', 'stalls'];
				const world = worldOf({ ...scene, fates });
				const first = await world.execute({});
				const retry = await world.execute({ retried: first, form, fault });
				expect(timesOf(world)).toBe(1);
				const outputs = retry.runs.flatMap(({ output = [] }) => output);
				for (const text of [retry.error, ...outputs.map(({ error }) => error)]) {
					// What comes out without an error was sent.
					if (text !== undefined) expect(text).toMatch(TOLD);
				}
			}
		},
	);

	test('says nothing of that where nothing was sent', async () => {
		const world = worldOf({});
		const first = await world.execute({ form: limited });
		const retry = await world.execute({ retried: first, form: limited });
		expect([retry.error, world.applied.size]).toEqual([
			expect.stringMatching(/Max Total is 10\.00 .*Nothing was sent\.$/),
			0,
		]);
	});
});

/** An error output leads all items back `most` times at most, with or without their error. */
async function ledBack(
	keepsError: boolean,
	{
		most = 40,
		mode = 'retry',
		form = charge,
		list = orders('cus-1', 'cus-2'),
		cancelAfter,
	}: {
		most?: number;
		mode?: 'retry' | 'webhook';
		form?: object;
		list?: IDataObject[];
		cancelAfter?: Promise<void>;
	} = {},
) {
	let rounds = 0;
	const back = ownNode('Back', async function () {
		const items = this.getInputData().map(({ json: { error, details, ...own } }) => ({
			json: keepsError ? { ...own, error, details } : own,
		}));
		return await Promise.resolve([++rounds < most ? items : []]);
	});
	const settings = { onError: 'continueErrorOutput' };
	const run = await runs([list], form, settings, { retryOf: begun(), mode, back, cancelAfter });
	const { Node } = run.data.resultData.runData;
	const errors = Node.flatMap(({ data }) => data?.main[1] ?? []).map(({ json }) => json.error);
	const hints = Node.map((each) => (each.hints ?? []).map(({ message }) => message).join());
	return { rounds, errors, hints };
}

describe('an error output that leads back to a run that is refused', () => {
	/** An execution whose only run is claimed, with other amounts, and nothing of it is kept. */
	const claimed = async () => {
		answerCharges(service, { 'cus-2': lost });
		const form = { ...charge, services: { service: [{ name: 'Setup', amount: 12 }] } };
		await ledBack(true, { most: 1, mode: 'webhook', form });
		expect(customersCharged(service)).toEqual(['cus-1', 'cus-2']);
		answerCharges(service);
	};

	test.each([
		['with its error', true, 2],
		['without it', false, 12],
	])('ends, and a hint tells it: %s', async (_how, keepsError, most) => {
		await claimed();
		const { rounds, errors, hints } = await ledBack(keepsError);
		expect(customersCharged(service)).toEqual([]);
		expect(rounds).toBeLessThanOrEqual(most);
		expect(errors[0]).toContain('n8n kept nothing of it');
		expect(hints.at(-1)).toContain("2 items came back and can't be sent");
	});

	test('tells each reason, since the first one may say less', async () => {
		await claimed();
		lockStore(5);
		const { errors } = await ledBack(true);
		expect(customersCharged(service)).toEqual([]);
		expect(errors.map(String)).toEqual([
			expect.stringContaining('database is locked'),
			expect.stringContaining('database is locked'),
			expect.stringContaining('An earlier execution has sent items here'),
			expect.stringContaining('An earlier execution has sent items here'),
		]);
	});
});

describe('a run that was cut off goes on where it was', () => {
	const list = (count: number) =>
		orders(...Array.from({ length: count }, (_none, at) => `cus-${at}`));

	/** More than two slices of items that are sent one after the other, and more than one of those side by side. */
	const few = list(60);
	const many = list(105);
	const sideBySide = { ...charge, requests: { maxParallel: 5 } };

	/** The run ends while this customer's charge is on its way. Returns the customers that were charged. */
	async function cutOff(
		at: number,
		how: 'cancelled' | 'killed',
		{
			lists = [few],
			form = charge,
			settings = {},
			odd = {},
			retryOf = begun(),
			mode = 'webhook',
		}: {
			lists?: IDataObject[][];
			form?: object;
			settings?: object;
			odd?: Record<string, Reply>;
			retryOf?: IRun;
			mode?: 'retry' | 'webhook';
		} = {},
	): Promise<string[]> {
		let arrived = () => {};
		const cancelAfter = new Promise<void>((resolve) => (arrived = resolve));
		let restart = () => {};
		answerCharges(service, {
			...odd,
			[`cus-${at}`]: async () => {
				if (how === 'killed') restart = crashPoint();
				arrived();
				return await new Promise(() => {});
			},
		});
		await runs(lists, form, settings, { retryOf, mode, cancelAfter });
		restart();
		const charged = customersCharged(service);
		// What was on the wire when the run ended may come a moment later.
		for (let more = [''], still = 0; still < 3; still += more.length === 0 ? 1 : 0) {
			await wait(50);
			more = customersCharged(service);
			charged.push(...more);
		}
		answerCharges(service);
		return charged;
	}

	const retried = async (form: object, releaseKey?: string, retryOf = begun(), items = few) =>
		await runs([items], { ...form, options: { releaseKey } }, {}, { retryOf });

	const CODE = /enter (run-[\w-]{12}) (\d+)(?:-(\d+))? in the option Release Key/;

	/** The items that a refusal asks for, and what a person answers who knows who was charged. */
	function askedIn(run: IRun, charged: string[]) {
		const [, code, first, last = first] = CODE.exec(messageOf(run)) ?? [];
		const [from, to] = [Number(first), Number(last)];
		const inDoubt = Array.from({ length: to - from + 1 }, (_none, at) => from + at);
		const went = (at: number) => charged.includes(`cus-${at}`);
		const unsent = inDoubt.filter((at) => !went(at)).join(' ');
		return { from, to, answer: `${code} ${unsent} sent ${inDoubt.filter(went).join(' ')}` };
	}

	/** All customers were charged, each once. */
	function expectAll(charged: string[], items = few): void {
		expect(new Set(charged).size).toBe(items.length);
		expect(charged).toHaveLength(items.length);
	}

	const CUT = 40;

	const serial = { form: charge, items: few };
	const parallel = { form: sideBySide, items: many };

	/** With the most items that are between the first one in doubt and the last one, with On Error: Stop and Continue. */
	const cuts = [
		{ title: 'one after the other', how: 'cancelled' as const, ...serial, most: [0, 0] },
		{ title: 'one after the other', how: 'killed' as const, ...serial, most: [37, 37] },
		{ title: 'side by side', how: 'cancelled' as const, ...parallel, most: [5, 9] },
		{ title: 'side by side', how: 'killed' as const, ...parallel, most: [104, 104] },
	];

	test.each(cuts)('$title, $how', async ({ how, form, items, most: [most] }) => {
		const charged = await cutOff(CUT, how, { form, lists: [items] });
		const asking = await retried(form, undefined, begun(), items);
		expect(customersCharged(service)).toEqual([]);
		const { from, to, answer } = askedIn(asking, charged);
		expect(to - from).toBeLessThanOrEqual(most);
		expect(from).toBeLessThanOrEqual(CUT);
		expect(to).toBeGreaterThanOrEqual(CUT);
		const retry = await retried(form, answer, begun(), items);
		expect([messageOf(retry), outputOf(retry).length]).toEqual(['', items.length]);
		expectAll([...charged, ...customersCharged(service)], items);
		// And is done now.
		await retried(form, undefined, begun(), items);
		expect(customersCharged(service)).toEqual([]);
	});

	describe('with On Error: Continue', () => {
		const settings = { onError: 'continueRegularOutput' };
		const odd = { 'cus-3': refused, 'cus-10': lost, 'cus-20': refused, 'cus-39': refused };
		const isFailed = (at: number) => Object.hasOwn(odd, `cus-${at}`);

		test.each(cuts)(
			'$title, $how: a Retry leaves out what failed, and sends the rest',
			async ({ how, form, items, most: [, most] }) => {
				const goOn = async () => await runs([items], form, settings, { retryOf: begun() });
				const first = await cutOff(CUT, how, { form, settings, odd, lists: [items] });
				const output = outputOf(await goOn());
				const charged = [...first, ...customersCharged(service)];
				expect(output).toHaveLength(items.length);
				// Nothing twice, and nothing comes out as sent that wasn't.
				expect(new Set(charged).size).toBe(charged.length);
				const errors = output.flatMap(({ error }, at) => (error === undefined ? [] : [at]));
				const unsent = items.flatMap(({ customer }, at) => (charged.includes(customer) ? [] : at));
				expect(unsent.filter((at) => !errors.includes(at))).toEqual([]);
				const failed = items.flatMap((_item, at) => (isFailed(at) ? at : []));
				expect(errors).toEqual(expect.arrayContaining(failed));
				for (const at of errors) expect(output[at].error).toContain('may have gone through');
				const doubts = errors.filter((at) => !isFailed(at));
				expect(doubts).toContain(CUT);
				expect(Math.max(...doubts) - Math.min(...doubts)).toBeLessThanOrEqual(most);
				// Another Retry knows all that.
				expect(outputOf(await goOn()).map(({ error }) => error !== undefined)).toEqual(
					output.map(({ error }) => error !== undefined),
				);
				expect(customersCharged(service)).toEqual([]);
			},
		);

		test('runs that had failed items are gone on with, too, where others have followed', async () => {
			// n8n begins with the last branch.
			const lists = [orders('cus-5', 'cus-6'), orders('cus-3', 'cus-4'), orders('cus-1', 'cus-2')];
			const declined = { 'cus-1': refused, 'cus-4': refused };
			const first = await cutOff(5, 'cancelled', { lists, settings, odd: declined });
			expect(first).toEqual(['cus-1', 'cus-2', 'cus-3', 'cus-4', 'cus-5']);
			const retry = await runs(lists, charge, settings, { retryOf: begun() });
			expect(customersCharged(service)).toEqual(['cus-6']);
			const errors = outputOf(retry).map(({ error }) => error !== undefined);
			expect(errors).toEqual([true, false, false, true, true, false]);
		});

		test.each([
			['some have failed', settings, {}, odd],
			['none has failed', settings, {}, {}],
			['it stopped at errors', {}, settings, {}],
		])('another On Error is another run: %s', async (_what, before, now, declined) => {
			await cutOff(CUT, 'cancelled', { settings: before, odd: declined });
			const retry = await runs([few], charge, now, { retryOf: begun() });
			const said = messageOf(retry) || String(outputOf(retry)[0].error);
			expect(said).toContain('n8n kept nothing of it');
			expect(customersCharged(service)).toEqual([]);
		});

		bothSides('engine/run/milestones FAILED', async (count, isWithin) => {
			const run = () => {
				const keys = new KeyStore(storeContext(), 40_000);
				return new Milestones(keys, 'run', { slice: 25, size: count + 60 });
			};
			const failed = Array.from({ length: count }, (_none, at) => at);
			const first = run();
			for (let settled = 0; settled < count + 25; settled += 25) {
				await first.take({ settled: Math.min(settled, count), failed: failed.slice(0, settled) });
			}
			expect((await run().find(true))?.failed.length).toBe(isWithin ? count : undefined);
		});
	});

	test('cut off again and again, each Retry goes on from the one before', async () => {
		const charged = await cutOff(10, 'cancelled');
		for (const [at, how] of [
			[30, 'killed'],
			[45, 'cancelled'],
			[few.length - 1, 'killed'],
		] as const) {
			const { answer: releaseKey } = askedIn(await retried(charge), charged);
			const form = { ...charge, options: { releaseKey } };
			charged.push(...(await cutOff(at, how, { form, mode: 'retry' })));
		}
		expectAll(charged);
	});

	/** Runs while an execution, which n8n takes for ended, waits for the response to the eleventh charge. Ends once it's over. */
	async function whileHeld<T>(first: () => Promise<T>, meanwhile: () => Promise<void>): Promise<T> {
		let arrive = () => {};
		const hasArrived = new Promise<void>((resolve) => (arrive = resolve));
		let goOn = () => {};
		const held = new Promise<void>((resolve) => (goOn = resolve));
		answerCharges(service, {
			'cus-10': async () => {
				arrive();
				await held;
				return undefined;
			},
		});
		const run = first();
		await hasArrived;
		await meanwhile();
		goOn();
		return await run;
	}

	test('a run that n8n took for ended stops where its Retry has gone on', async () => {
		const charged: string[] = [];
		let last = 0;
		const first = async () => await runs([few], charge, {}, { retryOf: begun(), mode: 'webhook' });
		const stopped = await whileHeld(first, async () => {
			const asking = await retried(charge);
			charged.push(...customersCharged(service));
			const { to, answer } = askedIn(asking, charged);
			last = to;
			await retried(charge, answer);
		});
		expect(messageOf(stopped)).toContain('was retried before');
		charged.push(...customersCharged(service));
		// What the person said of the slice on its way is the person's. Nothing after it is sent twice.
		const after = charged.filter((each) => Number(each.slice(4)) > last);
		expect(new Set(after).size).toBe(after.length);
		expect(after).toHaveLength(few.length - last - 1);
	});

	describe('an error output leads nothing back', () => {
		test('with which a Retry has gone on', async () => {
			const first = async () => await ledBack(false, { list: few, mode: 'webhook' });
			await whileHeld(first, async () => void (await ledBack(false, { list: few })));
			expectAll(customersCharged(service));
		});

		test('with which another Retry goes on at the same time', async () => {
			const settings = { onError: 'continueErrorOutput' };
			const charged = await cutOff(10, 'killed', { settings });
			const retry = async () => await ledBack(false, { list: few });
			await Promise.all([retry(), retry()]);
			charged.push(...customersCharged(service));
			expect(charged).toHaveLength(new Set(charged).size);
		});
	});

	test('two Retries at once: one goes on, the other is refused', async () => {
		const charged = await cutOff(CUT, 'cancelled');
		const { answer } = askedIn(await retried(charge), charged);
		const ends = await Promise.all([retried(charge, answer), retried(charge, answer)]);
		expect(ends.map(messageOf).sort()).toEqual(['', expect.stringContaining('was retried before')]);
		expectAll([...charged, ...customersCharged(service)]);
	});

	/** An execution that ends with an error at an item, and the customers that it has charged. */
	async function failedAt(at: number): Promise<{ failed: IRun; charged: string[] }> {
		answerCharges(service, { [`cus-${at}`]: refused });
		const failed = await runs([few], charge, {}, { retryOf: begun(), mode: 'webhook' });
		return { failed, charged: customersCharged(service).filter((each) => each !== `cus-${at}`) };
	}

	test.each(['cancelled', 'killed'] as const)(
		'after an error, a Retry that was %s: the next one goes on from there, and then all is done',
		async (how) => {
			const { failed, charged } = await failedAt(10);
			charged.push(...(await cutOff(40, how, { retryOf: failed, mode: 'retry' })));
			// Of a Retry that was cut off, n8n has what the first execution had.
			const asking = await retried(charge, undefined, failed);
			expect(customersCharged(service)).toEqual([]);
			const { from, to, answer } = askedIn(asking, charged);
			expect(from).toBeGreaterThan(10);
			expect(to - from).toBeLessThanOrEqual(how === 'killed' ? 37 : 0);
			await retried(charge, answer, failed);
			expectAll([...charged, ...customersCharged(service)]);
			const last = await retried(charge, undefined, failed);
			expect([messageOf(last), outputOf(last).length]).toEqual(['', few.length]);
			expect(customersCharged(service)).toEqual([]);
		},
	);

	test('after an error, with other amounts: nobody goes on with the old ones', async () => {
		const { failed, charged } = await failedAt(10);
		const other = { ...charge, services: { service: [{ name: 'Setup', amount: 12 }] } };
		answerCharges(service, { 'cus-40': refused });
		await retried(other, undefined, failed);
		charged.push(...customersCharged(service).filter((each) => each !== 'cus-40'));
		answerCharges(service);
		for (const retryOf of [failed, begun()]) {
			expect(messageOf(await retried(charge, undefined, retryOf))).toContain('was sent');
			expect(customersCharged(service)).toEqual([]);
		}
		expect(charged).toHaveLength(40);
	});

	test('the store is locked for a moment in the middle: the run stops, and its Retry goes on', async () => {
		answerCharges(service, { 'cus-30': () => lockStore() });
		const failed = await runs([few], charge, {}, { retryOf: begun(), mode: 'webhook' });
		store.fault = undefined;
		expect(messageOf(failed)).toContain("couldn't record how far this run is");
		const charged = customersCharged(service);
		expect(messageOf(await retried(charge, undefined, failed))).toBe('');
		expectAll([...charged, ...customersCharged(service)]);
	});
});

// Where it fails between two calls of a look, what that has left proves nothing, and the next Retry is refused.
test.each([1, 4, 5, 6])(
	"n8n's store fails in a Retry, from its call %d on: the next one goes on, and so do the rounds after it",
	async (at) => {
		const world = worldOf({
			shape: 'a loop',
			customers: [0, 1, 2, 3, 4, 5],
			fates: ['applied', 'applied', 'declined'],
		});
		const first = await world.execute({});
		const failed = await world.execute({ retried: first, fault: storeFault(at, 'fails') });
		const last = failed.error === undefined ? failed : await world.execute({ retried: failed });
		expect(last.error).toBeUndefined();
		expect([...world.applied.values()]).toEqual([1, 1, 1, 1, 1, 1]);
	},
);

describe('what a person is asked', () => {
	test('two branches: no code for items that are not those of the claimed run', async () => {
		const world = worldOf({ customers: [0, 1], fates: ['applied', 'stalls'] });
		const first = await world.execute({});
		const items = [{ customer: 'cus-8', order: 'order-8' }];
		const retry = await world.execute({ retried: first, items });
		expect(retry.error).toContain('nothing was sent');
		expect(retry.error).not.toContain('Release Key');
	});

	test('all items in doubt are named at once, and each is sent or went through, as the person says', async () => {
		answerCharges(service, { 'cus-2': lost, 'cus-4': lost });
		const items = orders('cus-1', 'cus-2', 'cus-3', 'cus-4', 'cus-5');
		const parallel = { ...charge, requests: { maxParallel: 5 } };
		// Both are on their way when the run stops.
		const first = await runs([items], parallel);
		customersCharged(service);
		answerCharges(service);
		const asked = await runs([items], parallel, {}, { retryOf: first });
		const message = messageOf(asked);
		expect(message).toContain(
			'2 items may have gone through in an execution before this one, so nothing more was sent.',
		);
		expect(message).toContain(
			'In doubt: charge of 10.00 for cus-2, row 2 (item 1); charge of 10.00 for cus-4, row 4 (item 3).',
		);
		const [, code] = /enter (run-[\w-]{12}) 1 3 in the option Release Key/.exec(message) ?? [];
		expect(message).toContain(`such as ${code} 1 sent 3`);
		expect(message).not.toContain('May have gone through: rows');
		const options = { releaseKey: `${code} 1 sent 3` };
		const retry = await runs([items], { ...parallel, options }, {}, { retryOf: asked });
		expect([messageOf(retry), outputOf(retry).length]).toEqual(['', 5]);
		expect(customersCharged(service)).not.toContain('cus-4');
	});

	test('a refusal names the fields that give something else each time', async () => {
		const world = worldOf({ isNow: true, fates: ['applied', 'stalls'] });
		const first = await world.execute({});
		const retry = await world.execute({ retried: first });
		expect(retry.error).toContain(
			'A Retry goes on only with the same requests, and these fields give something else each time: Name.',
		);
	});
});
