// After an update: what an earlier version of the package has written into n8n's database, this one reads as its own. If it
// didn't, all customers would be charged again, and all rows reported anew. `test/fixtures/stored-v1.json` is what version 1
// wrote; a version that writes otherwise has to read this, too. `STORED=v1 npx jest test/execution/updates` writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, IRun } from 'n8n-workflow';
import { takesKey } from '../../dist/nodes/engine/form/operation.js';
import { forms } from '../table/forms.cts';
import { newestVersion, nodes, table, type TableEntry } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { newsOf, watchedLists, type WatchedList } from '../table/watched.cts';
import { answerCharges, customersCharged } from './host/charges.cts';
import {
	setBeginning,
	lastBeginning,
	told,
	type RunOptions,
	type RunResult,
} from './host/host.cts';
import { clearStore, crashPoint, restoreRows, storedRows } from './host/keyStore.cts';
import { Poller } from './host/poller.cts';
import { byId, run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { WebhookService, type Kept } from './host/webhookService.cts';

/** One port for ever, since keys belong to a host. */
const service = Service.forFile(20_791);

const sandbox = sandboxFor({ customers: 250 });

type Rows = ReturnType<typeof storedRows>;

/** What is done before the update, and after it with what n8n has kept. */
interface Scene<Kept = unknown> {
	before(): Promise<Kept>;
	/** What a user sees of it. */
	after(kept: Kept): Promise<unknown>;
	/** What has to be seen. */
	seen: unknown;
}

const api = () => ({ baseUrl: service.baseUrl, key: 'key-of-a-run' });

const versionOf = (node: string) =>
	newestVersion(nodes.find(({ name }) => name === node)!.description);

// --- keys of writes

const writes = table.filter(({ operation }) => takesKey(operation));

/** Values that have to differ from item to item. */
const own: Record<string, object> = {
	'POST /partners/payouts.json': {
		transactions: '={{ [$json.order] }}',
		invoiceNumber: '={{ $json.order }}',
	},
};

/** A form with a key, wherever its field is. */
function keyedForm(entry: TableEntry): RunOptions['parameters'] {
	const [form] = forms(entry.operation, fixedValues(entry)).filter(
		(each) => !('binaryPropertyName' in each),
	);
	const key = { idempotencyKey: '={{ $json.order }}' };
	const options = { ...(form.options as object), ...key };
	const { route } = entry.operation.endpoint;
	return { ...form, ...own[route], ...key, options } as RunOptions['parameters'];
}

/** What each write of the API returns, as far as anything reads it. */
const written = {
	...{
		id: 'r-1',
		document_id: 'r-1',
		execution_id: 'r-1',
		new_otp_secret: 's',
		queued_recipients: 1,
	},
	status: 'ok',
	...{ sent: true, registered: true, unsubscribed: true, resubscribed: true },
	user: { backupCodes: ['c-1'] },
};

const reply = () =>
	service.behave(({ method, path }) => {
		if (method !== 'GET') return { body: written };
		if (path.startsWith('/customers.json')) return { body: { count: 0, elements: [] } };
		return { status: 404, body: { error: 'There is none' } };
	});

/** Makes a write for each order. Returns those that were skipped, because their key is known. */
async function skippedOf(entry: TableEntry, ...orders: string[]): Promise<string[]> {
	const { node, resource, operation } = entry;
	reply();
	const name = `${resource.value}.${operation.value}`;
	const { items, error } = await run(api(), node, name, keyedForm(entry), {
		items: orders.map((order) => ({ order })),
		settings: { typeVersion: versionOf(node) },
	});
	if (error) throw error;
	return orders.filter((_order, index) => items[index].json.skipped === true);
}

const keyOf = (entry: TableEntry): Scene<Rows> => ({
	async before() {
		await skippedOf(entry, 'a');
		return storedRows();
	},
	async after(rows) {
		restoreRows(rows);
		return await skippedOf(entry, 'a', 'b');
	},
	seen: ['a'],
});

// --- executions of charges

const charge = {
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
};

const keyed = {
	idempotencyKey: '={{ $json.customer }}',
	options: { idempotencyKey: '={{ $json.customer }}' },
};

const customers = (count: number) =>
	Array.from({ length: count }, (_none, index) => ({ customer: `cus-${index}` }));

async function charged(count: number, more: object, options: Partial<RunOptions> = {}) {
	const all = { ...charge, ...more };
	return await run(api(), 'platformCustomers', 'charge.create', all, {
		items: customers(count),
		...options,
		settings: { typeVersion: versionOf('platformCustomers'), ...options.settings },
	});
}

/** The message of an error, but for the code that is another one each time. */
const toldBy = (error: RunResult['error']) => told(error).replace(/run-[\w-]{12}/g, 'run');

/** All goes through, but for one customer, whose response is lost, and the last, who is refused. */
const oddCharges = (last: number) =>
	answerCharges(service, {
		'cus-1': { status: 502, body: 'Bad gateway' },
		[`cus-${last}`]: { status: 422, body: { error: 'Card declined' } },
	});

const CONTINUE = { onError: 'continueErrorOutput' as const };

interface Ended {
	kept: IRun;
	rows: Rows;
}

/** What a Retry of an execution that n8n has kept does. */
const retry = (more: object, then: object = {}, released: string[] = []): Scene<Ended> => ({
	async before() {
		oddCharges(4);
		const { run: kept } = await charged(6, more);
		return { kept, rows: storedRows() };
	},
	async after({ kept, rows }) {
		restoreRows(rows);
		answerCharges(service);
		const form = { ...more, ...then };
		const { errors, error } = await charged(6, form, { retryOf: kept, settings: CONTINUE });
		return {
			charged: customersCharged(service),
			errors: errors.map(({ json }) => json.customer),
			error: toldBy(error),
		};
	},
	seen: {
		charged: [...released, 'cus-2', 'cus-3', 'cus-4', 'cus-5'],
		errors: released.length > 0 ? [] : ['cus-1'],
		error: '',
	},
});

interface Begun {
	begun: ReturnType<typeof lastBeginning>;
	rows: Rows;
}

/** What a Retry does of an execution of which n8n has kept nothing, since it was killed. */
const killed = (more: object, at: number): Scene<Begun> => ({
	async before() {
		let restart = () => {};
		answerCharges(service, { [`cus-${at}`]: () => void (restart = crashPoint()) });
		await charged(at + 20, more);
		restart();
		return { begun: lastBeginning(), rows: storedRows() };
	},
	async after({ begun, rows }) {
		restoreRows(rows);
		setBeginning(begun);
		answerCharges(service);
		const { error } = await charged(at + 20, more, { mode: 'retry' });
		const names = customersCharged(service);
		const twice = names.filter((name) => Number(name.slice(4)) <= at);
		return { names, twice, error: toldBy(error) };
	},
	seen: {
		names: expect.any(Array),
		twice: [],
		error: expect.stringContaining('may have gone through'),
	},
});

// --- what keeps its own list of what is known

const keepNew: Scene<Rows> = {
	async before() {
		await kept('a', 'b');
		return storedRows();
	},
	async after(rows) {
		restoreRows(rows);
		return await kept('a', 'b', 'c');
	},
	seen: ['c'],
};

/** The deliveries that Keep New lets pass. */
async function kept(...ids: string[]): Promise<unknown[]> {
	const items = ids.map((id) => ({ id }));
	const form = { key: '={{ $json.id }}' };
	const result = await run(api(), 'platformWebhooks', 'delivery.keepNew', form, { items });
	return result.items.map(({ json }) => json.id);
}

const replace: Scene<Rows> = {
	async before() {
		await replaced('14 days');
		return storedRows();
	},
	async after(rows) {
		restoreRows(rows);
		return [await replaced('14 days'), await replaced('30 days')];
	},
	seen: ['unchanged', 'created'],
};

async function replaced(content: string): Promise<unknown> {
	reply();
	const text = { contentFrom: 'text', name: 'refunds.md', content };
	const form = { knowledgeBaseId: byId('akb-1'), ...text };
	const { items, error } = await run(api(), 'platformAiGateway', 'document.createOrReplace', form);
	return error?.message ?? items[0].json.action;
}

// --- triggers

/** The account is another one than that of version 1, since its host has another port. */
const withAccount = (data: string, other: string): string => {
	const account = /"account":\{[^}]*\}/g;
	const [own] = other.match(account) ?? [];
	return own === undefined ? data : data.replace(account, own);
};

