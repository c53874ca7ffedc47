// `npm run check pictures`: the video that n8n asks of packages to be verified, and the GIF of the README. A real n8n
// installs the packed package from a registry; the rest is done in its editor as a person does it.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chargeCustomer } from '../n8n/charge.cts';
import pack from '../n8n/pack.cts';
import { personAt } from '../n8n/person.cts';
import { PATIENT, startPublicN8n } from '../n8n/setting.cts';
import { openEditor } from '../n8n/browser.cts';
import { startRegistry } from '../registry/registry.cts';
import { startSandbox } from '../sandbox/index.cts';
import { filmOf } from './film.cts';

const ROOT = join(__dirname, '../..');
const PACKAGE = 'n8n-nodes-platform-api';

type Stop = () => Promise<void>;

async function record(stops: Stop[]): Promise<void> {
	pack();
	const registry = await startRegistry();
	stops.push(registry.stop);
	await registry.publish(String(process.env.PACKED_PACKAGE));
	const n8n = await startPublicN8n({ packageUnderTest: 'none', env: registry.env });
	stops.push(n8n.stop);
	const sandbox = await startSandbox({ customers: 250, deliveries: { ca: n8n.ca, ...PATIENT } });
	stops.push(sandbox.close);
	const editor = await openEditor(n8n);
	stops.push(editor.close);
	const { page } = editor;
	page.setDefaultTimeout(60_000);
	const person = personAt(editor);
	const { byId } = person;
	// Its pages of settings lack the menu that `visit` waits for.
	await page.goto(`${n8n.url}/settings/community-nodes`);
	const film = await filmOf(page);
	stops.push(film.close);

	await film.card('1. Install', `Settings → Community nodes → ${PACKAGE}`);
	await page
		.getByRole('button', { name: /install/i })
		.first()
		.click();
	await page.locator('input[name="packageNameInput"]').fill(PACKAGE);
	await byId('user-agreement-checkbox').click();
	await film.hold(2);
	await byId('install-community-package-button').click();
	await page.getByTestId('community-package-card').getByText(PACKAGE).first().waitFor();
	await film.hold(3);

	await film.card('2. Credential', 'Base URL and API key, tested when they are saved');
	await person.newWorkflow();
	await person.add('', 'Trigger manually');
	const add = async (action: string) => {
		await person.add('Platform Customers', 'Platform Customers', action);
		await byId('ndv').waitFor();
	};
	await add('Create a customer');
	await page.getByRole('button', { name: 'Connect to Platform' }).click();
	const dialog = byId('credential-edit-dialog');
	await person.fill(dialog.getByTestId('parameter-input-baseUrl'), sandbox.baseUrl);
	await person.fill(dialog.getByTestId('parameter-input-apiKey'), sandbox.key);
	await byId('credential-save-button').click();
	// What passes the test is saved and closed; opened again, it tests itself.
	await dialog.waitFor({ state: 'hidden' });
	await byId('credential-edit-button').click();
	await byId('credentials-config-container-test-success').waitFor();
	await film.hold(3);
	await page.locator('.el-dialog__headerbtn:visible').click();
	await dialog.waitFor({ state: 'hidden' });

	await film.card('3. Operations', 'Create a customer, subscribe it, charge it');
	const from = film.mark();
	await person.type('email', 'ada@example.com');
	await person.type('companyName', 'Lovelace Analytics');
	await film.hold(2);
	await editor.closeNode();
	await add('Create a subscription');
	await person.drag('id', person.field('customerId'));
	await person.type('plan', 'plan-team');
	await film.hold(2);
	await editor.closeNode();
	await add('Create a charge');
	await byId('ndv-input-panel').getByText('Create a subscription').click();
	await byId('ndv-input-panel').getByText('Create a customer').click();
	await person.drag('id', person.field('customerId'));
	await person.type('name', 'Setup');
	await person.type('amount', '49.9');
	await film.hold(2);
	await editor.closeNode();
	await page.keyboard.press('1');
	await editor.executeWorkflow();
	await film.hold(3);
	const to = film.mark();
	await editor.openNode('Create a charge');
	await film.hold(3);
	await editor.closeNode();

	await film.card('4. Lists', 'Return All reads every page');
	await add('Get many customers');
	await person.field('returnAll').locator('.el-switch').click();
	await person.executeStep();
	await film.hold(3);
	await editor.closeNode();

	await film.card(
		'5. Trigger',
		'Publishing registers the webhook. A charge that is paid starts the workflow',
	);
	await person.newWorkflow();
	await person.add('charge paid', 'Platform Customers', 'On charge paid');
	await byId('ndv').waitFor();
	await film.hold(2);
	await editor.closeNode();
	await person.publish();
	const id = /workflow\/([^/?]+)/.exec(page.url())![1];
	await n8n.client.waitForPublication(id);
	await page.keyboard.press('Escape');
	await film.hold(2);
	await chargeCustomer(sandbox, sandbox.state.customers.customers.rows[0].id, 'paid');
	await sandbox.deliveriesSettled();
	const [execution] = await n8n.client.waitForExecutions(id, 1);
	await editor.visit(`/workflow/${id}/executions/${execution.id}`);
	await page
		.getByText(/Succeeded/)
		.first()
		.waitFor();
	await film.hold(4);
	await film.card('Unpublish', 'Unpublishing removes the webhook');
	await editor.openWorkflow(id);
	await person.unpublish();
	await film.hold(2);

	await mkdir(join(ROOT, 'reports'), { recursive: true });
	await film.webm(join(ROOT, 'reports/verification.webm'));
	await film.gif(join(ROOT, 'docs/images/first-workflow.gif'), from, to);
}

async function main(): Promise<void> {
	const stops: Stop[] = [];
	try {
		await record(stops);
	} finally {
		for (const stop of stops.reverse()) await stop();
	}
}

void main();
