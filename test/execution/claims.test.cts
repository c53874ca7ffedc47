// Where n8n or its store fails, and an execution is run again: what a claim, a key and the ledger tell of its items.
import { bothSides } from '../constants.cts';
import { shareOf } from '../share.cts';
import { wait } from '../wait.cts';
import type { IDataObject, IRun } from 'n8n-workflow';
import { begun, World, type Ended, type Scene } from './host/again.cts';
import { answerCharges, customersCharged } from './host/charges.cts';
import { ownNode, runWorkflow } from './host/host.cts';
import { clearStore, crashPoint, lockStore, store, storedCount } from './host/keyStore.cts';
import { packageNodes } from './host/package.cts';
import { byId } from './host/run.cts';
import { Service, type Reply } from './host/service.cts';
import { plain as plainScene } from './host/story.cts';
import { runTools } from './host/tool.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

beforeEach(clearStore);

const key = '={{ $json.order }}';

const plain: Scene = { ...plainScene, customers: [0, 1, 2, 3] };

const worldOf = (scene: Partial<Scene>) => new World(service, { ...plain, ...scene });

const timesOf = ({ applied }: World) => Math.max(...applied.values());

/** Customers that came out as sent. */
const sentIn = ({ runs }: Ended): unknown[] =>
	runs.flatMap(({ input, output = [] }) =>
		output.flatMap(({ error }, at) => (error === undefined ? [input[at].customer] : [])),
	);

const hintsOf = ({ data }: IRun) =>
	data.resultData.runData.Node.map(({ hints = [] }) => hints.map(({ message }) => message).join());

/** An execution in the chain of a trigger: the first, a second and a third run of the node, with these items. */
async function runs(
	lists: IDataObject[][],
	form: object,
	settings: object = {},
	more: { retryOf?: IRun; mode?: 'webhook'; cancelAfter?: Promise<void> } = {},
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
			nodeOf('platformCustomers', form as never, { id: 'node', ...settings }),
		],
		connections: { Source: { main: lists.map(() => to('Node')) } },
		types: { ...packageNodes(), source },
		credential: service.credential,
		start: 'Source',
		...more,
	});
}

const charge = {
	resource: 'charge',
	operation: 'create',
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] },
};

const orders = (...customers: string[]) =>
	customers.map((customer) => ({ customer, amount: 10, order: `of ${customer}` }));

/** A charge that the service answers later. */
function heldCharge() {
	let arrive = () => {};
	const hasArrived = new Promise<void>((resolve) => (arrive = resolve));
	let goOn = () => {};
	const held = new Promise<void>((resolve) => (goOn = resolve));
	const answer = async () => {
		arrive();
		await held;
		return undefined;
	};
	return { hasArrived, answer, goOn: () => goOn() };
}

const refused: Reply = { status: 422, body: { error: 'Card declined' } };

const lost: Reply = { status: 502, body: 'Bad gateway' };

describe('the store fails in a Retry', () => {
	const moments = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((at) => [
		{ of: 'store' as const, at, how: 'loses' as const },
		{ of: 'store' as const, at, how: 'fails' as const },
	]);

	test.each([1, 2, 3, 4, 5, 6, 7, 8])(
		'what a look has left proves nothing to any other: n8n is killed in call %d',
		async (at) => {
			const world = worldOf({ fates: ['declined'] });
			const first = await world.execute({});
			const fault = { of: 'store', at, how: 'killed' } as const;
			await world.execute({ retried: first, fault });
			// Of another Retry, n8n has kept nothing.
			const end = await world.execute({ retried: { ...first, isCut: true }, isElsewhere: true });
			const charged = sentIn(end).filter((customer) => world.applied.has(String(customer)));
			expect(charged).toEqual(sentIn(end));
		},
	);

	test.each(moments)('nothing that was not sent comes out as sent: %j', async (fault) => {
		const world = worldOf({ fates: ['applied', 'applied', 'declined'] });
		const first = await world.execute({});
		let end = await world.execute({ retried: first, fault });
		for (let turn = 0; turn < 3 && end.error !== undefined; turn++) {
			end = await world.execute({ retried: end });
			for (const customer of sentIn(end)) expect(world.applied.get(String(customer))).toBe(1);
		}
		for (const customer of sentIn(end)) expect(world.applied.get(String(customer))).toBe(1);
		const again = await world.execute({ retried: first });
		for (const customer of sentIn(again)) expect(world.applied.get(String(customer))).toBe(1);
		expect(timesOf(world)).toBe(1);
	});
});

