// Several runs of a node in one execution, in a loop or where the error output leads back: a Retry that begins anew sends
// nothing again, whichever runs it has now.
import type { IRun } from 'n8n-workflow';
import { answerCharges, customersCharged } from './host/charges.cts';
import { ownNode, runWorkflow, sourceOf } from './host/host.cts';
import { clearStore, crashPoint, dropOldest, store } from './host/keyStore.cts';
import { packageNodes } from './host/package.cts';
import { byId } from './host/run.cts';
import { Service, type Reply } from './host/service.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

beforeEach(clearStore);

let runs = 0;

const credential = () => ({ ...service.credential, apiKey: `key-of-run-${++runs}` });

const sent = () => customersCharged(service);

const behave = (odd?: Parameters<typeof answerCharges>[1]) => answerCharges(service, odd);

type Workflow = Parameters<typeof runWorkflow>[0];

const services = (amount: unknown = 10, name = 'Setup') => ({ service: [{ name, amount }] });

const refused: Reply = { status: 422, body: { error: 'Card declined' } };

const unclear: Reply = { status: 504, body: 'Gateway timeout' };

const customersOf = (customers: string[]) =>
	sourceOf(customers.map((customer) => ({ json: { customer } })));

interface Options extends Partial<Workflow> {
	parameters?: object;
	settings?: object;
	rounds?: number;
}

/** Source -> a charge, whose error output leads back to it. */
async function led(
	customers: string[],
	{ parameters = {}, settings = {}, rounds = 3, ...more }: Options = {},
) {
	let count = 0;
	const again = ownNode('again', async function () {
		return await Promise.resolve([++count < rounds ? this.getInputData() : []]);
	});
	const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	const form = {
		resource: 'charge',
		operation: 'create',
		services: services(),
		customerId: byId('={{ $json.customer }}'),
		...parameters,
	};
	const run = await runWorkflow({
		nodes: [
			{ ...common, id: 'source', name: 'Source', type: 'source' },
			{ ...common, id: 'again', name: 'again', type: 'again' },
			nodeOf('platformCustomers', form as never, {
				id: 'charge',
				onError: 'continueErrorOutput',
				...settings,
			}),
		],
		connections: {
			Source: { main: [to('Node')] },
			Node: { main: [[], to('again')] },
			again: { main: [to('Node')] },
		},
		types: { ...packageNodes(), source: customersOf(customers), again },
		credential: credential(),
		start: 'Source',
		...more,
	});
	return outputsOf(run);
}

function outputsOf(run: IRun) {
	const tasks = run.data.resultData.runData.Node ?? [];
	return {
		run,
		error: (tasks.at(-1)?.error ?? run.data.resultData.error)?.message,
		outputs: tasks.map((task) =>
			task.data?.main.map((items) =>
				items?.map(({ json }) => json.error ?? json.id ?? json.skipped ?? json),
			),
		),
	};
}

/** Source -> loop -> charge with Continue -> loop: one customer in each round. */
async function looped(
	customers: string[],
	{ parameters = {}, settings = {}, ...more }: Options = {},
) {
	const all = customers.map((customer) => ({ json: { customer } }));
	const loop = ownNode('loop', async () => await Promise.resolve([all.splice(0, 1)]));
	const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	const form = {
		resource: 'charge',
		operation: 'create',
		services: services(),
		customerId: byId('={{ $json.customer }}'),
		...parameters,
	};
	const run = await runWorkflow({
		nodes: [
			{ ...common, id: 'source', name: 'Source', type: 'source' },
			{ ...common, id: 'loop', name: 'loop', type: 'loop' },
			nodeOf('platformCustomers', form as never, {
				id: 'charge',
				onError: 'continueRegularOutput',
				...settings,
			}),
		],
		connections: {
			Source: { main: [to('loop')] },
			loop: { main: [to('Node')] },
			Node: { main: [to('loop')] },
		},
		types: { ...packageNodes(), source: sourceOf([{ json: {} }]), loop },
		credential: credential(),
		start: 'Source',
		...more,
	});
	return outputsOf(run);
}

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
