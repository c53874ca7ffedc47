// What a new user meets first: the search of n8n's panel, the first form of each node, a picker that
// waits, an error and what stands below it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import { openEditor, type Editor } from '../n8n/browser.cts';
import type { WorkflowJson } from '../n8n/client.cts';
import { nodes } from '../table/operations.cts';
import { setting } from '../n8n/setting.cts';

const PACKAGE = 'n8n-nodes-platform-api';
/** Pictures of every first form, for who wants to look at them; the documentation shows one. */
const FORMS = process.env.FORM_PICTURES;

const running = setting({ credentialName: 'Panel' });
let editor: Editor;
let page: Editor['page'];

beforeAll(async () => {
	editor = await openEditor(running().n8n);
	page = editor.page;
});

afterAll(async () => await editor?.close());

const byId = (id: string) => page.getByTestId(id).first();
const byLocator = (value: string) => ({ __rl: true, mode: 'id', value });

/** A workflow of nodes of the package, side by side and unconnected but for the first two. */
async function opened(name: string, ...made: Array<Pick<INode, 'name' | 'type' | 'parameters'>>) {
	const { n8n, credential } = running();
	const workflow = {
		name,
		nodes: made.map((node, index) => ({
			id: node.name,
			typeVersion: 1,
			position: [(index % 4) * 256, Math.floor(index / 4) * 192],
			...node,
			...(node.type.startsWith(PACKAGE) && {
				credentials: { platformApi: { id: '', name: 'Platform API' } },
			}),
		})),
		connections: {
			[made[0].name]: { main: [[{ node: made[1]?.name, type: 'main', index: 0 }]] },
		},
	} as WorkflowJson;
	if (made.length === 1) workflow.connections = {};
	const { id } = await n8n.client.importWorkflow(workflow, [credential]);
	await editor.openWorkflow(id);
	return id;
}

const manual = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

/** What people type, and the node that they look for. A trigger's name stands without its last word. */
const searches: Array<[string, string]> = [
	['two-factor', 'Platform Identity'],
	['one-time password', 'Platform Identity'],
	['passkey', 'Platform Identity'],
	['invoice paid', 'Platform'],
	['webhook failed payment', 'Platform'],
	['vat number', 'Platform Company'],
	['payout', 'Platform Partners'],
	['affiliate', 'Platform Partners'],
	['dunning', 'Platform Recurring Payments'],
	['nameserver', 'Platform DNS'],
	['suppression', 'Platform Newsletters'],
	['headless', 'Platform Content Box'],
];

/** Words that other nodes have in their very name; among ours, this one comes first. */
const shared: Array<[string, string]> = [
	['billing', 'Platform Customers'],
	['2fa', 'Platform Identity'],
	['otp', 'Platform Identity'],
	['mfa', 'Platform Identity'],
	['vat', 'Platform Company'],
	['calendar', 'Platform Scheduler'],
	['campaign', 'Platform Newsletters'],
];

describe('the panel', () => {
	beforeEach(async () => {
		await opened('Panel', manual);
		await byId('node-creator-plus-button').click();
	});

	// The panel stays as it was left, and its workflow with it, whatever is opened next.
	afterEach(async () => await editor.leave());

	/** The names that the panel lists for a search. */
	async function found(text: string): Promise<string[]> {
		// The panel searches a moment after the last letter. It finds nothing first, so that what it
		// lists then is what it has found for this text.
		await byId('node-creator-search-bar').fill('qqzzxxqq');
		await page.getByTestId('node-creator-no-results').waitFor();
		await byId('node-creator-search-bar').fill(text);
		const items = page.getByTestId('node-creator-item-name');
		await items.first().waitFor();
		return (await items.allInnerTexts()).map((name) => name.trim());
	}

	test('leads to the right node first', async () => {
		const first = [];
		for (const [text] of searches) first.push([text, (await found(text))[0]]);
		expect(first).toEqual(searches);
	});

	test('leads to the right one of ours where others have the word in their name', async () => {
		const first = [];
		for (const [text] of shared) {
			first.push([text, (await found(text)).find((name) => name.startsWith('Platform'))]);
		}
		expect(first).toEqual(shared);
	});

	test.each([
		['charge paid', ['On charge failed', 'On charge paid', 'On another event'], 'Platform'],
		['polling', ['On new customer', 'On payout status changed'], 'Platform Polling'],
	])('offers the events of a trigger as people call them: %s', async (search, events, name) => {
		await found(search);
		const item = page.getByTestId('node-creator-item-name').getByText(name, { exact: true });
		await item.first().click();
		for (const event of events) await page.getByText(event, { exact: true }).first().waitFor();
		await editor.picture(`panel-${search.replace(' ', '-')}`);
	});
});

