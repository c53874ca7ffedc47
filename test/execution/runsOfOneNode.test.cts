// Several runs of a node in one execution, in a loop or where the error output leads back, and their Retries: nothing is sent
// twice, and nothing refused that is sure.
import { type IRun } from 'n8n-workflow';
import {
	begun,
	chargesOf,
	common,
	firstRefused,
	type LoopOptions,
	orders,
	refused,
	services,
	to,
	unclear,
	type Workflow,
} from './host/chargeRuns.cts';
import { ownNode, runWorkflow, sourceOf } from './host/host.cts';
import { clearStore, crashPoint, dropOldest, store } from './host/keyStore.cts';
import { byId, run as runWith } from './host/run.cts';
import { packageNodes } from './host/package.cts';
import { retryOnFail } from './host/tool.cts';
import { Service, type Reply } from './host/service.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

beforeEach(clearStore);

const { sent, behave, charged, credential, credentialFailing, led, looped } = chargesOf(service);

describe('money twice', () => {
	test('the first round cannot read the credential, the second charges all, then n8n is killed in a later node', async () => {
		behave();
		await led(['A', 'B'], { mode: 'webhook', credential: credentialFailing(1) as never });
		expect(sent().sort()).toEqual(['A', 'B']);
		await led(['A', 'B'], { mode: 'retry' });
		expect(sent()).toEqual([]);
	});

	test('the first round is refused by a limit that the form reads from elsewhere', async () => {
		behave();
		await led(['A', 'B'], {
			mode: 'webhook',
			parameters: { safetyLimits: { maxItems: '={{ $runIndex === 0 ? 1 : 9 }}' } },
		});
		expect(sent().sort()).toEqual(['A', 'B']);
		await led(['A', 'B'], { mode: 'retry', parameters: { safetyLimits: { maxItems: 9 } } });
		expect(sent()).toEqual([]);
	});

	test('an item that was declined is charged in the second round with a field that differs each time', async () => {
		behave({ A: firstRefused('ch-A') });
		const parameters = { services: services(10, '={{ "Setup " + $now.toMillis() + $runIndex }}') };
		await led(['A'], { mode: 'webhook', parameters });
		expect(sent()).toEqual(['A', 'A']);
		behave();
		await led(['A'], { mode: 'retry', parameters });
		expect(sent()).toEqual([]);
	});

	test('the same with another amount in the second round', async () => {
		behave({ A: firstRefused('ch-A') });
		const parameters = { services: services('={{ $runIndex === 0 ? 10 : 9 }}') };
		await led(['A', 'B'], { mode: 'webhook', parameters });
		expect(sent().sort()).toEqual(['A', 'A', 'B']);
		behave();
		await led(['A', 'B'], { mode: 'retry', parameters });
		expect(sent()).toEqual([]);
	});

	test('an item that was declined in the first round is charged more than 64 rounds later', async () => {
		behave({ A: firstRefused('ch-A') });
		const others = [...new Array(70).keys()].map((index) => `cus-${index}`);
		// A, the only one that is declined, comes once more at the end.
		const after: LoopOptions['after'] = (_round, [{ json }]) =>
			json.error === undefined ? [] : ['A'];
		await looped(['A', ...others], { mode: 'webhook', after });
		expect(sent().filter((each) => each === 'A')).toHaveLength(2);
		behave();
		await looped(['A', ...others], { mode: 'retry', after });
		expect(sent()).toEqual([]);
	});

	test('the first execution comes to the node after its Retry, and the error output leads back', async () => {
		behave();
		await led(['A'], { retryOf: begun() });
		expect(sent()).toEqual(['A']);
		await led(['A'], { mode: 'webhook', retryOf: begun() });
		expect(sent()).toEqual([]);
	});
});

test('all items are alike, a round of the Retry cannot read the credential, and comes again in place of a declined one', async () => {
	const alike = {
		item: () => ({ ok: true }),
		parameters: { customerId: byId("={{ $('loop').item.json.customer }}") },
	};
	behave({ B: refused });
	await looped(['A', 'B', 'C'], { mode: 'webhook', ...alike });
	expect(sent()).toEqual(['A', 'B', 'C']);
	behave();
	await looped(['A', 'B', 'C'], {
		mode: 'retry',
		...alike,
		credential: credentialFailing(1) as never,
		after: (round) => (round === 1 ? ['A'] : []),
		isNext: true,
	});
	expect(sent().filter((each) => each !== 'B')).toEqual([]);
});

