// Ways to run again: whatever starts a run of writes once more, nothing is sent twice, and nothing is lost.
import { ExecuteContext } from 'n8n-core';
import type {
	IExecuteFunctions,
	INodeType,
	IRun,
	IRunExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { wait } from '../wait.cts';
import { begun } from './host/again.cts';
import { answerCharges, customersCharged, lost, refused } from './host/charges.cts';
import {
	clearStore,
	crashPoint,
	lockStore,
	loseResponses,
	store,
	storedCount,
} from './host/keyStore.cts';
import { ownNode, runWorkflow, sourceOf, type RunOptions, type RunResult } from './host/host.cts';
import { freshNode, packageNodes } from './host/package.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service, type Reply } from './host/service.cts';
import { retryOnFail, useTools } from './host/tool.cts';
import { nodeOf } from './host/workflow.cts';
import { forms } from '../table/forms.cts';
import { table } from '../table/operations.cts';

const service = Service.forFile();

beforeEach(clearStore);

let runs = 0;

const charge = {
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] },
};

const orders = (count: number) =>
	Array.from({ length: count }, (_none, index) => ({
		customer: `cus-${index}`,
		amount: 10,
		orderId: `order-${index}`,
	}));

const CONTINUE = { onError: 'continueErrorOutput' as const };

const behave = (odd?: Parameters<typeof answerCharges>[1]) => answerCharges(service, odd);

const absent: Reply = { status: 404, body: { error: 'This customer does not exist' } };

async function charged(
	options: Partial<RunOptions> & { parameters?: object } = {},
): Promise<RunResult> {
	const { parameters, ...more } = options;
	const api = { baseUrl: service.baseUrl, key: `key-of-run-${++runs}` };
	const all = { ...charge, ...parameters };
	return await runWith(api, 'platformCustomers', 'charge.create', all, {
		items: orders(4),
		...more,
	});
}

const sent = () => customersCharged(service);

/** What n8n keeps of the ledgers of a run. */
const kept = ({ executionData }: IRunExecutionData) =>
	Object.values(executionData?.contextData.flow ?? {}).map(
		(book) => (book as { runs: object }).runs,
	);

const idsOf = ({ items }: RunResult) => items.map(({ json }) => json.id);

const skippedIn = ({ items }: RunResult) => items.map(({ json }) => json.skipped);

/** An execution that ends with an error: two customers are charged, the third one is refused. */
async function failed(): Promise<RunResult['run']> {
	behave({ 'cus-2': refused });
	const { run } = await charged();
	sent();
	behave();
	return run;
}

