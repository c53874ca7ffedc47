// Dry Run: no write leaves n8n, whichever node uses the credential, and workflows go to their end.
import { checkAnswer } from '../contract/contract.cts';
import { leavesInDryRun, routes } from '../../dist/nodes/shared/endpoints.js';
import { isSecret } from '../../dist/nodes/shared/form/refuse.js';
import type { Field } from '../../nodes/shared/fields.ts';
import { dryRunResponse } from '../../dist/nodes/shared/client/http/dryRun.js';
import { pathParameters, requestTo } from '../../dist/nodes/shared/path.js';
import { forms, type Form } from '../table/forms.cts';
import { endpointOf, partsOf, table, type TableEntry } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { variedForm } from '../table/variedForms.cts';
import { runNode, runWorkflow, type RunResult } from './host/host.cts';
import { useLeapingTime } from './host/leapingTime.cts';
import { packageNodes } from './host/package.cts';
import { Poller } from './host/poller.cts';
import { byId } from './host/run.cts';
import { Service, type Handler } from './host/service.cts';
import { useTools } from './host/tool.cts';
import { TriggerWorkflow } from './host/trigger.cts';

useLeapingTime();
const service = Service.forFile();

let runs = 0;

/** A credential that other tests have taught nothing of. */
const credential = (dryRun: unknown) => ({
	baseUrl: service.baseUrl,
	apiKey: `key-of-run-${++runs}`,
	dryRun: dryRun as boolean,
});

/** Lookups find nothing, what an update reads first is there, and a write is taken. */
const takesAll: Handler = ({ method, path }) => {
	if (method !== 'GET') return { body: { id: 'real' } };
	if (/^\/(customers|partners|newsletters|contentbox\/contents)\/sample/.test(path))
		return { body: { id: 'real', tags: [], selected_ids: [], elements: {}, data: {} } };
	// The list in which a customer is looked for by email.
	if (path.startsWith('/customers.json')) return { body: { count: 0, elements: [] } };
	return { status: 404, body: { error: 'Not found' } };
};

async function runOf(entry: TableEntry, form: object, dryRun: unknown): Promise<RunResult> {
	const { node, resource, operation } = entry;
	const file = { data: Buffer.from('A text').toString('base64'), mimeType: 'text/plain' };
	return await runNode({
		node,
		credential: credential(dryRun),
		items: [{ id: 'cus-1' }],
		parameters: { resource: resource.value, operation: operation.value, ...form },
		files: { 'sample binaryPropertyName': file },
	});
}

const writes = table.filter(({ operation }) => !leavesInDryRun(operation.route));

const isCheck = ({ operation }: TableEntry) =>
	(endpointOf(operation.route) as { checksCode?: boolean }).checksCode === true;

const needsFile = ({ operation }: TableEntry) =>
	(operation.fields ?? []).some(({ send }) => send && send.file);

/** Forms of each operation with other values; DRY_RUN_SEEDS=200 takes some minutes. */
const seeds = Array.from({ length: Number(process.env.DRY_RUN_SEEDS ?? 2) }, (_none, seed) => seed);

/**
 * Runs a form dry and then not.
 * @returns the error of the dry run, if the form can't be sent
 */
async function compare(entry: TableEntry, form: object): Promise<string | undefined> {
	const isWrite = ({ method }: { method: string }) => method !== 'GET';
	service.behave(takesAll);
	const dry = await runOf(entry, form, true);
	expect(service.sent().filter(isWrite)).toEqual([]);
	service.behave(takesAll);
	const real = await runOf(entry, form, false);
	const [sent] = service.sent().filter(isWrite);
	if (dry.error) {
		if (!isCheck(entry))
			expect([real.error?.message, sent]).toEqual([dry.error.message, undefined]);
		return dry.error.message;
	}
	expect(dry.hints[0]).toContain('Dry run, nothing was sent');
	const told = dry.items[0].json.dryRun as { method: string; path: string; body?: object };
	const query = new URLSearchParams((told as { query?: Record<string, string> }).query);
	if (!hidesSomething(entry)) expect(JSON.stringify(told)).not.toContain('***');
	for (const secret of secretsIn(entry.operation.fields ?? [], form)) {
		expect(JSON.stringify(told)).not.toContain(secret);
	}
	const whole = {
		method: told.method,
		path: [told.path, String(query)].filter(Boolean).join('?'),
		body: told.body ?? {},
	};
	expect(whole).toEqual(masked(sent, whole));
	return undefined;
}