describe('a node that was just added', () => {
	const actionNodes = nodes.filter(({ resources }) => resources);

	beforeAll(async () => {
		const added = nodes.map(({ name, displayName }) => ({
			name: displayName,
			type: `${PACKAGE}.${name}`,
			parameters: {},
		}));
		await opened('First forms', ...added);
		if (FORMS) mkdirSync(FORMS, { recursive: true });
	});

	test.each(nodes.map(({ displayName, name }) => [displayName, name]))(
		'%s shows what it does without a click',
		async (displayName, name) => {
			await editor.openNode(displayName);
			await editor.formLoaded();
			if (FORMS) await editor.screenshot(join(FORMS, `${name}.png`));
			const node = actionNodes.find((each) => each.name === name);
			if (node) {
				const picker = byId('parameter-input-operation').locator('input');
				expect(await picker.inputValue()).toMatch(/^(Get|Get Many|Search|Run)$/);
			}
			expect(await page.locator('.el-notification').count()).toBe(0);
			await editor.closeNode();
		},
	);
});

test('a picker waits quietly for the field that it depends on', async () => {
	const get = { resource: 'subscription', operation: 'getStatus' };
	const node = (name: string, customerId: INodeParameters) => ({
		name,
		type: `${PACKAGE}.platformCustomers`,
		parameters: { ...get, customerId, subscriptionId: { __rl: true, mode: 'list', value: '' } },
	});
	await opened(
		'Quiet',
		manual,
		node('Nothing chosen', { __rl: true, mode: 'list', value: '' }),
		node('Expression', byLocator('={{ $json.customer }}')),
	);
	for (const [name, sentence] of [
		['Nothing chosen', 'Choose the Customer first'],
		['Expression', 'Run the previous node, or choose By ID'],
	]) {
		await editor.openNode(name);
		await byId('resource-locator-subscriptionId').getByTestId('rlc-input').click();
		await page.getByTestId('rlc-item').getByText(sentence).waitFor();
		expect(await page.getByTestId('rlc-item').count()).toBe(1);
		expect(await page.getByTestId('rlc-error-container').count()).toBe(0);
		await editor.picture('picker-waits');
		await page.keyboard.press('Escape');
		await editor.closeNode();
	}
	expect(running().sandbox.requests.filter(({ path }) => /subscriptions/.test(path))).toEqual([]);
});

test("an error's first line is the API's own sentence, and the next step stands below it", async () => {
	await opened('Errors', manual, {
		name: 'Get customer',
		type: `${PACKAGE}.platformCustomers`,
		parameters: {
			resource: 'customer',
			operation: 'getByExternalId',
			externalId: 'nobody-knows',
		},
	});
	await editor.openNode('Get customer');
	await byId('node-execute-button').click();
	await byId('node-error-message').waitFor();
	expect((await byId('node-error-message').innerText()).trim()).toBe(
		'This customer does not exist (HTTP 404)',
	);
	expect((await byId('node-error-description').innerText()).trim()).toMatch(
		/^Nothing found for "nobody-knows"\. Check the External ID field\./,
	);
	await byId('node-execute-button').getByText('Execute step').waitFor();
	await editor.picture('error');
	await editor.closeNode();
});

test('subtitles are words', async () => {
	await opened('Words', manual, {
		name: 'Charge',
		type: `${PACKAGE}.platformCustomers`,
		parameters: { resource: 'charge', operation: 'create' },
	});
	await page.getByText('Create: Charge').first().waitFor();
});