describe("n8n's Retry after an error", () => {
	test('sends only what was not sent, and all comes out', async () => {
		behave({ 'cus-2': refused });
		const first = await charged();
		expect(first.error?.message).toContain(
			'Already done, but not in the output: rows 1 (ID ch-cus-0), 2',
		);
		behave();
		const again = await charged({ retryOf: first.run });
		expect(again.error?.message).toBeUndefined();
		expect(sent()).toEqual(['cus-2', 'cus-3']);
		expect(idsOf(again)).toEqual(['ch-cus-0', 'ch-cus-1', 'ch-cus-2', 'ch-cus-3']);
		expect(again.items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(again.hints[0]).toBe(
			'2 items were sent in the execution before, so not again: rows 1, 2.',
		);
		expect(kept(again.run.data)).toEqual([{}]);
		// Not by the name of the node, which may change.
		expect(Object.keys(again.run.data.executionData?.contextData ?? {})).toEqual(['flow']);
	});

	test('with the workflow as it is saved now: what is done is named if it would be other now', async () => {
		const parameters = { services: { service: [{ name: 'Setup', amount: 12 }] } };
		const again = await charged({ retryOf: await failed(), parameters });
		expect(sent()).toEqual(['cus-2', 'cus-3']);
		expect(again.hints[0]).toContain('Sent with other values than these: rows 1, 2.');
	});

	test('an item in doubt stops it before anything is sent, until it is released', async () => {
		behave({ 'cus-1': lost });
		const { run } = await charged();
		expect(sent()).toEqual(['cus-0', 'cus-1']);
		behave();
		const stopped = await charged({ retryOf: run });
		expect(sent()).toEqual([]);
		expect(stopped.error?.context?.itemIndex).toBe(1);
		const [, code] = /enter (run-[\w-]{12} 1) in the option Release Key/.exec(
			stopped.error?.message ?? '',
		) as RegExpExecArray;
		const released = await charged({
			retryOf: stopped.run,
			parameters: { options: { releaseKey: code } },
		});
		expect(released.error?.message).toBeUndefined();
		expect(sent()).toEqual(['cus-1', 'cus-2', 'cus-3']);
		expect(idsOf(released)).toEqual(['ch-cus-0', 'ch-cus-1', 'ch-cus-2', 'ch-cus-3']);
	});

	test('with Continue, an item in doubt is an error item, and the others go', async () => {
		behave({ 'cus-1': lost });
		const { run } = await charged();
		behave();
		const again = await charged({ retryOf: run, settings: CONTINUE });
		expect(sent()).toEqual(['cus-2', 'cus-3']);
		expect(idsOf(again)).toEqual(['ch-cus-0', 'ch-cus-2', 'ch-cus-3']);
		expect(again.errors).toHaveLength(1);
		// n8n takes this Retry for a success, so there's no other one to release the item in.
		expect(again.errors[0].json.error).toMatch(/run it in a new execution\.$/);
	});

	test('an item that was under way when n8n saved the run is in doubt', async () => {
		const run = await failed();
		const [[own]] = kept(run.data).map((all) => Object.values(all) as Array<{ items: object }>);
		Object.assign(own.items, { 1: { state: 'sent' } });
		const { items, errors } = await charged({ retryOf: run, settings: CONTINUE });
		expect(sent()).toEqual(['cus-2', 'cus-3']);
		expect(items).toHaveLength(3);
		expect(errors.map(({ json }) => json)).toEqual([
			expect.objectContaining({ customer: 'cus-1' }),
		]);
	});

	test('an item in doubt that is skipped for its key stays in doubt', async () => {
		const parameters = { idempotencyKey: '={{ $json.orderId }}' };
		behave({ 'cus-1': lost });
		const { run } = await charged({ parameters });
		behave({ 'cus-2': refused });
		const { error } = await charged({ retryOf: run, parameters });
		expect(error?.message).toContain('May have gone through: row 2 (item 1).');
	});

	test('a check of a person is made anew', async () => {
		const form = { externalUserId: '={{ $json.customer }}', code: '123456' };
		const verify = async (options: Partial<RunOptions>) =>
			await runWith(service, 'platformIdentity', 'oneTimePassword.verify', form, {
				items: orders(2),
				...options,
			});
		let calls = 0;
		service.behave(() => (++calls === 2 ? refused : { body: { id: 'u', status: 'success' } }));
		const { run, error } = await verify({});
		expect(error?.message).toContain('Card declined');
		const { items } = await verify({ retryOf: run });
		expect([calls, items.length]).toEqual([4, 2]);
	});
});

test('a charge by hand without a key says once that it would be sent again', async () => {
	behave();
	const { hints } = await charged();
	// That it began, the same with its requests, and that they are done.
	expect(storedCount()).toBe(3);
	expect(hints).toEqual([
		'If you run this again, "Create a charge" is sent again. An Idempotency Key prevents that.',
	]);
	const keyed = await charged({ parameters: { idempotencyKey: '={{ $json.orderId }}' } });
	expect(keyed.hints).toEqual([]);
});

describe("n8n's Retry where n8n has kept nothing", () => {
	/** A run that is cut off while a request for the customer is on its way: n8n is killed. */
	const killed = async (customer: string, options: Parameters<typeof charged>[0] = {}) => {
		let arrived = () => {};
		const cancelAfter = new Promise<void>((resolve) => (arrived = resolve));
		let restart = () => {};
		service.behave(async ({ path }) => {
			if (!path.includes(customer)) return { body: { id: 'ch' } };
			restart = crashPoint();
			arrived();
			return await new Promise(() => {});
		});
		await charged({ ...options, cancelAfter });
		restart();
		const customers = sent();
		behave();
		return customers;
	};

	/** The code and the items in doubt, as the refusal of a Retry offers them. */
	const codeIn = ({ error }: RunResult): string =>
		/enter (run-[\w-]{12} \d+(?:-\d+)?) in/.exec(error?.message ?? '')?.[1] ?? '';

	const releasedBy = (releaseKey: string) => ({ parameters: { options: { releaseKey } } });

	test.each([
		['there is something to release', () => {}],
		['there is nothing to release', clearStore],
	])('what was on its way is sent when it is released, once, where %s', async (_title, forget) => {
		expect(await killed('cus-0')).toEqual(['cus-0']);
		const asked = await charged({ mode: 'retry' });
		expect(sent()).toEqual([]);
		expect(asked.error?.message).toContain('4 items may have gone through in an execution before');
		const release = releasedBy(codeIn(asked));
		forget();
		behave({ 'cus-3': refused });
		await charged({ mode: 'retry', ...release });
		expect(sent()).toHaveLength(4);
		// It goes on where that one was.
		await charged({ mode: 'retry', ...release });
		expect(sent()).toEqual(['cus-3']);
	});

	test('a run that is cancelled while it is checked claims nothing: its Retry sends all', async () => {
		behave();
		let came = () => {};
		const cancelAfter = new Promise<void>((resolve) => (came = resolve));
		const type = packageNodes().platformCustomers;
		async function execute(this: IExecuteFunctions) {
			came();
			return await type.execute!.call(this);
		}
		const platformCustomers = Object.create(type, { execute: { value: execute } }) as INodeType;
		await charged({ cancelAfter, types: { platformCustomers } });
		expect(sent()).toEqual([]);
		const { error } = await charged({ mode: 'retry' });
		expect([error?.message, sent().length]).toEqual([undefined, 4]);
	});

	test('a code that stays in the form releases nothing again', async () => {
		await killed('cus-0');
		const release = releasedBy(codeIn(await charged({ mode: 'retry' })));
		expect(await killed('cus-1', { mode: 'retry', ...release })).toEqual(['cus-0', 'cus-1']);
		const again = await charged({ mode: 'retry', ...release });
		expect([sent(), again.error?.message]).toEqual([[], expect.stringContaining('In doubt: ')]);
	});

	test('an execution that n8n takes for ended sends nothing after its Retry', async () => {
		behave();
		await charged({ retryOf: begun(), mode: 'retry' });
		expect(sent()).toHaveLength(4);
		const { error } = await charged({ retryOf: begun(), mode: 'webhook' });
		expect([sent(), error?.message]).toEqual([[], expect.stringContaining('retried before')]);
	});

	/** A Retry with another operation. */
	const subscribed = async (retryOf: RunOptions['retryOf']) => {
		const form = { customerId: charge.customerId, plan: byId('plan') };
		const options = { items: orders(4), retryOf };
		return await runWith(service, 'platformCustomers', 'subscription.create', form, options);
	};

	test('with another operation than before, nothing is sent', async () => {
		const { error } = await subscribed(await failed());
		expect([sent(), error?.message]).toEqual([[], expect.stringContaining('another operation')]);
	});

	test('of a run that did nothing, a Retry may have another operation, and so may its own Retry', async () => {
		const active = { body: { id: 'sub', status: 'active' } };
		const all = Object.fromEntries(orders(4).map(({ customer }) => [customer, active]));
		behave({ 'cus-0': refused });
		const { run } = await charged();
		behave({ ...all, 'cus-3': refused });
		const first = await subscribed(run);
		sent();
		behave(all);
		const second = await subscribed(first.run);
		expect([first.error?.message, second.error, sent()]).toEqual([
			expect.stringContaining('Card declined'),
			undefined,
			['cus-3'],
		]);
	});

	test('where a Max Total is new in a Retry, what was sent before is not known', async () => {
		const parameters = { safetyLimits: { maxTotal: 1000 } };
		const { error } = await charged({ retryOf: await failed(), parameters });
		expect([sent(), error?.message]).toEqual([
			[],
			expect.stringContaining("isn't known how much this execution has sent"),
		]);
	});

	test('where the store fails, what was done comes out all the same', async () => {
		const run = await failed();
		lockStore();
		const again = await charged({ retryOf: run, settings: CONTINUE });
		expect(sent()).toEqual([]);
		expect([idsOf(again), again.errors.length]).toEqual([['ch-cus-0', 'ch-cus-1'], 2]);
	});

	test("if a run can't be recorded, nothing is sent, and nothing comes out as sent", async () => {
		behave();
		lockStore();
		const { error } = await charged();
		expect(error?.message).toContain("n8n couldn't record how far this run is");
		const { items, errors } = await charged({ settings: CONTINUE });
		expect([items, errors.length, sent()]).toEqual([[], 4, []]);
	});
});

describe('Retry On Fail', () => {
	test('sends nothing again for an item with an empty error, which n8n takes for a failure', async () => {
		service.behave(() => ({ body: { id: 'ch', error: '' } }));
		await charged({ settings: retryOnFail });
		expect(sent()).toHaveLength(4);
	});

	/**
	 * Payouts with Max Total, whose totals are read before anything is sent, with two tries.
	 * @param found number of reads that find a total
	 * @param answerOf what the API says to a payout, by its number
	 */
	const paidOut = async (
		count: number,
		found: number,
		answerOf: (post: number) => Reply,
		more: object,
	) => {
		let reads = 0;
		let posts = 0;
		const fees = { count: 1, elements: [{ id: 'fee-1', fee_value: 5 }] };
		service.behave(({ method }) => {
			if (method !== 'GET') return answerOf(++posts);
			return ++reads > found ? { status: 422, body: { error: 'Gone' } } : { body: fees };
		});
		const form = {
			partnerId: byId('={{ $json.customer }}'),
			transactions: ['fee-1'],
			invoiceNumber: '={{ $json.orderId }}',
			safetyLimits: { maxTotal: 100 },
		};
		const options = { items: orders(count), settings: { ...retryOnFail, ...more, maxTries: 2 } };
		const result = await runWith(service, 'platformPartners', 'payout.create', form, options);
		return { ...result, posts, reads };
	};

	// With Continue, n8n only tries again if the first item is an error.
	test.each([
		['Stop', {}, 3],
		['Continue', CONTINUE, 1],
	])(
		'a check that fails in the second try forgets nothing of the first, with %s',
		async (_title, more, refusedPost) => {
			const { items, errors, error, posts, reads } = await paidOut(
				3,
				3,
				(post) => (post === refusedPost ? refused : { body: { id: `po-${post}` } }),
				more,
			);
			expect([posts, reads]).toEqual([3, 4]);
			if (more === CONTINUE) {
				expect(items.map(({ json }) => json.id)).toEqual(['po-2', 'po-3']);
				expect(errors).toHaveLength(1);
			} else {
				expect(error?.message).toContain(
					'Already done, but not in the output: rows 1 (ID po-1), 2 (ID po-2)',
				);
				expect(error?.message).not.toContain('Nothing was sent');
			}
		},
	);

	test('an item in doubt stays so if a check fails in the second try', async () => {
		const { errors } = await paidOut(2, 2, (post) => (post === 1 ? lost : refused), CONTINUE);
		expect(errors.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('may have'),
			expect.stringContaining('Gone'),
		]);
	});

	test('an operation whose own steps fail after its two requests sends each of them once', async () => {
		service.behave(() => ({ body: { data: [] } }));
		const texts = Array.from({ length: 1_500 }, (_none, index) => `text ${index}`);
		const form = { connectionId: byId('con-1'), passages: texts };
		const options = { settings: retryOnFail };
		const { error } = await runWith(
			service,
			'platformAiGateway',
			'embedding.create',
			form,
			options,
		);
		expect(error).toBeDefined();
		expect(service.sent('POST').length).toBeLessThanOrEqual(2);
	});
});

