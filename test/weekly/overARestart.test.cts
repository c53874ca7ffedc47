// Published workflows over a kill of n8n and its restart: examples by their trigger, with what they promise, and the events of
// Platform Polling Trigger for payments, changes and missing rows.
import { itemsOf, type Execution, type WorkflowJson } from '../n8n/client.cts';
import { startMailServer, type MailServer } from '../n8n/mailServer.cts';
import { given, triggered, type Parameters } from '../n8n/parts.cts';
import { LEAN, ownSetting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';
import { exampleOf, polledFast } from '../e2e/examples.cts';
import { addFees, paysPartners } from '../execution/year/payingPartners.cts';
import { reconciles, renew, renewing } from '../execution/year/reconciling.cts';
import type { Promises, Seen } from '../execution/year/scenes.cts';

/** As the note of the example that pays asks for: on a busy machine, a run takes longer than the time to the next one. */
const ONE_AT_A_TIME = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };

const running = ownSetting({ env: { ...LEAN, ...ONE_AT_A_TIME } }, { sandbox: { customers: 60 } });
const state = () => running().sandbox.state;

let mailServer: MailServer;
beforeAll(async () => {
	mailServer = await startMailServer();
});
afterAll(async () => await mailServer.close());

/** A poll every ten seconds, one workflow after the other: many at once would wait for connections of n8n's SQLite. */
const pollTimes = (place: number) => ({
	item: Array.from({ length: 6 }, (_each, n) => ({
		mode: 'custom',
		cronExpression: `${n * 10 + place * 2} * * * * *`,
	})),
});

/** Months that have come. */
const occasions: number[] = [];

/** A workflow, and what is to be seen of its executions, oldest first. */
interface Case {
	workflow: () => WorkflowJson;
	/** What happens at the service in a month: 0 while n8n runs, 1 while it's down, 2 after its restart. */
	happens: (month: number) => void;
	/** Fails until all that has happened has come out, and if anything came out twice. */
	check: (executions: Execution[]) => void;
}

/** The example that pays partners, every twenty seconds in place of a click. */
function payingPartners(): WorkflowJson {
	const workflow = exampleOf('07-pay-partners.json');
	const interval = [{ field: 'cronExpression', expression: '*/20 * * * * *' }];
	const schedule = { type: 'n8n-nodes-base.scheduleTrigger', typeVersion: 1.2 };
	const nodes = workflow.nodes.map((node) =>
		node.type === 'n8n-nodes-base.manualTrigger'
			? { ...node, ...schedule, parameters: { rule: { interval } } }
			: node,
	);
	return { ...workflow, nodes };
}

function seenOf(executions: Execution[]): Seen {
	const runs = executions.map((execution) => {
		const rows = (node: string) => itemsOf(execution, node).map(({ json }) => json);
		return { rows, newRows: rows };
	});
	return { sandbox: running().sandbox, mails: mailServer.mails, runs, occasions };
}

/** An example, held against what it promises over a year. */
const example = (
	workflow: () => WorkflowJson,
	{ never, holds }: Promises,
	happens: (seen: Seen, month: number) => void,
): Case => ({
	workflow,
	happens: (month) => happens(seenOf([]), month),
	check(executions) {
		const seen = seenOf(executions);
		for (const promise of Object.values({ ...never, ...holds })) promise(seen);
	},
});

/** An event of the trigger, with the IDs that have to come out for what happens in a month. */
function event(
	place: number,
	name: string,
	happens: (month: number) => string[],
	parameters: Parameters = {},
): Case {
	const expected: string[] = [];
	return {
		workflow: () => {
			const all = { pollTimes: pollTimes(place), event: name, ...parameters };
			return triggered(name, 'PollingTrigger', all);
		},
		happens: (month) => void expected.push(...happens(month)),
		check: (executions) =>
			expect(executions.flatMap(given).map(({ id }) => String(id))).toEqual(expected),
	};
}

const subscriptions = () => state().subscriptions.subscriptions;

/** Subscriptions that run, and others that don't, for what happens to one of them each month. */
const subscriptionWith = (isRunning: boolean, month: number) =>
	subscriptions().rows.filter(({ status }) => (status !== 'dismiss') === isRunning)[month];

const events: Record<string, Case> = {
	subscriptionPayment: event(0, 'subscriptionPayment', () =>
		renewing(seenOf([])).map(({ recurringId }) => recurringId),
	),
	subscriptionChanged: event(
		1,
		'subscriptionChanged',
		(month) => {
			const { id, recurringId } = subscriptionWith(true, month);
			subscriptions().update(id, { status: 'paused' });
			return [recurringId];
		},
		{ subscriptionFields: ['status'] },
	),
	subscriptionNoLongerListed: event(2, 'subscriptionNoLongerListed', () => {
		const { id, recurringId } = subscriptionWith(false, 0);
		subscriptions().remove(id);
		return [recurringId];
	}),
	customerNoLongerListed: event(3, 'customerNoLongerListed', () => {
		const { customers } = state().customers;
		const { id } = customers.rows.find((row) => row.subscriptions.length === 0)!;
		customers.remove(id);
		return [id];
	}),
};

const cases: Record<string, Case> = {
	...events,
	'06 Reconcile payments': example(
		() => polledFast(exampleOf('06-reconcile-payments.json'), pollTimes(4)),
		reconciles,
		renew,
	),
	'07 Pay partners': example(payingPartners, paysPartners, addFees),
};

/** IDs of the workflows, by case. */
const ids: Record<string, string> = {};

