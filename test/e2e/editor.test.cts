// The editor in a real browser, as a user works with it: adding a node, filling its form, executing
// it, reading its rows, publishing a trigger.
import { openEditor, type Editor } from '../n8n/browser.cts';
import type { WorkflowJson } from '../n8n/client.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { done, platform, PLATFORM, rowOf, start } from '../n8n/parts.cts';
import { personAt, type Locator } from '../n8n/person.cts';
import { setting } from '../n8n/setting.cts';

/** The only credential of this name in an n8n that other files use too. */
const CREDENTIAL = 'Billing account';

const running = setting({ credentialName: CREDENTIAL });
let editor: Editor;
let page: Editor['page'];
let person: ReturnType<typeof personAt>;

beforeAll(async () => {
	// A second credential, so that the right one has to be picked.
	await running().n8n.client.createCredential('platformApi', 'Another account', {
		baseUrl: running().sandbox.baseUrl,
		apiKey: 'wrong',
	});
	editor = await openEditor(running().n8n);
	page = editor.page;
	person = personAt(editor);
});

afterAll(async () => await editor?.close());

const byId = (id: string): Locator => page.getByTestId(id).first();

const trigger = platform('Platform Trigger', 'CustomersTrigger');

async function imported(workflow: WorkflowJson): Promise<string> {
	const { n8n, credential } = running();
	return (await n8n.client.importWorkflow(workflow, [credential])).id;
}

describe('the node creator', () => {
	// It stays open, and its workflow may stay on the canvas, whatever is opened next.
	afterEach(async () => await editor.leave());

	interface NodeType {
		name: string;
		displayName: string;
		outputs: unknown[];
	}

	/** The nodes of this package, as the editor knows them. */
	async function nodeTypes(): Promise<NodeType[]> {
		const answer = await page.request.get(`${running().n8n.url}/types/nodes.json`);
		return ((await answer.json()) as NodeType[]).filter(
			({ name }) => name.startsWith(PLATFORM) && !name.endsWith('Tool'),
		);
	}

	/** A trigger stands without its last word, the one of charges in the entry of Platform Customers. */
	const untilListed = async (items: Locator, name: string) =>
		await items
			.filter({ hasText: new RegExp(`^${entryOf(name)}$`) })
			.first()
			.waitFor();

	const entryOf = (name: string) =>
		name === 'Platform Trigger' ? 'Platform Customers' : name.replace(/ Trigger$/, ' (Trigger)?');

	test('finds every node by its name, the AI sub-nodes among those of AI', async () => {
		await editor.openWorkflow(await imported(rowOf('Creator', start)));
		const types = await nodeTypes();
		expect(types).toHaveLength(16);
		const isSubNode = ({ outputs }: NodeType) => String(outputs[0]).startsWith('ai_');
		for (const type of types.filter((each) => !isSubNode(each))) {
			await untilListed(await person.creator(type.displayName), type.displayName);
		}
		await person.creator('Platform');
		await editor.picture('node-creator', byId('node-creator'));
		await (await person.creator('')).getByText('AI', { exact: true }).first().click();
		for (const type of types.filter(isSubNode)) {
			await untilListed(await person.creator(type.displayName), type.displayName);
		}
	});

	test('a node from the creator to its rows: credential, operation, list, preview, execution', async () => {
		const { sandbox } = running();
		const [customer] = sandbox.state.customers.customers.rows;
		expect(customer.subscriptions).toHaveLength(2);

		await editor.visit('/workflow/new');
		await byId('canvas-plus-button').waitFor();
		await person.add('', 'Trigger manually');
		await person.add('Platform Customers', 'Platform Customers', 'Get many customers');
		await byId('ndv').waitFor();
		await person.choose('node-credentials-select', CREDENTIAL);
		await person.choose('parameter-input-resource', 'Subscription');
		await person.choose('parameter-input-operation', 'Get Many');
		const found = await person.searchIn('customerId', String(customer.email));
		await found.first().waitFor();
		expect(await found.allTextContents()).toEqual([
			expect.stringContaining(String(customer.company_name)),
		]);
		await editor.picture('list-search');
		await found.first().click();
		await editor.closeNode();

		await person.add('No Operation', 'No Operation, do nothing');
		await byId('schema-preview-warning').waitFor();
		const preview = byId('ndv-input-panel').getByTestId('run-data-schema-item');
		const previewed = (await preview.allTextContents()).map((text) => text.trim());
		for (const field of ['id', 'name', 'status', 'next_renew', 'price']) {
			expect(previewed).toContainEqual(expect.stringMatching(new RegExp(`^${field}`)));
		}
		await editor.closeNode();

		const execution = await editor.executeWorkflow();
		expect(execution.status).toBe('success');
		// The editor renames a node after its operation.
		const renamed = Object.keys(execution.data.resultData.runData).find((name) =>
			name.startsWith('Get many'),
		);
		await editor.openNode(String(renamed));
		await byId('output-panel').getByText('2 items').waitFor();
		await byId('output-panel').getByTestId('radio-button-table').click();
		for (const id of customer.subscriptions) {
			await byId('output-panel').getByText(id, { exact: true }).waitFor();
		}
		await editor.picture('rows');
	});
});