test.each([
	['declined', {}],
	[
		'refused by a limit',
		{ safetyLimits: { maxItems: "={{ $('loop').item.json.customer === 'A' ? 'none' : 9 }}" } },
	],
])(
	'28: all items are alike, the first round was %s, and is not there in the Retry',
	async (_why, limits) => {
		const alike = {
			item: () => ({ ok: true }),
			parameters: { customerId: byId("={{ $('loop').item.json.customer }}"), ...limits },
		};
		behave({ A: refused });
		await looped(['A', 'B'], { mode: 'webhook', ...alike });
		expect(sent()).toContain('B');
		behave();
		await looped(['B'], { mode: 'retry', ...alike });
		expect(sent()).toEqual([]);
	},
);

describe('refused, though nothing is unsure', () => {
	test('with a key, a later round of the loop was refused before it began', async () => {
		behave();
		const parameters = {
			idempotencyKey: '={{ $json.customer }}',
			safetyLimits: { maxItems: "={{ $json.customer === 'B' ? 'none' : 100 }}" },
		};
		await looped(['A', 'B'], { mode: 'webhook', parameters });
		expect(sent()).toEqual(['A']);
		const { outputs } = await looped(['A', 'B', 'C'], { mode: 'retry', parameters });
		expect([sent(), outputs[0]]).toEqual([['C'], [[true]]]);
	});

	test('with a key, nothing was sent before the crash', async () => {
		behave({ A: refused });
		const parameters = {
			idempotencyKey: '={{ $json.customer }}',
			safetyLimits: { maxItems: "={{ $json.customer === 'B' ? 'none' : 100 }}" },
		};
		await looped(['A', 'B'], { mode: 'webhook', parameters });
		expect(sent()).toEqual(['A']);
		behave();
		const { outputs } = await looped(['A', 'B'], { mode: 'retry', parameters });
		expect([sent(), outputs[0]]).toEqual([['A'], [['ch-A']]]);
	});

	test('Retry after an error in a later node, and one of the rounds that follow is refused by an invalid limit', async () => {
		behave();
		const parameters = {
			safetyLimits: { maxItems: "={{ $json.customer === 'B' ? 'none' : 100 }}" },
		};
		const first = await looped(['A', 'B', 'C', 'D'], {
			mode: 'webhook',
			parameters,
			after: () => {
				throw new Error('Later node failed');
			},
		});
		expect(sent()).toEqual(['A']);
		const { outputs } = await looped(['B', 'C', 'D'], { retryOf: first.run, parameters });
		expect([sent(), outputs.slice(-2)]).toEqual([
			['C', 'D'],
			[[['ch-C']], [['ch-D']]],
		]);
	});

	test('the execution failed before the node ever began', async () => {
		behave();
		const parameters = {
			safetyLimits: { maxItems: "={{ $json.customer === 'A' ? 'none' : 100 }}" },
		};
		const { outputs } = await looped(['A', 'B', 'C'], { retryOf: begun(), parameters });
		expect([sent(), outputs.slice(-2)]).toEqual([
			['B', 'C'],
			[[['ch-B']], [['ch-C']]],
		]);
	});

	test('Retry On Fail, and a round that was refused at once', async () => {
		behave();
		const settings = { ...retryOnFail, maxTries: 2 };
		const maxItems = "={{ $json.customer === 'A' ? 'none' : 100 }}";
		await looped(['A', 'B'], {
			mode: 'webhook',
			settings,
			parameters: { safetyLimits: { maxItems } },
		});
		expect(sent()).toEqual(['B']);
		const { outputs } = await looped(['A', 'B', 'C'], { mode: 'retry', settings });
		expect([sent(), outputs]).toEqual([
			['A', 'C'],
			[[['ch-A']], [[true]], [['ch-C']]],
		]);
	});

	test('items that carry the error of another node, in a loop: one is in doubt', async () => {
		behave({ A: unclear });
		const { outputs } = await looped(['A', 'B', 'C'], {
			mode: 'webhook',
			item: () => ({ error: 'Card declined', details: {} }),
			parameters: { customerId: byId("={{ $('loop').item.json.customer }}") },
		});
		expect([sent(), outputs.slice(1)]).toEqual([
			['A', 'B', 'C'],
			[[['ch-B']], [['ch-C']]],
		]);
	});

	test('declined cards in a loop, and one customer whose second order went through', async () => {
		behave({ A: refused, X: firstRefused('ch-X') });
		await looped(['A', 'X', 'X'], { mode: 'webhook' });
		expect(sent()).toEqual(['A', 'X', 'X']);
		behave();
		const { outputs } = await looped(['A', 'X', 'X'], { mode: 'retry' });
		expect([sent(), outputs[0]]).toEqual([['A'], [['ch-A']]]);
	});
});

