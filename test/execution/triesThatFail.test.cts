// Tries that fail before they begin, a Retry that is cancelled while it looks back, Safety Limits in a Retry, and big runs:
// what was sent comes out as sent, and n8n goes on beside them.
import { chargesOf, common, formOf, orders, refused, to } from './host/chargeRuns.cts';
import { forgetBeginning, ownNode, runWorkflow, sourceOf } from './host/host.cts';
import { clearStore, crashPoint, fillStore, store } from './host/keyStore.cts';
import { byId, run as runWith } from './host/run.cts';
import { packageNodes } from './host/package.cts';
import { retryOnFail } from './host/tool.cts';
import { Service } from './host/service.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

beforeEach(clearStore);

const { sent, behave, charged, credential, credentialFailing, led } = chargesOf(service);

const CONTINUE = { onError: 'continueErrorOutput' as const };

describe('a try that fails before it begins', () => {
	test('Retry On Fail, the credential cannot be read in the second try: what the first one sent comes out as sent', async () => {
		behave({ A: refused });
		const { outputs } = await led(['A', 'B'], {
			mode: 'webhook',
			rounds: 1,
			settings: { ...retryOnFail, maxTries: 2 },
			credential: credentialFailing(2),
		});
		expect(sent().filter((each) => each === 'B')).toEqual(['B']);
		expect(outputs.at(-1)).toEqual([['ch-B'], [expect.anything()]]);
	});

	test('the same where the error output leads back: it is not sent again', async () => {
		behave({ A: refused });
		await led(['A', 'B'], {
			mode: 'webhook',
			settings: { ...retryOnFail, maxTries: 2 },
			credential: credentialFailing(2),
		});
		expect(sent().filter((each) => each === 'B')).toEqual(['B']);
	});

	test('the first try cannot read the credential, and n8n is killed during the second: nothing is sent again', async () => {
		let restart = () => {};
		behave({
			A: () => {
				restart = crashPoint();
				return { body: { id: 'ch-A' } };
			},
		});
		await led(['A'], {
			mode: 'webhook',
			rounds: 1,
			settings: { ...retryOnFail, maxTries: 2 },
			credential: credentialFailing(1),
		});
		restart();
		expect(sent()).toEqual(['A']);
		behave();
		await led(['A'], { mode: 'retry', rounds: 1 });
		expect(sent()).toEqual([]);
	});

	test("n8n's Retry with Continue and a limit that can't be read: what was sent comes out as sent", async () => {
		behave({ 'cus-1': refused });
		const first = await charged(orders(3), { mode: 'webhook' });
		expect(sent()).toContain('cus-0');
		const again = await charged(
			orders(3),
			{ retryOf: first.run, settings: CONTINUE },
			{ safetyLimits: { maxItems: '={{ "none" }}' } },
		);
		expect(again.items.map(({ json }) => json.id ?? json.skipped)).toContain('ch-cus-0');
	});
});

describe('a Retry of a cancelled run', () => {
	/** Cancels after cus-0 and cus-1 are done. */
	const cancelled = async () => {
		let cancel = () => {};
		const cancelAfter = new Promise<void>((resolve) => (cancel = resolve));
		behave({
			'cus-2': async () => {
				setTimeout(cancel, 100);
				return await Promise.resolve({
					status: 429,
					headers: { 'retry-after': '20' },
					body: { error: 'Too many' },
				});
			},
		});
		await charged(orders(4), { mode: 'webhook', cancelAfter });
		const done = sent();
		behave();
		return done;
	};

	test('that is cancelled while it looks back can be retried', async () => {
		await cancelled();
		// Without a second cancel, a Retry sends the rest: see test/execution/ledger.test.cts.
		let cancel = () => {};
		const cancelAfter = new Promise<void>((resolve) => (cancel = resolve));
		store.calls = 0;
		store.fault = () => void (store.calls === 5 && cancel());
		const first = await charged(orders(4), { mode: 'retry', cancelAfter });
		expect(first.error?.message).toContain('canceled');
		store.fault = undefined;
		expect(sent()).toEqual([]);
		const second = await charged(orders(4), { mode: 'retry' });
		expect([second.error?.message, sent().sort()]).toEqual([undefined, ['cus-2', 'cus-3']]);
	});

	test('of 4,100 items, after 2,050 were sent, sends the rest', async () => {
		let cancel = () => {};
		const cancelAfter = new Promise<void>((resolve) => (cancel = resolve));
		behave({
			'cus-2050': async () => {
				setTimeout(cancel, 100);
				return await Promise.resolve({
					status: 429,
					headers: { 'retry-after': '20' },
					body: { error: 'Too many' },
				});
			},
		});
		await charged(orders(4100), { mode: 'webhook', cancelAfter });
		expect(sent().length).toBeGreaterThan(2000);
		behave();
		const second = await charged(orders(4100), { mode: 'retry' });
		expect(second.error?.message).toBeUndefined();
	}, 120_000);

	test('with a new key, it can be retried after a crash in a later node', async () => {
		await cancelled();
		const parameters = { idempotencyKey: '={{ $json.customer }}' };
		const again = await charged(orders(4), { mode: 'retry' }, parameters);
		expect([again.error?.message, sent().sort()]).toEqual([undefined, ['cus-2', 'cus-3']]);
		const second = await charged(orders(4), { mode: 'retry' }, parameters);
		expect([second.error?.message, sent()]).toEqual([undefined, []]);
	});
});

