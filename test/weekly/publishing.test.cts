// A publication that fails in the background: which places of n8n say so, and which say that it worked.
import { fetch } from 'undici';
import { openEditor, type Editor } from '../n8n/browser.cts';
import { callTool, connectToBuilder, openBuilder } from '../n8n/mcp.cts';
import { triggered } from '../n8n/parts.cts';
import { ownSetting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';

const REASON =
	"Dry Run is on in the credential, so this isn't sent: POST /webhooks.json. Turn it off to publish";

const running = ownSetting({});
let editor: Editor;
let id: string;

beforeAll(async () => {
	const { n8n, sandbox } = running();
	process.env.BUILDER_KEY = await openBuilder(n8n);
	const credential = await n8n.client.createCredential('platformApi', 'Dry Run', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
		dryRun: true,
	});
	const workflow = triggered('Never published', 'CustomersTrigger', {});
	workflow.settings = { ...workflow.settings, availableInMCP: true };
	({ id } = await n8n.client.importWorkflow(workflow, [credential]));
	editor = await openEditor(n8n);
});

afterEach(async () => {
	const { client } = running().n8n;
	const { status, triggers } = await client.waitForPublication(id);
	expect([status, triggers.map(({ errorMessage }) => errorMessage)]).toEqual(['failed', [REASON]]);
	expect(await client.executions({ workflowId: id })).toEqual([]);
	await client.deactivate(id);
});

afterAll(async () => await editor?.close());

test("n8n's API says success", async () => {
	const { client, url } = running().n8n;
	const key = await client.createApiKey('Publishing', ['workflow:activate']);
	const response = await fetch(`${url}/api/v1/workflows/${id}/activate`, {
		method: 'POST',
		dispatcher: client.dispatcher,
		headers: { 'X-N8N-API-KEY': key },
	});
	expect([response.status, await response.json()]).toEqual([
		200,
		expect.objectContaining({ active: true }),
	]);
});

test("n8n's MCP server says success", async () => {
	const mcp = await connectToBuilder(running().n8n);
	const { text } = await callTool(mcp, 'publish_workflow', { workflowId: id });
	await mcp.close();
	expect(JSON.parse(text)).toMatchObject({ success: true, workflowId: id });
});

test('the editor shows the reason to who publishes there, and later that it failed', async () => {
	const { page, openWorkflow, visit, leave } = editor;
	await openWorkflow(id);
	await page.getByTestId('workflow-open-publish-modal-button').first().click();
	await page.getByRole('button', { name: 'Publish', exact: true }).last().click();
	const notification = page.getByRole('alert').filter({ hasText: 'could not be published' });
	await notification.waitFor();
	expect(await notification.innerText()).toContain(REASON);
	await running().n8n.client.waitForPublication(id);
	await leave();
	const card = page.getByTestId('resources-list-item-workflow').filter({ hasText: 'Never' });
	// The list doesn't look again, so it's opened anew.
	await until('the list says that it failed', async () => {
		await visit('/home/workflows');
		const badge = card.getByText('Failed publish').waitFor({ timeout: 10_000 });
		return await badge.then(
			() => true,
			() => false,
		);
	});
});
