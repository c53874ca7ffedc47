/** Deliveries of charge events to webhooks, over TLS. */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { DeliveryOptions } from '../../sandbox/index.cts';
import { selfMadeCertificate } from '../../sandbox/tls.cts';
import { open } from './client.cts';

const paid = 'RecurringPayments.charge.paid';
const failed = 'RecurringPayments.charge.failed';
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

/** Resolves when the receiver was asked once; at most 5 seconds later. */
async function firstTry(): Promise<void> {
	for (let waited = 0; received.length === 0 && waited < 5000; waited += 10) {
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	expect(received.length).toBeGreaterThan(0);
}

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

test('tries again when the receiver does not answer in time', async () => {
	const { sandbox, charge, close } = await openWithWebhook({
		ca: certificate.cert,
		timeoutMs: 300,
	});
	answers = [null];
	sandbox.settle(await charge(), 'paid');
	await sandbox.deliveriesSettled();
	expect(received).toHaveLength(2);
	expect(sandbox.deliveries[0].attempts).toMatchObject([
		{ error: expect.stringMatching(/timeout/i) },
		{ status: 200 },
	]);
	await close();
});

test('gives up after its last try, and on a certificate that it cannot verify', async () => {
	const { sandbox, charge, close } = await openWithWebhook({ attempts: 2 });
	sandbox.settle(await charge(), 'paid');
	await sandbox.deliveriesSettled();
	expect(received).toEqual([]);
	expect(sandbox.deliveries).toMatchObject([
		{
			state: 'failed',
			attempts: [{ error: expect.stringMatching(/self-signed/) }, {}],
		},
	]);
	await close();
});

test('stops when the webhook is deleted', async () => {
	const opened = await openWithWebhook({ rejectUnauthorized: false, backoffMs: 200 }, [
		paid,
		failed,
	]);
	const { sandbox, send, charge, webhook, close } = opened;
	answers = [500, 500, 500, 500, 500, 500];
	sandbox.settle(await charge(), 'failed');
	await firstTry();
	await send('DELETE', `/webhooks/${webhook.id}.json`);
	await sandbox.deliveriesSettled();
	expect(sandbox.deliveries).toMatchObject([{ event: failed, state: 'cancelled' }]);
	expect(received.length).toBeLessThan(3);
	await close();
});

test('ends pending deliveries when it is closed', async () => {
	const { sandbox, charge, close } = await openWithWebhook({
		rejectUnauthorized: false,
		backoffMs: 60_000,
	});
	answers = [500];
	sandbox.settle(await charge(), 'paid');
	await firstTry();
	await close();
	expect(sandbox.deliveries).toMatchObject([{ state: 'cancelled' }]);
});
