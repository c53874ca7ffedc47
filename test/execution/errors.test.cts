// What errors say to do next, and where they stand.
import { jsonFault } from '../../dist/nodes/engine/form/jsonFault.js';
import { refusals } from '../sandbox/refusals.cts';
import { told as toldBy } from './host/host.cts';
import { testCredential } from './host/credentialTest.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service, type Reply } from './host/service.cts';

const service = Service.forFile();

const run = async (node: string, operation: string, parameters: object, reply?: Reply) => {
	if (reply) service.behave(() => reply);
	return await runWith(service, node, operation, { ...parameters }, {});
};

/** Messages of the references, without those whose next step is about the key or a code. */
const documented = Object.entries(refusals)
	.map(([name, { message }]) => ({ name, message }))
	.slice(0, Object.keys(refusals).indexOf('insufficientScope'))
	.filter(({ name }) => !['invalidToken', 'customerExists', 'badCode'].includes(name));

test.each(documented.map(({ name, message }) => [message, name] as const))(
	'"%s": the next step follows the message, whatever the status',
	async (message) => {
		const said = [];
		for (const status of [400, 402, 409]) {
			const reply = { status, body: { error: message } };
			const form = { connectionId: byId('con-1') };
			const { error } = await run('platformAiGateway', 'connection.test', form, reply);
			expect(error?.message).toBe(`${message.replace(/\.$/, '')} (HTTP ${status})`);
			said.push(error?.description);
		}
		expect(new Set(said).size).toBe(1);
		expect(said[0]).not.toMatch(/values of the fields|current state|already exists\. Update/);
	},
);

test.each([409, 400])(
	'a customer that exists, with %i: both values and both ways out',
	async (status) => {
		const reply = { status: 409, body: { error: 'A customer already exists with this email' } };
		const form = { email: 'a@example.com' };
		const { error } = await run('platformCustomers', 'customer.create', form, { ...reply, status });
		expect(toldBy(error)).toContain(
			'Another customer has the same email or external ID. Update that one, which Customer → Create or Update finds by either of them, or use other values.',
		);
	},
);

type Refused = [node: string, operation: string, form: object];

const queue: Refused = ['platformNewsletters', 'newsletter.queue', { newsletterId: byId('n1') }];
const newPartner = { name: 'N', email: 'n@n.example', country: 'DE' };
const partner: Refused = ['platformPartners', 'partner.create', newPartner];
const ofGroup: Refused = [
	'platformPartners',
	'partner.create',
	{ ...newPartner, additionalFields: { partnerGroupId: 'g' } },
];
const status: Refused = [
	'platformPartners',
	'payout.updateStatus',
	{ payoutId: byId('p1'), status: 'pending' },
];
const payout: Refused = [
	'platformPartners',
	'payout.create',
	{ partnerId: byId('p1'), transactions: ['f1'], invoiceNumber: 'I-1' },
];
const webhook: Refused = [
	'platformWebhooks',
	'webhook.create',
	{ name: 'Ledger', url: 'https://receiver.example/in', events: ['charge.faild'] },
];
const source: Refused = [
	'platformAiGateway',
	'document.replaceSource',
	{
		knowledgeBaseId: byId('k'),
		documentId: byId('d'),
		url: 'https://a.example/a',
		contentType: 'text/plain',
	},
];
const event: Refused = [
	'platformScheduler',
	'event.create',
	{ title: 'T', eventType: byId('action') },
];
const embedding: Refused = [
	'platformAiGateway',
	'embedding.create',
	{ connectionId: byId('c'), passages: 'a' },
];
const workflows: Refused = ['platformWorkflows', 'workflow.getAll', {}];
const changed = (updateFields: object): Refused => [
	'platformCustomers',
	'customer.update',
	{ customerId: byId('c1'), updateFields },
];
const newCustomer: Refused = ['platformCustomers', 'customer.create', { email: 'a@example.com' }];