describe('Safety Limits', () => {
	test('a total that is new in the Retry counts what was sent before', async () => {
		behave({ 'cus-2': refused });
		const first = await charged(orders(3), { mode: 'webhook' });
		expect(sent()).toEqual(expect.arrayContaining(['cus-0', 'cus-1']));
		behave();
		const again = await charged(
			orders(3),
			{ retryOf: first.run },
			{ safetyLimits: { maxTotal: 25 } },
		);
		expect([sent(), again.error?.message]).toEqual([[], expect.stringContaining('30.00')]);
	});
});

/** The longest time for which nothing else had a turn, in milliseconds. */
async function heldUp(work: () => Promise<unknown>): Promise<number> {
	let last = performance.now();
	let longest = 0;
	const timer = setInterval(() => {
		longest = Math.max(longest, performance.now() - last);
		last = performance.now();
	}, 5);
	await work();
	longest = Math.max(longest, performance.now() - last);
	clearInterval(timer);
	return longest;
}

describe('4,000 items', () => {
	test('a Retry in which all are done holds n8n up for no second', async () => {
		behave();
		await charged(orders(4000), { mode: 'webhook' });
		sent();
		const plain = await heldUp(async () => await charged(orders(4000), { mode: 'retry' }));
		expect(sent()).toEqual([]);
		expect(plain).toBeLessThan(1000);
	}, 120_000);
});

