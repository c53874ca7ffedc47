import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { runNode } from './host/host.cts';
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ customers: 250 });
});
afterAll(async () => {
	await sandbox.close();
});
const cred = () => ({ baseUrl: sandbox.baseUrl, apiKey: sandbox.key });
test('get many', async () => {
	const r = await runNode({
		node: 'platformCustomers',
		credential: cred(),
		parameters: { resource: 'customer', operation: 'getAll', returnAll: true },
	});
	console.log(r.error, r.items.length, r.items[0], r.hints, sandbox.requests.length);
	const c = await runNode({
		node: 'platformCustomers',
		credential: cred(),
		items: [{ e: 'a@b.co' }, { e: 'bad' }, { e: 'c@d.co' }],
		settings: { onError: 'continueErrorOutput' },
		then: '{{ $("Source").item.json.e }}',
		parameters: { resource: 'customer', operation: 'create', email: '={{ $json.e }}' },
	});
	console.log(JSON.stringify(c.items), JSON.stringify(c.errors), c.then, c.error);
	const d = await runNode({
		node: 'platformCustomers',
		credential: cred(),
		parameters: {
			resource: 'customer',
			operation: 'get',
			customerId: { __rl: true, mode: 'id', value: 'nope' },
		},
	});
	console.log(d.error?.message, d.error?.description, d.error?.context);
	const k = await runNode({
		node: 'platformCustomers',
		credential: { ...cred(), apiKey: 'wrong-key-123' },
		parameters: { resource: 'customer', operation: 'getAll' },
	});
	console.log(k.error?.message, JSON.stringify(k.run.data).includes('wrong-key-123'));
	console.log(
		sandbox.problems,
		sandbox.requests.slice(-9).map((r) => r.method + ' ' + r.path + ' ' + r.status),
	);
});
