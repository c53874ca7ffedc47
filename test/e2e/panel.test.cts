// What a new user meets first: the search of n8n's panel, a picker that waits, an error and what stands below it.
import { openEditor, type Editor } from '../n8n/browser.cts';
import { byId, platform, rowOf, start, type Part } from '../n8n/parts.cts';
import { setting } from '../n8n/setting.cts';

const running = setting({ credentialName: 'Panel' });
let editor: Editor;
let page: Editor['page'];

beforeAll(async () => {
	editor = await openEditor(running().n8n);
	page = editor.page;
});

afterAll(async () => await editor?.close());

const shown = (id: string) => page.getByTestId(id).first();

/** n8n's note of an error has come, which a picture takes away. */
const noted = async () => await page.locator('.el-notification').first().waitFor();

/** Opens a workflow of these nodes. */
async function opened(name: string, ...parts: Part[]) {
	const { n8n, credential } = running();
	const { id } = await n8n.client.importWorkflow(rowOf(name, ...parts), [credential]);
	await editor.openWorkflow(id);
}

/** What people type, and the entry that they look for (more of them: test/unit/panel). That of Platform Customers has the trigger's events, too. */
const searches: Array<[string, string]> = [
	['passkey', 'Platform Identity'],
	['webhook failed payment', 'Platform Customers'],
	['affiliate', 'Platform Partners'],
	['dunning', 'Platform Recurring Payments'],
	['headless', 'Platform Content Box'],
	['change plan', 'Platform Customers'],
];

/** Words that other nodes have in their very name; among ours, this one comes first. */
const shared: Array<[string, string]> = [
	['billing', 'Platform Customers'],
	['otp', 'Platform Identity'],
	['vat', 'Platform Company'],
	['upsert', 'Platform Customers'],
];

describe('the panel', () => {
	beforeEach(async () => {
		await opened('Panel', start);
		await shown('node-creator-plus-button').click();
	});

	// The panel stays as it was left, and its workflow with it, whatever is opened next.
	afterEach(async () => await editor.leave());

	/** The names that the panel lists for a search. */
	async function found(text: string): Promise<string[]> {
		// The panel searches a moment after the last letter. It finds nothing first, so that what it
		// lists then is what it has found for this text.
		await shown('node-creator-search-bar').fill('qqzzxxqq');
		await page.getByTestId('node-creator-no-results').waitFor();
		await shown('node-creator-search-bar').fill(text);
		const items = page.getByTestId('node-creator-item-name');
		await items.first().waitFor();
		return (await items.allInnerTexts()).map((name) => name.trim());
	}

	test('leads to the right node first', async () => {
		const first = [];
		for (const [text] of searches) first.push([text, (await found(text))[0]]);
		expect(first).toEqual(searches);
		const ofOurs = [];
		for (const [text] of shared) {
			ofOurs.push([text, (await found(text)).find((name) => name.startsWith('Platform'))]);
		}
		expect(ofOurs).toEqual(shared);
	});

	test.each([
		[
			'charge paid',
			['On charge failed', 'On charge paid', 'On another event'],
			'Platform Customers',
		],
		['polling', ['On new customer', 'On payout status changed'], 'Platform Polling'],
	])('offers the events of a trigger as people call them: %s', async (search, events, name) => {
		await found(search);
		const item = page.getByTestId('node-creator-item-name').getByText(name, { exact: true });
		await item.first().click();
		// Where a workflow has a trigger already, n8n shows those of a node closed, below its actions.
		const first = page.getByText(events[0], { exact: true }).first();
		const closed = page.getByText(/^Triggers \(\d+\)$/).first();
		await first.or(closed).first().waitFor();
		if (!(await first.isVisible())) await closed.click();
		for (const event of events) {
			const entry = page.getByText(event, { exact: true }).first();
			await entry.waitFor();
			expect(await entry.isVisible()).toBe(true);
		}
		await editor.picture(`panel-${search.replace(' ', '-')}`, shown('node-creator'));
	});
});

test('a picker waits quietly for the field that it depends on', async () => {
	const get = { resource: 'subscription', operation: 'getStatus' };
	const node = (name: string, customerId: object) =>
		platform(name, 'Customers', {
			...get,
			customerId,
			subscriptionId: { __rl: true, mode: 'list', value: '' },
		});
	await opened(
		'Quiet',
		start,
		node('Nothing chosen', { __rl: true, mode: 'list', value: '' }),
		node('Expression', byId('={{ $json.customer }}')),
	);
	for (const [name, sentence] of [
		['Nothing chosen', 'Choose the Customer first'],
		['Expression', 'Run the previous node, or choose By ID'],
	]) {
		await editor.openNode(name);
		await shown('resource-locator-subscriptionId').getByTestId('rlc-input').click();
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
	const form = { resource: 'customer', operation: 'getByExternalId', externalId: 'nobody-knows' };
	await opened('Errors', start, platform('Get customer', 'Customers', form));
	await editor.openNode('Get customer');
	await shown('node-execute-button').click();
	await shown('node-error-message').waitFor();
	expect((await shown('node-error-message').innerText()).trim()).toBe(
		'This customer does not exist (HTTP 404)',
	);
	expect((await shown('node-error-description').innerText()).trim()).toMatch(
		/^Nothing found for "nobody-knows"\. Check the External ID field\./,
	);
	await shown('node-execute-button').getByText('Execute step').waitFor();
	await noted();
	await editor.picture('error', page.locator('.node-error-view').first());
	await editor.closeNode();
});

test('rows with wrong headers are one fault, which says what is right', async () => {
	const rows = '{ Mail: `${n}@example.com`, Company: `Company ${n}` }';
	const sheet: Part = {
		name: 'Sheet',
		type: 'n8n-nodes-base.code',
		version: 2,
		parameters: { jsCode: `return Array.from({ length: 30 }, (_, n) => ({ json: ${rows} }));` },
	};
	const form = { resource: 'customer', operation: 'create', fieldsAs: 'columns' };
	await opened('Headers', start, sheet, platform('Create customers', 'Customers', form));
	await editor.openNode('Create customers');
	await shown('node-execute-button').click();
	await shown('node-error-message').waitFor();
	const message = (await shown('node-error-message').innerText()).trim();
	expect(message.match(/Did you mean/g)).toHaveLength(1);
	expect(message).toMatch(/All 30 rows: /);
	expect(message).toMatch(/Map Each Column Manually\.$/);
	await shown('node-execute-button').getByText('Execute step').waitFor();
	await noted();
	await editor.picture('wrong-headers', page.locator('.node-error-view').first());
	await editor.closeNode();
});
