// The form of each node in the editor, filled in: everything that it loads is there, nothing that is
// required is missing. The pictures go into the documentation.
import type { INode, INodeParameters } from 'n8n-workflow';
import { openEditor, type Editor } from '../n8n/browser.cts';
import { setting } from '../n8n/setting.cts';
import { newestVersion, nodes as packageNodes } from '../table/operations.cts';

const PACKAGE = 'n8n-nodes-platform-api';

interface Form {
	/** The node's name in the package. */
	node: string;
	/** The name that it has on the canvas. */
	title: string;
	parameters: INodeParameters;
	/** Texts that the form has to show, also those that it loads. */
	shows: string[];
}

const listed = (value: string, cachedResultName: string) => ({
	__rl: true,
	mode: 'list',
	value,
	cachedResultName,
});

const forms: Form[] = [
	{
		node: 'platformAiGateway',
		title: 'Create a knowledge base',
		parameters: {
			resource: 'knowledgeBase',
			operation: 'create',
			name: 'Handbook',
			retrievalMode: 'vector',
			vectorStoreId: listed('avs-1', 'Production vectors, active'),
			embeddingConnectionId: listed('aic-2', 'Help centre embeddings, embed-small-1'),
			additionalFields: { description: 'House rules for everyone' },
		},
		shows: ['Retrieval Mode', 'Vector Store', 'Embedding Connection'],
	},
	{
		node: 'platformCompany',
		title: 'Convert an amount',
		parameters: {
			resource: 'currency',
			operation: 'convert',
			amount: 250,
			fromCurrency: listed('EUR', 'EUR'),
			toCurrency: listed('USD', 'USD'),
		},
		shows: ['Amount', 'From Currency', 'To Currency'],
	},
	{
		node: 'platformContentBox',
		title: 'Get published articles',
		parameters: {
			resource: 'content',
			operation: 'getAll',
			returnAll: true,
			filters: {
				typeId: listed('typ-article', 'Article'),
				state: listed('public', 'public'),
				search: 'billing',
			},
		},
		shows: ['Return All', 'Content Type', 'State', 'Search'],
	},
	{
		node: 'platformCustomers',
		title: 'Create a subscription',
		parameters: {
			resource: 'subscription',
			operation: 'create',
			customerId: listed('cus-100001', 'Zenith Works Ltd'),
			plan: listed('plan-team', 'Team, plan-team'),
			additionalFields: {
				discountType: listed('percentage', 'percentage'),
				discountValue: 10,
			},
		},
		shows: ['Customer', 'Plan', 'Discount Type', 'Discount Value'],
	},
	{
		node: 'platformDns',
		title: 'Look up a name',
		parameters: {
			resource: 'lookup',
			operation: 'runWithResolvers',
			target: 'www.example.com',
			resolvers: { resolver: [{ id: 'office', label: 'Office', server: '192.0.2.53' }] },
			additionalFields: { recordTypes: ['A', 'AAAA'] },
		},
		shows: ['Target', 'Additional Resolvers', 'Record Type Names or IDs', 'AAAA'],
	},
	{
		node: 'platformIdentity',
		title: 'Assess a session',
		parameters: {
			resource: 'risk',
			operation: 'assessSession',
			sentinelId: 'session-1',
			ip: '203.0.113.7',
			userAgent: 'Mozilla/5.0',
			additionalFields: { userId: 'user-1' },
		},
		shows: ['Sentinel ID', 'IP Address', 'User Agent', 'User ID'],
	},
	{
		node: 'platformNewsletters',
		title: 'Create a draft',
		parameters: {
			resource: 'newsletter',
			operation: 'create',
			title: 'Product update March',
			subject: 'What is new in March',
			templateId: 'product-update.html',
			customersAs: 'ids',
			contactIds: 'cus-100001, cus-100002',
		},
		shows: ['Title', 'Subject', 'Template', 'Customer IDs'],
	},
	{
		node: 'platformPartners',
		title: 'Create a payout',
		parameters: {
			resource: 'payout',
			operation: 'create',
			partnerId: listed('ptn-1', 'Alpine Hotels GmbH'),
			transactions: ['fee-200', 'fee-201'],
			invoiceNumber: 'INV-2026-0042',
			additionalFields: { invoiceDate: '2026-03-31T00:00:00' },
		},
		shows: ['Partner', 'fee-200', 'Invoice Number', 'Invoice Date'],
	},
	{
		node: 'platformRecurringPayments',
		title: 'Get recurring subscriptions',
		parameters: { resource: 'subscription', operation: 'getAll', returnAll: false, limit: 100 },
		shows: ['Return All', 'Limit'],
	},
	{
		node: 'platformScheduler',
		title: 'Schedule a workflow',
		parameters: {
			resource: 'event',
			operation: 'create',
			eventType: listed('action', 'action'),
			title: 'Monthly usage report',
			scheduleDate: '2026-04-01T06:00:00',
			actionType: 'workflow',
			workflowId: listed('wfl-4', 'Monthly usage report'),
			additionalFields: { recurrence: { rule: { type: listed('month', 'month'), interval: 1 } } },
		},
		shows: ['Event Type', 'Start', 'Action Type', 'Workflow', 'Recurrence'],
	},
	{
		node: 'platformWebhooks',
		title: 'Create a webhook',
		parameters: {
			resource: 'webhook',
			operation: 'create',
			name: 'Ledger',
			url: 'https://receiver.example.com/events',
			events: ['RecurringPayments.charge.paid'],
			additionalFields: { description: 'Bookkeeping' },
		},
		shows: ['URL', 'RecurringPayments.charge.paid', 'Description'],
	},
	{
		node: 'platformWorkflows',
		title: 'Run a workflow',
		parameters: {
			resource: 'workflow',
			operation: 'run',
			workflowId: listed('wfl-1', 'Welcome new customer'),
			data: '{ "customer": "cus-100001" }',
		},
		shows: ['Workflow', 'Data (JSON)'],
	},
	{
		node: 'platformCustomersTrigger',
		title: 'On a charge',
		parameters: { settings: { tokenCheck: 'hmac', headerName: 'X-Signature' } },
		shows: ['Charge Paid', 'Check Token', 'Token Header'],
	},
	{
		node: 'platformPollingTrigger',
		title: 'On a changed payment',
		parameters: {
			pollTimes: { item: [{ mode: 'everyX', value: 15, unit: 'minutes' }] },
			event: 'subscriptionPayment',
			statuses: 'paid, failed',
		},
		shows: ['Poll Times', 'Event', 'Filter by Status'],
	},
	{
		node: 'platformEmbeddings',
		title: 'Platform Embeddings',
		parameters: { connectionId: listed('aic-2', 'Help centre embeddings, embed-small-1') },
		shows: ['Connection', 'Options'],
	},
	{
		node: 'platformKnowledgeBaseRetriever',
		title: 'Help centre',
		parameters: {
			knowledgeBaseId: listed('akb-1', 'Help centre, lexical, ready'),
			access: 'principals',
			accessPrincipals: 'group:finance',
		},
		shows: ['Knowledge Base', 'Access', 'Principals', 'Max Passages'],
	},
];

