// Never twice, never wrong: what services and proxies answer to writes, and what n8n makes of it.
import { ExecuteContext } from 'n8n-core';
import { wait } from '../wait.cts';
import { told, type RunOptions } from './host/host.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service, type Handler, type Reply } from './host/service.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { retryOnFail, useTools } from './host/tool.cts';
import { isRepeatable, onlyReads, table, type TableEntry } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { previewOf } from '../../tools/previews.cts';
import { forms } from '../table/forms.cts';
import { takesKey } from '../../dist/nodes/engine/form/operation.js';
import { clearStore } from './host/keyStore.cts';

const service = Service.forFile();

const DOUBT = 'It may have gone through';

/** A check of a person changes nothing that a doubt could be about. */
const UNCONFIRMED = "the person isn't confirmed";

let runs = 0;

async function run(
	node: string,
	operation: string,
	parameters: RunOptions['parameters'],
	options: Partial<RunOptions> = {},
) {
	// What other tests have taught of the API is of another key.
	const api = { baseUrl: service.baseUrl, key: `key-of-run-${++runs}` };
	return await runWith(api, node, operation, parameters, options);
}

const charge = {
	customerId: byId('={{ $json.id ?? "cus-1" }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
};

describe('tools of an agent, with Retry On Fail', () => {
	const get = {
		resource: 'customer',
		operation: 'get',
		customerId: byId("={{ $fromAI('id', '', 'string') }}"),
	};
	const create = { resource: 'charge', operation: 'create', ...charge, customerId: byId('9') };

	test.each([
		['an agent', false],
		['an MCP client', true],
	])(
		'each call of each tool by %s is its own, and each key is sent once',
		async (_title, isWebhook) => {
			clearStore();
			service.behave(({ method, path }) => ({
				body: { id: path.replace(/\D/g, ''), email: method },
			}));
			const answers: string[] = [];
			const keyed = { ...create, idempotencyKey: 'order-1' };
			const tools = [get, create, keyed].map((parameters) => ({
				node: 'platformCustomers',
				parameters,
				settings: retryOnFail,
			}));
			const use: Parameters<typeof useTools>[2] = async ({
				Tool_1: read,
				Tool_2: pay,
				Tool_3: once,
			}) => {
				answers.push(await read.invoke({ id: '1' }));
				answers.push(await read.invoke({ id: '2' }));
				answers.push(await pay.invoke({}));
				answers.push(await pay.invoke({}));
				answers.push(await once.invoke({}));
				answers.push(await once.invoke({}));
			};
			await useTools(tools, service.credential, use, { isWebhook });
			expect(answers.map((answer) => JSON.parse(answer) as object)).toEqual([
				[{ id: '1', email: 'GET' }],
				[{ id: '2', email: 'GET' }],
				[{ id: '9', email: 'POST' }],
				[{ id: '9', email: 'POST' }],
				[{ id: '9', email: 'POST' }],
				[expect.objectContaining({ skipped: true, inDoubt: false })],
			]);
			expect(service.sent('POST')).toHaveLength(3);
		},
	);

	test('a call that n8n tries again sends no charge a second time', async () => {
		service.behave(() => ({ status: 502, body: 'Bad gateway' }));
		const tools = [{ node: 'platformCustomers', parameters: create, settings: retryOnFail }];
		await useTools(tools, service.credential, async ({ Tool_1: pay }) => {
			await expect(pay.invoke({})).rejects.toThrow(DOUBT);
		});
		expect(service.sent('POST')).toHaveLength(1);
	});
});

/** The service replies so to each write. A lookup before it finds nothing, by email in a list. */
const replyToWrites = (reply: (path: string) => Reply) =>
	service.behave(({ method, path }) => {
		if (method !== 'GET') return reply(path);
		if (path.startsWith('/customers.json')) return { body: { count: 0, elements: [] } };
		return { status: 404, body: { error: 'This customer does not exist' } };
	});

/** A form of an operation without a file. */
const formOf = ({ operation }: TableEntry) =>
	forms(operation).find((form) => !('binaryPropertyName' in form)) as RunOptions['parameters'];

/** The body of a success that says it failed, with the ID of what was made. */
const declined = { id: 'ch_1', status: 'failed', error: 'Card declined' };

/** What only tries something out may be sent again. */
const acting = table.filter(
	({ operation: { endpoint } }) => !isRepeatable(endpoint.route) && !endpoint.tests,
);

describe('an error beside a result', () => {
	test.each(acting.map((entry, n) => [entry.title, entry, [200, 201, 202, 207][n % 4]] as const))(
		'%s: sent once, also with Retry On Fail, and the error has the ID',
		async (_title, entry, status) => {
			const { node, resource, operation } = entry;
			const started = { success: false, execution_id: 'ch_1', error: 'Card declined' };
			replyToWrites((path) =>
				path.startsWith('/workflow/') ? { body: started } : { status, body: declined },
			);
			const name = `${resource.value}.${operation.value}`;
			const result = await run(node, name, formOf(entry), { settings: retryOnFail });
			expect(service.received.filter(({ method }) => method !== 'GET')).toHaveLength(1);
			if (operation.endpoint.route === 'POST /workflow/{workflowId}.json') {
				expect(result.items.map(({ json }) => json)).toEqual([
					{ ...started, workflow_id: expect.any(String) },
				]);
			} else {
				expect(result.error?.message).toContain(`Card declined (HTTP ${status}, id ch_1)`);
				const { checksPerson } = operation.endpoint;
				expect(result.error?.message).toContain(checksPerson ? UNCONFIRMED : DOUBT);
			}
		},
	);

	test.each([
		['charge.create', charge, declined],
		['workflow.run', { workflowId: byId('1'), data: {} }, { ...declined, execution_id: 'ch_1' }],
	])('%s as a tool of an agent: one request, and the ID', async (name, parameters, body) => {
		service.behave(() => ({ status: 201, body }));
		const [resource, operation] = name.split('.');
		const node = resource === 'charge' ? 'platformCustomers' : 'platformWorkflows';
		const tools = [
			{ node, parameters: { resource, operation, ...parameters }, settings: retryOnFail },
		];
		await useTools(tools, service.credential, async ({ Tool_1: tool }) => {
			const said = await tool.invoke({}).catch((error: Error) => error.message);
			expect(said).toContain('ch_1');
		});
		expect(service.sent('POST')).toHaveLength(1);
	});
});

describe('a success that reports an error as the reference does not show', () => {
	const bodies: Array<[string, unknown]> = [
		['error: true', { error: true }],
		['error with a code', { error: { code: 'card_declined' } }],
		['a list of errors', { error: ['Card declined'] }],
		['errors', { errors: [{ message: 'Card declined' }] }],
		['success as text', { success: 'false' }],
		['plain text', 'Card declined'],
		['HTML without a head', 'Card <b>declined</b>'],
	];
	const keyed = acting.filter(({ operation }) => takesKey(operation));

	// All of them as the response to a charge, and one that is JSON as that to each other operation.
	test.each(
		keyed.flatMap((entry, n) =>
			bodies
				.filter((_body, at) => entry.title.includes('Charge') || at === n % 5)
				.map(([name, body]) => [entry.title, name, entry, body] as const),
		),
	)('%s, %s: it is in doubt, and its key stays', async (_title, _name, entry, body) => {
		const { node, resource, operation } = entry;
		clearStore();
		replyToWrites(() => ({ body }));
		const name = `${resource.value}.${operation.value}`;
		const parameters = { ...formOf(entry), idempotencyKey: 'one' };
		const first = await run(node, name, parameters);
		expect(first.error?.message).toContain(DOUBT);
		const second = await run(node, name, parameters);
		expect(second.items[0]?.json).toMatchObject({ skipped: true, inDoubt: true });
		expect(service.received.filter(({ method }) => method !== 'GET')).toHaveLength(1);
	});
});

test.each([
	[400, false],
	[404, false],
	[409, false],
	[422, false],
	[408, true],
	[499, true],
	[500, true],
	[503, true],
	[599, true],
])(
	'a charge that is answered %i is sent once; it may have gone through: %s',
	async (status, isInDoubt) => {
		service.behave(() => ({ status, body: { error: 'It failed' } }));
		const { error } = await run('platformCustomers', 'charge.create', charge);
		expect(service.sent('POST')).toHaveLength(1);
		expect(told(error).includes(DOUBT)).toBe(isInDoubt);
	},
);

describe('not found is what the endpoint says of the thing itself', () => {
	const partner = { externalId: 'p-1', name: 'P', email: 'p@example.com', country: 'DE' };
	const refusals: Array<[string, Reply]> = [
		['403', { status: 403, body: { error: 'Scope partners:read not found for this key' } }],
		['401', { status: 401, body: { error: 'API key not found' } }],
		['409', { status: 409, body: { error: 'Lock does not exist' } }],
		['400', { status: 400, body: { error: 'Parameter not found' } }],
		['422', { status: 422, body: { error: 'Index does not exist' } }],
		['404 of a proxy', { status: 404, body: '<html>Not Found</html>' }],
	];

	/** Create or Update of a customer whose lookup gets a reply. */
	const upserted = async (lookup: Reply) => {
		service.behave(({ method }) =>
			method === 'GET' ? lookup : { body: { customer: { id: '2' } } },
		);
		const form = { externalId: 'c', email: 'c@example.com' };
		return await run('platformCustomers', 'customer.upsert', form);
	};

	test.each(refusals)(
		'Create or Update creates nothing after a lookup answered %s',
		async (_title, lookup) => {
			service.behave(({ method }) =>
				method === 'GET' ? lookup : { body: { partner: { id: '2' } } },
			);
			const result = await run('platformPartners', 'partner.upsert', partner);
			expect(result.error).toBeDefined();
			expect(service.sent('POST')).toEqual([]);
		},
	);

	test.each(['{}', 'null', '[]', '{"customer": {}}', '{"customer": null}', ' ', '""'])(
		'Create or Update creates nothing after a lookup answered 200 with %j',
		async (body) => {
			const { items, error } = await upserted({ body });
			expect(items).toEqual([]);
			expect(service.sent('POST')).toEqual([]);
			const isRecord = body.startsWith('{"customer": null');
			expect(error?.message).toMatch(
				isRecord ? 'without an ID' : /returned nothing|isn't JSON|empty/,
			);
		},
	);

	const documented = { error: 'This customer does not exist' };

	test.each([
		[404, documented],
		[410, ''],
		[422, documented],
		[200, documented],
	])('Create or Update creates after a lookup answered %i with %j', async (status, body) => {
		const { items } = await upserted({ status, body });
		expect(items[0]?.json).toMatchObject({ id: '2', action: 'created' });
	});

	test.each(refusals)(
		'a deletion that was answered 502 and then %s is an error',
		async (_title, refusal) => {
			let asked = 0;
			service.behave(() => (asked++ === 0 ? { status: 502 } : refusal));
			const result = await run('platformCustomers', 'customer.delete', { customerId: byId('1') });
			expect(result.items).toEqual([]);
			expect(result.error?.message).toContain(`(HTTP ${refusal.status})`);
		},
	);
});

const deletions = table.filter(({ operation }) => operation.endpoint.route.startsWith('DELETE '));

test.each(deletions.map((entry) => [entry.title, entry] as const))(
	'%s: the same item when the answer was lost',
	async (_title, entry) => {
		const { node, resource, operation } = entry;
		let asked = 0;
		service.behave(() =>
			asked++ === 0 ? undefined : { status: 404, body: { error: 'No longer there' } },
		);
		const names = [...operation.endpoint.route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
		const ids = Object.fromEntries(names.map((name, index) => [name, byId(`id/${index}`)]));
		const form = { ...formOf(entry), ...ids };
		const result = await run(node, `${resource.value}.${operation.value}`, form);
		expect(result.error).toBeUndefined();
		const { json } = result.items[0];
		expect(json.warning).toContain('If the ID is wrong, there was nothing to delete.');
		expect(result.hints.join()).toContain(json.warning);
		delete json.warning;
		expect(Object.keys(json).sort()).toEqual(
			Object.keys(previewOf(entry)?.properties ?? {}).sort(),
		);
		// The last ID of the path is what was deleted.
		expect(Object.values(json)).toContain(`id/${names.length - 1}`);
	},
);

test('a deletion that five attempts left open is done when Retry On Fail finds nothing', async () => {
	service.behave(() =>
		service.received.length <= 5
			? { status: 502 }
			: { status: 404, body: { error: 'This customer does not exist' } },
	);
	const { items, error } = await run(
		'platformCustomers',
		'customer.delete',
		{ customerId: byId('cus-1') },
		{ settings: retryOnFail },
	);
	expect(error?.message).toBeUndefined();
	expect(items[0].json).toMatchObject({ id: 'cus-1', deleted: true });
	expect(items[0].json.warning).toContain('If the ID is wrong, there was nothing to delete.');
	expect(service.received).toHaveLength(6);
}, 60_000);

/** Writes that are sent again when their answer is lost, each with a status. */
const repeated = table
	.filter(
		({ operation: { endpoint } }) => isRepeatable(endpoint.route) && !onlyReads(endpoint.route),
	)
	.map((entry, n) => {
		// A deletion that then finds nothing is done.
		const isDeletion = deletions.includes(entry);
		const statuses = isDeletion ? [400, 409, 422] : [400, 404, 409, 422];
		return [entry.title, statuses[n % statuses.length], entry] as const;
	});

test.each(repeated)(
	'%s that lost its answer and then got %i says that it may have gone through',
	async (_title, status, entry) => {
		const { node, resource, operation } = entry;
		let writes = 0;
		service.behave(({ method, path }) => {
			const [, id] = /([^/]+)\.json/.exec(path) ?? [];
			if (method === 'GET') {
				const own = decodeURIComponent(String(id));
				return { body: { id: own, tags: [], selected_ids: [], elements: {}, data: {} } };
			}
			return writes++ === 0 ? undefined : { status, body: { error: 'In this state' } };
		});
		const [form] = forms(operation, fixedValues(entry)) as Array<RunOptions['parameters']>;
		const { error } = await run(node, `${resource.value}.${operation.value}`, form);
		expect(error?.message).toContain(`In this state (HTTP ${status})`);
		expect(told(error)).toContain('An earlier attempt failed. It may have gone through.');
		expect(writes).toBe(2);
	},
);

describe('Create or Update', () => {
	const upsert = { externalId: 'crm-1', email: 'c@example.com' };
	const row = { id: '7', external_id: 'crm-1' };

	/** Create or Update whose lookup returns a body. */
	const upserted = async (body: unknown) => {
		service.behave(({ method }) => ({ body: method === 'GET' ? body : { customer: { id: '7' } } }));
		return await run('platformCustomers', 'customer.upsert', upsert);
	};

	test.each<[string, unknown, string]>([
		['the record', [{ id: '6', external_id: 'crm-0' }, row], 'PUT /customers/7.json'],
		['nothing', [], 'returned nothing, so it isn'],
		['another record', [{ id: '6', external_id: 'crm-0' }], 'a different record (ID 6)'],
		['two such records', [row, { ...row, id: '8' }], 'more than one record'],
		['rows that are no records', ['7'], 'a record without an ID'],
	])('searches a bare list that has %s', async (_title, body, comesTo) => {
		const { error } = await upserted(body);
		const writes = service.received.filter(({ method }) => method !== 'GET');
		const sent = writes.map(({ method, path }) => `${method} ${path}`);
		expect(error ? [error.message] : sent).toEqual([expect.stringContaining(comesTo)]);
		if (error) expect(sent).toEqual([]);
	});

	test('a lookup that fails leaves nothing in doubt, and Retry On Fail tries it again', async () => {
		let asked = 0;
		service.behave(({ method }) => {
			if (method === 'POST') return { status: 201, body: { customer: { id: '1' } } };
			return asked++ < 5 ? { status: 500 } : { status: 404, body: { error: 'None' } };
		});
		const settings = { requests: { retryTime: 5 } };
		const failed = await run('platformCustomers', 'customer.upsert', { ...upsert, ...settings });
		expect(failed.error?.message).toContain('(HTTP 500)');
		expect(failed.error?.message).not.toContain(DOUBT);
		expect(service.sent('POST')).toEqual([]);
		asked = 0;
		const again = await run('platformCustomers', 'customer.upsert', upsert, {
			settings: retryOnFail,
		});
		expect(again.items[0]?.json).toMatchObject({ action: 'created' });
	}, 60_000);

	test.each([
		['another key', { id: '7', externalId: 'crm-2' }],
		['no key', { id: '7' }],
		['null as its key', { id: '7', externalId: null }],
	])('changes no record that carries %s', async (_title, body) => {
		const { error } = await upserted(body);
		expect(error?.message).toContain('nothing was created or updated');
		expect(service.sent().map(({ method }) => method)).toEqual(['GET']);
	});

	test.each([
		['as text', { id: '7', externalId: 'crm-1' }],
		['in the spelling of lists', { id: '7', external_id: 'crm-1' }],
		['wrapped', { customer: { id: '7', externalId: 'crm-1' } }],
	])('changes the record that carries the key %s', async (_title, body) => {
		const { items } = await upserted(body);
		expect(items[0]?.json).toMatchObject({ id: '7', action: 'updated' });
	});
});

describe('an answer whose shape is not shown', () => {
	const sent = { customer_id: 'cus-1', services: charge.services.service };

	test.each([
		['an empty list', []],
		['nothing', ''],
		['null', 'null'],
	])('%s is one item, not none', async (_title, body) => {
		service.behave(() => ({ body }));
		const result = await run('platformCustomers', 'charge.create', charge);
		expect(result.error).toBeUndefined();
		expect(result.items.map(({ json }) => json)).toEqual([sent]);
	});

	test.each([
		['null', { id: '1', error: null }],
		['false', { id: '1', error: false }],
		['an empty text', { id: '1', error: '' }],
	])('`error` with %s is no error', async (_title, body) => {
		service.behave(() => ({ body }));
		const result = await run('platformCustomers', 'charge.create', charge);
		expect(result.items.map(({ json }) => json)).toEqual([{ ...body, ...sent }]);
	});
});

describe('a response of 204, which has no body', () => {
	beforeEach(() => service.behave(() => ({ status: 204, body: '' })));

	test.each([
		['platformCustomers', 'customer', { customerId: byId('id-1') }],
		['platformAiGateway', 'connection', { connectionId: byId('id-1') }],
	])('to a deletion says what its usual response says: %s', async (node, resource, form) => {
		const { items } = await run(node, `${resource}.delete`, form);
		expect(items.map(({ json }) => json)).toEqual([{ id: 'id-1', deleted: true }]);
	});

	test('to another write is an empty item, sent once', async () => {
		const { items, error } = await run('platformCustomers', 'customer.update', {
			customerId: byId('cus-1'),
			updateFields: { address: { city: 'Bonn' }, keepAddress: false },
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([{ city: 'Bonn' }]);
		expect(service.sent()).toHaveLength(1);
	});

	test('to a read is an error: what was asked for is not nothing', async () => {
		const { error } = await run('platformCustomers', 'customer.get', {
			customerId: byId('cus-1'),
		});
		expect(error?.message).toContain('an empty response');
	});
});

describe('several writes of which one fails, with On Error: Stop', () => {
	const items = Array.from({ length: 8 }, (_each, n) => ({ id: `c${n}` }));
	const byName: Handler = async ({ body }) => {
		const { last_name: name } = body.customer as { last_name: string };
		// Those before the failing one are answered after it.
		await wait(name === 'c2' ? 20 : 80);
		if (name === 'c2') return { status: 409, body: { error: 'Exists' } };
		if (name === 'c3') return { status: 502 };
		return { status: 201, body: { customer: { id: `new-${name}` } } };
	};
	const create = { email: 'a@example.com', additionalFields: { lastName: '={{ $json.id }}' } };

	test('the error names the items that were done, with their ids, and those in doubt', async () => {
		service.behave(byName);
		const result = await run('platformCustomers', 'customer.create', create, { items });
		const { error } = result;
		expect(result.items).toEqual([]);
		expect(error?.context?.itemIndex).toBe(2);
		expect(error?.message).toContain('1 (ID new-c0), 2 (ID new-c1), 5 (ID new-c4)');
		expect(error?.message).toContain('May have gone through: row 4 (item 3).');
		expect(service.sent()).toHaveLength(5);
	});

	test('also when n8n has tried the node again', async () => {
		service.behave(byName);
		const { error } = await run('platformCustomers', 'customer.create', create, {
			items,
			settings: retryOnFail,
		});
		// What may have been applied is sent once, whatever n8n tries.
		for (const name of ['c0', 'c1', 'c3', 'c4']) {
			const sent = service.sent().filter(({ body }) => JSON.stringify(body).includes(`"${name}"`));
			expect([name, sent.length]).toEqual([name, 1]);
		}
		expect(error?.message.match(/Already done/g)).toHaveLength(1);
		expect(error?.message.match(/new-c1/g)).toHaveLength(1);
	});
});

test.each([400, 404, 410, 422, 200])(
	'unpublishing the webhook trigger is done after "Webhook not found." with %i',
	async (status) => {
		const elements: object[] = [];
		service.behave(({ method, body }) => {
			if (method === 'DELETE') return { status, body: { error: 'Webhook not found.' } };
			if (method === 'GET') return { body: { elements } };
			elements.push({ ...(body.webhook as object), id: 'w1', token: 't' });
			return { status: 201, body: elements[0] };
		});
		const workflow = new TriggerWorkflow(service.credential, { events: ['a'] });
		await workflow.create();
		await workflow.delete();
		expect(JSON.stringify(workflow.staticData)).not.toContain('w1');
	},
);

test('a write whose documented list comes empty is no result', async () => {
	service.behave(() => ({ body: { user: { backupCodes: [] } } }));
	const form = { externalUserId: 'u-1' };
	const result = await run('platformIdentity', 'backupCode.generate', form);
	expect(result.error?.message).toContain(DOUBT);
});

describe('Return Whole Record', () => {
	const create = { email: 'a@example.com', returnWholeRecord: true };
	const other = { id: '9', email: 'else@example.com' };
	const readings: Array<[string, Reply | undefined, string]> = [
		['another record', { body: other }, 'Another one came, with ID 9'],
		['another record, wrapped', { body: { customer: other } }, 'Another one came, with ID 9'],
		['an empty record', { body: {} }, 'The API returned an empty object'],
		['404', { status: 404, body: { error: 'This customer does not exist' } }, 'does not exist'],
		['a page', { status: 200, body: '<html>' }, 'HTML instead of JSON'],
	];

	test.each(readings)('read as %s: what was written, and why', async (_title, reading, reason) => {
		service.behave(({ method }) =>
			method === 'GET' ? reading : { status: 201, body: { customer: { id: '7', partner: null } } },
		);
		for (const outputFields of ['', 'email', 'id']) {
			const { items, hints } = await run('platformCustomers', 'customer.create', {
				...create,
				options: { outputFields },
			});
			const warning = expect.stringContaining(reason);
			expect(items[0].json).toMatchObject({ id: '7', partner: null, warning });
			expect(hints.join()).toContain('"Create a customer" went through');
		}
	});

	test('a response without an ID is told in words, not in names of parameters', async () => {
		service.behave(() => ({ status: 204, body: '' }));
		const { items } = await run('platformCustomers', 'subscription.updateStatus', {
			...{ customerId: byId('c'), subscriptionId: byId('s'), status: byId('dismiss') },
			returnWholeRecord: true,
		});
		expect(items[0].json.warning).toContain('The response has no ID.');
	});

	test('hints are three at most, the last with the text of the others', async () => {
		service.behave(({ method, body, path }) =>
			method === 'POST'
				? { body: { customer: { id: (body.customer as { email: string }).email.slice(0, 1) } } }
				: { body: { id: `other-${path}` } },
		);
		const { hints } = await run(
			'platformCustomers',
			'customer.create',
			{ ...create, email: '={{ $json.email }}' },
			{ items: [...'abcde'].map((name) => ({ email: `${name}@example.com` })) },
		);
		expect(hints.map((hint) => hint.match(/other-/g)?.length)).toEqual([1, 1, 3]);
	});
});

test('a run of writes that is cancelled while the API asks to wait logs that nothing was sent', async () => {
	const lines: string[] = [];
	const logger = { info: () => undefined, warn: (text: string) => void lines.push(text) };
	const spy = jest.spyOn(ExecuteContext.prototype, 'logger', 'get');
	spy.mockReturnValue(logger as never);
	const headers = { 'retry-after': '60' };
	service.behave(() => ({ status: 429, headers, body: { error: 'Slow' } }));
	await run('platformCustomers', 'charge.create', charge, { cancelAfter: 12_000 });
	spy.mockRestore();
	expect(lines).toEqual(['Node: Create a charge was cancelled. Nothing was sent.']);
});
