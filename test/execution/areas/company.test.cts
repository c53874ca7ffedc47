// Platform Company: the company, currencies, the service, and what a key may read.
import { probes } from '../../../dist/nodes/Company/checkAccess.js';
import { endpoints } from '../../contract/contract.cts';
import { told } from '../host/host.cts';
import { areaOf } from '../host/run.cts';

const { sandbox, run } = areaOf('platformCompany');

describe('currency', () => {
	test('amounts are converted, item by item', async () => {
		const code = (value: string) => ({ __rl: true, mode: 'name', value });
		const { items } = await run(
			'currency.convert',
			{ amount: '={{ $json.n }}', fromCurrency: code('eur'), toCurrency: code('USD') },
			{ items: [{ n: 100 }, { n: 0.5 }] },
		);
		expect(items.map(({ json }) => json)).toEqual([
			{ from: 'EUR', to: 'USD', rate: 1.1, amount: 110 },
			{ from: 'EUR', to: 'USD', rate: 1.1, amount: 0.55 },
		]);
	});

	test('a currency that the API lacks: the error says where those that it takes stand', async () => {
		const currencies = { fromCurrency: 'EUR', toCurrency: 'XXX' };
		const { error } = await run('currency.convert', { amount: 1, ...currencies });
		expect(told(error)).toContain('Currency → Get Many lists those that you can use.');
	});
});

describe('check access', () => {
	const readScopes = [
		...new Set(endpoints.flatMap(({ scope }) => (scope?.endsWith(':read') ? [scope] : []))),
	];

	const check = async (scopes?: string[]) => {
		const apiKey = scopes ? sandbox().addKey({ scopes }) : sandbox().key;
		const { items, error } = await run(
			'service.checkAccess',
			{},
			{ credential: { baseUrl: sandbox().baseUrl, apiKey } },
		);
		return { error, rows: items.map(({ json }) => json) };
	};

	test('covers each read scope of the API once, by a GET that requires it', () => {
		expect(readScopes.length).toBeGreaterThan(20);
		expect(probes.map(({ scope }) => scope).sort()).toEqual([...readScopes].sort());
		for (const { scope, route } of probes) {
			const [, path] = route.split(' ');
			expect(endpoints).toContainEqual(expect.objectContaining({ method: 'GET', path, scope }));
		}
	});

	test('a key with all scopes has each of them', async () => {
		const { rows } = await check();
		expect(rows).toHaveLength(readScopes.length);
		for (const row of rows) expect(row).toMatchObject({ access: 'yes' });
		expect(rows.find(({ scope }) => scope === 'customers:read')).toEqual({
			scope: 'customers:read',
			access: 'yes',
			status: 200,
			answer: 'OK',
			endpoint: 'GET /customers.json',
		});
		expect(sandbox().requests.map(({ method }) => method)).not.toContain('POST');
		expect(sandbox().requests.length).toBeLessThanOrEqual(readScopes.length + 2);
	});

	test('a scope is found by its list, by the rows of that, or by an ID that is made up', async () => {
		const { rows } = await check(['customers:read', 'customer_properties:read', 'idp:read']);
		const found = rows.map(({ scope, access, status, answer }) => [
			scope,
			[access, status, answer],
		]);
		expect(Object.fromEntries(found)).toMatchObject({
			'company:read': ['no', 403, 'Insufficient scope'],
			'companies_open_data:read': ['no', 403, 'Insufficient scope'],
			'customers:read': ['yes', 200, 'OK'],
			'customer_properties:read': ['yes', 200, 'OK'],
			'customer_subscriptions:read': ['no', 403, 'Insufficient scope'],
			'idp:read': ['yes', 404, expect.any(String)],
			'workflow:read': ['no', 403, 'Insufficient scope'],
			'workflow_traces:read': ['unknown', null, expect.any(String)],
		});
	});

	test('what an answer does not tell stays unknown, and a refusal needs no word', async () => {
		const answer = (path: string, status: number, body: unknown) =>
			sandbox().faults.add({ kind: 'status', path, status, body: body as never });
		answer('/partners.json', 422, { error: 'Module is switched off' });
		answer('/customers.json', 403, 'null');
		// It doesn't say that the key is invalid.
		answer('/dns/capabilities.json', 401, { error: 'Scope missing' });
		const { rows } = await check();
		const told = rows.map(({ scope, access, status, answer: says }) => [
			scope,
			access,
			status,
			says,
		]);
		const answered = [
			['customers:read', 'no', 403, 'No reason given'],
			['dns:read', 'no', 401, 'Scope missing'],
			['partners:read', 'unknown', 422, 'Module is switched off'],
		];
		expect(told).toEqual(expect.arrayContaining(answered));
		// Below a customer, of whom there is none.
		const needsRows = expect.stringContaining('GET /customers.json');
		const below = rows.filter(({ endpoint }) => String(endpoint).includes('{customerId}'));
		expect(below.length).toBeGreaterThan(1);
		for (const row of below) {
			expect(row).toMatchObject({ access: 'unknown', status: null, answer: needsRows });
		}
		const others = told.filter(([, access]) => access !== 'yes');
		expect(others).toHaveLength(answered.length + below.length);
	});

	test('an invalid key is one error', async () => {
		const { error, items } = await run(
			'service.checkAccess',
			{},
			{ credential: { baseUrl: sandbox().baseUrl, apiKey: 'wrong-key-0815' } },
		);
		expect(items).toEqual([]);
		expect(error).toMatchObject({ httpCode: '401' });
		expect(error?.message).toContain('Invalid token');
		expect(JSON.stringify(error)).not.toContain('wrong-key-0815');
	});

	test('a page of something else than the API is an error, not access', async () => {
		sandbox().faults.add({ kind: 'html' });
		const { error, rows } = await check();
		expect(rows).toEqual([]);
		expect(error?.message).toContain('HTML instead of JSON');
	});
});
