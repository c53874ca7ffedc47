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

	test('nothing found where an id is made up shows the scope', async () => {
		const { rows } = await check(['idp:read']);
		const made = rows.filter(({ scope }) =>
			['idp:read', 'companies_open_data:read'].includes(String(scope)),
		);
		expect(made).toEqual([
			expect.objectContaining({ access: 'no', status: 403 }),
			expect.objectContaining({ access: 'yes', status: 404 }),
		]);
	});

	test('with the scope of the list, what depends on its rows is found out', async () => {
		const { rows } = await check(['customers:read', 'customer_properties:read']);
		const access = Object.fromEntries(rows.map((row) => [row.scope, row.access]));
		expect(access).toMatchObject({
			'customers:read': 'yes',
			'customer_properties:read': 'yes',
			'customer_subscriptions:read': 'no',
			'workflow:read': 'no',
			'workflow_traces:read': 'unknown',
		});
		expect(rows.find(({ scope }) => scope === 'company:read')).toMatchObject({
			access: 'no',
			status: 403,
			answer: 'Insufficient scope',
		});
	});

	test('what an answer does not tell stays unknown, with status and message', async () => {
		sandbox().faults.add({
			kind: 'status',
			status: 422,
			body: { error: 'Module is switched off' },
			path: '/partners.json',
		});
		const { rows } = await check();
		const others = rows.filter(({ access }) => access !== 'yes');
		expect(others).toEqual([
			{
				scope: 'partners:read',
				access: 'unknown',
				status: 422,
				answer: 'Module is switched off',
				endpoint: 'GET /partners.json',
			},
		]);
	});

	test('a refusal without a word is no access, and leaves what depends on it unknown', async () => {
		sandbox().faults.add({ kind: 'status', status: 403, body: 'null', path: '/customers.json' });
		const { rows } = await check();
		const others = rows.filter(({ access }) => access !== 'yes');
		expect(others.map(({ scope, access, answer }) => [scope, access, answer])).toEqual([
			['customers:read', 'no', 'No reason given'],
			['customer_properties:read', 'unknown', expect.stringContaining('GET /customers.json')],
			['customer_subscriptions:read', 'unknown', expect.stringContaining('GET /customers.json')],
		]);
	});

	test('a 401 that does not say that the key is invalid is an answer about the scope', async () => {
		sandbox().faults.add({
			kind: 'status',
			status: 401,
			body: { error: 'Scope missing' },
			path: '/dns/capabilities.json',
		});
		const { rows } = await check();
		expect(rows.find(({ scope }) => scope === 'dns:read')).toMatchObject({
			access: 'no',
			status: 401,
			answer: 'Scope missing',
		});
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
