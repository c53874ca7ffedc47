// Pictures of a plan that a person approves, and of what was written.
import { openEditor, pictured, type Editor } from '../n8n/browser.cts';
import type { StoredCredential } from '../n8n/client.cts';
import { startMailServer, type MailServer } from '../n8n/mailServer.cts';
import { setting } from '../n8n/setting.cts';
import { demoSandbox, DRY } from '../start/demo.cts';
import { exampleOf } from './examples.cts';
import { answerReview } from './review.cts';

const running = setting({ sandbox: demoSandbox });
let editor: Editor;
let mailServer: MailServer;
let credentials: StoredCredential[];

beforeAll(async () => {
	const { n8n, sandbox, credential } = running();
	mailServer = await startMailServer();
	const { baseUrl, key: apiKey } = sandbox;
	const create = n8n.client.createCredential.bind(n8n.client);
	credentials = [
		credential,
		await create('platformApi', DRY, { baseUrl, apiKey, dryRun: 'on' }),
		await create('smtp', 'SMTP account', mailServer.credential),
	];
	editor = await openEditor(n8n);
});

afterAll(async () => {
	await editor?.close();
	await mailServer?.close();
});

const imported = async (file: string) =>
	(await running().n8n.client.importWorkflow(exampleOf(file), credentials)).id;

/** Takes a picture of the items that a node has put out, as a table. */
async function picture(node: string, name: string, shows: string): Promise<void> {
	await editor.openNode(node);
	const output = editor.page.getByTestId('output-panel');
	await output.getByTestId('radio-button-table').click();
	await output.getByText(shows).first().waitFor();
	await editor.picture(name, output);
	await editor.closeNode();
}

pictured(
	'a plan of three changes, and what was written once a person has approved it',
	async () => {
		const { n8n, sandbox } = running();
		await editor.openWorkflow(await imported('31-approve-the-plan.json'));
		const [execution] = await Promise.all([
			editor.executeWorkflow(),
			answerReview(n8n, mailServer, true),
		]);
		expect(execution.status).toBe('success');
		await picture('Plan', 'plan', 'Zenith Studios');
		await picture('Write', 'plan-written', 'updated');
		const { rows } = sandbox.state.customers.customers;
		expect(rows.find(({ externalId }) => externalId === 'crm-9001')).toBeDefined();
	},
);
