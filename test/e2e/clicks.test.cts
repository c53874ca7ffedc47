// Four jobs of every week, each from an empty form to what the service has then, by mouse and keyboard. They must not take more
// clicks than they do today. A press of the mouse is a click, also one that begins to drag, and so is a field that's typed into.
import type { StoredCredential } from '../n8n/client.cts';
import { usualWorld } from '../contract/worlds.cts';
import { openEditor, type Editor } from '../n8n/browser.cts';
import { rowOf, start, type Part } from '../n8n/parts.cts';
import { personAt } from '../n8n/person.cts';
import { setting } from '../n8n/setting.cts';

const world = { ...usualWorld, recurringRows: 'plan_id and plan_name' } as const;
const running = setting({ credentialName: 'Real', sandbox: { customers: 40, world } });
let editor: Editor;
let page: Editor['page'];
let person: ReturnType<typeof personAt>;
let dry: StoredCredential;

beforeAll(async () => {
	const { n8n, sandbox } = running();
	// The newest credential, which n8n gives to each new node.
	dry = await n8n.client.createCredential('platformApi', 'Dry', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
		dryRun: 'on',
	});
	editor = await openEditor(n8n);
	({ page } = editor);
	person = personAt(editor);
});

afterAll(async () => await editor?.close());

beforeEach(() => running().sandbox.clearRequests());

interface Counting extends Window {
	clicks: number;
}

/** Counts clicks from now on. Runs in the page. */
const count = () => {
	const counting = window as unknown as Counting;
	const isCounting = counting.clicks !== undefined;
	counting.clicks = 0;
	if (isCounting) return;
	let field: unknown;
	const inputOf = ({ target }: Event) =>
		(target as HTMLElement).closest('input, textarea, [contenteditable]');
	addEventListener(
		'pointerdown',
		(event) => {
			counting.clicks++;
			field = inputOf(event);
		},
		true,
	);
	addEventListener(
		'input',
		(event) => {
			if (inputOf(event) !== field) counting.clicks++;
			field = inputOf(event);
		},
		true,
	);
};

const clicks = async () => await page.evaluate(() => (window as unknown as Counting).clicks);

/** A sheet, and what has read it. */
const sheet = (name: string, rows: object[]): Part => ({
	name,
	type: 'n8n-nodes-base.code',
	version: 2,
	parameters: { jsCode: `return ${JSON.stringify(rows)}.map((json) => ({ json }));` },
});

async function begin(name: string, ...parts: Part[]): Promise<void> {
	const { client } = running().n8n;
	const { id } = await client.importWorkflow(rowOf(name, start, ...parts), [dry]);
	await editor.openWorkflow(id);
	await page.evaluate(count);
}

/** Adds an action after the node that was added last, or after this one. */
async function add(search: string, node: string, action: string, after?: string): Promise<void> {
	if (after !== undefined) {
		const one = page.locator(`[data-test-id="canvas-node"][data-node-name="${after}"]`);
		await one.locator('[data-canvas-node-render-type]').click();
	}
	await person.add(search, node, action);
	await person.byId('ndv').waitFor();
	await editor.formLoaded();
}

/** Executes the open node, and those before it that have no output yet. */
const execute = async () => {
	await person.byId('node-execute-button').click();
	await page.getByTestId('node-run-status-success').first().waitFor();
};

const fetchInput = async () => await page.getByText('Execute previous nodes').first().click();

const goReal = async () => await person.choose('node-credentials-select', 'Real');

const hint = async (text: string) =>
	await page.getByTestId('output-panel').getByText(text).first().waitFor();

/** Chooses an entry of a list. */
const pick = async (locator: string, text: string) => {
	const entries = await person.searchIn(locator, '');
	await entries.filter({ hasText: text }).first().click();
};

/** Tells the number of clicks in the log of the suite. */
async function took(job: string, max: number): Promise<void> {
	const needed = await clicks();
	console.log(`${job}: ${needed} clicks`);
	expect(needed).toBeLessThanOrEqual(max);
}

const writes = () => running().sandbox.requests.filter(({ method }) => method !== 'GET');

test('20 rows are billed, first dry', async () => {
	const orders = Array.from({ length: 20 }, (_each, n) => ({
		order: `INV-${n}`,
		customer: `cus-${100001 + n}`,
		amount: 10 * (n + 1),
	}));
	await begin('Bill 20 rows', sheet('Orders', orders));
	await add('charge', 'Platform Customers', 'Create a charge', 'Orders');
	await fetchInput();
	await person.drag('customer', person.field('customerId'));
	await person.type('name', 'Seats');
	await person.drag('amount', person.field('amount'));
	await person.drag('order', person.field('idempotencyKey'));
	await execute();
	await hint('"Create a charge" for 20 items, 2,100.00 in total');
	expect(writes()).toEqual([]);
	await goReal();
	await execute();
	await hint('Sent: "Create a charge" for 20 items, 2,100.00 in total.');
	await editor.picture('charges-table', page.getByTestId('output-panel'));
	expect(writes()).toHaveLength(20);
	await took('Bill 20 rows', 60);
	await editor.closeNode();
});

test('a customer gets another plan', async () => {
	await begin('Change a plan');
	await add('change a plan', 'Platform Customers', 'Create a subscription', 'Start');
	await pick('customerId', '');
	await pick('plan', 'Team');
	await goReal();
	await execute();
	await editor.closeNode();
	await add('cancel', 'Platform Customers', 'Update the status of a subscription');
	await pick('customerId', '');
	await pick('subscriptionId', '');
	await pick('status', 'dismiss');
	await goReal();
	await execute();
	expect(writes().map(({ method }) => method)).toEqual(['POST', 'PUT']);
	await took('Change a plan', 60);
	await editor.closeNode();
});

test('customers are kept in step with a sheet every night', async () => {
	const rows = Array.from({ length: 10 }, (_each, n) => ({
		'External ID': `crm-${n}`,
		Email: `crm-${n}@example.com`,
		'Company Name': `Company ${n}`,
	}));
	await begin('Nightly sync', sheet('CRM', rows));
	await add('upsert customer', 'Platform Customers', 'Create or update a customer', 'CRM');
	await execute();
	await hint('10 would be created');
	expect(writes()).toEqual([]);
	await goReal();
	await execute();
	expect(writes()).toHaveLength(10);
	await took('Nightly sync', 60);
	await editor.closeNode();
});

test('a newsletter goes to some customers', async () => {
	await begin('Newsletter');
	await add('customers', 'Platform Customers', 'Get many customers', 'Start');
	await execute();
	await editor.closeNode();
	await add('newsletter', 'Platform Newsletters', 'Create a newsletter');
	await person.type('title', 'March');
	await person.type('subject', 'What is new in March');
	await person.type('templateId', 'product-update.html');
	await person.choose('parameter-input-customersAs', 'From Input Items');
	await goReal();
	await execute();
	await editor.closeNode();
	await add('newsletter', 'Platform Newsletters', 'Queue a newsletter');
	await person.drag('id', person.field('newsletterId'));
	await execute();
	await hint('nothing was sent: "Queue a newsletter"');
	await goReal();
	await execute();
	expect(writes().map(({ path }) => path.split('/').at(-1))).toEqual([
		'newsletters.json',
		'queue.json',
	]);
	await took('Newsletter', 60);
	await editor.closeNode();
});