const poll = (list: WatchedList): Scene<string> => {
	const published = async () => {
		const poller = new Poller(sandbox(), { event: list.event, ...list.parameters });
		await poller.publish();
		return poller;
	};
	return {
		before: async () => (await published()).memory,
		async after(memory) {
			const poller = await published();
			poller.forget(withAccount(memory, poller.memory));
			const before = await poller.poll();
			newsOf(list)(sandbox());
			return [before, (await poller.poll())?.length];
		},
		seen: [null, 1],
	};
};

const webhooks = new WebhookService();
beforeAll(async () => await webhooks.start());
afterAll(async () => await webhooks.close());

const PAID = 'RecurringPayments.charge.paid';

const triggerOf = () => {
	const trigger = new TriggerWorkflow(webhooks.credential, { events: [PAID] });
	trigger.workflowId = 'workflow-of-version-1';
	return trigger;
};

interface Registered {
	staticData: IDataObject;
	rows: Kept[];
}

const registered: Scene<Registered> = {
	async before() {
		webhooks.rows = [];
		const trigger = triggerOf();
		await trigger.publish();
		return { staticData: trigger.staticData, rows: webhooks.rows };
	},
	async after({ staticData, rows }) {
		webhooks.rows = [];
		const other = triggerOf();
		other.workflowId = 'another workflow';
		await other.publish();
		const data = withAccount(JSON.stringify(staticData), JSON.stringify(other.staticData));
		const trigger = triggerOf();
		trigger.restart();
		trigger.staticData = JSON.parse(data) as IDataObject;
		webhooks.rows = rows;
		const [{ url }] = webhooks.rows;
		const forged = url.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
		const statuses: number[] = [];
		for (const each of [url, forged]) {
			statuses.push(
				(await trigger.deliver({ url: each, body: '{"charge": {"id": "c-1"}}' })).status,
			);
		}
		await trigger.publish();
		await trigger.delete();
		return { statuses, left: webhooks.rows.length };
	},
	seen: { statuses: [200, 401], left: 0 },
};

