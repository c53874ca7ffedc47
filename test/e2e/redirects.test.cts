// n8n's own HTTP Request node with the credential, in a real n8n: the key stays with the host that it was sent to, whatever
// that host answers, and whatever the node is told.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rowOf, start, type Part } from '../n8n/parts.cts';
import { setting } from '../n8n/setting.cts';

const running = setting({ credentialName: 'Redirects', sandbox: { customers: 1 } });

const hosts: Server[] = [];

/** What came: the host, the path, and if the key was with it. */
const got: string[] = [];

const urlOf = (host: number) => `http://127.0.0.1:${(hosts[host].address() as AddressInfo).port}`;

beforeAll(async () => {
	for (const host of [0, 1]) {
		const server = createServer((request, response) => {
			const { pathname, searchParams } = new URL(String(request.url), 'http://any');
			const hasKey = JSON.stringify(request.headers).includes(running().sandbox.key);
			got.push(`${host}${pathname} ${hasKey ? 'key' : 'no key'}`);
			const to = searchParams.get('to');
			if (to)
				response.writeHead(Number(pathname.slice(1)), { location: `${urlOf(Number(to))}/end` });
			else response.writeHead(200, { 'content-type': 'application/json' });
			response.end('{}');
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		hosts.push(server);
	}
});

beforeEach(() => got.splice(0));

afterAll(() => hosts.forEach((server) => server.close()));

/** Up to version 4.3 the node sends credentials anywhere by itself. Later ones can be told to. */
const versions: Array<[version: number, options: object]> = [
	[4.2, {}],
	[4.4, { sendCredentialsOnCrossOriginRedirect: true }],
];

/** A redirect that a GET follows, and one that keeps the method. */
const kinds = ['GET 302', 'POST 307'];

describe.each(versions)('HTTP Request %d', (version, options) => {
	test.each(kinds)('%s', async (kind) => {
		const { n8n, credential } = running();
		const [method, status] = kind.split(' ');
		const outcome = async (to: number) => {
			got.splice(0);
			const request: Part = {
				name: 'Request',
				type: 'n8n-nodes-base.httpRequest',
				version,
				parameters: {
					method,
					url: `${urlOf(0)}/${status}?to=${to}`,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: 'platformApi',
					options,
				},
				credential: 'platformApi',
			};
			const { id } = await n8n.client.importWorkflow(rowOf('Redirects', start, request), [
				credential,
			]);
			const execution = await n8n.client.runWorkflow(id);
			return [execution.status, ...got];
		};
		expect(await outcome(0)).toEqual(['success', `0/${status} key`, '0/end key']);
		expect(await outcome(1)).toEqual(['success', `0/${status} key`, '1/end no key']);
	});
});
