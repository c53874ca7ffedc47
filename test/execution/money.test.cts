// Never twice, never wrong: what services and proxies answer to writes, and what n8n makes of it.
import { ExecuteContext } from 'n8n-core';
import { told, type RunOptions } from './host/host.cts';
import { useLeapingTime } from './host/leapingTime.cts';
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

useLeapingTime();
const service = Service.forFile();

const DOUBT = 'It may have gone through';

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

const customers: Handler = ({ method, path }) => ({
	body: { id: path.replace(/\D/g, ''), email: method },
});

describe('tools of an agent, with Retry On Fail', () => {
	const get = {
		resource: 'customer',
		operation: 'get',
		customerId: byId("={{ $fromAI('id', '', 'string') }}"),
	};
	const create = { resource: 'charge', operation: 'create', ...charge, customerId: byId('9') };

	test('each call of each tool is its own', async () => {
		service.behave(customers);
		const answers: string[] = [];
		const tools = [get, create].map((parameters) => ({
			node: 'platformCustomers',
			parameters,
			settings: retryOnFail,
		}));
		await useTools(tools, service.credential, async ({ Tool_1: read, Tool_2: pay }) => {
			answers.push(await read.invoke({ id: '1' }));
			answers.push(await read.invoke({ id: '2' }));
			answers.push(await pay.invoke({}));
			answers.push(await pay.invoke({}));
		});
		expect(answers.map((answer) => JSON.parse(answer) as object)).toEqual([
			[{ id: '1', email: 'GET' }],
			[{ id: '2', email: 'GET' }],
			[{ id: '9', email: 'POST' }],
			[{ id: '9', email: 'POST' }],
		]);
		expect(service.sent('POST')).toHaveLength(2);
	});

	test('a call that n8n tries again sends no charge a second time', async () => {
		service.behave(() => ({ status: 502, body: 'Bad gateway' }));
		const tools = [{ node: 'platformCustomers', parameters: create, settings: retryOnFail }];
		await useTools(tools, service.credential, async ({ Tool_1: pay }) => {
			await expect(pay.invoke({})).rejects.toThrow(DOUBT);
		});
		expect(service.sent('POST')).toHaveLength(1);
	});
});

/** The body of a success that says it failed, with the ID of what was made. */
const declined = { id: 'ch_1', status: 'failed', error: 'Card declined' };

/** What only tries something out may be sent again. */
const acting = table.filter(
	({ operation: { endpoint } }) => !isRepeatable(endpoint.route) && !endpoint.tests,
);