/** The issues of a form with which n8n doesn't run a workflow. */
function refusedByN8n(error: Error): string {
	if (error.message.includes('has issues')) return error.message;
	throw error;
}

const tried = { sent: 0, refused: 0 };

afterAll(() => expect(tried.sent).toBeGreaterThanOrEqual(tried.refused));

describe.each(writes.map((entry) => [entry.title, entry] as const))('%s', (_title, entry) => {
	const bases = forms(entry.operation, fixedValues(entry)) as object[];

	test.each(bases.map((form, index) => [index, form]))(
		'form %d: not sent, and told as it would be',
		async (_index, form) => {
			const error = await compare(entry, form);
			if (isCheck(entry)) expect(error).toContain('no code or passkey is checked');
			else expect(error).toBeUndefined();
		},
	);

	test(
		'other forms: not sent, and told as they would be',
		async () => {
			for (const seed of seeds) {
				const base = bases[seed % bases.length];
				const form = variedForm(entry.operation.fields ?? [], base as Form, seed);
				const error = await compare(entry, form).catch(refusedByN8n);
				tried[error === undefined ? 'sent' : 'refused']++;
			}
		},
		60_000 + seeds.length * 5_000,
	);
});

/** What was sent, with `***` where the dry run hides a secret. */
function masked(sent: unknown, told: unknown): unknown {
	if (told === '***') return told;
	if (typeof sent !== 'object' || sent === null) return sent;
	const inner = Object.entries(sent).map(([name, value]) => [
		name,
		masked(value, (told as Record<string, unknown> | undefined)?.[name]),
	]);
	return Array.isArray(sent)
		? inner.map(([, value]) => value as unknown)
		: Object.fromEntries(inner);
}

/** The secrets that a form holds. */
const secretsIn = (fields: Field[], form: object): string[] =>
	fields.flatMap((field) => {
		const value = (form as Record<string, unknown>)[field.name];
		if (field.type === 'collection') return secretsIn(field.options, Object(value) as object);
		return isSecret(field) && typeof value === 'string' && value !== '' ? [value] : [];
	});

/** Whether a form has a field for a secret. */
const hidesSomething = ({ operation }: TableEntry) => holdsSecret(operation.fields ?? []);

const holdsSecret = (fields: Field[]): boolean =>
	fields.some(
		(field) => isSecret(field) || (field.type === 'collection' && holdsSecret(field.options)),
	);

test('answers have the shape of the API, and show that they are none', () => {
	const held = routes.filter((route) => !leavesInDryRun(route));
	const problems = held.flatMap((route) => {
		const ids = Object.fromEntries(pathParameters(route).map((name) => [name, 'id-1']));
		const request = requestTo(route, ids, { body: {} });
		const { method } = partsOf(route);
		const body = dryRunResponse(request);
		const codes = [200, 201, 202, 204].map((status) =>
			checkAnswer({ method, path: request.path, status, body }),
		);
		return codes.some((found) => found.length === 0) ? [] : [[route, ...codes[0], ...codes[1]]];
	});
	expect(problems).toEqual([]);
});

