// A publication that fails in the background, and how n8n's editor says so.
import { openEditor, type Editor } from '../n8n/browser.cts';
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
	const credential = await n8n.client.createCredential('platformApi', 'Dry Run', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
		dryRun: true,
	});
	const workflow = triggered('Never published', 'CustomersTrigger', {});
	({ id } = await n8n.client.importWorkflow(workflow, [credential]));
	editor = await openEditor(n8n);
});

afterAll(async () => await editor?.close());

test('the editor shows the reason to who publishes there, and later that it failed', async () => {
	const { page, openWorkflow, visit, leave } = editor;
	await openWorkflow(id);
	await page.getByTestId('workflow-open-publish-modal-button').first().click();
	await page.getByRole('button', { name: 'Publish', exact: true }).last().click();
	const notification = page.getByRole('alert').filter({ hasText: 'could not be published' });
	await notification.waitFor();
	expect(await notification.innerText()).toContain(REASON);
	const { status, triggers } = await running().n8n.client.waitForPublication(id);
	expect([status, triggers.map(({ errorMessage }) => errorMessage)]).toEqual(['failed', [REASON]]);
	expect(await running().n8n.client.executions({ workflowId: id })).toEqual([]);
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