describe('Safety Limits', () => {
	const limited = (safetyLimits: object) => ({ safetyLimits });

	test.each([
		['undefined', '={{ undefined }}'],
		['null', '={{ null }}'],
		['an empty text', "={{ '' }}"],
		['0', 0],
	])('a limit of %s is refused', async (_title, maxTotal) => {
		behave();
		const { error } = await charged({ parameters: limited({ maxTotal }) });
		expect(error?.message).toContain('"Safety Limits: Max Total" must be a number above 0');
		expect(sent()).toEqual([]);
	});

	test('Max Amount is that of each item; the other limits must be the same for all', async () => {
		behave();
		const own = "={{ $json.customer === 'cus-2' ? 9 : 10 }}";
		const amount = await charged({ parameters: limited({ maxAmount: own }) });
		expect(amount.error?.message).toContain('row 3 (item 2), Max Amount is 9.00');
		const total = await charged({
			parameters: limited({ maxTotal: own.replace('9', '90').replace(': 10', ': 100') }),
		});
		expect(total.error?.message).toContain(
			'"Safety Limits: Max Total" must be the same for all items',
		);
		expect(sent()).toEqual([]);
	});

	describe('an item whose response was lost is sent again', () => {
		const updated = async (later: Reply[], more: object = {}) => {
			let writes = 0;
			service.behave(() => {
				const reply = [undefined, lost, ...later][writes++];
				return reply ?? { body: { id: `ev-${writes}` } };
			});
			const form = {
				eventId: byId('={{ $json.customer }}'),
				updateFields: { title: 'Review' },
				safetyLimits: { maxItems: 3 },
				requests: { retryTime: 0 },
			};
			const settings = { ...retryOnFail, maxTries: later.length + 1 };
			const options = { items: orders(3), settings, ...more };
			const result = await runWith(service, 'platformScheduler', 'event.update', form, options);
			return { ...result, writes };
		};

		test('and counts once', async () => {
			const { items, error, writes } = await updated([{ body: { id: 'ev-1' } }]);
			expect([error?.message, items.length, writes]).toEqual([undefined, 3, 4]);
		});

		test.each([[[refused]], [[refused, refused]]])(
			'and its error says that it may have gone through: then came %j',
			async (later) => {
				const { error, writes } = await updated(later);
				expect(writes).toBe(2 + later.length);
				expect(`${error?.message} ${error?.description}`).toContain(
					'An earlier attempt failed. It may have gone through.',
				);
			},
		);
	});

	test('an item that is sent again counts once: its key is released from its doubt', async () => {
		behave({ 'cus-1': lost });
		const parameters = { ...limited({ maxItems: 4 }), idempotencyKey: '={{ $json.orderId }}' };
		const { run } = await charged({ parameters });
		behave();
		const options = { releaseKey: 'order-1' };
		const released = await charged({ retryOf: run, parameters: { ...parameters, options } });
		expect(released.error?.message).toBeUndefined();
		expect(sent()).toEqual(['cus-1', 'cus-2', 'cus-3']);
	});

	describe('a request that is too big to be kept, with another value each time', () => {
		const big = (amount: string, more: object = {}) => ({
			services: { service: [{ name: 'x'.repeat(5_000), amount }] },
			...more,
		});

		/** Amounts that are sent in so many runs of one item. */
		const amounts = async (runsOfItem: number, parameters: RunOptions['parameters']) => {
			behave();
			for (let round = 0; round < runsOfItem; round++) {
				await charged({ items: orders(1), parameters, settings: CONTINUE });
			}
			return service.sent('POST').flatMap(({ body }) => {
				const { services } = body.charge as { services: Array<{ amount: number }> };
				return services.map(({ amount }) => amount);
			});
		};

		test('what was checked is what is sent', async () => {
			const drawn = '={{ Math.random() < 0.5 ? 1 : 900 }}';
			const sums = await amounts(30, big(drawn, limited({ maxAmount: 100 })));
			expect(new Set(sums)).toEqual(new Set([1]));
		});

		test("a refused value isn't replaced and sent", async () => {
			const drawn = "={{ Math.random() < 0.5 ? 'none' : 900 }}";
			expect(await amounts(10, big(drawn, limited({ maxAmount: 100 })))).toEqual([]);
		});

		test('one item without limits is built once, so it may have any value', async () => {
			expect(await amounts(2, big('={{ Math.ceil(Math.random() * 1e9) }}'))).toHaveLength(2);
		});
	});

	test('a call of a tool whose response was lost counts in the next call', async () => {
		service.behave(() => undefined);
		const parameters = {
			resource: 'event',
			operation: 'update',
			eventId: byId("={{ $fromAI('id', '', 'string') }}"),
			updateFields: { title: 'Review' },
			safetyLimits: { maxItems: 1 },
			requests: { retryTime: 0 },
		};
		const settings = { ...retryOnFail, maxTries: 2 };
		const tools = [{ node: 'platformScheduler', parameters, settings }];
		await useTools(tools, service.credential, async ({ Tool_1: update }) => {
			await expect(update.invoke({ id: 'ev-1' })).rejects.toThrow(
				'The connection to the API broke',
			);
			await expect(update.invoke({ id: 'ev-2' })).rejects.toThrow('Max Items is 1');
		});
		expect(service.sent().map(({ path }) => path)).not.toContain('/scheduler/events/ev-2.json');
	});

	test('items that are skipped because of their key do not count', async () => {
		behave();
		const parameters = { idempotencyKey: '={{ $json.orderId }}', ...limited({ maxItems: 3 }) };
		await charged({ items: orders(3), parameters });
		sent();
		const { items, error } = await charged({ parameters });
		expect(error?.message).toBeUndefined();
		expect(sent()).toEqual(['cus-3']);
		expect(items).toHaveLength(4);
	});

	test('they hold in an execution, and not beyond: each request to the MCP Server Trigger is its own', async () => {
		behave();
		const tool = {
			resource: 'charge',
			operation: 'create',
			...charge,
			customerId: byId('cus-1'),
			services: { service: [{ name: 'Setup', amount: 40 }] },
			safetyLimits: { maxTotal: 100 },
		};
		for (let session = 0; session < 2; session++) {
			await useTools(
				[{ node: 'platformCustomers', parameters: tool }],
				service.credential,
				async ({ Tool_1: pay }) => {
					await pay.invoke({});
					await pay.invoke({});
					await expect(pay.invoke({})).rejects.toThrow('Max Total is 100.00');
				},
				{ isWebhook: true },
			);
		}
		expect(service.sent('POST')).toHaveLength(4);
	});

	test("in n8n's own Agents only Max Amount holds, so the others are refused", async () => {
		behave();
		const inAgent = { mode: 'internal' as RunOptions['mode'] };
		for (const limits of [{ maxItems: 1 }, { maxTotal: 12 }]) {
			const { error } = await charged({ ...inAgent, parameters: limited(limits) });
			expect(error?.message).toContain("can't hold here");
		}
		expect(sent()).toEqual([]);
		const { items } = await charged({ ...inAgent, parameters: limited({ maxAmount: 10 }) });
		expect(items).toHaveLength(4);
	});
});

