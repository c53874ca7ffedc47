/** Deliveries of charge events to webhooks, over TLS. */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { DeliveryOptions } from '../../sandbox/index.cts';
import { selfMadeCertificate } from '../../sandbox/tls.cts';
import { open } from './client.cts';

const paid = 'RecurringPayments.charge.paid';
const certificate = selfMadeCertificate();

let receiver: Server;
let url: string;
let received: { url?: string; headers: IncomingHttpHeaders; body: string }[];
/** The statuses with which the receiver answers; 200 when none is left, null for no answer. */
let answers: (number | null)[];

beforeEach(async () => {
	received = [];
	answers = [];
	receiver = createServer(certificate, (request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
		request.on('end', () => {
			received.push({ url: request.url, headers: request.headers, body });
			const [answer = 200] = answers.splice(0, 1);
			if (answer !== null) response.writeHead(answer).end();
		});
	});
	await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
	url = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterEach(() => {
	receiver.closeAllConnections();
	receiver.close();
});

async function openWithWebhook(deliveries: DeliveryOptions, events: string[] = [paid]) {
	const opened = await open({ customers: 1, deliveries: { backoffMs: 10, ...deliveries } });
	const { sandbox, send } = opened;
	const { body: webhook } = await send<{ id: string; token: string }>('POST', '/webhooks.json', {
		webhook: { name: 'Test', url: `${url}/hook?secret=1`, events },
	});
	const charge = async () => {
		const customer = sandbox.state.customers.customers.rows[0].id;
		const { body } = await send<{ id: string }>('POST', `/customers/${customer}/charges.json`, {
			charge: { services: [{ name: 'Seat', amount: 3 }] },
		});
		return body.id;
	};
	return { ...opened, webhook, charge };
}

test('delivers an event once to each webhook that wants it', async () => {
	const { sandbox, charge, webhook, close } = await openWithWebhook({ ca: certificate.cert });
	const id = await charge();
	sandbox.settle(await charge(), 'failed');
	sandbox.settle(id, 'paid');
	expect(sandbox.settle(id, 'failed')).toMatchObject({ status: 'paid' });
	sandbox.settle(id, 'paid');
	await sandbox.deliveriesSettled();
	expect(received).toHaveLength(1);
	const [{ headers, body, url: path }] = received;
	expect(path).toBe('/hook?secret=1');
	expect(JSON.parse(body)).toMatchObject({ event: paid, data: { charge: { id, status: 'paid' } } });
	const signature = createHmac('sha256', webhook.token).update(body).digest('hex');
	expect(headers['x-sandbox-signature']).toBe(`sha256=${signature}`);
	expect(sandbox.deliveries).toMatchObject([
		{
			id: headers['x-sandbox-delivery'],
			event: paid,
			webhookId: webhook.id,
			state: 'delivered',
			attempts: [{ status: 200 }],
		},
	]);
	await close();
});

test('tries again with the same id', async () => {
	const { sandbox, charge, close } = await openWithWebhook({ rejectUnauthorized: false });
	answers = [500, 401];
	sandbox.settle(await charge(), 'paid');
	await sandbox.deliveriesSettled();
	const ids = received.map(({ headers }) => headers['x-sandbox-delivery']);
	expect(ids).toHaveLength(3);
	expect(new Set(ids).size).toBe(1);
	expect(sandbox.deliveries[0].attempts.map(({ status }) => status)).toEqual([500, 401, 200]);
	await close();
});
