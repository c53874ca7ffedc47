// The pickers of the forms on n8n-core's own context for the editor: every list of pickerLists.ts, search
// and paging, lists that depend on another field, and what the user reads when one cannot be loaded.
import type { INodeParameters } from 'n8n-workflow';
import { knownValues, pickerLists } from '../../dist/nodes/api/pickerLists.js';
import type { PickerList } from '../../nodes/engine/editor/pickers.ts';
import { usualWorld } from '../contract/worlds.cts';
import { endpointOf } from '../table/operations.cts';
import { packageNodes } from './host/package.cts';
import { formOf, loadOptions, mapperFields, searchList } from './host/pickers.cts';
import { byId, credentialOf, run, sandboxFor } from './host/run.cts';
import { startSandbox } from '../sandbox/index.cts';

const CUSTOMERS = 320;

// The reference doesn't show the fields of a plan. Here the list has some.
const world = { ...usualWorld, recurringRows: 'plan_id and plan_name' } as const;

const sandbox = sandboxFor({ customers: CUSTOMERS, world });

/** Where a list depends on nothing, which node asks makes no difference. */
const node = 'platformCustomers';

const lists = Object.entries(pickerLists as Record<string, PickerList>);
const customers = () => sandbox().state.customers.customers.rows;
const queries = () =>
	sandbox().requests.map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));

/** What the form holds above a list that depends on it. */
const parents = () => {
	const owner = customers().find(({ subscriptions }) => subscriptions.length > 0);
	const payout = sandbox().state.payouts.payouts.rows[0];
	return {
		customerId: byId(String(owner?.id)),
		partnerId: byId(payout.partner_id),
		workflowId: byId(sandbox().state.workflows.workflows.rows[0].id),
		knowledgeBaseId: byId(sandbox().state.aiKnowledgeBases.bases.rows[0].id),
	};
};

const searchCustomers = async (more: { typed?: string; token?: string } = {}) =>
	await searchList(sandbox(), node, 'customers', {}, more);

/** The values of a list that is scrolled to its end. */
async function scroll(load: (token?: string) => ReturnType<typeof searchList>) {
	const values: unknown[] = [];
	let token: string | undefined;
	for (let pages = 1; pages < 20; pages++) {
		const page = await load(token);
		values.push(...page.results.map(({ value }) => value));
		token = page.paginationToken as string | undefined;
		if (token === undefined) return values;
	}
	throw new Error('The list shows no end');
}

/** What to type where a list only searches. */
const typed = ({ searchBody }: PickerList) => (searchBody ? 'plan' : '');

beforeAll(() => {
	sandbox().state.webhooks.webhooks.add({
		id: 'whk-1',
		name: 'Billing',
		description: 'Charges',
		url: 'https://receiver.example.com/?secret=hidden',
		events: ['RecurringPayments.charge.paid'],
		token: 'a-token-of-the-webhook',
	});
});