/** An operation, its refusal, the next step, and what that doesn't say. */
test.each<[Refused, number, string, string | RegExp, RegExp?]>([
	[queue, 400, 'This newsletter has no recipients', 'state may not allow this, or the usage limit'],
	[queue, 402, 'Newsletter usage limit reached', 'or the usage limit for newsletters is reached'],
	[queue, 403, 'Forbidden', "which this operation needs. The newsletter's state may"],
	// What the reference says of the endpoint, and nothing of the scope.
	[queue, 403, 'Usage limit reached', 'or the usage limit for newsletters is', /scope/],
	[queue, 409, 'Usage limit reached', 'or the usage limit for newsletters is', /scope/],
	[queue, 409, 'Conflict', 'Newsletter → Get shows its status and its recipients.'],
	[queue, 429, 'Newsletter usage limit reached', 'A budget or quota is used up'],
	[status, 400, 'Invalid transition', 'status may not allow this. Payout → Get shows it.'],
	[status, 403, 'Invalid transition', "The payout's status may not allow this", /scope/],
	[payout, 404, 'Fee not found for this partner: f1', 'Check the Fee Names or IDs field.'],
	[ofGroup, 404, 'Partner group not found', 'Check the Partner Group ID field.'],
	[ofGroup, 400, 'partner_group_id is unknown', 'Check the Partner Group ID field.'],
	[newCustomer, 400, 'email: wrong', 'Check the Email field.'],
	[workflows, 403, 'Forbidden', 'may lack the scope workflow:read (WORKFLOW_READ)'],
	[
		webhook,
		400,
		'Some events are not available',
		'Choose events that Event Type → Get Many lists.',
	],
	[
		event,
		400,
		'allowed action_type values: charge, job_runner, workflow',
		'Charge, Job Runner or Workflow.',
	],
	[embedding, 400, 'Invalid embedding request', 'Model, Dimensions and Input Type. In Platform'],
	[source, 400, 'Invalid remote source', 'content over 10 MB and text over 5 MB'],
	// Where it says nothing, only the API's words.
	[partner, 409, 'Conflict', /^Operation: /, /exist|state|Check/],
	[partner, 409, 'Partner exists', /^Operation: /, /exist|state|Check/],
	[changed({ companyName: 'Acme' }), 409, 'Conflict', /^Operation: /, /email/],
	[changed({ email: 'a@b.example' }), 409, 'Conflict', /^Another customer has the same/, /state/],
])('%j, refused with %i "%s"', async (refused, code, message, says, not) => {
	const { error } = await run(...refused, { status: code, body: { error: message } });
	expect(error?.description).toMatch(says);
	if (not) expect(error?.description).not.toMatch(not);
	// Not retried as a rate limit.
	expect(service.received).toHaveLength(1);
});

test.each([
	[400, 'Amount is too small\n', 'Amount is too small (HTTP 400)'],
	[422, '"Amount is too small"', 'Amount is too small (HTTP 422)'],
	[400, '<html>Bad request</html>', 'The API gave no reason (HTTP 400)'],
])('a refusal with %i in plain text shows the text', async (status, body, message) => {
	const headers = { 'content-type': 'text/plain' };
	const charge = { customerId: byId('c1'), services: { service: [{ name: 'S', amount: 10 }] } };
	for (const [operation, form] of [
		['charge.create', charge],
		['customer.create', { email: 'a@example.com' }],
	] as const) {
		const { error } = await run('platformCustomers', operation, form, { status, headers, body });
		expect(error?.message).toBe(message);
	}
});

test.each([
	[
		'externalId',
		{ externalId: 'crm-1' },
		'Nothing found for "crm-1". Check the External ID field.',
	],
	['email', { email: 'a@b.example' }, 'Nothing found for "a@b.example". Check the Email field.'],
])(
	'an update of Create or Update by %s that finds nothing says what was looked for',
	async (matchBy, key, step) => {
		service.behave(({ method, path }) => {
			const record = { id: '7', externalId: 'crm-1', email: 'a@b.example' };
			if (method !== 'GET') return { status: 404, body: { error: 'This customer does not exist' } };
			return {
				body: path.startsWith('/customers.json') ? { count: 1, elements: [record] } : record,
			};
		});
		const form = { matchBy, ...key, fields: { lastName: 'B' } };
		const { error } = await runWith(service, 'platformCustomers', 'customer.upsert', form, {});
		expect(error?.description).toContain(step);
	},
);

test.each([
	['customer.getAll', {}, 'Check Base URL in the credential.'],
	[
		'customer.create',
		{ email: 'a@example.com' },
		'Check the values of the fields, and Base URL in the credential.',
	],
])('nothing found by %s, which asks for no ID', async (operation, form, step) => {
	const reply = { status: 404, body: { error: 'Nothing here' } };
	const { error } = await run('platformCustomers', operation, form, reply);
	expect(error?.description).toMatch(new RegExp(`^${step}<br>`));
});

test('the value that was asked for is on its own line', async () => {
	const reply = { status: 404, body: { error: 'This customer does not exist' } };
	const { error } = await run(
		'platformCustomers',
		'customer.get',
		{ customerId: byId('c1') },
		reply,
	);
	expect(error?.description).toBe(
		'Nothing found for "c1". Check the Customer field.<br>\nOperation: Get a customer (GET /customers/{customerId}.json)',
	);
});