describe('a loop', () => {
	/** The node in another process each time: nothing that a process keeps is there in the next round. */
	const processes = [freshNode('platformCustomers'), freshNode('platformCustomers')];
	let turn = 0;
	const anew = {
		...packageNodes().platformCustomers,
		execute(this: IExecuteFunctions) {
			const node = processes[++turn % processes.length];
			return (node as Required<Pick<INodeType, 'execute'>>).execute.call(this);
		},
	};

	/** Gives the charge its items again, as often as asked for, through data as another process reads it. */
	const rounds = (count: number, failsAt?: number) => {
		let round = 0;
		return ownNode('rounds', async function () {
			const { executionData } = (this as unknown as { runExecutionData: IRunExecutionData })
				.runExecutionData;
			// After a Wait, n8n goes on with what it has saved.
			if (executionData) executionData.contextData = structuredClone(executionData.contextData);
			if (++round === failsAt) throw new Error('Not now');
			const same = [{ json: { customer: 'cus-1', amount: 40 } }];
			return await Promise.resolve(round > count ? [[]] : [same]);
		});
	};

	async function looped(
		count: number,
		parameters: object,
		settings: object = {},
		{ failsAt, ...more }: { failsAt?: number; mode?: WorkflowExecuteMode; retryOf?: IRun } = {},
	) {
		const common = { typeVersion: 1, parameters: {} };
		const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
		const form = { resource: 'charge', operation: 'create', ...charge, ...parameters };
		const run = await runWorkflow({
			nodes: [
				{ ...common, id: '1', name: 'Source', type: 'source', position: [0, 0] },
				{ ...common, id: '3', name: 'Rounds', type: 'rounds', position: [1, 0] },
				nodeOf('platformCustomers', form, { id: '2', ...settings }),
			],
			connections: { Source: to('Rounds'), Rounds: to('Node'), Node: to('Rounds') },
			types: {
				...packageNodes(),
				platformCustomers: anew,
				source: sourceOf([{ json: { customer: 'cus-1', amount: 40 } }]),
				rounds: rounds(count, failsAt),
			},
			credential: service.credential,
			start: 'Source',
			...more,
		});
		return { ...run.data, run };
	}

	test('a Retry that begins anew knows each round, although all have the same items', async () => {
		behave();
		await looped(2, {});
		sent();
		const { resultData } = await looped(5, {}, {}, { mode: 'retry' });
		expect([resultData.error, sent().length]).toEqual([undefined, 3]);
	});

	test('a Retry after another node has failed sends the rounds that are left', async () => {
		behave();
		const { run } = await looped(5, {}, {}, { failsAt: 3 });
		expect([run.status, sent().length]).toEqual(['error', 2]);
		const { resultData } = await looped(3, {}, {}, { retryOf: run });
		expect([resultData.error, sent().length]).toEqual([undefined, 3]);
	});

	test('limits count all rounds, also those before a Wait in another process', async () => {
		service.behave(() => ({ body: { customer: 'cus-1', amount: 40, id: 'ch' } }));
		const { resultData } = await looped(5, { safetyLimits: { maxTotal: 100 } });
		expect(resultData.error?.message).toContain(
			'The 3 items have 120.00 in total, with those sent earlier',
		);
		expect(sent()).toHaveLength(2);
	});

	test('an update whose response was lost counts in the next round, also if it was refused since', async () => {
		const form = {
			resource: 'event',
			operation: 'update',
			eventId: byId('ev-1'),
			updateFields: { title: 'Review' },
			safetyLimits: { maxItems: 1 },
			requests: { retryTime: 0 },
		};
		for (const replies of [[undefined], [undefined, refused]]) {
			let writes = 0;
			service.behave(() => replies[writes++]);
			const isTriedAgain = replies.length > 1 && { ...retryOnFail, maxTries: 2 };
			const ofScheduler = { onError: 'continueRegularOutput', type: 'platformScheduler' };
			const settings = { ...isTriedAgain, ...ofScheduler };
			const { resultData } = await looped(2, form, settings);
			const last = resultData.runData.Node.at(-1)?.data?.main[0]?.[0].json.error;
			expect(last).toContain('This execution has 2 items, with those sent earlier, Max Items is 1');
			expect(writes).toBe(replies.length);
		}
	});

	test('each round is a run of its own, also with Retry On Fail', async () => {
		service.behave(() => ({ body: { customer: 'cus-1', amount: 40, id: 'ch' } }));
		const data = await looped(4, {}, retryOnFail);
		expect(data.resultData.error).toBeUndefined();
		expect(sent()).toHaveLength(4);
		expect(kept(data)).toEqual([{}]);
	});

	test('a round that n8n could try again is closed when the next one begins', async () => {
		let posts = 0;
		service.behave(() => (++posts <= 2 ? refused : { body: { id: 'ch' } }));
		const own = { customerId: byId('cus-1'), services: { service: [{ name: 'a', amount: 4 }] } };
		const settings = { ...retryOnFail, maxTries: 2, onError: 'continueRegularOutput' };
		const data = await looped(2, own, settings);
		expect([data.resultData.error, posts]).toEqual([undefined, 3]);
		expect(kept(data)).toEqual([{}]);
	});
});