describe('a workflow', () => {
	const node = (name: string, parameters: object) => ({
		id: name,
		name,
		type: 'platformCustomers',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: parameters as never,
		credentials: { platformApi: { id: '1', name: 'Platform API' } },
	});
	const id = byId("={{ $('Create').item.json.id }}");
	const nodes = [
		node('Create', {
			resource: 'customer',
			operation: 'create',
			firstName: 'Ada',
			lastName: 'Lovelace',
			email: 'ada@example.com',
		}),
		node('Get', { resource: 'customer', operation: 'get', customerId: id }),
		node('Subscriptions', { resource: 'subscription', operation: 'getAll', customerId: id }),
		node('Charge', {
			resource: 'charge',
			operation: 'create',
			customerId: id,
			services: { service: [{ name: 'Setup', amount: 18430 }] },
		}),
	];
	const to = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });

	test('goes to its end with a record that was never made', async () => {
		service.behave(takesAll);
		const run = await runWorkflow({
			nodes: [nodes[0], nodes[1], nodes[3]],
			connections: { Create: to('Get'), Get: to('Charge') } as never,
			credential: credential(true),
			start: 'Create',
		});
		const { runData, error } = run.data.resultData;
		expect(error?.message).toBeUndefined();
		const made = runData.Create[0].data?.main[0]?.[0].json;
		const read = runData.Get[0].data?.main[0]?.[0].json;
		expect(String(made?.id)).toMatch(/^dryrun_[\w-]{1,260}$/);
		expect(read).toMatchObject({ id: made?.id, email: 'ada@example.com' });
		expect(runData.Charge[0].hints?.[0].message).toBe(
			'Dry run, nothing was sent: "Create a charge" for 1 item, 18,430.00 in total.',
		);
		expect(service.sent()).toEqual([]);
	});

	test('the lists of such a record are empty', async () => {
		service.behave(takesAll);
		const run = await runWorkflow({
			nodes: [nodes[0], nodes[2]],
			connections: { Create: to('Subscriptions') } as never,
			credential: credential('true'),
			start: 'Create',
		});
		expect(run.data.resultData.runData.Subscriptions[0].data?.main[0]).toEqual([]);
		expect(service.sent()).toEqual([]);
	});
});

test('a file of a record that was never made says where it comes from', async () => {
	service.behave(takesAll);
	const { items, error } = await runNode({
		node: 'platformPartners',
		credential: credential(true),
		parameters: {
			resource: 'payout',
			operation: 'downloadReport',
			partnerId: byId('7'),
			payoutId: byId('dryrun_e30'),
			binaryPropertyName: 'data',
		},
	});
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({
		fileName: expect.any(String),
		dryRun: { method: 'GET', path: '/partners/7/payouts/dryrun_e30/report.pdf' },
	});
	expect(service.sent()).toEqual([]);
});

test('every text and number of a secret descriptor is hidden, and nothing else', async () => {
	service.behave(takesAll);
	const { items, error } = await runNode({
		node: 'platformAiGateway',
		credential: credential(true),
		parameters: {
			resource: 'document',
			operation: 'replaceSource',
			knowledgeBaseId: byId('7'),
			documentId: byId('8'),
			sourceType: '',
			sourceJson: { drive: 'a', pin: 4711, path: 'vault/plans', note: '' },
		},
	});
	expect(error).toBeUndefined();
	expect(items[0].json.dryRun).toEqual({
		method: 'PUT',
		path: '/ai-gateway/knowledge-bases/7/documents/8/source.json',
		body: { source: { drive: '***', pin: '***', path: '***', note: '' } },
	});
});

test('an ID of a dry run is refused without Dry Run', async () => {
	service.behave(takesAll);
	const { error } = await runNode({
		node: 'platformCustomers',
		credential: credential(false),
		parameters: { resource: 'customer', operation: 'get', customerId: byId('dryrun_e30') },
	});
	expect(error?.message).toContain('made in a dry run');
	expect(service.sent()).toEqual([]);
});

