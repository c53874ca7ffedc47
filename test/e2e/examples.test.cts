// Every workflow of examples/ in a real n8n: imported, executed with its own triggers, tables and mails. A new file is tested by
// being there, and `shows` says what it must show. What comes of it over a year, test/execution/year plays on n8n's engine.
import { readdirSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';
import { Agent, request } from 'undici';
import {
	itemsOf,
	type Execution,
	type RunOptions,
	type StoredCredential,
	type StoredWorkflow,
} from '../n8n/client.cts';
import { until } from '../n8n/until.cts';
import { findEndpoint } from '../contract/contract.cts';
import { leavesInDryRun } from '../table/api.cts';
import type { Route } from '../table/api.cts';
import type { Charge, ChargeOutcome } from '../sandbox/index.cts';
import { PUBLIC_HOST } from '../sandbox/tls.cts';
import { pdfOf } from '../sandbox/pdf.cts';
import type { Customer } from '../sandbox/areas/customers.cts';
import { codeOf } from '../sandbox/areas/identity.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { startChatModel, type ChatModel } from '../n8n/chatModel.cts';
import { EXAMPLES, exampleOf, polledFast, withoutSlack } from './examples.cts';
import { attachmentsOf, startMailServer, textOf, type MailServer } from '../n8n/mailServer.cts';
import { callTool, connectMcp } from '../n8n/mcp.cts';
import { platform, rowOf, start, webhook } from '../n8n/parts.cts';
import { answerReview } from './review.cts';
import { demoSandbox, DRY } from '../start/demo.cts';
import { setting } from '../n8n/setting.cts';

const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

/** Where the nodes of an example may come from. */
const PACKAGES = ['n8n-nodes-platform-api', 'n8n-nodes-base', '@n8n/n8n-nodes-langchain'];
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** The world that `npm start` makes. */
const running = setting({ sandbox: { ...demoSandbox, deliveries: { backoffMs: 50 } } });
let mailServer: MailServer;
let model: ChatModel;
let credentials: StoredCredential[];
let dry: StoredCredential;

beforeAll(async () => {
	mailServer = await startMailServer();
	model = await startChatModel();
	const { n8n, credential } = running();
	const create = n8n.client.createCredential.bind(n8n.client);
	dry = await create('platformApi', DRY, {
		baseUrl: running().sandbox.baseUrl,
		apiKey: running().sandbox.key,
		dryRun: 'on',
	});
	credentials = [
		dry,
		credential,
		await create('smtp', 'SMTP account', mailServer.credential),
		await create('n8nApi', 'n8n account', {
			apiKey: await n8n.client.createApiKey('Examples', [
				'workflow:list',
				'workflow:activate',
				'workflow:deactivate',
			]),
			baseUrl: `${n8n.url}/api/v1`,
		}),
		await create('openAiApi', 'OpenAI account', { apiKey: 'none', url: model.url }),
	];
});

afterAll(async () => {
	await model?.close();
	await mailServer?.close();
});

beforeEach(() => {
	running().sandbox.clearRequests();
	mailServer.mails.length = 0;
});

async function imported(file: string): Promise<StoredWorkflow> {
	return await running().n8n.client.importWorkflow(withoutSlack(exampleOf(file)), credentials);
}

/** Executes a workflow as the editor does; every node of it has to end well. */
async function run({ id }: StoredWorkflow, options?: RunOptions): Promise<Execution> {
	const execution = await running().n8n.client.runWorkflow(id, options);
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** What the service delivers to this n8n. */
const ownWebhooks = () =>
	running().sandbox.state.webhooks.webhooks.rows.filter(({ url }) =>
		url.startsWith(`https://${PUBLIC_HOST}`),
	);

/** Does something while a workflow is published; unpublishing leaves no webhook at the service. */
async function whilePublished({ id }: StoredWorkflow, work: () => Promise<void>): Promise<void> {
	const { client } = running().n8n;
	await client.activate(id);
	try {
		await work();
	} finally {
		await client.deactivate(id);
	}
	expect(ownWebhooks()).toEqual([]);
}

/** The fields of a node's items. */
const rows = (execution: Execution, node: string, output = 0) =>
	itemsOf(execution, node, output).map(({ json }) => json);

/** Creates a charge of 5 for Seats that comes out as said, and waits for its delivery. */
async function charge(customerId: string, outcome: ChargeOutcome): Promise<Charge> {
	const { sandbox } = running();
	const settled = await chargeCustomer(sandbox, customerId, outcome);
	await sandbox.deliveriesSettled();
	return settled;
}

const customerRows = () => running().sandbox.state.customers.customers.rows;
const requestsTo = (method: string, end: string) =>
	running().sandbox.requests.filter(
		(each) => each.method === method && each.path.split('?')[0].endsWith(end),
	);

/** Runs an example that asks a person by email, who answers. */
async function reviewed(workflow: StoredWorkflow, approved: boolean): Promise<Execution> {
	const { n8n } = running();
	mailServer.mails.length = 0;
	const id = await n8n.client.startWorkflow(workflow.id);
	await answerReview(n8n, mailServer, approved);
	return await n8n.client.waitForExecution(id);
}

/** Has the model mislead who approves: n8n takes arguments of the review over its own. Refused in the end. */
async function expectHonestMail(
	workflow: StoredWorkflow,
	tool: string,
	toolParameters: Record<string, unknown>,
): Promise<void> {
	const fake = { toolParameters: { ...toolParameters, amount: 1 }, tool: 'Get_Customer' };
	const hitlParameters = { ...fake, query: fake };
	model.script = `call ${tool} ${JSON.stringify({ toolParameters, hitlParameters })}`;
	await reviewed(workflow, false);
	model.script = '';
	const text = textOf(mailServer.mails[0]);
	expect(text).toContain('"amount": 999');
	expect(text).not.toMatch(/"amount": 1\b|Get_Customer|Setup <!--/);
}

/** Sends the delivery that arrived last once more, as a service does that saw no answer. */
async function deliverAgain(workflowId: string, event: string): Promise<void> {
	const { n8n } = running();
	const [before] = await n8n.client.waitForExecutions(workflowId, 1);
	const [{ json }] = Object.values(before.data.resultData.runData)[0][0].data!.main[0]!;
	const { url } = ownWebhooks().find(({ events }) => events.includes(event))!;
	const { pathname, search } = new URL(url);
	const { statusCode } = await posted(`${pathname}${search}`, json.body);
	expect(statusCode).toBe(200);
	expect(await n8n.client.waitForExecutions(workflowId, 2)).toHaveLength(2);
}

/** Posts JSON to this n8n. */
async function posted(path: string, data: unknown) {
	const { n8n } = running();
	const { statusCode, body } = await request(`${n8n.url}${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(data),
		dispatcher: n8n.client.dispatcher,
	});
	return { statusCode, text: await body.text() };
}

/** A charge of each outcome, one of which starts the published workflow, also if it's delivered twice. */
async function startedBy(
	outcome: ChargeOutcome,
	workflow: StoredWorkflow,
	{ id }: Customer,
): Promise<{ execution: Execution; settled: Charge }> {
	let found: { execution: Execution; settled: Charge } | undefined;
	await whilePublished(workflow, async () => {
		await charge(id, outcome === 'paid' ? 'failed' : 'paid');
		const settled = await charge(id, outcome);
		const [execution, ...others] = await running().n8n.client.waitForExecutions(workflow.id, 1);
		expect([execution.status, others]).toEqual(['success', []]);
		await deliverAgain(workflow.id, `RecurringPayments.charge.${outcome}`);
		found = { execution, settled };
	});
	return found!;
}

/** Lets the trigger poll every two seconds. */
async function pollingFast({ id, nodes }: StoredWorkflow): Promise<void> {
	await running().n8n.client.updateWorkflow(id, polledFast({ nodes }));
}

/** Sends a PDF file by the form of a workflow, and waits for its execution. */
async function uploadPdf(workflow: StoredWorkflow): Promise<void> {
	const { n8n } = running();
	const form = workflow.nodes.find(({ type }) => type.endsWith('formTrigger'));
	await whilePublished(workflow, async () => {
		const head = [
			'--end',
			'content-disposition: form-data; name="field-0"; filename="a.pdf"',
			'content-type: application/pdf\r\n\r\n',
		].join('\r\n');
		const pdf = pdfOf(['The handbook says hello.']);
		const dispatcher = new Agent({ connect: { ca: n8n.ca } });
		const answer = await request(`${n8n.url}/form/${form?.webhookId}`, {
			method: 'POST',
			dispatcher,
			headers: { 'content-type': 'multipart/form-data; boundary=end', connection: 'close' },
			body: Buffer.concat([Buffer.from(head), pdf, Buffer.from('\r\n--end--\r\n')]),
		});
		expect({ status: answer.statusCode, said: await answer.body.text() }).toMatchObject({
			status: 200,
		});
		await n8n.client.waitForExecutions(workflow.id, 1);
	});
}

/** Whether a request changes something at the service. */
function changesSomething({ method, path }: { method: string; path: string }): boolean {
	const template = findEndpoint(method, path.split('?')[0])?.path;
	return !leavesInDryRun(`${method} ${template}` as Route);
}

/** Lets an example do all that it can with Dry Run. */
async function tryDry(workflow: StoredWorkflow, file: string): Promise<void> {
	const { n8n } = running();
	const { id, nodes, pinData = {} } = workflow;
	const has = (type: string) => nodes.some((node) => node.type.endsWith(`.${type}`));
	if (has('platformCustomersTrigger')) {
		await expect(n8n.client.activate(id)).rejects.toThrow('Dry Run is on in the credential');
		await n8n.client.deactivate(id);
	}
	if (nodes.some(({ name }) => name === 'Create Customer')) {
		await n8n.client.activate(id);
		const client = await connectMcp(n8n, 'platform-tools');
		const args = { email: 'dry@example.com', company: 'MCP Ltd' };
		const { text } = await callTool(client, 'Create_Customer', args);
		expect(text).toContain('dryRun');
		await client.close();
		await n8n.client.deactivate(id);
	}
	if (has('platformPollingTrigger') && !has('platformCustomersTrigger')) {
		await n8n.client.activate(id);
		await until('two polls', () => running().sandbox.requests.length > 1);
		await n8n.client.deactivate(id);
	}
	if (has('formTrigger')) await uploadPdf(workflow);
	const start = nodes.find(
		({ name, type }) =>
			/\.(manual|schedule)Trigger$/.test(type) ||
			(name in pinData && /(trigger|\.webhook)$/i.test(type)),
	);
	if (!start) return;
	const execution = await n8n.client.startWorkflow(id, { trigger: start.name });
	if (/^(17|31)/.test(file)) await answerReview(n8n, mailServer, true);
	const ended = async () => {
		const { status } = await n8n.client.execution(execution);
		return status !== 'running' && status !== 'new';
	};
	await until('the end of the run', ended);
	const { data, status } = await n8n.client.execution(execution);
	if (status === 'waiting') await n8n.client.stopExecution(execution);
	expect(data.resultData.error?.message).toBeUndefined();
}

/** What each example must show, by its file name. */
const shows: Record<string, (workflow: StoredWorkflow) => Promise<void>> = {
	'01-bill-a-new-customer.json': async (workflow) => {
		const before = customerRows().length;
		const execution = await run(workflow);
		expect(rows(execution, 'Create charge')).toHaveLength(1);
		expect(customerRows()).toHaveLength(before + 1);
	},

	'02-onboard-a-customer.json': async (workflow) => {
		const first = await run(workflow);
		const [{ id }] = rows(first, 'Create or update customer');
		expect(rows(first, 'Get payment link')).toEqual([
			{ customer_id: id, url: expect.stringContaining(String(id)) },
		]);
		const second = await run(workflow);
		expect(rows(second, 'Create or update customer')).toEqual([
			expect.objectContaining({ id, action: 'unchanged' }),
		]);
		expect(customerRows().find((row) => row.id === id)?.subscriptions).toHaveLength(1);
	},

	'03-bill-monthly-usage.json': async (workflow) => {
		const execution = await run(workflow);
		expect(rows(execution, 'Record usage').map(({ value }) => value)).toEqual([1200, 85]);
		expect(rows(execution, 'Row and reason').map(({ reason }) => reason)).toEqual([
			expect.stringContaining('This customer does not exist'),
			expect.stringMatching(/\w+ \w+/),
		]);
		const [{ binary }] = itemsOf(execution, 'Save failed rows');
		expect(binary?.data.mimeType).toBe('text/csv');
		expect(rows(await run(workflow), 'Record usage')).toEqual([]);
	},

	'04-dunning-on-a-failed-charge.json': async (workflow) => {
		const [customer] = customerRows();
		await startedBy('failed', workflow, customer);
		expect(mailServer.mails).toHaveLength(1);
		const [mail] = mailServer.mails;
		expect(mail).toMatchObject({ to: [customer.email], subject: 'Your payment for Seats failed' });
		expect(textOf(mail)).toContain(`Dear ${customer.first_name}`);
		expect(textOf(mail)).toMatch(new RegExp(`Please pay here: https://\\S+${customer.id}`));
		const [{ body }, ...others] = requestsTo('POST', '/scheduler/events.json');
		expect(others).toEqual([]);
		const { schedule_date: when, title } = (body as { event: Record<string, string> }).event;
		expect(title).toContain(customer.company_name);
		expect((Date.parse(when) - Date.now()) / 86_400_000).toBeCloseTo(3, 1);
	},

	'05-receipt-on-a-paid-charge.json': async (workflow) => {
		const [, customer] = customerRows();
		const { settled } = await startedBy('paid', workflow, customer);
		expect(mailServer.mails).toHaveLength(1);
		const [mail] = mailServer.mails;
		expect(mail).toMatchObject({ to: [customer.email], subject: 'Receipt for Seats' });
		expect(textOf(mail)).toContain(`we have received 5.00 for Seats`);
		expect(textOf(mail)).toContain(settled.id);
		expect(customer.properties.last_paid_on).toMatch(/^\d{4}-\d\d-\d\d$/);
	},

	'06-reconcile-payments.json': async (workflow) => {
		const execution = await run(workflow);
		for (const node of ['Payment changed', 'Open payment', 'Received payment']) {
			expect(rows(execution, node)).not.toEqual([]);
		}
	},

	'07-pay-partners.json': async (workflow) => {
		const { payouts } = running().sandbox.state.payouts;
		const { partners } = running().sandbox.state.partners;
		const paid = rows(await run(workflow), 'Mark as paid').map(({ id }) => String(id));
		expect(paid.length).toBeGreaterThan(1);
		expect(mailServer.mails).toHaveLength(paid.length);
		for (const [index, id] of paid.entries()) {
			const payout = payouts.get(id);
			const { email } = partners.get(String(payout?.partner_id)) ?? {};
			expect(payout).toMatchObject({ status: 'paid', metadata: { report_mailed_to: email } });
			const mail = mailServer.mails[index];
			expect(mail).toMatchObject({ to: [email], subject: `Your payout ${id}` });
			const report = attachmentsOf(mail).get(`payout-${id}.pdf`);
			expect(report?.subarray(0, 5).toString()).toBe('%PDF-');
		}
		expect(rows(await run(workflow), 'Mark as paid')).toEqual([]);
	},

	'08-send-a-newsletter.json': async (workflow) => {
		const [queue] = rows(await run(workflow), 'Queue');
		expect(queue).toMatchObject({ status: 'queued', skipped_suppressed: 0 });
		// Run again in the same month, nobody gets it twice.
		expect(rows(await run(workflow), 'Queue')).toEqual([
			expect.objectContaining({ skipped: true }),
		]);
		expect(requestsTo('POST', '/queue.json')).toHaveLength(1);
	},

	'09-publish-content.json': async (workflow) => {
		const execution = await run(workflow);
		const titles = (node: string, of: (row: IDataObject) => unknown) =>
			rows(execution, node)
				.map((row) => String(of(row)))
				.sort();
		expect(titles('Get published entries', ({ title }) => title)).toEqual(
			titles('Release notes', ({ version }) => `Version ${String(version)}`),
		);
	},

	'10-step-up-a-risky-login.json': async (workflow) => {
		const sample = await run(workflow);
		expect(rows(sample, 'Let in')).toHaveLength(1);
		expect(rows(sample, 'Ask for a code')).toHaveLength(1);

		const { faults, state } = running().sandbox;
		const user = state.identity.users.rows.find(({ external_id }) => external_id === 'user-1');
		const code = codeOf(String(user?.otp?.secret));
		const login = async (data: object) => {
			const risky = { session: 'session-9', user: 'user-1', ip: '203.0.113.7' };
			const all = { ...risky, userAgent: 'Mozilla/5.0', ...data };
			const { statusCode, text } = await posted('/webhook/platform-login', all);
			return [statusCode, JSON.parse(text)] as [number, { allowed: boolean }];
		};
		await whilePublished(workflow, async () => {
			expect(await login({ ip: '198.51.100.7' })).toEqual([200, { allowed: true }]);
			expect(await login({})).toEqual([401, { allowed: false, ask: 'otp' }]);
			const refused = { allowed: false, message: expect.any(String) };
			expect(await login({ code: '12345678' })).toEqual([403, refused]);
			// Neither an error nor a status that is known to be good.
			const pending = { status: 'pending', id: 'user-1', message: 'Wait' };
			const path = '/idp/otp/verify.json';
			faults.add({ kind: 'status', status: 200, body: pending, path, times: 1 });
			expect(await login({ code })).toEqual([503, refused]);
			expect(await login({ code })).toEqual([200, { allowed: true }]);
		});
	},

	'11-build-a-knowledge-base.json': async (workflow) => {
		const execution = await run(workflow);
		expect(rows(execution, 'Search')[0].results).toHaveLength(3);
		const compared = rows(execution, 'Compare');
		expect(compared).toHaveLength(3);
		expect(compared[0]).toMatchObject({ document: 'Holidays' });
		const likenesses = compared.map(({ likeness }) => Number(likeness));
		expect(likenesses[0]).toBe(Math.max(...likenesses));
		expect(likenesses[0]).toBeGreaterThan(0.3);
	},

	'12-answer-from-a-knowledge-base.json': async (workflow) => {
		const execution = await run(workflow);
		expect(rows(execution, 'Answer')).toEqual([
			{ response: expect.stringContaining('within 14 days') },
		]);
		expect(requestsTo('POST', '/ai-gateway/knowledge-bases/akb-1/search.json')).toHaveLength(1);
	},

	'13-find-webhooks-that-lead-nowhere.json': async (workflow) => {
		const { webhooks } = running().sandbox.state.webhooks;
		const foreign = webhooks.rows.map(({ id }) => id);
		const published = await imported('05-receipt-on-a-paid-charge.json');
		await whilePublished(published, async () => {
			const [own] = ownWebhooks();
			const { origin } = new URL(own.url);
			const orphan = {
				...own,
				id: 'orphan',
				url: `${origin}/webhook/6f6d1c50-5a55-4a0f-9d4c-3a36a3c1d0ff/webhook?event=x`,
			};
			const elsewhere = { ...orphan, id: 'elsewhere', url: 'https://other.example.test/webhook/x' };
			webhooks.add(orphan);
			webhooks.add(elsewhere);
			const execution = await run(workflow);
			expect(rows(execution, 'Published workflows')).toContainEqual(
				expect.objectContaining({ id: published.id }),
			);
			expect(rows(execution, 'Webhooks')).toHaveLength(foreign.length + 3);
			expect(rows(execution, 'Lead nowhere').map(({ id }) => id)).toEqual(['orphan']);
			webhooks.remove('orphan');
			webhooks.remove('elsewhere');
		});
	},

	'14-read-a-long-list-in-slices.json': async (workflow) => {
		const all = customerRows().length;
		const execution = await run(workflow);
		expect(rows(execution, 'Done')).toEqual([{ rows: all }]);
		// Each page once. The last one isn't full, so the first one is asked how large pages are.
		const pages = running().sandbox.requests.map(({ path }) => path.match(/page=(\d+)/)?.[1]);
		const count = Math.floor(all / 100) + 1;
		const each = Array.from({ length: count }, (_each, index) => String(index + 1));
		expect(pages).toEqual([...each, '1']);
	},

	'15-agent-that-cites-sources.json': async (workflow) => {
		const execution = await run(workflow);
		expect(JSON.stringify(rows(execution, 'Agent'))).toContain('Source: Reset your password');
	},

	'16-offer-tools-over-mcp.json': async (workflow) => {
		await whilePublished(workflow, async () => {
			const client = await connectMcp(running().n8n, 'platform-tools');
			const { tools } = await client.listTools();
			expect(tools.map(({ name }) => name).sort()).toEqual([
				'Create_Customer',
				'Get_Customer',
				'Search_Help_Centre',
			]);
			const search = tools.find(({ name }) => name === 'Search_Help_Centre');
			expect(search?.inputSchema).toMatchObject({
				properties: { question: { type: 'string' } },
				required: ['question'],
			});
			const args = { email: 'over-mcp@example.com', company: 'MCP Ltd' };
			expect(await callTool(client, 'Create_Customer', args)).toMatchObject({ isError: false });
			const question = 'How do I reset my password?';
			expect(await callTool(client, 'Search_Help_Centre', { question })).toEqual({
				isError: false,
				text: expect.stringContaining('Source: Reset your password, page 8'),
			});
			expect(await callTool(client, 'Get_Customer', { customer_id: 'nobody' })).toEqual({
				isError: true,
				text: expect.stringContaining('Nothing found for "nobody". Check the Customer field.'),
			});
			await client.close();
		});
		expect(customerRows().map(({ email }) => email)).toContain('over-mcp@example.com');
	},

	'17-approve-each-charge.json': async (workflow) => {
		for (const approved of [false, true]) {
			await reviewed(workflow, approved);
			expect(requestsTo('GET', '/customers/cus-100001.json')).toHaveLength(approved ? 2 : 1);
			expect(requestsTo('POST', '/charges.json')).toHaveLength(approved ? 1 : 0);
			const [mail] = mailServer.mails.map(textOf);
			expect(mail).toMatch(/"customer_id": "cus-100001"[^]*"amount": 5/);
		}
		await expectHonestMail(workflow, 'Charge_Customer', {
			customer_id: 'cus-100001',
			service: 'Setup <!--',
			amount: 999,
		});
	},

	'18-add-pdf-files-to-a-knowledge-base.json': async (workflow) => {
		await uploadPdf(workflow);
		expect(requestsTo('POST', '/documents.json').map(({ body }) => body)).toEqual([
			{ name: 'a.pdf', content: expect.stringContaining('The handbook says hello.') },
		]);
	},

	'19-find-and-tag-customers.json': async (workflow) => {
		const tagged = () => customerRows().filter(({ tags = [] }) => tags.includes('dach'));
		const german = customerRows().filter(({ address }) => address?.country === 'DE');
		expect(german.length).toBeGreaterThan(0);
		expect(german.length).toBeLessThan(customerRows().length);
		expect(tagged()).toEqual([]);
		const first = await run(workflow);
		expect(tagged().map(({ id }) => id)).toEqual(german.map(({ id }) => id));
		expect(rows(first, 'Tag').map(({ email }) => email)).toEqual(german.map(({ email }) => email));
		expect(rows(await run(workflow), 'In Germany, not tagged')).toEqual([]);
	},

	'20-wait-until-a-charge-is-paid.json': async (workflow) => {
		const { n8n, sandbox } = running();
		const { charges } = sandbox.state.charges;
		const before = charges.rows.length;
		const id = await n8n.client.startWorkflow(workflow.id);
		await until(
			'the charge and its webhooks',
			() => charges.rows.length > before && ownWebhooks().length > 0,
		);
		const [own] = charges.rows.slice(before);
		// The execution has to be saved as waiting before it can go on.
		await until(
			'the waiting execution',
			async () => (await n8n.client.execution(id)).status === 'waiting',
		);
		await charge(own.customer_id, 'paid');
		sandbox.settle(own.id, 'paid');
		await sandbox.deliveriesSettled();
		const execution = await n8n.client.waitForExecution(id);
		expect(execution.status).toBe('success');
		expect(rows(execution, 'Paid')).toEqual([{ charge: own.id, outcome: 'paid' }]);
		expect(ownWebhooks()).toEqual([]);
	},

	'21-mail-weekly-figures.json': async (workflow) => {
		await run(workflow);
		expect(mailServer.mails).toHaveLength(1);
		const [mail] = mailServer.mails;
		expect(mail).toMatchObject({ to: ['you@example.com'], subject: 'Weekly figures' });
		expect(textOf(mail)).toContain(String(customerRows().length));
		expect(textOf(mail).match(/<tr>/g)).toHaveLength(6);
	},

	'22-register-missing-webhooks-again.json': async (workflow) => {
		const { client } = running().n8n;
		const { webhooks } = running().sandbox.state.webhooks;
		const watched = await imported('04-dunning-on-a-failed-charge.json');
		const unpublished = await imported('05-receipt-on-a-paid-charge.json');
		await pollingFast(workflow);
		await whilePublished(watched, async () => {
			await client.activate(unpublished.id);
			await client.activate(workflow.id);
			const [lost] = ownWebhooks().filter(({ events }) => events.join().endsWith('failed'));
			await client.deactivate(unpublished.id);
			webhooks.remove(lost.id);
			await until('the webhook again', () => ownWebhooks().length > 0);
			const ended = async () =>
				(await client.waitForExecutions(workflow.id, 1)).some(
					(each) => rows(each, 'Publish').length > 0,
				);
			await until('the end of the repair', ended);
			// What follows finds nothing missing any more.
			running().sandbox.clearRequests();
			await until('two polls', () => requestsTo('GET', '/webhooks.json').length > 1);
			await client.deactivate(workflow.id);
			expect(ownWebhooks().map(({ events, url }) => [events, new URL(url).pathname])).toEqual([
				[lost.events, new URL(lost.url).pathname],
			]);
			const executions = await client.waitForExecutions(workflow.id, 1);
			expect(executions.flatMap((each) => rows(each, 'Publish').map(({ id }) => id))).toEqual([
				watched.id,
			]);
		});
	},

	// What it does while n8n is up and down: missed.test.cts.
	'23-paid-charges-with-an-alarm.json': async (workflow) => {
		const execution = await run(workflow, { trigger: 'Charge paid' });
		expect(rows(execution, 'Handle payment')).toEqual([
			expect.objectContaining({ charge: 'chg-sample-paid', amount: 5 }),
		]);
		const again = await run(workflow, { trigger: 'Charge paid' });
		expect(rows(again, 'Handle payment')).toEqual([]);
	},

	'24-bill-orders-once.json': async (workflow) => {
		const charged = () => requestsTo('POST', '/charges.json');
		const orders = rows(await run(workflow), 'Charged now').map(({ order }) => order);
		expect(orders).toEqual(['A-1001', 'A-1002', 'A-1003']);
		expect(charged()).toHaveLength(3);
		const second = await run(workflow);
		expect(charged()).toHaveLength(3);
		expect(rows(second, 'Charged before')).toHaveLength(3);
		expect(rows(second, 'Please check')).toEqual([]);
	},

	'25-agent-with-reads-and-one-charge.json': async (workflow) => {
		const email = 'elena.bianchi.1@zenith-studios.example';
		const services = [{ name: 'Setup', amount: 5 }];
		for (const approved of [false, true]) {
			const toolParameters = { customer_id: 'cus-100001', services };
			model.script = [
				`call get_customer_by_email ${JSON.stringify({ email })}`,
				`if "cus-100001" call create_charge ${JSON.stringify({ toolParameters, hitlParameters: {} })}`,
			].join('\n');
			await reviewed(workflow, approved);
			expect(requestsTo('POST', '/charges.json').map(({ body }) => body)).toEqual(
				approved ? [{ charge: { services } }] : [],
			);
			expect(textOf(mailServer.mails[0])).toMatch(/"customer_id": "cus-100001"[^]*"amount": 5/);
		}
		// What is approved is what runs: another tool can't be named, nor values hidden.
		await expectHonestMail(workflow, 'create_charge', {
			customer_id: 'cus-100001',
			services: [{ name: 'Setup <!--', amount: 999 }],
		});
		running().sandbox.clearRequests();
		const other = { customer_id: 'cus-100001', tool: 'delete_customer' };
		model.script = `call create_charge ${JSON.stringify({ toolParameters: other })}`;
		await reviewed(workflow, true);
		model.script = '';
		expect(running().sandbox.requests).toEqual([]);
		expect(model.toolResults().at(-1)).toContain('There is no tool');
	},

	'26-offer-many-tools-over-mcp.json': async (workflow) => {
		await whilePublished(workflow, async () => {
			const client = await connectMcp(running().n8n, 'many-platform-tools');
			const { tools } = await client.listTools();
			const names = tools.map(({ name }) => name);
			expect(names).toEqual(expect.arrayContaining(['list_customers', 'get_partner_stats']));
			expect(names.filter((name) => /create|update|delete/.test(name))).toEqual([]);
			const { text } = await callTool(client, 'list_customers', {});
			expect(text).toContain('more are not shown');
			expect(await callTool(client, 'get_customer', { customer_id: 'nobody' })).toEqual({
				isError: true,
				text: expect.stringContaining('Nothing found for "nobody". Check the customer_id field.'),
			});
			await client.close();
		});
	},

	'27-billing-agent-that-only-reads.json': async (workflow) => {
		const late = { last_payment_status: 'failed', limit: 3, fields: ['customer_id'] };
		model.script = [
			`call list_recurring_subscriptions ${JSON.stringify(late)}`,
			'if "customer_id" call get_customer {"customer_id": "@customer_id"}',
		].join('\n');
		const input = { sessionId: '1', action: 'sendMessage', chatInput: 'Who is late?' };
		await run(workflow, { trigger: 'Chat', input });
		model.script = '';
		const tools = model.requests.at(-1)?.tools?.map(({ function: { name } }) => name) ?? [];
		expect(tools).toContain('get_subscription_status');
		expect(tools.filter((name) => !/^(get|list)_/.test(name))).toEqual([]);
		expect(model.toolResults()).toEqual([
			expect.stringContaining('call again with skip: 3'),
			expect.stringContaining('email'),
		]);
	},

	'28-failed-charge-to-slack.json': async (workflow) => {
		const [customer] = customerRows();
		const { execution } = await startedBy('failed', workflow, customer);
		expect(rows(execution, 'Tell Slack')).toEqual([
			{ text: `A charge of ${customer.company_name} failed: Seats 5` },
		]);
	},

	'29-alert-on-money-in-doubt.json': async (workflow) => {
		const { n8n, sandbox } = running();
		const { client } = n8n;
		const [{ id: customer }] = customerRows();
		const parameters = {
			resource: 'charge',
			operation: 'create',
			customerId: { __rl: true, mode: 'id', value: customer },
			services: { service: [{ name: 'Seats', amount: 30 }] },
			idempotencyKey: 'INV-77',
		};
		const charge = { ...platform('Charge', 'Customers', parameters), version: 1.1 };
		const bill = rowOf('Nightly bill', webhook('nightly-bill'), charge);
		const { id } = await client.importWorkflow(bill, credentials);
		await client.activate(workflow.id);
		const settings = { executionOrder: 'v1', errorWorkflow: workflow.id };
		await client.updateWorkflow(id, { settings });
		await client.activate(id);
		sandbox.faults.add({ kind: 'reset-after', method: 'POST', path: '^/customers/.*/charges' });
		const what = `charge INV-77 of 30.00 for ${customer}`;
		for (const [subject, said] of [
			['Money in doubt: Nightly bill', `Look for the ${what}.`],
			['Money in doubt: Nightly bill', `The ${what} may have gone through before`],
		]) {
			mailServer.mails.length = 0;
			await request(`${n8n.url}/webhook/nightly-bill`, { dispatcher: client.dispatcher });
			await until('the alert', () => mailServer.mails.length > 0);
			expect(mailServer.mails[0]).toMatchObject({ to: ['you@example.com'], subject });
			expect(textOf(mailServer.mails[0])).toContain(said);
			sandbox.faults.clear();
		}
		expect(requestsTo('POST', '/charges.json')).toHaveLength(1);
		await client.deactivate(id);
		await client.deactivate(workflow.id);
	},

	'30-keep-a-crm-in-step.json': async (workflow) => {
		const { n8n, sandbox } = running();
		const { customers } = sandbox.state.customers;
		const crm = async (externalId: string) => {
			const filters = {
				conditions: [{ keyName: 'externalId', condition: 'eq', keyValue: externalId }],
			};
			const dataTableId = { __rl: true, mode: 'name', value: 'crm-customers' };
			const matching = { dataTableId, matchType: 'allConditions', filters };
			const parameters = { operation: 'get', ...matching };
			const node = { name: 'CRM', type: 'n8n-nodes-base.dataTable', version: 1.1, parameters };
			const { id } = await n8n.client.importWorkflow(rowOf('CRM', start, node));
			return rows(await n8n.client.runWorkflow(id), 'CRM')[0];
		};
		const named = (name: string) => customers.rows.find(({ externalId }) => externalId === name)!;
		await run(workflow);
		expect(await crm('crm-3')).toMatchObject({ companyName: named('crm-3').company_name });
		await pollingFast(workflow);
		await whilePublished(workflow, async () => {
			customers.update(named('crm-4').id, { company_name: 'Of the platform' });
			await until(
				'the row of the CRM',
				async () => (await crm('crm-4')).companyName === 'Of the platform',
			);
			sandbox.clearRequests();
			await until('two polls', () => requestsTo('GET', '/customers.json').length > 3);
		});
		expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	},

	'31-approve-the-plan.json': async (workflow) => {
		const { customers } = running().sandbox.state.customers;
		const execution = await reviewed(workflow, true);
		expect(execution.status).toBe('success');
		const [mail] = mailServer.mails;
		expect(mail.subject).toBe('Please approve 3 changes of customers');
		expect(textOf(mail)).toMatch(/Update crm-1: .*company_name from ".*" to "Zenith Studios"/);
		expect(textOf(mail)).toContain('Create crm-9001: ');
		expect(customers.rows.find(({ externalId }) => externalId === 'crm-9001')).toMatchObject({
			email: 'ada@lovelace.example',
		});
	},
};

test('each file has its entry in the table, and each entry its file', () => {
	expect(Object.keys(shows).sort()).toEqual([...files].sort());
});

describe.each(files)('%s', (file) => {
	test('is a workflow that anyone can import', () => {
		const { name, nodes } = exampleOf(file);
		expect(name).toMatch(new RegExp(`^Platform ${Number.parseInt(file, 10)}: \\S`));
		expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
		const [note] = nodes.filter(({ type }) => type === STICKY_NOTE);
		expect(String(note?.parameters.content).length).toBeGreaterThan(150);
		for (const { type, credentials: used = {} } of nodes) {
			expect(PACKAGES).toContain(type.slice(0, type.lastIndexOf('.')));
			for (const credential of Object.values(used)) {
				expect(credential).toEqual({ id: '', name: expect.stringMatching(/\S/) });
			}
		}
	});

	test('sends nothing with Dry Run', async () => {
		const { n8n, sandbox } = running();
		const own = [...credentials.filter(({ type }) => type !== 'platformApi'), dry];
		const workflow = withoutSlack(polledFast(exampleOf(file)));
		await tryDry(await n8n.client.importWorkflow(workflow, own), file);
		expect(sandbox.requests.filter(changesSomething)).toEqual([]);
	});

	test('shows what it is for', async () => {
		const workflow = await imported(file);
		await shows[file](workflow);
		const executions = await running().n8n.client.executions({ workflowId: workflow.id });
		expect(executions.length).toBeGreaterThan(0);
		for (const { id } of executions) {
			const execution = await running().n8n.client.execution(id);
			expect(JSON.stringify(execution.data.resultData)).not.toContain(running().sandbox.key);
		}
	});
});