describe('the log of a run that is cancelled', () => {
	/** Lines of n8n's log about a run that is cancelled when a request for this customer is on its way. */
	const logOf = async (
		last: string,
		run: (cancelAfter: Promise<void>) => Promise<unknown>,
	): Promise<string[]> => {
		const lines: string[] = [];
		const logger = { info: () => {}, warn: (text: string) => void lines.push(text) };
		const spy = jest.spyOn(ExecuteContext.prototype, 'logger', 'get');
		spy.mockReturnValue(logger as never);
		const isLast = ({ path }: { path: string }) => path.includes(last);
		const arrived = service.hold(isLast, ({ method, path }) => {
			if (path.includes('cus-0') && method === 'POST') return refused;
			if (path.includes('cus-1') && method === 'POST') return lost;
			return method === 'GET' ? absent : { body: { id: 'ch' } };
		});
		await run(arrived);
		spy.mockRestore();
		return lines.filter((text) => text.includes('was cancelled'));
	};

	const cancelled = async (options: Partial<RunOptions> & { parameters?: object }) =>
		await logOf('cus-3', async (cancelAfter) => await charged({ ...options, cancelAfter }));

	test('in a dry run nothing is called done', async () => {
		const log = await logOf('cus-2', async (cancelAfter) => {
			const credential = { ...service.credential, dryRun: true };
			const form = { externalId: '={{ $json.customer }}', email: 'a@example.com' };
			const options = { credential, items: orders(4), cancelAfter };
			await runWith(service, 'platformCustomers', 'customer.upsert', form, options);
		});
		expect(log).toEqual([expect.stringMatching(/was cancelled\. Nothing was sent\.$/)]);
	});

	test('after Stop, a key in doubt that was skipped is not called done', async () => {
		const parameters = { idempotencyKey: '={{ $json.orderId }}' };
		behave({ 'cus-1': lost });
		await charged({ items: orders(2).slice(1), parameters });
		expect(await cancelled({ items: orders(4).slice(1), parameters })).toEqual([
			expect.stringMatching(
				/Already done, but not in the output: row 2 \(item 1\) \(ID ch\)\. May have gone through: row 3 \(item 2\)\.$/,
			),
		]);
	});

	test('with Continue, it names each item as done, failed or in doubt', async () => {
		expect(await cancelled({ settings: CONTINUE })).toEqual([
			expect.stringMatching(
				/Already done, but not in the output: row 3 \(item 2\) \(ID ch\)\. May have gone through: rows 2, 4\.$/,
			),
		]);
	});
});

