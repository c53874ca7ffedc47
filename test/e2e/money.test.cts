// Charges with an Idempotency Key and in a dry run, in a real n8n: at the same moment, and as the editor shows them.
import { openEditor, type Editor } from '../n8n/browser.cts';
import { itemsOf } from '../n8n/client.cts';
import { chargeAll, chargesByCustomer } from '../n8n/chargeAll.cts';
import { setting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';

const CUSTOMERS = 300;

const running = setting({ credentialName: 'Money', sandbox: { customers: CUSTOMERS } });

beforeEach(() => running().sandbox.clearRequests());

test('two executions of the same orders at the same moment charge each one once', async () => {
	const { n8n, sandbox, credential } = running();
	const { id } = await n8n.client.importWorkflow(chargeAll, [credential]);
	const started = [await n8n.client.startWorkflow(id), await n8n.client.startWorkflow(id)];
	const both = await Promise.all(
		started.map(async (execution) => await n8n.client.waitForExecution(execution)),
	);
	expect(both.map(({ status }) => status)).toEqual(['success', 'success']);
	const counts = [...chargesByCustomer(sandbox).values()];
	expect([counts.length, Math.max(...counts)]).toEqual([CUSTOMERS, 1]);
	const items = both.flatMap((each) => itemsOf(each, 'Charge').map(({ json }) => json));
	expect(items.filter(({ skipped }) => skipped === true)).toHaveLength(CUSTOMERS);
	expect(items.filter(({ inDoubt }) => inDoubt === true)).toEqual([]);
});

describe('the editor', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(running().n8n);
	});

	afterAll(async () => await editor?.close());

	/** The workflow with limits, for the first customers only. */
	async function opened(name: string, typeVersion: number, limit: number): Promise<string> {
		const { nodes, ...workflow } = structuredClone(chargeAll);
		nodes[2].typeVersion = typeVersion;
		Object.assign(nodes[1].parameters, { returnAll: false, limit });
		Object.assign(nodes[2].parameters, { safetyLimits: { maxAmount: 500, maxTotal: 10_000 } });
		nodes.forEach((node, index) => (node.position = [index * 220, 0]));
		const { n8n, credential } = running();
		const { id } = await n8n.client.importWorkflow({ ...workflow, nodes, name }, [credential]);
		await editor.openWorkflow(id);
		return id;
	}

	const shown = async (text: string) =>
		await editor.page.getByTestId('ndv').getByText(text).first().waitFor();

	test('shows the guards in the form, and skipped items with a hint', async () => {
		await opened('Charge twice', 1.1, 12);
		await editor.executeWorkflow();
		await editor.openNode('Charge');
		await shown('Sent: "Create a charge" for 12 items');
		const output = editor.page.getByTestId('output-panel');
		await output.getByTestId('radio-button-table').click();
		const rows = output.locator('table').first().locator('tbody tr');
		await rows.nth(11).waitFor();
		const heights = await rows.evaluateAll((all) =>
			all.map((row) => row.getBoundingClientRect().height),
		);
		expect(heights).toHaveLength(12);
		// Two lines of text at most: n8n breaks a long ID or time. A tree of what was sent would make three and more.
		expect(Math.max(...heights)).toBeLessThan(54);
		await editor.picture('charges', output);
		await editor.closeNode();
		await editor.executeWorkflow();
		expect(chargesByCustomer(running().sandbox).size).toBe(12);
		await editor.openNode('Charge');
		await editor.formLoaded();
		for (const label of ['Idempotency Key', 'Safety Limits', 'Max Amount', 'Max Total']) {
			await shown(label);
		}
		await shown('12 items were skipped, because the Idempotency Key was sent before.');
		const { page } = editor;
		await page
			.getByTestId('ndv')
			.getByText('Idempotency Key', { exact: true })
			.scrollIntoViewIfNeeded();
		await page.getByTestId('ndv').getByText('Max Total').first().scrollIntoViewIfNeeded();
		await editor.picture('skipped');
		await editor.closeNode();
	});

	test('tells after a cancel what was done', async () => {
		const { sandbox } = running();
		const { page } = editor;
		const id = await opened('Charge many', 1, 200);
		const charge = { method: 'POST', path: '/customers/{customerId}/charges.json' } as const;
		sandbox.faults.add({ kind: 'stall', ...charge, nth: 64, times: 1 });
		await page.getByTestId('execute-workflow-button').click();
		await until('the charge that gets no response', () => chargesByCustomer(sandbox).size >= 64);
		await page.getByTestId('stop-execution-button').click();
		await page.getByTestId('stop-execution-button').waitFor({ state: 'detached' });
		expect(chargesByCustomer(sandbox).size).toBe(64);
		// The editor may still be busy with the stop, and would then show nothing of the next execution.
		await editor.leave();
		await editor.openWorkflow(id);
		await editor.executeWorkflow();
		await editor.openNode('Charge');
		await shown('was cancelled during "Create a charge": 63 done, 1 in doubt.');
		await editor.picture('after-cancel', page.getByTestId('output-panel'));
		await editor.closeNode();
	});
});
