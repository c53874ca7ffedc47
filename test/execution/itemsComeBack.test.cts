// Items of a refused or failed run that come back in a later one, and a Retry after a crash: nothing twice, nothing refused
// that is sure.
import {
	begun,
	chargesOf,
	firstRefused,
	refused,
	services,
	unclear,
	type LoopOptions,
} from './host/chargeRuns.cts';
import { ownNode, sourceOf } from './host/host.cts';
import { clearStore, store } from './host/keyStore.cts';
import { byId, run as runWith } from './host/run.cts';
import { packageNodes } from './host/package.cts';
import { retryOnFail } from './host/tool.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

beforeEach(clearStore);

const { sent, behave, credentialFailing, led, looped } = chargesOf(service);

/** Fails some calls of the store. */
function storeFailsFor(calls: number) {
	store.calls = 0;
	store.fault = () => {
		if (store.calls <= calls) throw new Error('database is locked');
	};
}

test('store fails in first round of the first execution, error output leads back', async () => {
	behave();
	storeFailsFor(5);
	const first = await led(['A', 'B'], { mode: 'webhook' });
	store.fault = undefined;
	expect([sent().sort(), first.outputs[0]?.[1]?.length]).toEqual([['A', 'B'], 2]);
	await led(['A', 'B'], { mode: 'retry' });
	expect(sent()).toEqual([]);
});

test('credential and store fail in first round', async () => {
	behave();
	storeFailsFor(5);
	const first = await led(['A', 'B'], {
		mode: 'webhook',
		credential: credentialFailing(1) as never,
	});
	store.fault = undefined;
	expect([sent().sort(), first.outputs[0]?.[1]?.length]).toEqual([['A', 'B'], 2]);
	await led(['A', 'B'], { mode: 'retry' });
	expect(sent()).toEqual([]);
});

test('two equal orders declined; in round 2 the first goes through, the second is declined', async () => {
	let tries = 0;
	behave({ A: () => (++tries === 3 ? { body: { id: 'ch-A' } } : refused) });
	const parameters = { requests: { parallel: 1 } };
	const first = await led(['A', 'A'], { mode: 'webhook', parameters, rounds: 2 });
	expect([sent(), first.outputs.at(-1)?.[0]]).toEqual([['A', 'A', 'A', 'A'], ['ch-A']]);
	behave();
	await led(['A', 'A'], { mode: 'retry', parameters, rounds: 2 });
	expect(sent().length).toBeLessThan(2);
});

test('the same in a loop of single items', async () => {
	let tries = 0;
	behave({ A: () => (++tries === 3 ? { body: { id: 'ch-A' } } : refused) });
	const after: LoopOptions['after'] = (round, [{ json }]) =>
		json.error === undefined || round > 2 ? [] : ['A'];
	await looped(['A', 'A'], { mode: 'webhook', after });
	expect(sent()).toEqual(['A', 'A', 'A', 'A']);
	behave();
	await looped(['A', 'A'], { mode: 'retry', after });
	expect(sent().length).toBeLessThan(2);
});

test('an item in doubt with empty JSON comes back, a field differs', async () => {
	behave({ A: unclear });
	await led(['A'], {
		mode: 'webhook',
		...emptySource(),
		parameters: {
			customerId: byId('A'),
			services: services(10, '={{ "Setup " + $now.toMillis() + " " + $runIndex }}'),
		},
	} as never);
	expect(sent()).toEqual(['A']);
});

function emptySource() {
	let count = 0;
	return {
		types: {
			...packageNodes(),
			source: sourceOf([{ json: {} }]),
			again: ownNode('again', async function () {
				return await Promise.resolve([++count < 3 ? this.getInputData() : []]);
			}),
		},
	};
}

test.each([
	['empty', () => ({})],
	['alike', () => ({ ok: true })],
	['same customer', undefined],
])(
	'Retry On Fail in a Retry, first try of round 1 cannot read the credential, loop (%s)',
	async (_name, item) => {
		behave();
		const { outputs } = await looped(['A', 'A'], {
			retryOf: begun(),
			item,
			parameters: { customerId: byId("={{ $('loop').item.json.customer }}") },
			settings: { ...retryOnFail, maxTries: 2 },
			credential: credentialFailing(1) as never,
		});
		expect([sent(), outputs.slice(-2)]).toEqual([
			['A', 'A'],
			[[['ch-A']], [['ch-A']]],
		]);
	},
);

test('credential fails in round 1, item comes again in the loop without error', async () => {
	behave();
	const after: LoopOptions['after'] = (_round, [{ json }]) =>
		json.error === undefined ? [] : ['A'];
	await looped(['A', 'B'], { mode: 'webhook', after, credential: credentialFailing(1) as never });
	expect(sent()).toEqual(['B', 'A']);
	await looped(['A', 'B'], { mode: 'retry', after });
	expect(sent()).toEqual([]);
});