describe('Keep New', () => {
	const form = {
		resource: 'delivery',
		operation: 'keepNew',
		key: '={{ $json.customer }}',
		options: {},
	};

	/** Source -> loop -> Keep New -> later -> loop. */
	async function kept(
		ids: string[],
		more: Partial<Workflow>,
		after: (round: number) => void = () => {},
	) {
		const all = ids.map((customer) => ({ json: { customer } }));
		let rounds = 0;
		const loop = ownNode('loop', async () => await Promise.resolve([all.splice(0, 1)]));
		const later = ownNode('later', async () => {
			after(++rounds);
			return await Promise.resolve([[{ json: {} }]]);
		});
		const run = await runWorkflow({
			nodes: [
				{ ...common, id: 'source', name: 'Source', type: 'source' },
				{ ...common, id: 'loop', name: 'loop', type: 'loop' },
				{ ...common, id: 'later', name: 'later', type: 'later' },
				nodeOf('platformWebhooks', form as never, { id: 'keep', alwaysOutputData: true }),
			],
			connections: {
				Source: { main: [to('loop')] },
				loop: { main: [to('Node')] },
				Node: { main: [to('later')] },
				later: { main: [to('loop')] },
			},
			types: { ...packageNodes(), source: sourceOf([{ json: {} }]), loop, later },
			credential: credential(),
			start: 'Source',
			...more,
		});
		const tasks = run.data.resultData.runData.Node ?? [];
		const passed = tasks.map((task) =>
			(task.data?.main[0] ?? []).flatMap(({ json }) => json.customer ?? []),
		);
		return { run, passed, error: tasks.at(-1)?.error?.message };
	}

	test('the same delivery comes twice, and the execution was retried between after an error', async () => {
		const first = await kept(['a', 'b', 'a'], { mode: 'webhook' }, (round) => {
			if (round === 2) throw new Error('Later node failed');
		});
		expect(first.passed).toEqual([['a'], ['b']]);
		const again = await kept(['a'], { retryOf: first.run });
		expect(again.passed).toEqual([['a'], ['b'], []]);
	});
});

const tooMany: Reply = {
	status: 429,
	headers: { 'retry-after': '20' },
	body: { error: 'Too many' },
};

/** Cancels when a customer is on its way. */
function cancelAt(customer: string) {
	let cancel = () => {};
	const cancelAfter = new Promise<void>((resolve) => (cancel = resolve));
	behave({
		[customer]: async () => {
			setTimeout(cancel, 100);
			return await Promise.resolve(tooMany);
		},
	});
	return cancelAfter;
}

test('a Retry of a cancelled run with a new key that is cancelled, too, can be retried', async () => {
	await charged(orders(4), { mode: 'webhook', cancelAfter: cancelAt('cus-2') });
	expect(sent()).toContain('cus-0');
	const parameters = { idempotencyKey: '={{ $json.customer }}', requests: { parallel: 1 } };
	await charged(orders(4), { mode: 'retry', cancelAfter: cancelAt('cus-3') }, parameters);
	sent();
	behave();
	const { error } = await charged(orders(4), { mode: 'retry' }, parameters);
	expect([error?.message, sent()]).toEqual([undefined, ['cus-3']]);
});

test('Output Fields hold for what an earlier try has sent', async () => {
	behave({ 'cus-1': refused });
	const options = { outputFields: 'id' };
	const first = await charged(orders(2), { mode: 'webhook' }, { options });
	sent();
	const settings = { onError: 'continueErrorOutput' as const };
	const more = { retryOf: first.run, settings };
	const usual = await charged(orders(2), more, { options });
	const limit = { safetyLimits: { maxItems: '={{ "none" }}' } };
	const again = await charged(orders(2), more, { options, ...limit });
	expect(again.items[0].json).toEqual(usual.items[0].json);
});

