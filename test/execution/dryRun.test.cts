// Dry Run: no write leaves n8n, whichever node uses the credential, and workflows go to their end.
import type { IDataObject } from 'n8n-workflow';
import { checkAnswer } from '../contract/contract.cts';
import { seedsOf } from '../share.cts';
import { isSecret } from '../../dist/nodes/engine/form/limits.js';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { dryRunResponse } from '../../dist/nodes/engine/client/http/dryRun.js';
import { leavesInDryRun, pathParameters, requestTo, routes } from '../table/api.cts';
import { forms, type Form } from '../table/forms.cts';
import { endpointOf, partsOf, table, type TableEntry } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { variedForm } from '../table/variedForms.cts';
import { clearStore } from './host/keyStore.cts';
import { runNode, runWorkflow, type RunResult } from './host/host.cts';
import { packageNodes } from './host/package.cts';
import { Poller } from './host/poller.cts';
import { byId } from './host/run.cts';
import { Service, type Handler } from './host/service.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

const dryId = 'dryrun_eyIiOiJhMSJ9';

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
	const [, id] =
		/^\/(?:customers|partners|newsletters|contentbox\/contents)\/(sample[^/]*)/.exec(path) ?? [];
	if (id !== undefined) {
		const own = decodeURIComponent(id).replace(/\.json$/, '');
		return { body: { id: own, tags: [], selected_ids: [], elements: {}, data: {} } };
	}
	// The list in which a customer is looked for by email.
	if (path.startsWith('/customers.json')) return { body: { count: 0, elements: [] } };
	return { status: 404, body: { error: 'Not found' } };
};

/** Runs `resource.operation` of a node; dry, if nothing else is said. */
async function runOf(
	node: string,
	name: string,
	form: object,
	dryRun: unknown = true,
): Promise<RunResult> {
	const [resource, operation] = name.split('.');
	const file = { data: Buffer.from('A text').toString('base64'), mimeType: 'text/plain' };
	return await runNode({
		node,
		credential: credential(dryRun),
		items: [{ id: 'cus-1' }],
		parameters: { resource, operation, ...form },
		files: { 'sample binaryPropertyName': file },
	});
}

const writes = table.filter(({ operation }) => !leavesInDryRun(operation.endpoint.route));

const isCheck = ({ operation }: TableEntry) =>
	(endpointOf(operation.endpoint.route) as { checksCode?: boolean }).checksCode === true;

/** Forms of each operation with other values. */
const seeds = seedsOf(2, 10);

/**
 * Runs a form dry and then not.
 * @returns the error of the dry run, if the form can't be sent
 */