describe('a reason that no reference shows', () => {
	const refused = { status: 400, body: { error: 'Not possible' } };
	const create = {
		email: 'a@example.com',
		additionalFields: { lastName: 'x'.repeat(50), tags: 'one, two' },
	};

	test('the error says which fields were sent, short values with them', async () => {
		const { error } = await run('platformCustomers', 'customer.create', create, refused);
		expect(error?.description).toContain(
			'Check the values of the fields. Sent: Email "a@example.com", Last Name',
		);
		expect(error?.description).not.toContain('xxx');
	});

	test.each([
		['all of eight', {}, 'Tags.'],
		['eight of nine, and says so', { further: { note: 'n' } }, 'Tags, ….'],
	])('it names %s', async (_what, more, end) => {
		const address = { street: 'X', city: 'Y', country: 'DE' };
		const names = { externalId: 'e', firstName: 'F', lastName: 'L', tags: 'one' };
		const form = { ...create, additionalFields: { ...names, address, ...more } };
		const { error } = await run('platformCustomers', 'customer.create', form, refused);
		expect(error?.description).toContain(end);
	});

	test('no value of a secret field is among them', async () => {
		const form = { connectionId: byId('c'), credential: 'sk-123456' };
		const { error } = await run('platformAiGateway', 'connection.rotateCredential', form, refused);
		expect(error?.description).toContain('Connection "c", Credential.');
		expect(JSON.stringify(error)).not.toContain('sk-123456');
	});

	test.each(['https://ada:hunter2@x.example', 'https://x.example?key=hunter2'])(
		'no password of %s is among them',
		async (url) => {
			const form = { name: 'Hook', url, events: ['a'] };
			const { error } = await run('platformWebhooks', 'webhook.create', form, refused);
			expect(error?.description).toContain('Name "Hook", URL,');
			expect(JSON.stringify(error)).not.toContain('hunter2');
		},
	);

	test.each<[string, Reply]>([
		['a page', { status: 400, body: '<html>Bad request</html>' }],
		['a page, not found', { status: 404, body: '<html>Not found</html>' }],
		['nothing', { status: 400, body: '' }],
	])('%s is of no API', async (_what, reply) => {
		const { error } = await run('platformCustomers', 'customer.create', create, reply);
		expect(error?.description).toContain('Check Base URL in the credential.');
	});
});

test.each<[string, Reply]>([
	['a page, not allowed', { status: 405, body: '<html>nginx</html>' }],
	['a page that asks who you are', { status: 401, body: '<html>nginx</html>' }],
	['JSON, not found', { status: 404, body: { message: 'Not Found' } }],
	['JSON, wrong', { status: 400, body: { message: 'No such action' } }],
	['a text', { status: 400, body: 'Bad request' }],
])(
	'the test of a credential at another web server (%s) says to check Base URL',
	async (_what, reply) => {
		service.behave(() => reply);
		const { status, message } = await testCredential(service.credential);
		expect(status).toBe('Error');
		expect(message).toMatch(/Check (that )?Base URL/);
	},
);

test.each([
	['customer.upsrt', ['customer.upsert', 'customer.update']],
	['customers', ['customer.get', 'customer.create']],
])(
	'%s is answered with what there is, nearest first, and then with an update',
	async (name, first) => {
		const { error } = await run('platformCustomers', name, {}, { body: {} });
		expect(error?.message).toContain(
			`doesn't have the operation "${name}" (resource.operation). It has:`,
		);
		const listed = error?.message.split('It has: ')[1].split('. If')[0].split(', ') ?? [];
		expect(listed[0]).toBe(first[0]);
		expect(listed).toEqual(expect.arrayContaining(first));
		expect(listed.length).toBeGreaterThan(15);
		expect(error?.message).toMatch(/update the package\.$/);
		expect(service.received).toEqual([]);
	},
);

test('an unknown option is answered with the valid ones, nearest first', async () => {
	const form = { payoutId: byId('p'), status: 'payed' };
	const { error } = await run('platformPartners', 'payout.updateStatus', form, { body: {} });
	expect(error?.message).toContain('must be one of paid, ');
});

