// Three workflows built from nothing, with the forms as a person uses them: from the node creator to
// what the service has then.
import { openEditor, type Editor } from '../n8n/browser.cts';
import { itemsOf } from '../n8n/client.cts';
import { until } from '../n8n/until.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { startMailServer, type MailServer } from '../n8n/mailServer.cts';
import { personAt } from '../n8n/person.cts';
import { setting } from '../n8n/setting.cts';

const CREDENTIAL = 'Built by hand';

const running = setting({ credentialName: CREDENTIAL });
let editor: Editor;
let person: ReturnType<typeof personAt>;
let mailServer: MailServer;

beforeAll(async () => {
	const { n8n } = running();
	mailServer = await startMailServer();
	await n8n.client.createCredential('smtp', 'Built by hand: mail', mailServer.credential);
	editor = await openEditor(n8n);
	person = personAt(editor);
});

afterAll(async () => {
	await editor?.close();
	await mailServer?.close();
});

beforeEach(async () => await person.newWorkflow());

/** Adds an action of Platform Customers and chooses the credential. */
async function addAction(action: string): Promise<void> {
	await person.add('Platform Customers', 'Platform Customers', action);
	await person.byId('ndv').waitFor();
	await person.choose('node-credentials-select', CREDENTIAL);
}

test('customer, subscription, charge', async () => {
	const { sandbox } = running();
	const { customers } = sandbox.state.customers;
	const before = customers.rows.length;
	await person.add('', 'Trigger manually');

	await addAction('Create a customer');
	await person.type('email', 'hand@example.com');
	await person.type('companyName', 'Made by Hand Ltd');
	await editor.closeNode();

	await addAction('Create a subscription');
	await person.drag('id', person.field('customerId'));
	await person.typeId('plan', 'plan-team');
	await editor.closeNode();

	await addAction('Create a charge');
	const input = person.byId('ndv-input-panel');
	await input.getByText('Create a subscription').click();
	await input.getByText('Create a customer').click();
	await person.drag('id', person.field('customerId'));
	await person.type('name', 'Setup');
	await person.type('amount', '49.9');
	await editor.closeNode();

	const execution = await editor.executeWorkflow();
	expect(execution.status).toBe('success');
	const [made, ...others] = customers.rows.slice(before);
	expect(others).toEqual([]);
	expect(made).toMatchObject({ email: 'hand@example.com', company_name: 'Made by Hand Ltd' });
	expect(made.subscriptions).toHaveLength(1);
	expect(sandbox.state.charges.charges.rows.at(-1)).toMatchObject({ customer_id: made.id });
	expect(sandbox.requests.at(-1)?.body).toMatchObject({
		charge: { services: [{ name: 'Setup', amount: 49.9 }] },
	});
});

test('a mail for each charge that is paid', async () => {
	const { n8n, sandbox } = running();
	await person.add('charge paid', 'Platform Customers', 'On charge paid');
	await person.byId('ndv').waitFor();
	await person.choose('node-credentials-select', CREDENTIAL);
	await editor.closeNode();

	await person.add('Send Email', 'Send Email', 'Send an Email');
	await person.byId('ndv').waitFor();
	await person.choose('node-credentials-select', 'Built by hand: mail');
	await person.type('fromEmail', 'n8n@example.com');
	await person.type('toEmail', 'books@example.com');
	await person.type('subject', 'Charge: {{ $json.event }}');
	await editor.closeNode();

	await person.publish();
	const id = /workflow\/([^/?]+)/.exec(editor.page.url())![1];
	expect((await n8n.client.waitForPublication(id)).status).toBe('published');
	const [customer] = sandbox.state.customers.customers.rows;
	await chargeCustomer(sandbox, customer.id, 'failed');
	await chargeCustomer(sandbox, customer.id, 'paid');
	await sandbox.deliveriesSettled();
	await until('the mail', () => mailServer.mails.length > 0);
	const executions = await n8n.client.waitForExecutions(id, 1);
	expect(executions.map(({ status }) => status)).toEqual(['success']);
	expect(mailServer.mails.map(({ to, subject }) => [to, subject])).toEqual([
		[['books@example.com'], 'Charge: RecurringPayments.charge.paid'],
	]);
	await person.unpublish();
	expect((await n8n.client.waitForPublication(id)).status).toBe('not_published');
});

test('all customers, filtered, each updated, failures on an output of their own', async () => {
	const { sandbox } = running();
	const { page } = editor;
	await person.add('', 'Trigger manually');

	await addAction('Get many customers');
	await person.field('returnAll').locator('.el-switch').click();
	await editor.closeNode();

	await person.add('Filter', 'Filter');
	await person.byId('ndv').waitFor();
	await person.drag('country', person.byId('filter-condition-left'));
	// n8n takes the text a second later, and saves it then.
	const saved = page.waitForRequest((request) => request.postData()?.includes('"DE"') === true);
	await person.fill(person.byId('filter-condition-right'), 'DE');
	await saved;
	await editor.closeNode();

	await addAction('Update a customer');
	await page.getByText('Execute previous nodes').first().click();
	await person.drag('id', person.field('customerId'));
	await person.addField('Tags');
	await person.type('tags', 'by-hand');
	await person.byId('tab-settings').click();
	await person.choose('parameter-input-onError', 'Continue \\(using error output\\)');
	await editor.closeNode();
	const errors = '[data-test-id="canvas-node-output-handle"][data-handleid="outputs/main/1"]';
	await page.keyboard.press('1');
	await page.locator(errors).getByTestId('canvas-handle-plus').click();
	await person.add('No Operation', 'No Operation, do nothing');
	await editor.closeNode();

	const { customers } = sandbox.state.customers;
	const german = customers.rows.filter(({ address }) => address?.country === 'DE');
	const [first, ...others] = german;
	const tagsBefore = german.map(({ tags = [] }) => [...tags]);
	sandbox.faults.add({
		kind: 'status',
		status: 422,
		method: 'PUT',
		path: `/customers/${first.id}.json`,
	});
	const execution = await editor.executeWorkflow();
	expect(execution.status).toBe('success');
	expect(others.length).toBeGreaterThan(1);
	const outcome = (output: number) => itemsOf(execution, 'Update a customer', output);
	expect(outcome(0).map(({ json }) => json.id)).toEqual(others.map(({ id }) => id));
	expect(outcome(1).map(({ json }) => json.id)).toEqual([first.id]);
	expect(itemsOf(execution, 'No Operation, do nothing')).toHaveLength(1);
	expect(german.map(({ id }) => customers.get(id)?.tags ?? [])).toEqual(
		tagsBefore.map((tags, index) => (index === 0 ? tags : [...tags, 'by-hand'])),
	);
});