describe('an error beside a result', () => {
	test.each(acting.map((entry, n) => [entry.title, entry, [200, 201, 202, 207][n % 4]] as const))(
		'%s: sent once, also with Retry On Fail, and the error has the ID',
		async (_title, { node, resource, operation }, status) => {
			const started = { success: false, execution_id: 'ch_1', error: 'Card declined' };
			const { route } = operation.endpoint;
			service.behave(({ method, path }) => {
				// A lookup finds nothing, by email in a list.
				if (path.startsWith('/customers.json') && method === 'GET')
					return { body: { count: 0, elements: [] } };
				if (method === 'GET')
					return { status: 404, body: { error: 'This customer does not exist' } };
				return path.startsWith('/workflow/') ? { body: started } : { status, body: declined };
			});
			const form = forms(operation).find((each) => !('binaryPropertyName' in each));
			const name = `${resource.value}.${operation.value}`;
			const result = await run(node, name, form as RunOptions['parameters'], {
				settings: retryOnFail,
			});
			expect(service.received.filter(({ method }) => method !== 'GET')).toHaveLength(1);
			if (route === 'POST /workflow/{workflowId}.json') {
				expect(result.items.map(({ json }) => json)).toEqual([started]);
			} else {
				expect(result.error?.message).toContain(`Card declined (HTTP ${status}, id ch_1)`);
				expect(result.error?.message).toContain(DOUBT);
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

	test.each(
		keyed.flatMap((entry) =>
			bodies
				// Its status tells that the transition was applied, so text is data.
				.filter(([, body]) => entry.operation.value !== 'pause' || typeof body !== 'string')
				.map(([name, body]) => [entry.title, name, entry, body] as const),
		),
	)('%s, %s: it is in doubt, and its key stays', async (_title, _name, entry, body) => {
		const { node, resource, operation } = entry;
		clearStore();
		service.behave(({ method, path }) => {
			if (method !== 'GET') return { body };
			if (path.startsWith('/customers.json')) return { body: { count: 0, elements: [] } };
			return { status: 404, body: { error: 'This customer does not exist' } };
		});
		const form = forms(operation).find((each) => !('binaryPropertyName' in each));
		const name = `${resource.value}.${operation.value}`;
		const parameters = { ...form, idempotencyKey: 'one' } as RunOptions['parameters'];
		const first = await run(node, name, parameters);
		expect(first.error?.message).toContain(DOUBT);
		const second = await run(node, name, parameters);
		expect(second.items[0]?.json).toMatchObject({ skipped: true, inDoubt: true });
		expect(service.received.filter(({ method }) => method !== 'GET')).toHaveLength(1);
	});

	test('a payout without the documented ID', async () => {
		service.behave(() => ({ body: { total: 12 } }));
		const { error } = await run('platformPartners', 'payout.create', {
			partnerId: byId('p-1'),
			transactions: ['fee-1'],
			invoiceNumber: 'INV-1',
		});
		expect(error?.message).toContain(DOUBT);
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

	test.each(refusals)(
		'Create or Update creates nothing after a lookup answered %s',
		async (_title, reply) => {
			service.behave(({ method }) =>
				method === 'GET' ? reply : { body: { partner: { id: '2' } } },
			);
			const result = await run('platformPartners', 'partner.upsert', partner);
			expect(result.error).toBeDefined();
			expect(service.sent('POST')).toEqual([]);
		},
	);

	test.each(['{}', 'null', '[]', '{"customer": {}}', '{"customer": null}', ' ', '""'])(
		'Create or Update creates nothing after a lookup answered 200 with %j',
		async (body) => {
			service.behave(({ method }) =>
				method === 'GET' ? { body } : { body: { customer: { id: '2' } } },
			);
			const form = { externalId: 'c', email: 'c@example.com' };
			const { items, error } = await run('platformCustomers', 'customer.upsert', form);
			expect(items).toEqual([]);
			expect(error).toBeDefined();
			expect(service.sent('POST')).toEqual([]);
			const isRecord = body.startsWith('{"customer": null');
			expect(error?.message).toMatch(
				isRecord ? 'without an ID' : /returned nothing|isn't JSON|empty/,
			);
		},
	);

	const noRefusal: Array<[string, Reply]> = [
		['404', { status: 404, body: { error: 'This customer does not exist' } }],
		['410', { status: 410, body: '' }],
		[
			'422 with the documented message',
			{ status: 422, body: { error: 'This customer does not exist' } },
		],
		[
			'200 with the documented message',
			{ status: 200, body: { error: 'This customer does not exist' } },
		],
	];

	test.each(noRefusal)(
		'Create or Update creates after a lookup answered %s',
		async (_title, reply) => {
			service.behave(({ method }) =>
				method === 'GET' ? reply : { body: { customer: { id: '2' } } },
			);
			const fields = { email: 'c@example.com' };
			const result = await run('platformCustomers', 'customer.upsert', { externalId: 'c', fields });
			expect(result.items[0]?.json).toMatchObject({ id: '2', action: 'created' });
		},
	);

	test.each(refusals)(
		'a deletion that was answered 502 and then %s is an error',
		async (_title, reply) => {
			let asked = 0;
			service.behave(() => (asked++ === 0 ? { status: 502 } : reply));
			const result = await run('platformCustomers', 'customer.delete', { customerId: byId('1') });
			expect(result.items).toEqual([]);
			expect(result.error?.message).toContain(`(HTTP ${reply.status})`);
		},
	);
});

const deletions = table.filter(({ operation }) => operation.endpoint.route.startsWith('DELETE '));

test('there are deletions in several nodes', () => {
	expect(new Set(deletions.map(({ node }) => node)).size).toBeGreaterThan(4);
});

test.each(deletions.map((entry) => [entry.title, entry] as const))(
	'%s: the same item when the answer was lost',
	async (_title, entry) => {
		const { node, resource, operation } = entry;
		let asked = 0;
		service.behave(() =>
			asked++ === 0 ? undefined : { status: 404, body: { error: 'No longer there' } },
		);
		const [form] = forms(operation) as Array<RunOptions['parameters']>;
		const result = await run(node, `${resource.value}.${operation.value}`, {
			...form,
			// The last id of the path is what was deleted.
			...Object.fromEntries(
				[...operation.endpoint.route.matchAll(/\{(\w+)\}/g)].map(([, name], index) => [
					name,
					byId(`id/${index}`),
				]),
			),
		});
		expect(result.error).toBeUndefined();
		const { json } = result.items[0];
		expect(json.warning).toContain('If the ID is wrong, there was nothing to delete.');
		expect(result.hints.join()).toContain(json.warning);
		delete json.warning;
		expect(Object.keys(json).sort()).toEqual(
			Object.keys(previewOf(entry)?.properties ?? {}).sort(),
		);
		const last = [...operation.endpoint.route.matchAll(/\{(\w+)\}/g)].length - 1;
		expect(Object.values(json)).toContain(`id/${last}`);
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

/** Writes that are sent again when their answer is lost. */
const repeated = table.filter(
	({
		operation: {
			endpoint: { route },
		},
	}) => isRepeatable(route) && !onlyReads(route) && !route.startsWith('GET '),
);

/** A deletion that then finds nothing is done. */
const refusals = ({
	operation: {
		endpoint: { route },
	},
}: TableEntry) => (route.startsWith('DELETE ') ? [400, 409, 422] : [400, 404, 409, 422]);

test.each(
	repeated.map(
		(entry, n) => [entry.title, refusals(entry)[n % refusals(entry).length], entry] as const,
	),
)(
	'%s that lost its answer and then got %i says that it may have gone through',
	async (_title, status, entry) => {
		const { node, resource, operation } = entry;
		let writes = 0;
		service.behave(({ method }) => {
			if (method === 'GET')
				return { body: { id: '1', tags: [], selected_ids: [], elements: {}, data: {} } };
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

	test.each<[string, unknown, string]>([
		['the record', [{ id: '6', external_id: 'crm-0' }, row], 'PUT /customers/7.json'],
		['nothing', [], 'returned nothing, so it isn'],
		['another record', [{ id: '6', external_id: 'crm-0' }], 'a different record (ID 6)'],
		['two such records', [row, { ...row, id: '8' }], 'more than one record'],
		['rows that are no records', ['7'], 'a record without an ID'],
	])('searches a bare list that has %s', async (_title, body, comesTo) => {
		service.behave(({ method }) => ({ body: method === 'GET' ? body : { customer: { id: '7' } } }));
		const { error } = await run('platformCustomers', 'customer.upsert', upsert);
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
		service.behave(() => ({ body }));
		const result = await run('platformCustomers', 'customer.upsert', upsert);
		expect(result.error?.message).toContain('nothing was created or updated');
		expect(service.sent().map(({ method }) => method)).toEqual(['GET']);
	});

	test.each([
		['as text', { id: '7', externalId: 'crm-1' }],
		['in the spelling of lists', { id: '7', external_id: 'crm-1' }],
		['wrapped', { customer: { id: '7', externalId: 'crm-1' } }],
	])('changes the record that carries the key %s', async (_title, body) => {
		service.behave(({ method }) => ({ body: method === 'GET' ? body : { customer: { id: '7' } } }));
		const result = await run('platformCustomers', 'customer.upsert', upsert);
		expect(result.items[0]?.json).toMatchObject({ id: '7', action: 'updated' });
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

	test('to a deletion says what its usual response says', async () => {
		const customer = await run('platformCustomers', 'customer.delete', {
			customerId: byId('cus-1'),
		});
		expect(customer.items.map(({ json }) => json)).toEqual([{ id: 'cus-1', deleted: true }]);
		const connection = await run('platformAiGateway', 'connection.delete', {
			connectionId: byId('aic-1'),
		});
		expect(connection.items.map(({ json }) => json)).toEqual([{ deleted: true, id: 'aic-1' }]);
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
		await new Promise((resolve) => setTimeout(resolve, name === 'c2' ? 20 : 80));
		if (name === 'c2') return { status: 409, body: { error: 'Exists' } };
		if (name === 'c3') return { status: 502 };
		return { status: 201, body: { customer: { id: `new-${name}` } } };
	};
	const create = { email: 'a@example.com', additionalFields: { lastName: '={{ $json.id }}' } };

	test('the error names the items that were done, with their ids, and those in doubt', async () => {
		service.behave(byName);
		const { error, items: output } = await run('platformCustomers', 'customer.create', create, {
			items,
		});
		expect(output).toEqual([]);
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

describe('the webhook trigger, unpublished', () => {
	const unpublish = async (reply: Reply) => {
		const elements: object[] = [];
		service.behave(({ method, body }) => {
			if (method === 'DELETE') return reply;
			if (method === 'GET') return { body: { elements } };
			elements.push({ ...(body.webhook as object), id: 'w1', token: 't' });
			return { status: 201, body: elements[0] };
		});
		const workflow = new TriggerWorkflow(service.credential, { events: ['a'] });
		await workflow.create();
		const error = await workflow.delete().then(
			() => undefined,
			(thrown: Error) => thrown,
		);
		return { error, left: JSON.stringify(workflow.staticData) };
	};

	test.each([400, 404, 410, 422, 200])(
		'is done after "Webhook not found." with %i',
		async (status) => {
			const { error, left } = await unpublish({ status, body: { error: 'Webhook not found.' } });
			expect(error).toBeUndefined();
			expect(left).not.toContain('w1');
		},
	);
});

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
		['an empty record', { body: {} }, 'It came empty'],
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