const executionsOf = async (name: string): Promise<Execution[]> =>
	(await running().n8n.client.waitForExecutions(ids[name], 0))
		.filter(({ mode }) => mode === 'trigger')
		.reverse();

/** Looks at a workflow. A failure lists its executions, oldest first, and what n8n logged last. */
async function lookedAt(name: string, look: () => Promise<unknown>): Promise<void> {
	try {
		await look();
	} catch (error) {
		const { client, logs } = running().n8n;
		const all = (await client.executions({ workflowId: ids[name] })).reverse();
		const lines = all.map(async ({ id, status, startedAt }) => {
			const execution = await client.execution(id);
			const { runData = {}, error: fault } = execution.data?.resultData ?? {};
			const nodes = Object.keys(runData).map(
				(node) => `${node} ${itemsOf(execution, node).length}`,
			);
			return [id, status, startedAt, nodes.join(', '), fault?.message].join(' ');
		});
		const told = [`${name}: ${(error as Error).message}`, ...(await Promise.all(lines))];
		throw new Error([...told, logs().slice(-4000)].join('\n'));
	}
}

/** Waits until what has happened has come out of each workflow. */
async function allCome(): Promise<void> {
	for (const [name, { check }] of Object.entries(cases)) {
		let missing = '';
		const hasCome = async () => {
			const executions = await executionsOf(name);
			try {
				check(executions);
				return true;
			} catch (error) {
				missing = (error as Error).message;
				return false;
			}
		};
		await lookedAt(name, async () => await until(() => missing, hasCome));
	}
}

beforeAll(async () => {
	const { n8n, credential } = running();
	const smtp = await n8n.client.createCredential('smtp', 'SMTP account', mailServer.credential);
	for (const [name, { workflow }] of Object.entries(cases)) {
		({ id: ids[name] } = await n8n.client.importWorkflow(workflow(), [credential, smtp]));
	}
});

test.each(Object.keys(events))('the test event of %s shows rows', async (name) => {
	const shown = given(await running().n8n.client.runWorkflow(ids[name]));
	expect(shown.length).toBeGreaterThan(0);
	for (const each of shown) expect(each).toMatchObject({ event: name, id: expect.any(String) });
});

test('whatever happens while n8n runs, is down or runs again comes out once', async () => {
	const { n8n, sandbox } = running();
	const all = Object.values(cases);
	for (const id of Object.values(ids)) await n8n.client.activate(id);
	occasions.push(0);
	for (const { happens } of all) happens(0);
	await allCome();

	// In the middle of a run that pays: one payout is paid, the others aren't.
	const path = '/partners/payouts/{payoutId}/status.json';
	const fault = sandbox.faults.add({ kind: 'stall', method: 'PUT', path, nth: 2 });
	cases['07 Pay partners'].happens(1);
	await until('a payout that is being paid', () => fault.hits > 0);
	await n8n.kill9();
	const killedAt = Date.now();
	fault.remove();
	occasions.push(1);
	for (const { happens } of all) happens(1);
	await n8n.restart();
	await allCome();

	occasions.push(2);
	for (const { happens } of all) happens(2);
	await allCome();

	// Nothing comes once more.
	sandbox.clearRequests();
	const polls = () =>
		sandbox.requests.filter(({ path: sent }) => sent.startsWith('/customers.json'));
	await until('some polls', () => polls().length > 3);
	for (const [name, { check }] of Object.entries(cases)) {
		await lookedAt(name, async () => {
			const executions = await executionsOf(name);
			check(executions);
			const wasKilled = ({ status, startedAt }: Execution) =>
				status === 'crashed' && Date.parse(startedAt) <= killedAt;
			const failed = executions.filter((each) => each.status !== 'success' && !wasKilled(each));
			expect(failed.map(({ id }) => id)).toEqual([]);
		});
	}
	for (const id of Object.values(ids)) await n8n.client.deactivate(id);
});

test('an order is charged once, also if n8n is killed in the middle', async () => {
	const { n8n, sandbox, credential } = running();
	const names = ['A-1', 'A-2', 'A-3'];
	// In place of code, for which this n8n has no runner.
	const Orders = names.map((order, row) => ({
		json: { order, customer: `crm-${row + 1}`, service: order, price: 10 },
	}));
	const workflow = { ...exampleOf('24-bill-orders-once.json'), pinData: { Orders } };
	const { id } = await n8n.client.importWorkflow(workflow, [credential]);
	sandbox.clearRequests();
	const path = '/customers/{customerId}/charges.json';
	const fault = sandbox.faults.add({ kind: 'stall', method: 'POST', path, nth: 2 });
	await n8n.client.startWorkflow(id);
	await until('the second charge', () => fault.hits > 0);
	await n8n.kill9();
	fault.remove();
	await n8n.restart();

	const again = await n8n.client.runWorkflow(id);
	expect(again.data.resultData.error?.message).toBeUndefined();
	const orders = (node: string) => itemsOf(again, node).map(({ json }) => json.order);
	// Whatever was recorded ahead, and wasn't sent, is for a person to look at, too.
	expect(
		[...orders('Charged before'), ...orders('Charged now'), ...orders('Please check')].sort(),
	).toEqual(names);
	expect(orders('Please check')).toContain('A-2');
	const sent = sandbox.requests.filter(({ method }) => method === 'POST');
	const charged = sent.map(
		({ body }) =>
			(body as { charge: { services: Array<{ name: string }> } }).charge.services[0].name,
	);
	expect(charged).toEqual([...new Set(charged)]);
	const looked = orders('Please check');
	expect(names.filter((name) => !charged.includes(name) && !looked.includes(name))).toEqual([]);
});
