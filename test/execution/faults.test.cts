// The fault matrix: every fault of a network against operations of each kind. What the user gets,
// how often the API was asked, that nothing was applied twice, and that the key went nowhere else.
// What must come of it is said by the rules in test/table/reliability.cts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { shareOf } from '../share.cts';
import { isRepeatable } from '../table/api.cts';
import { startSandbox, type FaultRule, type Sandbox } from '../sandbox/index.cts';
import { entryOf } from '../table/operations.cts';
import { expectedOf, faultCases, type AnswerKind, type FaultCase } from '../table/reliability.cts';
import { told, type RunOptions, type RunResult } from './host/host.cts';
import { useLeapingTime } from './host/leapingTime.cts';
import { byId, credentialOf, run } from './host/run.cts';

useLeapingTime();

/** One run of an operation: its form, and how often its write has been applied since. */
interface Attempt {
	parameters: RunOptions['parameters'];
	applied?: () => number;
}

interface Kind {
	kind: string;
	node: string;
	operation: string;
	/** By design: all but POST, unless the reference gives a reason. */
	repeatable: boolean;
	answer: AnswerKind;
	/** A run that no earlier one has touched, number `n`. */
	attempt: (sandbox: Sandbox, n: number) => Attempt;
}

const customers = ({ state }: Sandbox) => state.customers.customers;

/** A customer for the run alone. */
const customerAt = (sandbox: Sandbox, n: number) => customers(sandbox).rows[n].id;

/** How much a count has grown since now. */
function growth(count: () => number): () => number {
	const before = count();
	return () => count() - before;
}

const kinds: Kind[] = [
	{
		kind: 'read of one',
		node: 'platformCustomers',
		operation: 'customer.get',
		repeatable: true,
		answer: 'object',
		attempt: (sandbox, n) => ({ parameters: { customerId: byId(customerAt(sandbox, n)) } }),
	},
	{
		// Of documented page sizes: where they aren't, a refused size is asked for without one.
		kind: 'list',
		node: 'platformPartners',
		operation: 'partner.getAll',
		repeatable: true,
		answer: 'object',
		attempt: () => ({ parameters: { limit: 5 } }),
	},
	{
		kind: 'file',
		node: 'platformPartners',
		operation: 'payout.downloadReport',
		repeatable: true,
		answer: 'file',
		attempt({ state }) {
			const { id, partner_id } = state.payouts.payouts.rows[0];
			return { parameters: { partnerId: byId(partner_id), payoutId: byId(id) } };
		},
	},
	{
		kind: 'POST that only reads',
		node: 'platformDns',
		operation: 'lookup.runWithResolvers',
		repeatable: true,
		answer: 'object',
		attempt: () => ({ parameters: { target: 'example.com' } }),
	},
	{
		kind: 'PUT that replaces',
		node: 'platformCustomers',
		operation: 'customer.update',
		repeatable: true,
		answer: 'object',
		attempt(sandbox, n) {
			const id = customerAt(sandbox, n);
			return {
				parameters: { customerId: byId(id), updateFields: { companyName: `Company ${n}` } },
				applied: () => Number(customers(sandbox).get(id)?.company_name === `Company ${n}`),
			};
		},
	},
	{
		kind: 'PUT that acts',
		node: 'platformCustomers',
		operation: 'subscription.pause',
		repeatable: false,
		answer: 'open',
		attempt(sandbox, n) {
			const subscription = sandbox.state.subscriptions.subscriptions.rows[n];
			subscription.lifecycle_status = 'active';
			const { id, customerId } = subscription;
			return {
				parameters: { customerId: byId(customerId), subscriptionId: byId(id) },
				applied: () => Number(subscription.lifecycle_status === 'paused'),
			};
		},
	},
	{
		kind: 'DELETE',
		node: 'platformCustomers',
		operation: 'customer.delete',
		repeatable: true,
		answer: 'object',
		attempt(sandbox) {
			const gone = growth(() => -customers(sandbox).rows.length);
			const { id } = customers(sandbox).rows[customers(sandbox).rows.length - 1];
			return { parameters: { customerId: byId(id) }, applied: gone };
		},
	},
	{
		kind: 'POST that creates',
		node: 'platformCustomers',
		operation: 'customer.create',
		repeatable: false,
		answer: 'object',
		attempt: (sandbox, n) => ({
			parameters: { email: `fault.${n}@example.com` },
			applied: growth(() => customers(sandbox).rows.length),
		}),
	},
	{
		kind: 'POST that charges',
		node: 'platformCustomers',
		operation: 'charge.create',
		repeatable: false,
		answer: 'open',
		attempt: (sandbox, n) => ({
			parameters: {
				customerId: byId(customerAt(sandbox, n)),
				services: { service: [{ name: `Fault ${n}`, amount: 10 }] },
			},
			applied: growth(() => sandbox.state.charges.charges.rows.length),
		}),
	},
	{
		kind: 'POST that starts something',
		node: 'platformWorkflows',
		operation: 'workflow.run',
		repeatable: false,
		answer: 'report',
		attempt({ state }, n) {
			const { id } = state.workflows.workflows.rows[0];
			return {
				parameters: { workflowId: byId(id), data: { n } },
				applied: growth(() => state.workflows.traces.get(id)?.rows.length ?? 0),
			};
		},
	},
];