test('what n8n keeps of a failed run is small', async () => {
	behave({ 'cus-99': refused });
	// Their outputs alone take 270 kB.
	const parameters = { services: { service: [{ name: 'x'.repeat(2_600), amount: 10 }] } };
	const { run } = await charged({ items: orders(100), parameters });
	const text = JSON.stringify(run.data.executionData?.contextData);
	// 10,000 stay below 1 MB: outputs up to 200 kB, and a hash and an ID for each item.
	expect(text.length).toBeLessThan(200_000 + 100 * 80 + 5_000);
});

describe('Keep New with Continue', () => {
	const keep = async (
		items: Array<Record<string, unknown>>,
		options: object = {},
		more: Partial<RunOptions> = {},
	) =>
		await runWith(
			service,
			'platformWebhooks',
			'delivery.keepNew',
			{ key: '={{ $json.id }}', options },
			{ items: items as never, settings: CONTINUE, ...more },
		);

	test('a missing key is an error item, and the others are kept or dropped', async () => {
		await keep([{ id: 'a' }]);
		const { items, errors } = await keep([{ id: 'a' }, {}, { id: 'b' }]);
		expect(items.map(({ json }) => json.id)).toEqual(['b']);
		expect(errors).toHaveLength(1);
	});

	test('without Continue, an early missing key fails the run and leaves no rejection unhandled', async () => {
		const unhandled: unknown[] = [];
		const note = (reason: unknown) => void unhandled.push(reason);
		process.on('unhandledRejection', note);
		const items = Array.from({ length: 300 }, (_each, index) =>
			index === 3 ? {} : { id: `n${index}` },
		);
		const { error } = await keep(items, {}, { settings: { onError: 'stopWorkflow' } });
		expect(error?.message).toContain('"Key" must not be empty');
		process.off('unhandledRejection', note);
		expect(unhandled).toEqual([]);
	});

	test('what a run has passed passes again in its Retry, and nothing else that is known', async () => {
		await keep([{ id: 'a' }]);
		await keep([{ id: 'a' }, { id: 'b' }]);
		const { items } = await keep([{ id: 'a' }, { id: 'b' }, { id: 'b' }], {}, { mode: 'retry' });
		expect(items.map(({ json }) => json.id)).toEqual(['b']);
	});

	test.each([
		['recorded the keys', [], "doesn't tell whether"],
		['did not record the keys', ['b'], undefined],
	])(
		'a try whose store %s and failed: the next one drops nothing unseen',
		async (_title, passed, message) => {
			await keep([{ id: 'a' }]);
			if (passed.length > 0) lockStore(5);
			else loseResponses(5);
			const settings = { ...retryOnFail, waitBetweenTries: 0, onError: 'stopWorkflow' as const };
			const { items, error } = await keep([{ id: 'b' }], {}, { settings });
			expect([items.map(({ json }) => json.id), error?.message]).toEqual([
				passed,
				message && expect.stringContaining(message),
			]);
		},
	);

	test.each([
		['is locked', lockStore],
		['loses its response', () => loseResponses(1)],
	])('a store that %s passes no delivery that may be known', async (_title, fail) => {
		await keep([{ id: 'a' }]);
		fail();
		const { items, errors } = await keep([{ id: 'a' }, { id: 'b' }]);
		expect([items, errors.length]).toEqual([[], 2]);
	});

	test('an option that is invalid passes no delivery', async () => {
		const { items, errors } = await keep([{ id: 'a' }], { keysToRemember: 0 });
		expect(items).toEqual([]);
		expect(errors).toHaveLength(1);
	});
});