test('a corrected amount after all was invalid', async () => {
	behave();
	await looped(['A'], { mode: 'webhook', parameters: { services: services('={{ "none" }}') } });
	expect(sent()).toEqual([]);
	const { outputs } = await looped(['A'], { mode: 'retry' });
	expect([sent(), outputs]).toEqual([['A'], [[['ch-A']]]]);
});

test('gathered items, refused before it began, then a Retry after a crash', async () => {
	const items = [{ id: 'c1' }, { id: 'c2' }];
	service.behave(() => ({ body: { newsletter: { id: 'nwl-1', status: 'draft' } } }));
	const make = async (more: object) =>
		await runWith(
			service as never,
			'platformNewsletters',
			'newsletter.create',
			{
				title: 'Hi',
				templateId: 't.html',
				subject: 'Hi',
				customersAs: 'items',
				customerField: 'id',
			},
			{ items, settings: { onError: 'continueRegularOutput' as const }, ...more } as never,
		);
	const posts = () => service.received.splice(0).filter(({ method }) => method === 'POST').length;
	const first = await make({ mode: 'webhook', credential: credentialFailing(1) });
	expect([posts(), first.items.map(({ json }) => json.error)]).toEqual([
		0,
		[expect.stringContaining('locked'), expect.stringContaining('locked')],
	]);
	const again = await make({ mode: 'retry' });
	expect([posts(), again.items.map(({ json }) => json.error)]).toEqual([1, [undefined]]);
});

test('Keep New: the store fails after it has recorded the new key, then a Retry after the error', async () => {
	const form = { key: '={{ $json.customer }}', options: {} };
	const keep = async (customers: string[], more: object) =>
		await runWith(service as never, 'platformWebhooks', 'delivery.keepNew', form, {
			items: customers.map((customer) => ({ customer })),
			...more,
		} as never);
	await keep(['old'], { mode: 'webhook' });
	store.calls = 0;
	store.fault = () => {
		if (store.calls > 2) throw new Error('database is locked');
	};
	const first = await keep(['old', 'new'], { mode: 'webhook' });
	store.fault = undefined;
	expect(first.error?.message).toContain('locked');
	const again = await keep(['old', 'new'], { retryOf: first.run });
	expect(again.items.map(({ json }) => json.customer)).toEqual(['new']);
});

test('Max Total in a loop with declined cards that come back, then a Retry', async () => {
	behave({ A: refused, X: firstRefused('ch-X') });
	const parameters = { safetyLimits: { maxTotal: 30 } };
	await looped(['A', 'X', 'X'], { mode: 'webhook', parameters });
	sent();
	behave();
	const { outputs } = await looped(['A', 'X', 'X', 'Y', 'Z'], { mode: 'retry', parameters });
	expect(outputs.slice(-2)).toEqual([[['ch-Y']], [[expect.stringContaining('Max Total')]]]);
});

test('Max Total, Retry after error in a later node, loop', async () => {
	behave({ A: refused });
	const parameters = { safetyLimits: { maxTotal: 20 } };
	const first = await looped(['A', 'B', 'C', 'D'], {
		mode: 'webhook',
		parameters,
		after: (round) => {
			if (round === 2) throw new Error('x');
		},
	});
	expect(sent()).toEqual(['A', 'B']);
	const { outputs } = await looped(['C', 'D'], { retryOf: first.run, parameters });
	expect([sent(), outputs.slice(-2)]).toEqual([
		['C'],
		[[['ch-C']], [[expect.stringContaining('Max Total')]]],
	]);
});

test('Max Items in first, then Max Amount new in Retry; loop', async () => {
	behave({ A: refused });
	const first = await looped(['A', 'B', 'C'], {
		mode: 'webhook',
		parameters: { safetyLimits: { maxItems: 9 } },
		after: (round) => {
			if (round === 2) throw new Error('x');
		},
	});
	expect(sent()).toEqual(['A', 'B']);
	const { outputs } = await looped(['C', 'D'], {
		retryOf: first.run,
		parameters: { safetyLimits: { maxItems: 9, maxAmount: 20 } },
	});
	expect([sent(), outputs.slice(-2)]).toEqual([
		['C', 'D'],
		[[['ch-C']], [['ch-D']]],
	]);
});

