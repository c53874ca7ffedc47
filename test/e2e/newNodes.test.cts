// A charge in a new node: what of its form is in view, and the rows of its dry run, which fit into a table.
import { openEditor, type Editor } from '../n8n/browser.cts';
import { byId, platform, rowOf, start } from '../n8n/parts.cts';
import { setting } from '../n8n/setting.cts';

const running = setting({ sandbox: { customers: 20 } });
let editor: Editor;

const orders = Array.from({ length: 20 }, (_each, n) => ({
	order: `INV-${n}`,
	customer: `cus-${100001 + n}`,
	amount: 10 * (n + 1),
}));

const charge = {
	resource: 'charge',
	operation: 'create',
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Seats', amount: '={{ $json.amount }}' }] },
	idempotencyKey: '={{ $json.order }}',
};

beforeAll(async () => {
	const { n8n, sandbox } = running();
	const dry = await n8n.client.createCredential('platformApi', 'Dry', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
		dryRun: true,
	});
	const rows = {
		name: 'Orders',
		type: 'n8n-nodes-base.code',
		version: 2,
		parameters: { jsCode: `return ${JSON.stringify(orders)}.map((json) => ({ json }));` },
	};
	const node = { ...platform('Charge', 'Customers', charge), version: 1.1 };
	const { id } = await n8n.client.importWorkflow(rowOf('New nodes', start, rows, node), [dry]);
	editor = await openEditor(n8n);
	await editor.openWorkflow(id);
});

afterAll(async () => await editor?.close());

const parameters = () => editor.page.getByTestId('node-parameters');

/** What a test that failed has left open. */
afterEach(async () => {
	if (await editor.page.getByTestId('ndv').first().isVisible()) await editor.closeNode();
});

test('the form of a charge has its key in view, and offers the tax profile', async () => {
	await editor.openNode('Charge');
	await editor.formLoaded();
	const key = parameters().getByTestId('parameter-input-idempotencyKey').first();
	// What is scrolled away or cut off isn't what lies at its lower edge.
	const isInView = (field: Element) => {
		const { x, width, bottom } = field.getBoundingClientRect();
		return field.contains(document.elementFromPoint(x + width / 2, bottom - 2));
	};
	expect(await key.evaluate(isInView)).toBe(true);
	const options = parameters().getByTestId('collection-parameter-add').nth(1);
	expect(await options.evaluate(isInView)).toBe(false);
	expect(await parameters().getByText('Tax Profile', { exact: true }).count()).toBe(0);
	expect(await parameters().getByText('Specify Services', { exact: true }).count()).toBe(0);
	await parameters().getByTestId('fixed-collection-add-property').first().click();
	await editor.page.getByRole('option').filter({ hasText: 'Tax Profile' }).first().click();
	await parameters().getByTestId('parameter-input-taxProfile').first().waitFor();
});

test('a dry run of 20 charges is a table with a line for each, its request last', async () => {
	const { page } = editor;
	await editor.executeWorkflow();
	await editor.openNode('Charge');
	const output = page.getByTestId('output-panel');
	await output.getByTestId('radio-button-table').click();
	const table = output.locator('table').first();
	await table.waitFor();
	const head = await table.locator('th').allInnerTexts();
	const columns = head.map((each) => each.trim()).filter(Boolean);
	expect(columns).toEqual(['id', 'customer_id', 'amount', 'idempotencyKey', 'dryRun']);
	const heights = await table
		.locator('tbody tr')
		.evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
	expect(heights).toHaveLength(20);
	// A line of text and its padding. Two lines would be higher.
	expect(Math.max(...heights)).toBeLessThan(36);
	await editor.picture('dry-run-table', output);
});