/** Checks of a person, as a saved workflow may have them with a key. */
const checks = table.filter(({ operation }) =>
	/\/(idp\/otp|idp\/passkey|sentinel)\/verify/.test(operation.endpoint.route),
);

test('there are three checks of a person', () => expect(checks).toHaveLength(3));

test.each(checks.map((entry) => [entry.title, entry] as const))(
	'%s has no key: each person is checked',
	async (_title, { node, resource, operation }) => {
		const [first] = forms(operation) as Array<RunOptions['parameters']>;
		const form = { ...first, idempotencyKey: 'a', options: { idempotencyKey: 'a' } };
		const check = async () =>
			await runWith(service, node, `${resource.value}.${operation.value}`, form);
		service.behave(() => ({ body: { success: true } }));
		await check();
		service.behave(() => ({ status: 422, body: { error: 'Wrong code' } }));
		const { items, error } = await check();
		expect(items).toEqual([]);
		expect(error?.message).toContain('Wrong code');
	},
);

test('what only tests something is done again if its response was lost', async () => {
	let isLost = true;
	service.behave(({ path }) => {
		if (!path.includes('/b/') || !isLost) return { body: { status: 'ok' } };
		isLost = false;
		return lost;
	});
	const form = { connectionId: byId('={{ $json.id }}') };
	const { items } = await runWith(service, 'platformAiGateway', 'connection.test', form, {
		items: [{ id: 'a' }, { id: 'b' }],
		settings: { ...retryOnFail, maxTries: 2, waitBetweenTries: 0 },
	});
	expect(items.map(({ json }) => json.status)).toEqual(['ok', 'ok']);
	const sent = service.sent('POST').map(({ path }) => path.split('/').at(-2));
	expect(sent).toEqual(['a', 'b', 'b']);
});