const flowSize = ({ data }: IRun) => JSON.stringify(data.executionData?.contextData ?? {}).length;

test('a Retry of Keep New keeps no text of the user in the data of the execution', async () => {
	const form = { key: '={{ $json.customer.repeat(200) }}', options: {} };
	const keep = async (mode: 'webhook' | 'retry') =>
		await runWith(service, 'platformWebhooks', 'delivery.keepNew', form, {
			items: orders(2000),
			mode,
		});
	const first = await keep('webhook');
	const again = await keep('retry');
	expect([first.items.length, again.items.length]).toEqual([2000, 2000]);
	expect([flowSize(first.run), flowSize(again.run)].map((size) => size < 100_000)).toEqual([
		true,
		true,
	]);
}, 120_000);

test('a total that is new in the Retry counts what was sent under Max Items', async () => {
	behave({ 'cus-2': refused });
	const first = await charged(orders(3), { mode: 'webhook' }, { safetyLimits: { maxItems: 10 } });
	expect(sent()).toEqual(expect.arrayContaining(['cus-0', 'cus-1']));
	behave();
	const again = await charged(
		orders(3),
		{ retryOf: first.run },
		{ safetyLimits: { maxItems: 10, maxTotal: 25 } },
	);
	expect([sent(), again.error?.message]).toEqual([[], expect.stringContaining('30.00')]);
});

test('a total that is new in the Retry counts earlier rounds of the loop', async () => {
	behave();
	const first = await looped(['A', 'B'], {
		mode: 'webhook',
		after: (round) => {
			if (round === 2) throw new Error('Later node failed');
		},
	});
	expect(sent()).toEqual(['A', 'B']);
	const parameters = { safetyLimits: { maxTotal: 25 } };
	await looped(['C'], { retryOf: first.run, parameters });
	expect(sent()).toEqual([]);
});

test('a declined card that is declined again in the second round can be charged in a Retry', async () => {
	behave({ A: refused });
	await led(['A', 'B'], { mode: 'webhook' });
	sent();
	behave();
	await led(['A', 'B'], { mode: 'retry' });
	expect(sent()).toEqual(['A']);
});

test('Max Items counts only what was sent, where a declined card was charged in a later round', async () => {
	behave({ A: refused, X: firstRefused('ch-X') });
	const parameters = { safetyLimits: { maxItems: 3 } };
	await looped(['A', 'X', 'X'], { mode: 'webhook', parameters });
	sent();
	behave();
	const { outputs } = await looped(['A', 'X', 'X', 'Y'], { mode: 'retry', parameters });
	expect(outputs.at(-1)).toEqual([['ch-Y']]);
});

test('Retry On Fail in a Retry: the first try cannot read the credential, and the second sends', async () => {
	behave();
	// The execution failed before it came to the node.
	const { outputs } = await led(['A', 'B'], {
		retryOf: begun(),
		rounds: 1,
		settings: { ...retryOnFail, maxTries: 2 },
		credential: credentialFailing(1) as never,
	});
	expect([sent(), outputs.at(-1)?.[0]]).toEqual([
		['A', 'B'],
		['ch-A', 'ch-B'],
	]);
});

test('a Retry of a run whose store failed for a moment in the first try of Retry On Fail', async () => {
	behave();
	store.calls = 0;
	store.fault = () => {
		if (store.calls <= 5) throw new Error('database is locked');
	};
	await led(['A', 'B'], {
		retryOf: begun(),
		rounds: 1,
		settings: { ...retryOnFail, maxTries: 3, waitBetweenTries: 300 },
	});
	expect(sent()).toEqual(['A', 'B']);
});