/** Fields that take the ID of another record, and their form. */
const dryId = 'dryrun_eyIiOiJhMSJ9';
const places: Array<[string, string, object]> = [
	['platformPartners', 'payout.create', { partnerId: byId(dryId), transactions: ['f'] }],
	['platformPartners', 'payout.create', { partnerId: byId('p'), transactions: ['f', dryId] }],
	['platformNewsletters', 'recipient.set', { customersAs: 'ids', contactIds: `c, ${dryId}` }],
	['platformIdentity', 'user.create', { externalUserId: dryId }],
	['platformCustomers', 'customer.getByExternalId', { externalId: dryId }],
	['platformCustomers', 'customer.upsert', { externalId: dryId, fields: { lastName: 'A' } }],
	['platformContentBox', 'content.create', { typeId: byId(dryId), title: 'T' }],
	['platformCustomers', 'subscription.create', { customerId: byId('c'), plan: dryId }],
];

test.each(places)('%s %s refuses an ID of a dry run without Dry Run', async (node, name, form) => {
	service.behave(takesAll);
	const [resource, operation] = name.split('.');
	const more = { newsletterId: byId('n'), invoiceNumber: 'I', changeRecipients: 'replace' };
	const { error } = await runNode({
		node,
		credential: credential(false),
		parameters: { resource, operation, ...more, ...form } as never,
	});
	expect(error?.message).toContain('made in a dry run');
	expect(service.sent()).toEqual([]);
});

test('a text that mentions an ID of a dry run is sent', async () => {
	service.behave(() => ({ body: { document_id: 'doc' } }));
	const content = `Not ${dryId}, but a text about it`;
	const { error } = await runNode({
		node: 'platformAiGateway',
		credential: credential(false),
		parameters: {
			resource: 'document',
			operation: 'add',
			knowledgeBaseId: byId('k'),
			name: 'N',
			content,
		},
	});
	expect(error).toBeUndefined();
	expect(service.sent('POST')[0].body).toMatchObject({ content });
});

test('a trigger registers nothing, and says so', async () => {
	service.behave(({ method }) =>
		method === 'GET' ? { body: { elements: [], count: 0 } } : { body: { id: 'whk' } },
	);
	const workflow = new TriggerWorkflow(credential(true), { events: ['charge.paid'] });
	await expect(workflow.publish()).rejects.toThrow('Dry Run is on in the credential');
	expect(service.sent().filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('the Polling Trigger reads as always', async () => {
	const [events] = packageNodes().platformPollingTrigger.description.properties.filter(
		({ name }) => name === 'event',
	);
	const found = [];
	for (const { value } of events.options as Array<{ value: string }>) {
		service.behave(() => ({ body: { elements: [], count: 0, pages: { max: 1 }, id: 'doc-1' } }));
		const ids = {
			workflowId: byId('wfl-1'),
			partnerId: byId('prt-1'),
			knowledgeBaseId: byId('kb-1'),
			documentIds: ['doc-1'],
		};
		const poller = new Poller(service, { event: value, ...ids });
		poller.dryRun = true;
		await poller.publish();
		await poller.poll();
		found.push([value, new Set(service.sent().map(({ method }) => method))]);
	}
	expect(found).toEqual(found.map(([value]) => [value, new Set(['GET'])]));
});

test.each([
	['an agent', false],
	['the MCP Server Trigger', true],
])('tools of %s send nothing', async (_title, isWebhook) => {
	const offered = writes.filter((entry) => !isCheck(entry) && !needsFile(entry));
	const tools = offered.map((entry) => ({
		node: entry.node,
		parameters: {
			resource: entry.resource.value,
			operation: entry.operation.value,
			...(forms(entry.operation, fixedValues(entry))[0] as object),
		},
	}));
	service.behave(takesAll);
	const silent: string[] = [];
	await useTools(
		tools,
		credential(true),
		async (all) => {
			for (const [index, { title }] of offered.entries()) {
				const answer = await all[`Tool_${index + 1}`].invoke({});
				if (!JSON.stringify(answer).includes('dryRun')) silent.push(`${title}: ${answer}`);
			}
		},
		{ isWebhook },
	);
	expect(silent).toEqual([]);
	expect(service.sent().filter(({ method }) => method !== 'GET')).toEqual([]);
});
