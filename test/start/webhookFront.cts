// HTTPS in front of n8n, for the webhook deliveries of the sandbox: the service delivers to HTTPS
// addresses only, while the editor is friendlier over plain HTTP than with a self-signed certificate.

import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { PUBLIC_HOST, selfMadeCertificate } from '../sandbox/tls.cts';

export interface WebhookFront {
	url: string;
	/** The certificate that senders have to trust (PEM). */
	ca: string;
	close(): Promise<void>;
}

/** Passes every HTTPS request to this port on to n8n's, both on loopback. */
export async function startWebhookFront(port: number, n8nPort: number): Promise<WebhookFront> {
	const { key, cert } = selfMadeCertificate();
	const server = createServer({ key, cert }, (incoming, outgoing) => {
		const { method, url: path, headers } = incoming;
		const onward = request({ host: '127.0.0.1', port: n8nPort, method, path, headers });
		onward.on('response', (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		onward.on('error', () => outgoing.destroy());
		incoming.pipe(onward);
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `https://${PUBLIC_HOST}:${port}/`,
		ca: cert,
		close: async () => {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