const scenes: Record<string, Scene> = {
	...Object.fromEntries(writes.map((entry) => [`keys of ${entry.title}`, keyOf(entry)])),
	'a Retry': retry({}),
	'a Retry with keys': retry(keyed),
	'a Retry with keys, one of which is released': retry(
		keyed,
		{ options: { ...keyed.options, releaseKey: 'cus-1' } },
		['cus-1'],
	),
	'a Retry after n8n was killed': killed({}, 60),
	'a Retry with keys after n8n was killed': killed(keyed, 60),
	'Keep New': keepNew,
	'documents that are replaced': replace,
	'a webhook': registered,
	...Object.fromEntries(
		watchedLists.map((list) => [`polls of ${list.event}, ${list.path}`, poll(list)]),
	),
};

const FILE = join(__dirname, '../fixtures/stored-v1.json');
const isWritten = process.env.STORED === 'v1';
const stored = (isWritten ? {} : JSON.parse(readFileSync(FILE, 'utf8'))) as Record<string, unknown>;

beforeEach(clearStore);

test.each(Object.entries(scenes))('%s', async (name, { before, after, seen }) => {
	// The stack of an error has paths of a machine, and nothing reads it.
	const withoutStack = (field: string, value: unknown) => (field === 'stack' ? undefined : value);
	const kept = JSON.parse(JSON.stringify(await before(), withoutStack)) as unknown;
	if (isWritten) stored[name] = kept;
	const seenBy = async (data: unknown) => {
		sandbox().reset();
		service.behave(() => undefined);
		return await after(data);
	};
	const now = await seenBy(kept);
	expect(now).toEqual(seen);
	// What is new since then has written nothing.
	if (name in stored) expect(await seenBy(stored[name])).toEqual(now);
});

test('all that version 1 has written is read', () => {
	expect(Object.keys(stored).filter((name) => !(name in scenes))).toEqual([]);
});

if (isWritten) afterAll(() => writeFileSync(FILE, `${JSON.stringify(stored, null, '\t')}\n`));