test('the mapper shows the fields of the content type and sends what is filled in', async () => {
	const { sandbox } = running();
	const before = sandbox.state.contentBox.contents.rows.length;
	const form = { resource: 'content', operation: 'create' };
	const entry = { ...platform('Create entry', 'ContentBox', form), version: 1.1 };
	await editor.openWorkflow(await imported(rowOf('Mapper', start, entry)));
	await editor.openNode('Create entry');
	await (await person.searchIn('typeId', '')).getByText('Article', { exact: true }).click();
	const { fields } = sandbox.state.contentBox.types.get('typ-article')!;
	for (const key of Object.keys(fields)) await byId(`parameter-input-${key}`).waitFor();
	await byId('parameter-input-title').locator('input').fill('Taxes step by step');
	await byId('parameter-input-teaser').locator('input').fill('What to file, and when');
	await byId('parameter-input-source').locator('input').fill('https://www.example.com/taxes');
	await byId('parameter-input-featured').locator('.el-switch').click();
	await editor.picture('content-mapper');
	await person.executeStep();
	const created = sandbox.state.contentBox.contents.rows.slice(before);
	expect(created).toEqual([
		expect.objectContaining({
			type_id: 'typ-article',
			title: 'Taxes step by step',
			data: {
				teaser: 'What to file, and when',
				source: 'https://www.example.com/taxes',
				featured: true,
			},
		}),
	]);
});

test('the trigger listens for a test event and shows the one of a charge', async () => {
	const { sandbox } = running();
	await editor.openWorkflow(await imported(rowOf('Listening', trigger)));
	await editor.openNode('Platform Trigger');
	await byId('trigger-execute-button').or(byId('node-execute-button')).first().click();
	await page.getByText('Listening for test event').first().waitFor();
	const [customer] = sandbox.state.customers.customers.rows;
	await chargeCustomer(sandbox, customer.id, 'paid');
	await sandbox.deliveriesSettled();
	const output = byId('output-panel');
	await output.getByText('1 item').waitFor();
	await output.getByTestId('radio-button-table').click();
	const event = output.getByText('RecurringPayments.charge.paid', { exact: true }).first();
	await event.waitFor();
	expect(await event.isVisible()).toBe(true);
	await page.mouse.move(5, 5);
	await editor.picture('test-event');
});

test('publishing the trigger registers its webhooks, unpublishing removes them', async () => {
	const { sandbox, n8n } = running();
	const id = await imported(rowOf('Charges', trigger, done));
	const registered = () =>
		sandbox.state.webhooks.webhooks.rows.filter(({ name }) => name.startsWith('n8n: Charges ('));

	await editor.openWorkflow(id);
	await person.publish();
	expect((await n8n.client.waitForPublication(id)).status).toBe('published');
	expect(
		registered()
			.flatMap(({ events }) => events)
			.sort(),
	).toEqual(['RecurringPayments.charge.failed', 'RecurringPayments.charge.paid']);
	// A checklist of n8n's own lies over the canvas.
	await page.keyboard.press('Escape');
	await editor.picture('published-trigger');

	await person.unpublish();
	expect((await n8n.client.waitForPublication(id)).status).toBe('not_published');
	expect(registered()).toEqual([]);
});
