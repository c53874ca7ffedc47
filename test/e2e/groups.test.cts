// Fields that are added in a group inside of a group, and what depends on an operation, in the editor.
import { openEditor, type Editor } from '../n8n/browser.cts';
import { byId, platform, workflowOf } from '../n8n/parts.cts';
import { setting } from '../n8n/setting.cts';

const running = setting();
let editor: Editor;

const customer = {
	resource: 'customer',
	operation: 'update',
	customerId: byId('cus-100001'),
	updateFields: { tags: '', changeTags: 'replace', address: { city: '' } },
};

const nodes = [
	platform('Clear city and tags', 'Customers', customer),
	platform('A tool', 'CustomersTool', { resource: 'customer', operation: 'delete' }),
];

beforeAll(async () => {
	const { n8n, credential } = running();
	const { id } = await n8n.client.importWorkflow(workflowOf('Groups', nodes), [credential]);
	editor = await openEditor(n8n);
	await editor.openWorkflow(id);
});

afterAll(async () => await editor?.close());

test('the parts of an address are added one by one', async () => {
	const { page } = editor;
	await editor.openNode('Clear city and tags');
	const parameters = page.getByTestId('node-parameters');
	for (const text of ['Tags', 'Address', 'City']) {
		await parameters.getByText(text, { exact: true }).first().waitFor();
	}
	// The first adder is that of the inner group.
	await parameters.locator('input[placeholder="Add part"]').click();
	await page.getByText('Street Address', { exact: true }).last().click();
	await parameters.getByText('Street Address', { exact: true }).first().waitFor();
	expect(await parameters.getByText('City', { exact: true }).count()).toBe(1);
	expect(await parameters.getByTestId('parameter-issues').count()).toBe(0);
	// Out of the list, which would take the key that closes the node.
	await parameters.getByText('Update Fields', { exact: true }).click();
	await editor.closeNode();
});

test('what a model is told of a tool follows its operation, and a list is short', async () => {
	const { page } = editor;
	await editor.openNode('A tool');
	const field = (name: string) => page.getByTestId(`parameter-input-${name}`).first();
	const description = field('toolDescription').locator('textarea');
	await description.waitFor();
	expect(await description.inputValue()).toMatch(/^Queue the deletion of a customer/);
	await field('operation').click();
	await page.getByRole('option').getByText('Get Many', { exact: true }).click();
	await field('limit').waitFor();
	expect(await description.inputValue()).toMatch(/^Return customers/);
	expect(await field('limit').locator('input').inputValue()).toBe('10');
});