describe('Idempotency Key', () => {
	const keyed = { idempotencyKey: '={{ $json.orderId }}' };

	test('keys that differ in case are two', async () => {
		behave();
		const [one, other] = orders(2);
		const items = [
			{ ...one, orderId: 'Order-a' },
			{ ...other, orderId: 'order-A' },
		];
		expect(skippedIn(await charged({ items, parameters: keyed }))).toEqual([undefined, undefined]);
	});

	test('the same key with other values is skipped with a word', async () => {
		behave();
		await charged({ parameters: keyed });
		const other = { ...keyed, services: { service: [{ name: 'Setup', amount: 11 }] } };
		const { items } = await charged({ parameters: other });
		expect(items.map(({ json }) => json.reason)).toEqual(
			Array(4).fill(expect.stringContaining('sent before with other values')),
		);
	});

	test('a run with more keys than the node remembers is refused: the next one would send all of them again', async () => {
		behave();
		const remembering = async (keysToRemember: number) =>
			await charged({ parameters: { ...keyed, options: { keysToRemember } } });
		const { error } = await remembering(3);
		expect(error?.message).toContain('Keys to Remember" must be at least 4');
		expect(sent()).toEqual([]);
		await remembering(4);
		await remembering(4);
		expect(sent()).toHaveLength(4);
	});

	test('another credential has keys of its own', async () => {
		behave();
		await charged({ parameters: keyed });
		const credentials = { platformApi: { id: '2', name: 'Another company' } };
		const other = await charged({ parameters: keyed, settings: { credentials } });
		expect(skippedIn(other)).toEqual(Array(4).fill(undefined));
	});

	test('a response of the store that is lost after it recorded is doubt: nothing is sent twice', async () => {
		behave();
		await charged({ parameters: keyed });
		sent();
		let calls = 0;
		store.lose = () => ++calls % 2 === 1;
		const { items } = await charged({ items: orders(6), parameters: keyed });
		const before = orders(4).map(({ customer }) => customer);
		expect(sent().filter((customer) => before.includes(customer))).toEqual([]);
		expect(items.slice(0, 4).map(({ json }) => json.skipped)).toEqual(Array(4).fill(true));
	});

	test('if that fails, what may have been recorded is in doubt, and the run goes on', async () => {
		behave({
			'cus-0': async () => {
				lockStore();
				await wait(300);
				store.fault = undefined;
				return undefined;
			},
		});
		const { items, error } = await charged({ parameters: keyed });
		expect(error?.message).toBeUndefined();
		const ids = items.flatMap(({ json }) => (json.inDoubt === true ? [] : [json.id]));
		expect([ids[0], ids.at(-1)]).toEqual(['ch-cus-0', 'ch-cus-3']);
		expect(sent().map((customer) => `ch-${customer}`)).toEqual(ids);
	});

	test('a key that went through is settled, although a later key could not be recorded', async () => {
		behave({ 'cus-0': () => lockStore(10) });
		const first = await charged({ parameters: keyed, settings: CONTINUE });
		expect(first.errors.map(({ json }) => String(json.error))).toEqual([
			expect.stringContaining("couldn't be recorded by n8n"),
		]);
		expect(sent()).toContain('cus-0');
		store.fault = undefined;
		behave();
		const again = await charged({ parameters: keyed, settings: CONTINUE });
		expect(again.items[0].json).toMatchObject({ skipped: true, inDoubt: false });
	});

	test('a key whose request could not be recorded stays in doubt, as the log says', async () => {
		behave({ 'cus-0': () => lockStore(5) });
		await charged({ items: orders(1), parameters: keyed });
		expect(sent()).toEqual(['cus-0']);
		store.fault = undefined;
		const again = await charged({ items: orders(1), parameters: keyed });
		expect(sent()).toEqual([]);
		expect(again.items[0].json).toMatchObject({ skipped: true, inDoubt: true });
	});

	test('keys that are being recorded when the run ends are free again', async () => {
		behave({ 'cus-0': lost });
		store.times = [50];
		await charged({ parameters: keyed });
		store.times = undefined;
		sent();
		behave();
		expect(skippedIn(await charged({ parameters: keyed }))).toEqual([true, ...Array(3)]);
		expect(sent()).toHaveLength(3);
	});

	test('a key that was recorded ahead and not sent is free again', async () => {
		behave({ 'cus-2': refused });
		store.times = [30];
		await charged({ items: orders(15), parameters: keyed });
		store.times = undefined;
		sent();
		behave();
		const again = await charged({ items: orders(15), parameters: keyed });
		expect(again.error?.message).toBeUndefined();
		expect(sent()).toHaveLength(13);
	});
});