test.each([
	['{"a": 1,}', 'line 1, column 9 has }'],
	["{'a': 1}", "line 1, column 2 has '"],
	['{"a": 1,\n  b: 2}', 'line 2, column 3 has b'],
	['{"a": "x\ny"}', 'line 1, column 9 has \\n'],
	['{"a": tru}', 'line 1, column 10 has }'],
	['{"a": -}', 'line 1, column 8 has }'],
	['{"a": "\\x"}', 'line 1, column 9 has x'],
	['[1 2]', 'line 1, column 4 has 2'],
	['{"a": 1} x', 'line 1, column 10 has x'],
	['{"a": [1, 2', 'it ends too early'],
	['{"a', 'it ends too early'],
	['  ', "it's empty"],
])("%j isn't JSON: %s", (text, says) => {
	expect(jsonFault(text)).toBe(says);
});

test('a field with bad JSON says where, and no more of it', async () => {
	const form = { workflowId: byId('1'), data: '{\n  "token": "sk-123",\n  other: 1\n}' };
	const { error } = await run('platformWorkflows', 'workflow.run', form, { body: {} });
	expect(error?.message).toContain('"Data (JSON)" must be valid JSON (line 3, column 3 has o).');
	expect(error?.message).not.toContain('sk-123');
});

test.each<[string, unknown]>([
	['text', 'Why'],
	['an object with a message', { code: 7, message: 'Why' }],
	['an object without one', { reason: 'Why' }],
	['a list', ['Why']],
	['a list of objects', [{ detail: { text: 'Why' } }]],
])('an error of the API as %s is told as its text', async (_what, error) => {
	const form = { customerId: byId('cus-1') };
	const reply = { status: 400, body: { error } };
	const { error: told } = await run('platformCustomers', 'customer.get', form, reply);
	expect(told?.message).toMatch(/^(7, )?Why \(HTTP 400\)/);
});

describe('advice that fits', () => {
	const error = async (node: string, operation: string, form: object, reply: Reply | undefined) => {
		service.behave(() => reply);
		return toldBy((await runWith(service, node, operation, { ...form })).error);
	};

	test.each([
		['platformCustomers', 'customer.delete', { customerId: byId('c1') }, { deleted: false }],
		[
			'platformContentBox',
			'content.update',
			{ contentId: byId('c1'), updateFields: { title: 'New' } },
			{ id: 'c1', updated: false },
		],
	])('%s: %s: what was not done is no wrong Base URL', async (node, operation, form, body) => {
		const text = await error(node, operation, form, { body });
		expect(text).toContain(
			'": false. The API didn\'t do it, and gave no reason. Look the record up before you run it again.',
		);
		expect(text).not.toContain('Base URL');
	});

	test.each(['null', '""'])('a lookup that finds nothing: %j', async (body) => {
		const form = { externalId: 'crm-9' };
		const node = 'platformCustomers';
		const text = await error(node, 'customer.getByExternalId', form, { body });
		expect(text).toContain('Nothing found for "crm-9". Check the External ID field.');
		expect(text).not.toContain('Base URL');
	});

	test('a request that is too big for a proxy', async () => {
		const form = { knowledgeBaseId: byId('k1'), name: 'Manual', content: 'Text' };
		const reply = { status: 413, body: '<html><h1>413 Request Entity Too Large</h1></html>' };
		const text = await error('platformAiGateway', 'document.add', form, reply);
		expect(text).toContain(
			'The request is too big for the API, or for a proxy before it. Send less, or have its limit raised.',
		);
		expect(text).not.toContain('Base URL');
	});

	test.each([
		[
			'document.add',
			{ name: 'Manual', content: 'Text' },
			/It may have gone through.* If the API needs longer, raise Timeout in Settings\./,
		],
		[
			'knowledgeBase.search',
			{ query: 'Text' },
			/Check Base URL .* If the API needs longer, raise Timeout in Settings\./,
		],
	])('%s: a slow response names Timeout', async (operation, form, advice) => {
		service.behave(async () => await new Promise(() => {}));
		const requests = { timeout: 1, retryTime: 1 };
		const fields = { knowledgeBaseId: byId('k1'), ...form, requests };
		const { error: slow } = await runWith(service, 'platformAiGateway', operation, fields);
		expect(toldBy(slow)).toMatch(/^The API didn't respond in time/);
		expect(toldBy(slow)).toMatch(advice);
	});

	test.each([' ', '\n', '\r\n', '\t'])(
		'%j around the URL of a document is left out',
		async (blank) => {
			service.behave(() => ({ body: { id: 'd1' } }));
			const url = 'https://files.example.com/handbook.md?signature=abc';
			const form = {
				...{ knowledgeBaseId: byId('k1'), name: 'Handbook', contentType: 'text/markdown' },
				url: `${blank}${url}${blank}`,
			};
			await runWith(service, 'platformAiGateway', 'document.ingest', form);
			expect(service.sent('POST')[0].body).toMatchObject({ source: { url } });
		},
	);
});