async function compare(entry: TableEntry, form: object): Promise<string | undefined> {
	const isWrite = ({ method }: { method: string }) => method !== 'GET';
	// The run before has sent the same.
	clearStore();
	const operation = `${entry.resource.value}.${entry.operation.value}`;
	service.behave(takesAll);
	const dry = await runOf(entry.node, operation, form);
	expect(service.sent().filter(isWrite)).toEqual([]);
	service.behave(takesAll);
	const real = await runOf(entry.node, operation, form, false);
	const [sent] = service
		.sent()
		.filter(isWrite)
		.map(({ method, path, body }) => ({ method, path, body }));
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

	test('other forms: not sent, and told as they would be', async () => {
		for (const seed of seeds) {
			const base = bases[seed % bases.length];
			const form = variedForm(entry.operation.fields ?? [], base as Form, seed);
			const error = await compare(entry, form).catch(refusedByN8n);
			tried[error === undefined ? 'sent' : 'refused']++;
		}
	});
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

const isCount = (route: string) => route.endsWith('/queue.json');

test('responses have the shape of the API, and are marked as made up', () => {
	const held = routes.filter((route) => !leavesInDryRun(route));
	const problems = held.flatMap((route) => {
		const ids = Object.fromEntries(pathParameters(route).map((name) => [name, 'id-1']));
		const request = requestTo(route, ids, { body: {} });
		const { method } = partsOf(route);
		// Null stands for a number that only the API knows.
		const known = (_name: string, value: unknown) => value ?? 0;
		const body = isCount(route)
			? (JSON.parse(JSON.stringify(dryRunResponse(request), known)) as unknown)
			: dryRunResponse(request);
		const codes = [200, 201, 202, 204].map((status) =>
			checkAnswer({ method, path: request.path, status, body }),
		);
		return codes.some((found) => found.length === 0) ? [] : [[route, ...codes[0], ...codes[1]]];
	});
	expect(problems).toEqual([]);
});

test('a map that is the only member of a body is no wrapper around a record', async () => {
	service.behave(takesAll);
	const { items } = await runOf('platformCustomers', 'property.update', {
		customerId: byId('7'),
		properties: { property: [{ name: 'plan', value: 'gold' }] },
		keepOthers: false,
	});
	expect(items[0].json).toMatchObject({ id: '7', properties: { plan: 'gold' } });
});

test('the hint has the number of items and their total', async () => {
	service.behave(takesAll);
	const { hints } = await runOf('platformCustomers', 'charge.create', {
		customerId: byId(dryId),
		services: { service: [{ name: 'Setup', amount: 18430 }] },
	});
	expect(hints[0]).toBe(
		'Dry run, nothing was sent: "Create a charge" for 1 item, 18,430.00 in total. The API has checked nothing, such as IDs, duplicates or plans.',
	);
});

test('a file of a record that was never made says where it comes from', async () => {
	service.behave(takesAll);
	const form = { partnerId: byId('7'), payoutId: byId('dryrun_e30'), binaryPropertyName: 'data' };
	const { items, error } = await runOf('platformPartners', 'payout.downloadReport', form);
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({
		fileName: expect.any(String),
		dryRun: { method: 'GET', path: '/partners/7/payouts/dryrun_e30/report.pdf' },
	});
	expect(service.sent()).toEqual([]);
});

test('every text and number of a secret descriptor is hidden, and nothing else', async () => {
	service.behave(takesAll);
	const { items, error } = await runOf('platformAiGateway', 'document.replaceSource', {
		knowledgeBaseId: byId('7'),
		documentId: byId('8'),
		sourceType: '',
		sourceJson: { drive: 'a', pin: 4711, path: 'vault/plans', note: '' },
	});
	expect(error).toBeUndefined();
	expect(items[0].json.dryRun).toEqual({
		method: 'PUT',
		path: '/ai-gateway/knowledge-bases/7/documents/8/source.json',
		body: { source: { drive: '***', pin: '***', path: '***', note: '' } },
	});
});

/** Fields that take the ID of another record, and their form. */
const places: Array<[string, string, object]> = [
	['platformCustomers', 'customer.get', { customerId: byId(dryId) }],
	[
		'platformCustomers',
		'customer.create',
		{ email: 'a@example.com', additionalFields: { externalId: dryId } },
	],
	['platformPartners', 'payout.create', { partnerId: byId('p'), transactions: ['f', dryId] }],
	['platformNewsletters', 'recipient.set', { customersAs: 'ids', contactIds: `c, ${dryId}` }],
	['platformCustomers', 'customer.getByExternalId', { externalId: dryId }],
	['platformContentBox', 'content.create', { typeId: byId(dryId), title: 'T' }],
	['platformCustomers', 'subscription.create', { customerId: byId('c'), plan: dryId }],
];

test.each(places)('%s %s refuses an ID of a dry run without Dry Run', async (node, name, form) => {
	service.behave(takesAll);
	const more = { newsletterId: byId('n'), invoiceNumber: 'I', changeRecipients: 'replace' };
	const { error } = await runOf(node, name, { ...more, ...form }, false);
	expect(error?.message).toContain('made in a dry run');
	expect(service.sent()).toEqual([]);
});

test('a text that mentions an ID of a dry run is sent', async () => {
	service.behave(() => ({ body: { document_id: 'doc' } }));
	const content = `Not ${dryId}, but a text about it`;
	const form = { knowledgeBaseId: byId('k'), name: 'N', content };
	const { error } = await runOf('platformAiGateway', 'document.add', form, false);
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

describe('a chain of nodes', () => {
	interface Step {
		node: string;
		operation: string;
		form: object;
	}

	const step = (node: string, operation: string, form: object): Step => ({ node, operation, form });

	/** Runs nodes in a row, dry, each of which can use `$json` of the one before. */
	async function chain(...steps: Step[]) {
		const names = steps.map((_step, index) => `Step ${index + 1}`);
		const to = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });
		const run = await runWorkflow({
			nodes: steps.map(({ node, operation, form }, index) => {
				const [resource, name] = operation.split('.');
				const parameters = { resource, operation: name, ...form } as never;
				return nodeOf(node, parameters, { id: names[index], name: names[index] });
			}),
			connections: Object.fromEntries(names.slice(1).map((name, at) => [names[at], to(name)])),
			credential: credential('on'),
			start: names[0],
		});
		const { error, runData } = run.data.resultData;
		expect(error?.message).toBeUndefined();
		return names.map((name) => runData[name]?.[0].data?.main[0]?.[0]?.json ?? {});
	}

	const json = (name: string) => byId(`={{ $json.${name} }}`);

	beforeEach(() => {
		// The service knows nothing of what was made.
		service.behave(({ method, path }) =>
			method === 'GET' && !/partners\/real/.test(path)
				? { status: 404, body: { error: 'This customer does not exist' } }
				: {
						body: {
							elements: [
								{ id: 'fee-1', fee_value: 7 },
								{ id: 'fee-2', fee_value: null },
							],
						},
					},
		);
	});

	const customer = step('platformCustomers', 'customer.create', {
		email: 'ada@example.com',
		additionalFields: { externalId: 'own-1', firstName: 'Ada' },
	});

	const services = [{ name: 'Setup', amount: 5 }];

	test.each([
		['a charge', 'charge.create', { services: { service: services } }, { services }],
		['a paused subscription', 'subscription.pause', { subscriptionId: byId('sub-1') }, {}],
	])(
		'%s has the IDs of its path and what was sent, nothing else',
		async (_what, act, form, sent) => {
			const ids = { customerId: json('id') };
			const [made, done] = await chain(
				customer,
				step('platformCustomers', act, { ...ids, ...form }),
			);
			const { dryRun: _note, id, ...rest } = done;
			expect(id).toMatch(act === 'charge.create' ? /^dryrun_/ : /^sub-1$/);
			expect(rest).toEqual({ customer_id: made.id, ...sent });
		},
	);

	test.each([
		['the external ID', 'customer.getByExternalId', { externalId: '={{ $json.external_id }}' }],
		['its ID', 'customer.get', { customerId: json('id') }],
		['its ID as external ID', 'customer.getByExternalId', { externalId: '={{ $json.id }}' }],
	])('a customer is found by %s, without an address that nobody gave', async (_by, get, form) => {
		const [made, found, again] = await chain(
			customer,
			step('platformCustomers', get, form),
			step('platformCustomers', 'customer.create', {
				email: '={{ $json.email }}',
				additionalFields: { address: { country: '={{ $json.country }}' } },
			}),
		);
		expect(found).toMatchObject({ id: made.id, email: 'ada@example.com', external_id: 'own-1' });
		expect(found).not.toHaveProperty('country');
		expect(again.id).toMatch(/^dryrun_/);
		expect(service.sent()).toEqual([]);
	});

	test('the lists of such a record are empty', async () => {
		const subscriptions = { customerId: json('id') };
		const [made, ...none] = await chain(
			customer,
			step('platformCustomers', 'subscription.getAll', subscriptions),
			step('platformCustomers', 'customer.create', {}),
		);
		expect(made.id).toMatch(/^dryrun_\w{1,16}$/);
		expect(none).toEqual([{}, {}]);
		expect(service.sent()).toEqual([]);
	});

	test('a second Create or Update finds what the first one has made', async () => {
		const form = { externalId: 'own-2', email: 'b@example.com' };
		const upsert = step('platformCustomers', 'customer.upsert', form);
		const [first, second] = await chain(upsert, upsert);
		expect([first.action, second.action, second.id]).toEqual(['created', 'unchanged', first.id]);
	});

	test('Create or Update looks up by the ID of another record of the dry run', async () => {
		const upsert = step('platformPartners', 'partner.upsert', {
			externalId: "={{ $('Step 1').item.json.id }}",
			...{ name: 'P', email: 'p@example.com', country: 'DE' },
		});
		const find = step('platformPartners', 'partner.find', {
			externalId: "={{ $('Step 1').item.json.id }}",
		});
		const [made, first, second, found] = await chain(customer, upsert, upsert, find);
		expect([first.action, second.action]).toEqual(['created', 'unchanged']);
		expect([second.id, found.id]).toEqual([first.id, first.id]);
		expect(found.external_id).toBe(made.id);
		expect(service.sent()).toEqual([]);
	});

	test('a partner and a user are found by what they are looked up with', async () => {
		const [partner, found] = await chain(
			step('platformPartners', 'partner.create', {
				name: 'P',
				email: 'p@example.com',
				country: 'DE',
				additionalFields: { externalId: 'p-1' },
			}),
			step('platformPartners', 'partner.find', { externalId: 'p-1' }),
		);
		expect(found).toMatchObject({ id: partner.id, email: 'p@example.com', country: 'DE' });
		const [, user] = await chain(
			step('platformIdentity', 'user.create', { externalUserId: 'u-1' }),
			step('platformIdentity', 'user.get', { externalUserId: 'u-1' }),
		);
		expect(user).toMatchObject({ external_id: 'u-1', status: 'active' });
		expect(service.sent()).toEqual([]);
	});

	test('a connection is read after it was made', async () => {
		const [made, read] = await chain(
			step('platformAiGateway', 'connection.create', {
				name: 'Models',
				provider: 'vendor_a',
				model: 'm-1',
				purpose: 'embedding',
				credential: 'secret-of-a-model',
			}),
			step('platformAiGateway', 'connection.get', { connectionId: json('id') }),
		);
		expect(read).toMatchObject({ id: made.id, name: 'Models', model: 'm-1', purpose: 'embedding' });
		expect(read).toHaveProperty('dryRun');
		expect(service.sent()).toEqual([]);
		expect(JSON.stringify([made, read])).not.toContain('secret-of-a-model');
	});

	test('a new content entry is a draft', async () => {
		const form = { title: 'T', typeId: byId('typ-1'), dataInput: 'json', dataJson: {} };
		const content = step('platformContentBox', 'content.create', form);
		const get = step('platformContentBox', 'content.get', { contentId: json('id') });
		expect((await chain(content, get))[1]).toMatchObject({ title: 'T', state: 'draft' });
	});

	test.each([
		[
			'platformAiGateway',
			'prompt.create',
			{ name: 'P', content: 'C' },
			{ version: 1, status: 'published' },
		],
		[
			'platformScheduler',
			'event.create',
			{ title: 'R', eventType: 'appointment', scheduleDate: '2026-03-01T09:00:00+01:00' },
			{ action_type: null },
		],
		[
			'platformAiGateway',
			'document.ingest',
			{
				knowledgeBaseId: byId('akb-3'),
				name: 'Terms',
				url: 'https://files.example.com/terms.md',
				contentType: 'text/markdown',
			},
			{
				...{ status: 'queued', index_status: 'queued', ingestion_attempts: 0 },
				content_storage_mode: 'vector_store_payload',
			},
		],
	])('%s %s gives what the reference says of a new record', async (node, operation, form, said) => {
		expect((await chain(step(node, operation, form)))[0]).toMatchObject(said);
	});

	test('a newsletter keeps its number of recipients, for limits and IFs', async () => {
		const newsletter = { title: 'T', subject: 'S', templateId: 't.html' };
		const [, set, queued] = await chain(
			step('platformNewsletters', 'newsletter.create', newsletter),
			step('platformNewsletters', 'recipient.set', {
				newsletterId: json('id'),
				customersAs: 'ids',
				contactIds: 'a, b, c',
			}),
			step('platformNewsletters', 'newsletter.queue', {
				newsletterId: byId("={{ $('Step 1').item.json.id }}"),
				safetyLimits: { maxTotal: 10 },
			}),
		);
		expect(set).toMatchObject({ saved_recipients: 3, skipped_suppressed: 0 });
		expect(queued).toMatchObject({ status: 'queued', queued_recipients: 3 });
	});

	test('the queue of a newsletter whose recipients nobody knows makes up no count', async () => {
		const [queued] = await chain(
			step('platformNewsletters', 'newsletter.queue', { newsletterId: byId('nwl-1') }),
		);
		expect(queued).toMatchObject({ id: 'nwl-1', status: 'queued' });
		const { queued_recipients, skipped_suppressed, skipped_not_found } = queued;
		expect([queued_recipients, skipped_suppressed, skipped_not_found]).toEqual([null, null, null]);
	});

	test('tags are added to those that a record has', async () => {
		const tagged = step('platformCustomers', 'customer.create', {
			email: 'ada@example.com',
			additionalFields: { tags: 'a, b', address: { city: 'Bonn' } },
		});
		const update = (updateFields: object) =>
			step('platformCustomers', 'customer.update', { customerId: json('id'), updateFields });
		const [, , , got] = await chain(
			tagged,
			update({ tags: 'c' }),
			update({ address: { country: 'DE' } }),
			step('platformCustomers', 'customer.get', { customerId: json('id') }),
		);
		expect(got).toMatchObject({ tags: ['a', 'b', 'c'], city: 'Bonn', country: 'DE' });
	});

	test.each([{}, { maxAmount: 10, maxTotal: 10 }])(
		'a dry payout has the total of its fees, with the limits %j',
		async (safetyLimits) => {
			const [made, got, paid] = await chain(
				step('platformPartners', 'payout.create', {
					partnerId: byId('real'),
					transactions: ['fee-1'],
					invoiceNumber: '1',
					safetyLimits,
				}),
				step('platformPartners', 'payout.get', { payoutId: json('id') }),
				step('platformPartners', 'payout.updateStatus', {
					payoutId: json('id'),
					status: 'paid',
					safetyLimits,
				}),
			);
			expect(made).toMatchObject({ partner_id: 'real', transactions: ['fee-1'], total: '7.00' });
			expect(got).toMatchObject({ id: made.id, total: 7 });
			expect(paid).toMatchObject({ id: made.id, status: 'paid' });
			expect(service.sent().filter(({ method }) => method !== 'GET')).toEqual([]);
		},
	);

	test('a dry payout of a fee without a value is made', async () => {
		const [made] = await chain(
			step('platformPartners', 'payout.create', {
				partnerId: byId('real'),
				transactions: ['fee-2'],
				invoiceNumber: '1',
			}),
		);
		expect(made).toMatchObject({ transactions: ['fee-2'] });
	});

	test('Return Whole Record gives no warning', async () => {
		const [, subscription] = await chain(
			customer,
			step('platformCustomers', 'subscription.create', {
				customerId: json('id'),
				plan: 'plan-1',
				returnWholeRecord: true,
			}),
		);
		expect(subscription).toMatchObject({ id: expect.stringMatching(/^dryrun_/) });
		expect(subscription).not.toHaveProperty('warning');
	});
});

test('the ID of a dry run never leaves n8n, in a body either', async () => {
	const form = { connectionId: byId('dryrun_e30'), passages: 'one' };
	const { error } = await runOf('platformAiGateway', 'embedding.create', form, 'on');
	expect(error?.message).toContain("a record from a dry run can't compute anything");
	expect(service.sent()).toEqual([]);
});

test('what would be sent comes first, and an ID is short', async () => {
	const form = { email: 'a@example.com', options: { outputFields: 'id' } };
	const { items } = await runOf('platformCustomers', 'customer.create', form);
	expect(Object.keys(items[0].json)).toEqual(['dryRun', 'id']);
	expect(items[0].json.id).toMatch(/^dryrun_\w{1,16}$/);
});

test('other executions know the record, such as called workflows and single nodes of the editor', async () => {
	const all = Array.from({ length: 300 }, (_each, n) => ({ email: `c${n}@example.com` }));
	const runAll = async (operation: string, form: object, items: IDataObject[]) =>
		await runNode({
			node: 'platformCustomers',
			credential: credential('on'),
			items,
			parameters: { resource: 'customer', operation, ...form },
		});
	const made = await runAll('create', { email: '={{ $json.email }}' }, all);
	const rows = made.items.map(({ json }) => json);
	expect(new Set(rows.map(({ id }) => id)).size).toBe(all.length);
	const { items } = await runAll('get', { customerId: byId('={{ $json.id }}') }, rows);
	expect(items.map(({ json }) => json.email)).toEqual(all.map(({ email }) => email));
});

test('the data of the execution is enough, as after a Wait in another process', async () => {
	const parameters = { resource: 'customer', operation: 'create', email: 'ada@example.com' };
	const workflow = (customerId: object) => ({
		nodes: [
			nodeOf('platformCustomers', parameters, { name: 'Create' }),
			nodeOf('platformCustomers', { resource: 'customer', operation: 'get', customerId } as never, {
				name: 'Get',
				id: '2',
			}),
		],
		connections: { Create: { main: [[{ node: 'Get', type: 'main' as const, index: 0 }]] } },
		credential: credential('on'),
		start: 'Create',
	});
	const failed = await runWorkflow(workflow(byId('={{ boom }}')));
	const { id } = failed.data.resultData.runData.Create[0].data!.main[0]![0].json;
	// No process has made it.
	const data = JSON.parse(JSON.stringify(failed.data).replaceAll(String(id), 'dryrun_x')) as never;
	const again = workflow(byId('={{ $json.id }}'));
	const run = await runWorkflow({ ...again, retryOf: { ...failed, data } });
	expect(run.data.resultData.runData.Get[0].data?.main[0]?.[0].json).toMatchObject({
		id: 'dryrun_x',
		email: 'ada@example.com',
	});
});

/** All that n8n keeps of an execution beside the items. */
const keptOf = ({ run }: RunResult) => JSON.stringify(run.data.executionData?.contextData);

test('a record is kept in the data of its execution, without secrets, whatever a field is called', async () => {
	const own = 'k-12345';
	const stored = await runNode({
		node: 'platformAiGateway',
		credential: { ...credential('on'), apiKey: own },
		parameters: {
			resource: 'vectorStore',
			operation: 'create',
			name: `Store of ${own}`,
			provider: 'vector_vendor',
			endpoint: 'https://vectors.example.com',
			apiKey: 'short-secret',
			additionalFields: { collectionPrefix: own },
		},
	});
	expect(keptOf(stored)).toContain('vectors.example.com');
	expect(JSON.stringify(stored.run.data)).not.toMatch(/k-12345/);
	expect(JSON.stringify([stored.items, keptOf(stored)])).not.toContain('short-secret');
	const custom = await runOf('platformCustomers', 'customer.create', {
		email: 'a@example.com',
		additionalFields: { further: { accessToken: 'from-a-json-field', level: 'gold' } },
	});
	expect(custom.error?.message).toBeUndefined();
	expect(keptOf(custom)).toContain('gold');
	expect(keptOf(custom)).not.toContain('from-a-json-field');
});

test('the note keeps null values', async () => {
	const updateFields = { further: { level: null, list: [null] } };
	const form = { customerId: byId('cus-1'), updateFields };
	const { items, error } = await runOf('platformCustomers', 'customer.update', form);
	expect(error?.message).toBeUndefined();
	expect(JSON.stringify(items[0].json.dryRun)).toContain('{"level":null,"list":[null]}');
});

test('a custom API call is answered with an error, which tells what to do instead', async () => {
	const { error } = await runOf('platformCustomers', 'customer.__CUSTOM_API_CALL__', {});
	expect(error?.message).toContain("doesn't support custom API calls");
	expect(error?.message).toContain(
		'With Dry Run off, the HTTP Request node can use this credential',
	);
	expect(service.sent()).toEqual([]);
});