test('declined in a loop, declined again later, more rounds, Retry after an error in a later node', async () => {
	behave({ A: refused });
	const first = await looped(['A', 'B', 'A', 'C'], {
		mode: 'webhook',
		after: (round) => {
			if (round === 3) throw new Error('x');
		},
	});
	expect(sent()).toEqual(['A', 'B', 'A']);
	behave();
	const { outputs } = await looped(['C', 'A'], { retryOf: first.run });
	expect([sent(), outputs.slice(-2)]).toEqual([
		['C', 'A'],
		[[['ch-C']], [['ch-A']]],
	]);
});

test('Retry On Fail in the first execution, first try fails before it begins, second sends, then a Retry; loop', async () => {
	behave({ B: refused });
	const settings = { ...retryOnFail, maxTries: 2 };
	await looped(['A', 'B', 'C'], {
		mode: 'webhook',
		settings,
		credential: credentialFailing(1) as never,
	});
	expect(new Set(sent())).toEqual(new Set(['A', 'B', 'C']));
	behave();
	const { outputs } = await looped(['A', 'B', 'C', 'D'], { mode: 'retry', settings });
	expect([sent(), outputs]).toEqual([
		['B', 'D'],
		[[[true]], [['ch-B']], [[true]], [['ch-D']]],
	]);
});

test('the same with the error output that leads back', async () => {
	behave({ B: refused });
	const settings = { ...retryOnFail, maxTries: 2 };
	await led(['A', 'B'], { mode: 'webhook', settings, credential: credentialFailing(1) as never });
	expect(sent().filter((each) => each === 'A')).toEqual(['A']);
	behave();
	await led(['A', 'B'], { mode: 'retry', settings });
	expect(sent()).toEqual(['B']);
});

test('one round cannot read the credential while the store is fine, single items, then Retry: others go on', async () => {
	behave();
	await looped(['A', 'B', 'C'], { mode: 'webhook', credential: credentialFailing(2) as never });
	expect(sent()).toEqual(['A', 'C']);
	const { outputs } = await looped(['A', 'B', 'C'], { mode: 'retry' });
	expect([sent(), outputs]).toEqual([['B'], [[[true]], [['ch-B']], [[true]]]]);
});

test('a loop whose round failed in the store, item comes again without error', async () => {
	behave();
	storeFailsFor(5);
	const after: LoopOptions['after'] = (_round, [{ json }]) =>
		json.error === undefined ? [] : ['A'];
	await looped(['A', 'B'], { mode: 'webhook', after });
	store.fault = undefined;
	expect(sent()).toEqual(['B', 'A']);
	await looped(['A', 'B'], { mode: 'retry', after });
	expect(sent()).toEqual([]);
});

test('items that carry the error of another node, and are alike: one is declined, then a Retry', async () => {
	behave({ A: refused });
	const more = {
		item: () => ({ error: 'Card declined', details: {}, plan: 'basic' }),
		parameters: { customerId: byId("={{ $('loop').item.json.customer }}") },
	};
	await looped(['A', 'B', 'C'], { mode: 'webhook', ...more });
	expect(sent()).toEqual(['A', 'B', 'C']);
	behave();
	const { outputs } = await looped(['A', 'B', 'C'], { mode: 'retry', ...more });
	expect([sent(), outputs[0]]).toEqual([['A'], [['ch-A']]]);
});

test('empty JSON: declined, charged in the second round with another field, then a Retry', async () => {
	behave({ A: firstRefused('ch-A') });
	const form = {
		parameters: { customerId: byId('A'), services: services('={{ $runIndex === 0 ? 10 : 9 }}') },
	};
	await led(['A'], { mode: 'webhook', ...emptySource(), ...form } as never);
	expect(sent()).toEqual(['A', 'A']);
	behave();
	await led(['A'], { mode: 'retry', ...emptySource(), ...form } as never);
	expect(sent()).toEqual([]);
});

test('a loop with one whole round invalid, corrected with the Retry: the others', async () => {
	behave();
	const bad = services("={{ $json.customer === 'A' ? 'none' : 10 }}");
	await looped(['A', 'B'], { mode: 'webhook', parameters: { services: bad } });
	expect(sent()).toEqual(['B']);
	const { outputs } = await looped(['A', 'B', 'C'], { mode: 'retry' });
	expect([sent(), outputs]).toEqual([
		['A', 'C'],
		[[['ch-A']], [[true]], [['ch-C']]],
	]);
});

test('three equal orders in a loop with Max Total, declined, charged and declined, then a Retry', async () => {
	let tries = 0;
	behave({ X: () => (++tries === 2 ? { body: { id: 'ch-X' } } : refused) });
	await looped(['X', 'X', 'X'], { mode: 'webhook' });
	expect(sent()).toEqual(['X', 'X', 'X']);
	behave();
	const { outputs } = await looped(['X', 'X', 'X'], { mode: 'retry' });
	expect([sent().length, outputs[1]]).toEqual([expect.any(Number), [[true]]]);
});