/**
 * One cell of the matrix. A fault that lasts leaves no time for another attempt. One that isn't retried shows all when it
 * comes once.
 */
interface Cell {
	title: string;
	fault: FaultCase;
	lasting: boolean;
}

const cells: Cell[] = faultCases.flatMap((fault) => {
	const once = { title: fault.what, fault, lasting: false };
	const isRetried = ['refused', 'broken'].includes(fault.meaning);
	return isRetried
		? [once, { ...once, title: `${fault.what}, every time`, lasting: true }]
		: [once];
});

/** Those that are tried with a kind, with their numbers. */
const cellsOf = (kind: Kind) => shareOf([...cells.entries()], 3, kinds.indexOf(kind));

/** What was seen of one run. */
interface Seen {
	result: RunResult;
	requests: number;
	hits: number;
	applied?: number;
	holdsKey: boolean;
	problems: string[];
}

/** The other address of a redirect: nothing may come here. */
const elsewhere = createServer((request, response) => {
	received.push(`${request.method} ${request.url} ${request.headers.authorization}`);
	response.end('{}');
});
const received: string[] = [];

function ruleOf({ rule, retryDate }: FaultCase, lasting: boolean): FaultRule {
	const { port } = elsewhere.address() as AddressInfo;
	return {
		...rule,
		...(rule.kind === 'redirect' ? { location: `http://127.0.0.1:${port}/elsewhere` } : {}),
		...(retryDate ? { retryAfter: new Date(Date.now() + 2000).toUTCString() } : {}),
		...(lasting ? {} : { times: 1 }),
	};
}

async function runCell(
	{ node, operation, attempt }: Kind,
	sandbox: Sandbox,
	{ fault, lasting }: Cell,
	n: number,
): Promise<Seen> {
	const { parameters, applied } = attempt(sandbox, n);
	sandbox.clearRequests();
	const active = sandbox.faults.add(ruleOf(fault, lasting));
	// Short only where the timeout itself is tried: a busy machine must not make one of its own.
	const timeout = fault.rule.kind === 'stall' ? 1 : 30;
	const requests = { timeout, ...(lasting ? { retryTime: 0 } : {}) };
	// What other cells have taught of the API is of another key.
	const credential = { ...credentialOf(sandbox), apiKey: sandbox.addKey() };
	const result = await run(sandbox, node, operation, { ...parameters, requests }, { credential });
	sandbox.faults.clear();
	return {
		result,
		requests: sandbox.requests.length,
		hits: active.hits,
		applied: applied?.(),
		holdsKey: JSON.stringify(result.run).includes(sandbox.key),
		problems: sandbox.problems.splice(0),
	};
}

const seen = new Map<Kind, Seen[]>();

/** Runs the cells of one kind one after the other: most of the time is waiting. */
async function runKind(kind: Kind): Promise<void> {
	const sandbox = await startSandbox({ customers: 80, latencyMs: 2 });
	const ofKind: Seen[] = [];
	seen.set(kind, ofKind);
	for (const [n, cell] of cellsOf(kind)) ofKind[n] = await runCell(kind, sandbox, cell, n);
	await sandbox.close();
}

beforeAll(async () => {
	await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
	await Promise.all(kinds.map(runKind));
});

afterAll(async () => {
	await new Promise((resolve) => elsewhere.close(resolve));
	expect(received).toEqual([]);
});

// Each of them starts something: a pause, the payment of a payout, the reading of a document.
test.each([
	'PUT /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle/pause.json',
	'PUT /partners/payouts/{payoutId}/status.json',
	'PUT /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/source.json',
] as const)('%s is not repeatable, though a PUT', (route) => {
	expect(isRepeatable(route)).toBe(false);
});

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_title, kind) => {
	const { node, operation, repeatable, answer } = kind;

	test('is repeatable or not, as designed', () => {
		const [resource, value] = operation.split('.');
		expect(isRepeatable(entryOf(node, resource, value).operation.endpoint.route)).toBe(repeatable);
	});

	test.each(cellsOf(kind).map(([n, cell]) => [cell.title, cell, n] as const))(
		'%s',
		(_cell, { fault, lasting }, n) => {
			const { result, requests, hits, applied, holdsKey, problems } = (seen.get(kind) as Seen[])[n];
			const expected = expectedOf(fault, repeatable, answer, lasting);
			const message = told(result.error);
			expect(hits).toBeGreaterThan(0);
			expect({ message, requests }).toEqual({
				message: expected.result ? '' : expect.stringContaining(expected.says[0]),
				requests: expected.requests,
			});
			expect(result.items.length > 0).toBe(expected.result);
			for (const text of expected.says) expect(message).toContain(text);
			for (const text of expected.saysNot) expect(message).not.toContain(text);
			const done = fault.applied || (expected.result && fault.meaning !== 'said');
			if (applied !== undefined) expect(applied).toBe(Number(done));
			expect(holdsKey).toBe(false);
			expect(problems).toEqual([]);
		},
	);
});
