// Fields that are added in a group inside of a group, and those that depend on an open choice or on an
// operation, in the editor.
import type { INode, INodeParameters } from 'n8n-workflow';
import { openEditor, type Editor } from '../n8n/browser.cts';
import { setting } from '../n8n/setting.cts';

const running = setting();
let editor: Editor;

const node = (name: string, type: string, row: number, parameters: INodeParameters) =>
	({
		id: name,
		name,
		type: `n8n-nodes-platform-api.${type}`,
		typeVersion: 1,
		position: [0, row * 200],
		parameters,
		credentials: { platformApi: { id: '', name: 'Platform API' } },
	}) as INode;

const event = (type: string): INodeParameters => ({
	resource: 'event',
	operation: 'create',
	title: 'Monthly usage report',
	eventType: { __rl: true, mode: 'name', value: type },
});

const customer = {
	resource: 'customer',
	operation: 'update',
	customerId: { __rl: true, mode: 'id', value: 'cus-100001' },
	updateFields: { tags: '', address: { city: '' } },
};

const nodes = [
	node('Clear city and tags', 'platformCustomers', 0, customer),
	node('An action', 'platformScheduler', 1, event('action')),
	node('An appointment', 'platformScheduler', 2, event('appointment')),
	node('A tool', 'platformCustomersTool', 3, { resource: 'customer', operation: 'delete' }),
];

beforeAll(async () => {
	const { n8n, credential } = running();
	const workflow = { name: 'Groups', nodes, connections: {} };
	const { id } = await n8n.client.importWorkflow(workflow, [credential]);
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

test.each([
	['An action', 1],
	['An appointment', 0],
])('%s: what belongs to actions is there %i times', async (name, times) => {
	const { page } = editor;
	await editor.openNode(name);
	const parameters = page.getByTestId('node-parameters');
	await parameters.getByText('Event Type', { exact: true }).first().waitFor();
	expect(await parameters.getByText('Action Type', { exact: true }).count()).toBe(times);
	expect(await parameters.getByText('Payload (JSON)', { exact: true }).count()).toBe(times);
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