const running = setting();
let editor: Editor;

const descriptionOf = (node: string) => packageNodes.find(({ name }) => name === node)!.description;

/** `platformAiGateway` makes `form-ai-gateway`. */
const pictureOf = (node: string) =>
	node.replace('platform', 'form').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

beforeAll(async () => {
	const { n8n, credential } = running();
	const nodes = forms.map(
		({ node, title, parameters }, index) =>
			({
				id: node,
				name: title,
				type: `${PACKAGE}.${node}`,
				typeVersion: newestVersion(descriptionOf(node)),
				position: [(index % 4) * 260, Math.floor(index / 4) * 200],
				parameters,
				credentials: { platformApi: { id: '', name: 'Platform API' } },
			}) as INode,
	);
	const workflow = { name: 'One form of each node', nodes, connections: {} };
	const { id } = await n8n.client.importWorkflow(workflow, [credential]);
	editor = await openEditor(n8n);
	await editor.openWorkflow(id);
});

afterAll(async () => await editor?.close());

test.each(forms.map((form) => [form.node, form] as const))('%s', async (node, form) => {
	const { page } = editor;
	await editor.openNode(form.title);
	const parameters = page.getByTestId('node-parameters');
	await editor.formLoaded();
	for (const text of form.shows) await parameters.getByText(text).first().waitFor();
	await page.mouse.move(5, 5);
	await editor.picture(pictureOf(node), parameters);
	expect(await parameters.getByTestId('parameter-issues').count()).toBe(0);
	expect(await page.locator('.el-notification').count()).toBe(0);
	await editor.closeNode();
});

test('the credential form tests itself', async () => {
	const { page } = editor;
	const { credential } = running();
	await editor.visit(`/home/credentials/${credential.id}`);
	const success = page.getByTestId('credentials-config-container-test-success');
	await success.waitFor();
	expect(await success.isVisible()).toBe(true);
	await editor.picture('credential');
});