test('two Retries at once, of one execution after an error, charge nobody twice', async () => {
	const world = worldOf({ fates: ['applied', 'declined'] });
	const first = await world.execute({});
	const retry = async () => await world.execute({ retried: first });
	await Promise.all([retry(), retry()]);
	expect(timesOf(world)).toBe(1);
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
		const outputs = run.data.resultData.runData.Node.flatMap(({ data }) => data?.main[0] ?? []);
		expect(outputs.map(({ json }) => json.error === undefined)).toEqual([true, false, true, true]);
		expect(posts).toBe(4);
	});

	test('other emails in the Retry of a run that was done are other customers', async () => {
		service.behave(({ method }) => ({
			body: method === 'GET' ? { count: 0, elements: [] } : { customer: { id: 'cus' } },
		}));
		await runs([people('a', 'b')], upsert, {}, { retryOf: begun() });
		service.sent('POST');
		const { data } = await runs([people('c', 'd')], upsert, {}, { retryOf: begun() });
		const output = data.resultData.runData.Node.flatMap(({ data: out }) => out?.main[0] ?? []);
		expect([output, data.resultData.error?.message]).toEqual([
			[],
			expect.stringContaining('nothing was sent'),
		]);
	});
});

describe('a key', () => {
	test('that is new in the Retry of a sub-workflow, of which n8n knows no beginning, proves nothing', async () => {
		answerCharges(service);
		const items = orders('cus-1', 'cus-2', 'cus-3');
		await runs([items], charge);
		customersCharged(service);
		const unknown = await runWithoutBeginning(items, { ...charge, idempotencyKey: key });
		expect([customersCharged(service), unknown.data.resultData.error?.message]).toEqual([
			[],
			expect.stringContaining('as of a sub-workflow, so nothing was sent'),
		]);
		expect(unknown.data.resultData.error?.message).not.toContain('goes on by itself');
	});

	test('that was there goes on, also where n8n knows no beginning', async () => {
		answerCharges(service, { 'cus-2': refused });
		const items = orders('cus-1', 'cus-2', 'cus-3');
		const form = { ...charge, idempotencyKey: key };
		await runs([items], form);
		answerCharges(service);
		customersCharged(service);
		await runWithoutBeginning(items, form);
		expect(customersCharged(service)).toEqual(['cus-2', 'cus-3']);
	});

	/** n8n's Retry of an execution of which it has kept nothing, not even when it began. */
	async function runWithoutBeginning(items: IDataObject[], form: object): Promise<IRun> {
		const retryOf = begun();
		delete retryOf.data.executionData?.runtimeData;
		return await runs([items], form, {}, { retryOf });
	}

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

	test.each(shareOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14], 3))(
		'that is removed because the store failed in call %d of the Retry frees nothing',
		async (at) => {
			for (const isLost of [false, true]) {
				const fates: Scene['fates'] = ['applied', 'stalls', 'declined'];
				const world = worldOf({ isKeyed: true, fates });
				const first = await world.execute({});
				const fault = { of: 'store', at, how: isLost ? 'loses' : 'fails' } as const;
				const failed = await world.execute({ retried: first, fault });
				await world.execute({ retried: failed, form: { key: undefined } });
				expect(timesOf(world)).toBe(1);
			}
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
		const { data } = await runs(items, charge, {}, { retryOf: end });
		expect(data.resultData.error?.message).toBeUndefined();
		expect(customersCharged(service)).toEqual(['cus-2', 'cus-3']);
	}
	// Where n8n has kept nothing, nothing tells them apart.
	const { data } = await runs(items, charge, {}, { retryOf: begun() });
	expect([customersCharged(service), data.resultData.error?.message]).toEqual([
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
	for (const restart of shareOf(crashes, 4)) {
		restart();
		await world.execute({ retried: first });
		expect(world.applied.get('cus-0')).toBe(1);
	}
});

describe('a run that is refused before it has claimed anything', () => {
	const limited = { more: { safetyLimits: { maxTotal: 10 } } };
	const TOLD =
		/An earlier execution (may have sent these|has sent) items|may have gone through|Already done/;

	test.each([
		['a limit', limited, undefined],
		['a field that is wrong now', { amount: 'much' as never }, undefined],
		...[1, 5, 9].map(
			(at) => [`n8n's store at ${at}`, {}, { of: 'store', at, how: 'fails' }] as const,
		),
	] as const)(
		'tells that an earlier execution may have sent its items: %s',
		async (_why, form, fault) => {
			for (const shape of ['one run', 'a loop'] as const) {
				for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
					const world = worldOf({
						shape,
						onError,
						fates: ['applied', 'applied', 'applied', 'stalls'],
					});
					const first = await world.execute({});
					const retry = await world.execute({ retried: first, form, fault });
					expect(timesOf(world)).toBe(1);
					const outputs = retry.runs.flatMap(({ output = [] }) => output);
					for (const text of [retry.error, ...outputs.map(({ error }) => error)]) {
						// What comes out without an error was sent.
						if (text !== undefined) expect(text).toMatch(TOLD);
					}
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
	}: { most?: number; mode?: 'retry' | 'webhook'; form?: object; list?: IDataObject[] } = {},
) {
	const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	let rounds = 0;
	const back = ownNode('Back', async function () {
		const items = this.getInputData().map(({ json: { error, details, ...own } }) => ({
			json: keepsError ? { ...own, error, details } : own,
		}));
		return await Promise.resolve([++rounds < most ? items : []]);
	});
	const items = list.map((json) => ({ json }));
	const run = await runWorkflow({
		nodes: [
			{ ...common, id: 'source', name: 'Source', type: 'source' },
			{ ...common, id: 'back', name: 'Back', type: 'back' },
			nodeOf('platformCustomers', form as never, {
				id: 'node',
				onError: 'continueErrorOutput',
			}),
		],
		connections: {
			Source: { main: [to('Node')] },
			Node: { main: [[], to('Back')] },
			Back: { main: [to('Node')] },
		},
		types: {
			...packageNodes(),
			source: ownNode('Source', async () => await Promise.resolve([items]), []),
			back,
		},
		credential: service.credential,
		start: 'Source',
		retryOf: begun(),
		mode,
	});
	const { Node } = run.data.resultData.runData;
	const errors = Node.flatMap(({ data }) => data?.main[1] ?? []).map(({ json }) => json.error);
	return { rounds, errors, hints: hintsOf(run) };
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

test('an error output leads nothing back with which a Retry has gone on', async () => {
	const list = orders(...Array.from({ length: 60 }, (_none, at) => `cus-${at}`));
	const held = heldCharge();
	answerCharges(service, { 'cus-10': held.answer });
	const first = ledBack(false, { list, mode: 'webhook' });
	await held.hasArrived;
	// n8n takes it for ended.
	await ledBack(false, { list });
	held.goOn();
	await first;
	const all = customersCharged(service);
	expect(new Set(all).size).toBe(all.length);
	expect(all).toHaveLength(list.length);
});

describe('a run that was cut off goes on where it was', () => {
	const COUNT = 160;
	const CUT = 90;
	const items = orders(...Array.from({ length: COUNT }, (_none, at) => `cus-${at}`));
	const sideBySide = { ...charge, requests: { maxParallel: 5 } };

	/** The run ends while this customer's charge is on its way. Returns the customers that were charged. */
	async function cutOff(
		at: number,
		how: 'cancelled' | 'killed',
		{
			retryOf = begun(),
			mode,
			form = charge,
			settings = {},
			odd = {},
			items: list = items,
		}: {
			items?: IDataObject[];
			retryOf?: IRun;
			mode?: 'webhook';
			form?: object;
			settings?: object;
			odd?: Record<string, Reply>;
		},
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
		await runs([list], form, settings, { retryOf, mode, cancelAfter });
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

	const messageOf = ({ data }: IRun) => data.resultData.error?.message ?? '';

	const CODE = /enter (run-[\w-]{12}) (\d+)(?:-(\d+))? in the option Release Key/;

	/** The code of a refusal, and the items that it asks for. */
	function askedIn(run: IRun): { code: string; first: number; last: number } {
		const [, code, first, last = first] = CODE.exec(messageOf(run)) ?? [];
		return { code, first: Number(first), last: Number(last) };
	}

	const retried = async (form: object, releaseKey?: string) =>
		await runs([items], { ...form, options: { releaseKey } }, {}, { retryOf: begun() });

	test.each([
		['one after the other, cancelled', 'cancelled', charge, 0],
		['one after the other, killed', 'killed', charge, 37],
		['side by side, cancelled', 'cancelled', sideBySide, 5],
		['side by side, killed', 'killed', sideBySide, 155],
	] as const)('%s', async (_how, how, form, most) => {
		const first = await cutOff(CUT, how, { mode: 'webhook', form });
		const asking = await retried(form);
		expect(customersCharged(service)).toEqual([]);
		const { code, first: from, last } = askedIn(asking);
		expect(last - from).toBeLessThanOrEqual(most);
		expect(from).toBeLessThanOrEqual(CUT);
		expect(last).toBeGreaterThanOrEqual(CUT);
		// A person has looked.
		const went = items
			.map(({ customer }, at) => ({ customer, at }))
			.filter(({ customer, at }) => at >= from && at <= last && first.includes(customer));
		const unsent = items.slice(from, last + 1).flatMap((_item, at) => {
			return went.some((each) => each.at === from + at) ? [] : [from + at];
		});
		const known = went.map(({ at }) => at).join(' ');
		const { data } = await retried(form, `${code} ${unsent.join(' ')} sent ${known}`);
		expect(data.resultData.error?.message).toBeUndefined();
		expect(data.resultData.runData.Node[0].data?.main[0]).toHaveLength(COUNT);
		const second = customersCharged(service);
		expect(new Set([...first, ...second]).size).toBe(COUNT);
		expect([...first, ...second]).toHaveLength(COUNT);
		// And is done now.
		await retried(form);
		expect(customersCharged(service)).toEqual([]);
	});

	describe('with On Error: Continue', () => {
		const settings = { onError: 'continueRegularOutput' };
		const odd = { 'cus-3': refused, 'cus-20': lost, 'cus-40': refused, 'cus-89': refused };
		const isFailed = (at: number) => Object.hasOwn(odd, `cus-${at}`);

		const goOn = async (form: object) => await runs([items], form, settings, { retryOf: begun() });

		const outputOf = ({ data }: IRun) =>
			data.resultData.runData.Node[0].data?.main[0]?.map(({ json }) => json) ?? [];

		test.each([
			['one after the other, cancelled', 'cancelled', charge, 0],
			['one after the other, killed', 'killed', charge, 37],
			['side by side, cancelled', 'cancelled', sideBySide, 9],
			['side by side, killed', 'killed', sideBySide, 155],
		] as const)(
			'%s: a Retry leaves out what failed, and sends the rest',
			async (_how, how, form, most) => {
				const first = await cutOff(CUT, how, { mode: 'webhook', form, settings, odd });
				const output = outputOf(await goOn(form));
				const second = customersCharged(service);
				expect(output).toHaveLength(COUNT);
				// Nothing twice, and nothing comes out as sent that wasn't.
				expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
				const wasSent = (at: number) => [...first, ...second].includes(`cus-${at}`);
				const errors = output.flatMap(({ error }, at) => (error === undefined ? [] : [at]));
				expect(
					items.flatMap((_item, at) => (wasSent(at) || errors.includes(at) ? [] : [at])),
				).toEqual([]);
				for (const at of Object.keys(odd).map((each) => Number(each.slice(4)))) {
					expect(errors).toContain(at);
				}
				for (const at of errors) {
					expect(output[at].error).toContain('may have gone through');
				}
				const doubts = errors.filter((at) => !isFailed(at));
				expect(doubts).toContain(CUT);
				expect(Math.max(...doubts) - Math.min(...doubts)).toBeLessThanOrEqual(most);
				// Another Retry knows all that.
				expect(outputOf(await goOn(form)).map(({ error }) => error !== undefined)).toEqual(
					output.map(({ error }) => error !== undefined),
				);
				expect(customersCharged(service)).toEqual([]);
			},
		);

		test('runs that had failed items are gone on with, too, where others have followed', async () => {
			// n8n begins with the last branch.
			const lists = [orders('cus-5', 'cus-6'), orders('cus-3', 'cus-4'), orders('cus-1', 'cus-2')];
			let arrived = () => {};
			const cancelAfter = new Promise<void>((resolve) => (arrived = resolve));
			answerCharges(service, {
				'cus-1': refused,
				'cus-4': refused,
				'cus-5': async () => {
					arrived();
					return await new Promise(() => {});
				},
			});
			const begin = { retryOf: begun(), mode: 'webhook' as const, cancelAfter };
			await runs(lists, charge, settings, begin);
			expect(customersCharged(service)).toEqual(['cus-1', 'cus-2', 'cus-3', 'cus-4', 'cus-5']);
			answerCharges(service);
			const { data } = await runs(lists, charge, settings, { retryOf: begun() });
			expect(customersCharged(service)).toEqual(['cus-6']);
			const errors = data.resultData.runData.Node.map((run) =>
				run.data?.main[0]?.map(({ json }) => json.error !== undefined),
			);
			expect(errors).toEqual([
				[true, false],
				[false, true],
				[true, false],
			]);
		});

		test('another On Error is another run', async () => {
			await cutOff(CUT, 'cancelled', { mode: 'webhook', settings, odd });
			expect(messageOf(await retried(charge))).toContain('n8n kept nothing of it');
			expect(customersCharged(service)).toEqual([]);
		});

		const ways = shareOf<'cancelled' | 'killed'>(['killed', 'cancelled'], 2);
		describe.each(ways)('%s after many have failed', (how) => {
			bothSides('engine/run/milestones FAILED', async (count, isWithin) => {
				const many = orders(...Array.from({ length: count + 60 }, (_none, at) => `cus-${at}`));
				const declined = Object.fromEntries(
					many.slice(0, count).map(({ customer }) => [customer, refused]),
				);
				await cutOff(count + 30, how, {
					mode: 'webhook',
					settings,
					odd: declined,
					items: many,
				});
				await runs([many], charge, settings, { retryOf: begun() });
				const second = customersCharged(service);
				expect(second.includes(many[count + 59].customer)).toBe(isWithin);
				expect(second.length).toBe(isWithin ? second.length : 0);
			});
		});
	});

	test('cut off again and again, each Retry goes on from the one before', async () => {
		const all = await cutOff(50, 'cancelled', { mode: 'webhook' });
		for (const [at, how] of [
			[80, 'killed'],
			[120, 'cancelled'],
			[COUNT - 1, 'killed'],
		] as const) {
			const { code, first, last } = askedIn(await retried(charge));
			const inDoubt = items.slice(first, last + 1).map(({ customer }) => customer);
			const unsent = inDoubt.flatMap((each, index) => (all.includes(each) ? [] : [first + index]));
			const sent = inDoubt.flatMap((each, index) => (all.includes(each) ? [first + index] : []));
			const options = { releaseKey: `${code} ${unsent.join(' ')} sent ${sent.join(' ')}` };
			all.push(...(await cutOff(at, how, { form: { ...charge, options } })));
		}
		expect(new Set(all).size).toBe(COUNT);
		expect(all).toHaveLength(COUNT);
	});

	test('a run that n8n took for ended stops where its Retry has gone on', async () => {
		const held = heldCharge();
		answerCharges(service, { 'cus-10': held.answer });
		const first = runs([items], charge, {}, { retryOf: begun(), mode: 'webhook' });
		await held.hasArrived;
		const { code, first: from, last } = askedIn(await retried(charge));
		const charged = customersCharged(service);
		const unsent = Array.from({ length: last - 10 }, (_none, at) => at + 11).join(' ');
		await retried(charge, `${code} ${unsent} sent ${from}-10`);
		held.goOn();
		const stopped = await first;
		expect(messageOf(stopped)).toContain('was retried before');
		const later = customersCharged(service);
		// What the person said of the slice on its way is the person's. Nothing after it is sent twice.
		const after = [...charged, ...later].filter((each) => Number(each.slice(4)) > last);
		expect(new Set(after).size).toBe(after.length);
		expect(after).toHaveLength(COUNT - last - 1);
	});

	test('two Retries at once: one goes on, the other is refused', async () => {
		const all = await cutOff(CUT, 'cancelled', { mode: 'webhook' });
		const { code, first } = askedIn(await retried(charge));
		const releaseKey = `${code} sent ${first}`;
		const ends = await Promise.all([retried(charge, releaseKey), retried(charge, releaseKey)]);
		expect(ends.map(messageOf).sort()).toEqual(['', expect.stringContaining('was retried before')]);
		all.push(...customersCharged(service));
		expect(new Set(all).size).toBe(all.length);
		expect(all).toHaveLength(COUNT);
	});

	test.each(['cancelled', 'killed'] as const)(
		'after an error, a Retry that was %s: the next one goes on from there, and then all is done',
		async (how) => {
			answerCharges(service, { 'cus-60': refused });
			const failed = await runs([items], charge, {}, { retryOf: begun(), mode: 'webhook' });
			const all = customersCharged(service).filter((each) => each !== 'cus-60');
			all.push(...(await cutOff(100, how, { retryOf: failed })));
			// Of a Retry that was cut off, n8n has what the first execution had.
			const asking = await runs([items], charge, {}, { retryOf: failed });
			const { code, first, last } = askedIn(asking);
			expect(customersCharged(service)).toEqual([]);
			expect(first).toBeGreaterThan(60);
			expect(last - first).toBeLessThanOrEqual(how === 'killed' ? 37 : 0);
			const at = (index: number) => all.includes(items[index].customer);
			const doubts = Array.from({ length: last - first + 1 }, (_none, index) => first + index);
			const unsent = doubts.filter((index) => !at(index)).join(' ');
			const releaseKey = `${code} ${unsent} sent ${doubts.filter(at).join(' ')}`;
			const options = { releaseKey };
			await runs([items], { ...charge, options }, {}, { retryOf: failed });
			all.push(...customersCharged(service));
			expect(new Set(all).size).toBe(COUNT);
			expect(all).toHaveLength(COUNT);
			const { data } = await runs([items], charge, {}, { retryOf: failed });
			expect(data.resultData.error?.message).toBeUndefined();
			expect(data.resultData.runData.Node[0].data?.main[0]).toHaveLength(COUNT);
			expect(customersCharged(service)).toEqual([]);
		},
	);

	test('after an error, with other amounts: nobody goes on with the old ones', async () => {
		answerCharges(service, { 'cus-60': refused });
		const failed = await runs([items], charge, {}, { retryOf: begun(), mode: 'webhook' });
		const all = customersCharged(service).filter((each) => each !== 'cus-60');
		const other = { ...charge, services: { service: [{ name: 'Setup', amount: 12 }] } };
		answerCharges(service, { 'cus-100': refused });
		await runs([items], other, {}, { retryOf: failed });
		all.push(...customersCharged(service).filter((each) => each !== 'cus-100'));
		answerCharges(service);
		for (const retryOf of [failed, begun()]) {
			const { data } = await runs([items], charge, {}, { retryOf });
			expect(data.resultData.error?.message).toContain('was sent');
			expect(customersCharged(service)).toEqual([]);
		}
		expect(all).toHaveLength(100);
	});

	test('the store is locked for a moment in the middle: the run stops, and its Retry goes on', async () => {
		answerCharges(service, { 'cus-70': () => lockStore() });
		const failed = await runs([items], charge, {}, { retryOf: begun(), mode: 'webhook' });
		store.fault = undefined;
		expect(messageOf(failed)).toContain("couldn't record how far this run is");
		const all = customersCharged(service);
		const { data } = await runs([items], charge, {}, { retryOf: failed });
		expect(data.resultData.error?.message).toBeUndefined();
		all.push(...customersCharged(service));
		expect([new Set(all).size, all.length]).toEqual([COUNT, COUNT]);
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
		const fault = { of: 'store', at, how: 'fails' } as const;
		const failed = await world.execute({ retried: first, fault });
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
		const message = asked.data.resultData.error?.message ?? '';
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
		const { data } = await runs([items], { ...parallel, options }, {}, { retryOf: asked });
		expect(data.resultData.error?.message).toBeUndefined();
		expect(customersCharged(service)).not.toContain('cus-4');
		expect(data.resultData.runData.Node[0].data?.main[0]).toHaveLength(5);
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