test('the credential cannot be read in the second try: the error names what the first one sent', async () => {
	behave({ 'cus-1': refused });
	const run = await runWorkflow({
		nodes: [
			{ ...common, id: 'source', name: 'Source', type: 'source' },
			nodeOf('platformCustomers', formOf({}), { id: 'charge', ...retryOnFail, maxTries: 2 }),
		],
		connections: { Source: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
		types: { ...packageNodes(), source: sourceOf(orders(2).map((json) => ({ json }))) },
		credential: credentialFailing(2) as never,
		start: 'Source',
		mode: 'webhook',
	});
	expect(sent()).toContain('cus-0');
	expect(run.data.resultData.error?.message).toContain('Already done');
});

test('a Retry with Continue whose store fails says that the items may have been sent before', async () => {
	behave();
	await charged(orders(2), { mode: 'webhook' });
	expect(sent()).toHaveLength(2);
	store.fault = () => {
		throw new Error('database is locked');
	};
	const settings = { onError: 'continueRegularOutput' as const };
	const { items } = await charged(orders(2), { mode: 'retry', settings });
	expect(items.map(({ json }) => json.error)).toEqual([
		expect.stringMatching(/check|may have/i),
		expect.stringMatching(/check|may have/i),
	]);
});

/** Source -> loop -> the node with Continue -> loop: one item in each round. */
async function looped(node: string, form: object, ids: string[], mode: 'webhook' | 'retry') {
	const all = ids.map((id) => ({ json: { id } }));
	const loop = ownNode('loop', async () => await Promise.resolve([all.splice(0, 1)]));
	const always = ownNode('always', async () => await Promise.resolve([[{ json: {} }]]));
	const run = await runWorkflow({
		nodes: [
			{ ...common, id: 'source', name: 'Source', type: 'source' },
			{ ...common, id: 'loop', name: 'loop', type: 'loop' },
			{ ...common, id: 'always', name: 'always', type: 'always' },
			nodeOf(node, form as never, {
				id: 'node',
				onError: 'continueRegularOutput',
				alwaysOutputData: true,
			}),
		],
		connections: {
			Source: { main: [to('loop')] },
			loop: { main: [to('Node')] },
			Node: { main: [to('always')] },
			always: { main: [to('loop')] },
		},
		types: { ...packageNodes(), source: sourceOf([{ json: {} }]), loop, always },
		credential: credential(),
		start: 'Source',
		mode,
	});
	const tasks = run.data.resultData.runData.Node ?? [];
	return tasks.flatMap((task) => (task.data?.main[0] ?? []).map(({ json }) => json));
}

test('a total counts a round that was done before, although its number cannot be read then', async () => {
	let isGone = false;
	const queued: string[] = [];
	service.behave(({ method, path }) => {
		const id = path
			.split('/')
			.find((part) => /^n\d/.test(part))
			?.slice(0, 2) as string;
		if (method !== 'GET') {
			queued.push(id);
			return { body: { newsletter: { id, status: 'queued' } } };
		}
		if (isGone && id === 'n1') return { status: 404, body: {} };
		return { body: { newsletter: { total_recipients: 30 } } };
	});
	const form = {
		resource: 'newsletter',
		operation: 'queue',
		newsletterId: byId('={{ $json.id }}'),
		safetyLimits: { maxTotal: 40 },
	};
	await looped('platformNewsletters', form, ['n1'], 'webhook');
	expect(queued.splice(0)).toEqual(['n1']);
	isGone = true;
	await looped('platformNewsletters', form, ['n1', 'n2'], 'retry');
	expect(queued).toEqual([]);
});

test('Retry On Fail of 4,000 items with a full store holds n8n up for no second', async () => {
	behave({ 'cus-0': refused });
	await charged(orders(1), { mode: 'webhook' });
	fillStore(20_000);
	const settings = { ...retryOnFail, maxTries: 2, onError: 'continueRegularOutput' as const };
	const run = async () => await charged(orders(4000), { mode: 'webhook', settings });
	expect(await heldUp(run)).toBeLessThan(1000);
}, 120_000);

test('4,000 items that are invalid, with Continue, hold n8n up for no second', async () => {
	behave();
	const settings = { onError: 'continueRegularOutput' as const };
	const wrong = { services: { service: [{ name: 'Setup', amount: '={{ "none" }}' }] } };
	const run = async () => await charged(orders(4000), { mode: 'webhook', settings }, wrong);
	expect(await heldUp(run)).toBeLessThan(1000);
}, 120_000);

test('Keep New of 10,000 known rows holds n8n up for no second', async () => {
	const form = { key: '={{ $json.customer }}', options: { keysToRemember: 12_000 } };
	const keep = async () =>
		await runWith(service, 'platformWebhooks', 'delivery.keepNew', form, {
			items: orders(10_000),
			mode: 'webhook',
		});
	expect((await keep()).items).toHaveLength(10_000);
	expect(await heldUp(keep)).toBeLessThan(1000);
}, 120_000);

test('Keep New in a loop, after a crash, with one more item before the others', async () => {
	const form = { resource: 'delivery', operation: 'keepNew', key: '={{ $json.id }}', options: {} };
	const keep = async (ids: string[], mode: 'webhook' | 'retry') =>
		(await looped('platformWebhooks', form, ids, mode)).flatMap(
			({ id, error }) => id ?? error ?? [],
		);
	expect(await keep(['a', 'b'], 'webhook')).toEqual(['a', 'b']);
	expect(await keep(['a', 'b'], 'retry')).toEqual(['a', 'b']);
	expect(await keep(['new', 'a', 'b'], 'retry')).toEqual(['new', 'a', 'b']);
});

test('Keep New in a sub-workflow that was killed: the Retry of its own execution drops nothing without a word', async () => {
	const form = { key: '={{ $json.customer }}', options: {} };
	const keep = async (mode: 'webhook' | 'retry') =>
		await runWith(service, 'platformWebhooks', 'delivery.keepNew', form, {
			items: orders(2),
			mode,
		});
	expect((await keep('webhook')).items).toHaveLength(2);
	forgetBeginning();
	const again = await keep('retry');
	expect(again.error !== undefined || again.items.length === 2).toBe(true);
});