describe('a Retry that begins anew, where the error output leads back', () => {
	test('what the second round charged is not charged again by the first round', async () => {
		let tries = 0;
		behave({ A: () => (++tries === 1 ? refused : { body: { id: 'ch-A' } }) });
		await led(['A', 'B'], { mode: 'webhook' });
		// B, then A: declined, and charged in the second round. Then n8n is killed in a later node.
		expect(sent().sort()).toEqual(['A', 'A', 'B']);
		behave();
		await led(['A', 'B'], { mode: 'retry' });
		expect(sent()).toEqual([]);
	});

	test('after kill -9 in the first round, the refused items do not come back as a run that never was', async () => {
		let restart = () => {};
		behave({
			B: () => {
				restart = crashPoint();
				return { body: { id: 'ch-B' } };
			},
		});
		await led(['A', 'B'], { mode: 'webhook' });
		restart();
		expect(sent()).toEqual(['A', 'B']);
		behave();
		const { outputs } = await led(['A', 'B'], { mode: 'retry' });
		expect([sent(), outputs[0]?.[1]]).toEqual([
			[],
			[expect.stringContaining('cut off'), expect.anything()],
		]);
	});

	test('the same where the store fails for a moment', async () => {
		behave();
		await led(['A', 'B'], { mode: 'webhook' });
		expect(sent()).toEqual(['A', 'B']);
		store.calls = 0;
		store.fault = () => {
			if (store.calls <= 5) throw new Error('database is locked');
		};
		await led(['A', 'B'], { mode: 'retry' });
		expect(sent()).toEqual([]);
	});

	test('of two Retries at once, the refused one does not send in its second round', async () => {
		behave();
		await Promise.all([led(['A'], { mode: 'retry' }), led(['A'], { mode: 'retry' })]);
		expect(sent()).toEqual(['A']);
	});

	test('a second Retry of a failed execution sends nothing in its second round', async () => {
		behave({ B: refused });
		const first = await led(['A', 'B', 'C'], {
			mode: 'webhook',
			settings: { onError: 'stopWorkflow' },
			parameters: { requests: { parallel: 1 } },
		});
		sent();
		let restart = () => {};
		behave({
			C: () => {
				restart = crashPoint();
				return { body: { id: 'ch-C' } };
			},
		});
		// The first Retry is killed.
		await led(['A', 'B', 'C'], { retryOf: first.run });
		restart();
		sent();
		behave();
		await led(['A', 'B', 'C'], { retryOf: first.run });
		expect(sent()).toEqual([]);
	});
});

describe('a Retry that begins anew, in a loop with Continue', () => {
	test('the source has one more item, before the others', async () => {
		behave();
		await looped(['A', 'B'], { mode: 'webhook' });
		expect(sent()).toEqual(['A', 'B']);
		const again = await looped(['New', 'A', 'B'], { mode: 'retry' });
		expect([sent().filter((each) => each !== 'New'), again.outputs.length]).toEqual([[], 3]);
	});

	test('the store has dropped the marks of the first rounds', async () => {
		behave();
		const ids = [...new Array(120).keys()].map((index) => `cus-${index}`);
		await looped(ids, { mode: 'webhook' });
		expect(sent()).toHaveLength(120);
		// Three texts a round.
		dropOldest(250);
		await looped(ids.slice(0, 3), { mode: 'retry' });
		expect(sent()).toEqual([]);
	});

	test('a round that was refused is not there anymore', async () => {
		behave();
		const maxItems = "={{ $json.customer === 'A' ? 'none' : 100 }}";
		const parameters = { safetyLimits: { maxItems } };
		await looped(['A', 'B'], { mode: 'webhook', parameters });
		expect(sent()).toEqual(['B']);
		await looped(['B'], { mode: 'retry', parameters });
		expect(sent()).toEqual([]);
	});
});

describe('an item in doubt, where the error output leads back', () => {
	test('with a form that a person has corrected for the Retry', async () => {
		behave({ A: unclear });
		const first = await led(['A', 'B'], { mode: 'webhook', settings: { onError: 'stopWorkflow' } });
		expect(sent().filter((each) => each === 'A')).toEqual(['A']);
		behave();
		await led(['A', 'B'], { retryOf: first.run, parameters: { services: services(11) } });
		expect(sent().filter((each) => each === 'A')).toEqual([]);
	});

	test('with a key that is new in the Retry', async () => {
		behave({ A: unclear });
		const first = await led(['A', 'B'], { mode: 'webhook', settings: { onError: 'stopWorkflow' } });
		sent();
		behave();
		await led(['A', 'B'], {
			retryOf: first.run,
			parameters: { idempotencyKey: '={{ $json.customer }}' },
		});
		expect(sent().filter((each) => each === 'A')).toEqual([]);
	});

	test('with a field that differs each time', async () => {
		behave({ A: unclear });
		await led(['A'], {
			mode: 'webhook',
			parameters: { services: services(10, '={{ "Setup " + $now.toMillis() + " " + $runIndex }}') },
		});
		expect(sent()).toEqual(['A']);
	});
});