describe.each(lists)('%s', (name, list) => {
	const form = formOf(name);
	const search = async (parameters: INodeParameters, credential = credentialOf(sandbox())) => {
		const chosen = { ...form.chosen, ...parameters };
		return await searchList(sandbox(), form.node, name, chosen, { typed: typed(list), credential });
	};

	test('offers choices', async () => {
		const { results } = await search(parents());
		expect(results.length).toBeGreaterThan(0);
		for (const { name: label, value } of results) {
			expect(typeof label).toBe('string');
			expect(`${label} ${value}`).not.toMatch(/undefined|\[object|secret/);
			expect(value).not.toBe('');
		}
		expect(new Set(results.map(({ value }) => value)).size).toBe(results.length);
	});

	test('names the scope when the key lacks it', async () => {
		const apiKey = sandbox().addKey({ scopes: ['ping:read'] });
		const failing = search(parents(), { baseUrl: sandbox().baseUrl, apiKey });
		await expect(failing).rejects.toThrow(`scope ${endpointOf(list.route).scope}`);
	});

	const parameters = [...list.route.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
	if (parameters.length > 0) {
		const load = async (chosen: INodeParameters) =>
			await loadOptions(sandbox(), form.node, name, { ...form.chosen, ...chosen });
		const first = /^Choose the (Customer|Partner|Workflow|Knowledge Base) first$/;
		const other = /^Run the previous node, or choose By ID$/;
		const quiet: Array<[unknown, RegExp]> = [
			['', first],
			[byId(''), first],
			// How the editor sends what it couldn't resolve.
			[null, other],
			['={{ $json.id }}', other],
			[{ __rl: true, mode: 'id' }, other],
			[byId('={{ $json.id }}'), other],
		];

		test('is offered for the path parameters alone, as locators and as plain IDs', async () => {
			const chosen = Object.entries(parents()).filter(([parent]) => parameters.includes(parent));
			for (const each of [chosen, chosen.map(([parent, { value }]) => [parent, value])]) {
				const given = Object.fromEntries(each) as INodeParameters;
				const more = { typed: typed(list) };
				const { results } = await searchList(sandbox(), form.node, name, given, more);
				expect(results.length).toBeGreaterThan(0);
			}
		});

		test.each(quiet)('waits quietly while %j is chosen', async (value, sentence) => {
			const chosen = { [parameters[0]]: value } as INodeParameters;
			const entry = { name: expect.stringMatching(sentence), value: '' };
			expect(await search(chosen)).toEqual({ results: [entry] });
			expect(await load(chosen)).toEqual([entry]);
			expect(sandbox().requests).toEqual([]);
		});
	}
});

describe('by external ID', () => {
	const search = async (list: string, text: string) =>
		await searchList(sandbox(), formOf(list).node, list, {}, { typed: text });

	test.each([
		['customers', '/customers/customer.json', () => customers()[310]],
		['partners', '/partners/partner.json', () => sandbox().state.partners.partners.rows[3]],
	])('finds one of %s, and says its ID', async (list, path, rowOf) => {
		const row = rowOf() as { id: string; externalId?: string; external_id?: string };
		const externalId = String(row.externalId ?? row.external_id);
		const { results } = await search(list, externalId);
		expect(results).toEqual([{ name: expect.stringMatching(`, ${externalId}$`), value: row.id }]);
		expect(sandbox().requests.map((each) => each.path.split('?')[0])).toEqual([path]);
	});

	test('takes no other record for it, and goes on in the list', async () => {
		const [other] = customers();
		const body = { id: other.id, externalId: 'other' };
		const path = '/customers/customer.json';
		sandbox().faults.add({ kind: 'status', status: 200, body, path });
		const { id, email } = customers()[319];
		const { results } = await search('customers', email!);
		expect(results.map(({ value }) => value)).toEqual([id]);
	});
});

const paged = lists.flatMap(([name, { route }]) => {
	const endpoint = endpointOf(route);
	return endpoint.kind === 'list' && endpoint.paging === 'paged' ? [name] : [];
});

test('every list that a form names exists, and one without paging is whole', () => {
	const named = Object.values(packageNodes()).flatMap(({ description, methods = {} }) => {
		const text = JSON.stringify(description.properties);
		const methodsOf = (key: string, offered: object = {}) =>
			[...text.matchAll(new RegExp(`"${key}":"(\\w+)"`, 'g'))].map(
				([, name]) => [name, offered[name as keyof typeof offered]] as const,
			);
		// Loaded options have no paging: a list with pages would be cut without a word.
		const loaded = methodsOf('loadOptionsMethod', methods.loadOptions);
		expect(loaded.filter(([name]) => paged.includes(name))).toEqual([]);
		return [
			...methodsOf('searchListMethod', methods.listSearch),
			...methodsOf('resourceMapperMethod', methods.resourceMapping),
			...loaded,
		];
	});
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter(([, method]) => typeof method !== 'function')).toEqual([]);
});

describe('where a page of more than 20 rows is refused, and one after the last', () => {
	const strict = sandboxFor({
		world: {
			...usualWorld,
			largestSize: '20',
			defaultSize: '10',
			oversize: 'refused',
			beyondEnd: 'refused',
			partialCounts: 'of the page',
		},
	});

	test('each choice once', async () => {
		const { types } = strict().state.contentBox;
		while (types.size < 60) types.add({ ...types.rows[0], id: `typ-of-paging-${types.size}` });
		const values = await scroll(
			async (token) => await searchList(strict(), node, 'contentTypes', {}, { token }),
		);
		expect(values).toEqual(types.rows.map(({ id }) => id));
	});
});

describe('search where the API has none', () => {
	const last = () => customers()[CUSTOMERS - 1];

	test.each([
		['its ID', () => last().id],
		['capitals and blanks', () => `  ${String(last().email).toUpperCase()} `],
	])('finds a row on the last page by %s', async (_by, text) => {
		const { results, paginationToken } = await searchCustomers({ typed: text() });
		expect(results.map(({ value }) => value)).toContain(last().id);
		expect(paginationToken).toBeUndefined();
		expect(queries().every((query) => !('search' in query))).toBe(true);
	});

	test('nothing found: an empty list without a token for more', async () => {
		const found = await searchCustomers({ typed: 'no such customer' });
		expect(found).toEqual({ results: [] });
		expect(sandbox().requests.length).toBeLessThanOrEqual(6);
	});

	test('many found: a part at first, the rest with the token, none twice', async () => {
		const { results } = await searchCustomers({ typed: '@' });
		expect(results.length).toBeGreaterThanOrEqual(20);
		expect(results.length).toBeLessThan(CUSTOMERS);
		const values = await scroll(async (token) => await searchCustomers({ typed: '@', token }));
		const withEmail = customers().filter(({ email }) => String(email).includes('@'));
		expect(values.sort()).toEqual(withEmail.map(({ id }) => id).sort());
	});
});

test('search where the API has one: it gets the text, and its choices are taken as they are', async () => {
	const [{ title, id }] = sandbox().state.contentBox.contents.rows;
	const { results } = await searchList(sandbox(), node, 'contents', {}, { typed: title });
	expect(results.map(({ value }) => value)).toContain(id);
	expect(queries()).toEqual([{ size: '100', page: '1', search: title }]);
});

test('a list that only searches asks nothing before there is a text', async () => {
	const name = 'knowledgeBaseDocuments';
	const form = formOf(name);
	const parameters = { ...form.chosen, ...parents() };
	const found = await searchList(sandbox(), form.node, name, parameters, { typed: ' ' });
	expect(found).toEqual({ results: [] });
	expect(sandbox().requests).toEqual([]);
});

test('a list of connections for embeddings offers no others', async () => {
	const { rows } = sandbox().state.aiConnections.connections;
	const fitting = rows.filter(({ purpose }) => purpose === 'embedding');
	expect(fitting.length).toBeLessThan(rows.length);
	const form = formOf('embeddingConnections');
	const { results } = await searchList(sandbox(), form.node, 'embeddingConnections');
	expect(results.map(({ value }) => value)).toEqual(fitting.map(({ id }) => id));
});

test.each([
	['embedding', 'embeddings'],
	['generation', 'chat'],
])('for a connection for %s only providers that are capable of it', async (purpose, needed) => {
	const offered = await loadOptions(sandbox(), 'platformAiGateway', 'aiProviders', { purpose });
	const capable = sandbox().state.aiConnections.providers.filter(({ capabilities }) =>
		capabilities.some((each) => each === needed),
	);
	expect(offered.map(({ value }) => value)).toEqual(capable.map(({ key }) => key));
	expect(offered[0].name).toContain(needed);
});

test('fees that are open come first, with amount and charge', async () => {
	const rows = [
		{ id: 'fee-1', fee_value: 12.5, source_charge: 'ch-1', status: 'paid' },
		{ id: 'fee-2', fee_value: 7, source_charge: 'ch-2', status: 'pending' },
	];
	const body = { entities: 'PartnerFees', elements: rows };
	const path = '/partners/{partnerId}/fees.json';
	sandbox().faults.add({ kind: 'status', status: 200, body, path });
	const parameters = { partnerId: parents().partnerId };
	const offered = await loadOptions(sandbox(), 'platformPartners', 'partnerFees', parameters);
	expect(offered.map(({ name }) => name)).toEqual([
		'fee-2, 7, charge ch-2, pending',
		'Already paid out: fee-1, 12.5, charge ch-1',
	]);
});

test('known values are offered and searched without a request', async () => {
	for (const [name, values] of Object.entries(knownValues)) {
		const all = await searchList(sandbox(), node, name);
		expect(all.results.map(({ value }) => value)).toEqual(values);
		const one = await searchList(sandbox(), node, name, {}, { typed: values[0].toUpperCase() });
		expect(one.results.map(({ value }) => value)).toContain(values[0]);
	}
	expect(sandbox().requests).toEqual([]);
});

test('loaded options are the whole list', async () => {
	const options = await loadOptions(sandbox(), node, 'webhookEventTypes');
	const { types } = sandbox().state.webhooks;
	expect(options.map(({ value }) => value)).toEqual(types);
	// The trigger's form names two of them itself.
	const others = await loadOptions(sandbox(), 'platformCustomersTrigger', 'otherEventTypes');
	const isOther = (type: string) => !/^RecurringPayments\.charge\.(paid|failed)$/.test(type);
	const rest = types.filter(isOther);
	const none = [{ name: 'The API offers your company no other events', value: '' }];
	expect(others).toEqual(
		rest.length > 0 ? rest.map((value) => expect.objectContaining({ value })) : none,
	);
	const more = { kind: 'status', status: 200, body: [...types, 'Customers.created'] } as const;
	sandbox().faults.add({ ...more, path: '/webhooks/types.json' });
	const now = await loadOptions(sandbox(), 'platformCustomersTrigger', 'otherEventTypes');
	expect(now.map(({ value }) => value)).toEqual([...rest, 'Customers.created']);
});

test('a mapper shows the fields of the chosen type', async () => {
	const [type] = sandbox().state.contentBox.types.rows;
	const entry = sandbox().state.contentBox.contents.rows.find(({ type_id }) => type_id === type.id);
	for (const form of [
		{ operation: 'create', typeId: byId(type.id) },
		{ typeId: type.id },
		{ operation: 'update', contentId: byId(String(entry?.id)) },
		{ contentId: String(entry?.id) },
	]) {
		const fields = mapperFields(sandbox(), 'platformContentBox', 'contentFields', form);
		expect((await fields).fields.map(({ id }) => id)).toEqual(Object.keys(type.fields));
	}
});

describe('plans', () => {
	test.each([
		[
			'with plan_id and plan_name',
			'plan_id and plan_name',
			{ name: 'Basic, plan-basic', value: 'plan-basic' },
		],
		[
			'without a plan',
			'nothing more',
			{ name: expect.stringContaining('shows no plan. Choose By ID') as string, value: '' },
		],
	] as const)('of a list %s', async (_title, recurringRows, first) => {
		const other = await startSandbox({ customers: 20, world: { ...usualWorld, recurringRows } });
		const { results } = await searchList(other, node, 'plans', {}, {});
		await other.close();
		expect(results).toContainEqual(first);
		// Each plan once, however many rows have it.
		expect(new Set(results.map(({ value }) => value)).size).toBe(results.length);
	});

	test('are chosen in new nodes, and typed in those of version 1', async () => {
		const form = { customerId: byId(customers()[0].id) };
		for (const [typeVersion, plan] of [
			[1, 'plan-basic'],
			[1.1, byId('plan-basic')],
		] as const) {
			const { error } = await run(
				sandbox(),
				node,
				'subscription.create',
				{ ...form, plan },
				{ settings: { typeVersion } },
			);
			expect(error).toBeUndefined();
			expect(sandbox().requests.at(-1)?.body).toMatchObject({ subscription: { id: 'plan-basic' } });
		}
	});
});
