// A service of webhooks and nothing else, over HTTP, that shows what it was given in a form of its
// own. The reference does not say that a service shows it unchanged.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a registration sends (reference: Webhooks). */
export interface Sent {
	name: string;
	url: string;
	events: string[];
	description?: string;
}

/** A webhook as the service keeps it; deliveries go to `url`. */
export interface Kept extends Sent {
	id: number;
	token: string;
}

/** What a service makes of a webhook; whatever is left out stays as it was sent. */
export interface Habits {
	/** How it is kept. */
	keeps?: (sent: Sent) => Partial<Sent>;
	/** How it stands in the list. */
	lists?: (webhook: Kept) => object;
	/** How its creation is answered. */
	answers?: (webhook: Kept) => object;
}

export interface WebhookService {
	/** The credential for it. */
	credential: { baseUrl: string; apiKey: string };
	rows: Kept[];
	/** Methods of the requests so far. */
	methods: string[];
	habits: Habits;
	close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<{ webhook: Sent }> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return JSON.parse(Buffer.concat(chunks).toString()) as { webhook: Sent };
}

/** Starts it on a free port of this machine; its first id is 1. */
export async function startWebhookService(): Promise<WebhookService> {
	let ids = 0;
	const service = { rows: [] as Kept[], methods: [] as string[], habits: {} as Habits };

	const answerTo = async (request: IncomingMessage): Promise<[number, object]> => {
		const { method = '', url = '' } = request;
		const { keeps, lists, answers } = service.habits;
		if (method === 'POST') {
			const { webhook } = await bodyOf(request);
			const row: Kept = {
				...webhook,
				...keeps?.(webhook),
				id: (ids += 1),
				token: `token-of-webhook-${ids}`,
			};
			service.rows.push(row);
			return [201, answers?.(row) ?? row];
		}
		if (method === 'DELETE') {
			const id = Number(/(\d+)\.json$/.exec(url)?.[1]);
			if (!service.rows.some((row) => row.id === id)) {
				return [404, { error: 'Webhook not found.' }];
			}
			service.rows = service.rows.filter((row) => row.id !== id);
			return [200, { id, deleted: true }];
		}
		const elements = service.rows.map((row) => ({
			...row,
			token: '********',
			...lists?.(row),
		}));
		const pages = { current: 1, max: 1 };
		return [200, { entities: 'Webhook', count: elements.length, per_page: 100, pages, elements }];
	};

	const server = createServer((request: IncomingMessage, response: ServerResponse) => {
		service.methods.push(String(request.method));
		void answerTo(request).then(([status, body]) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(body));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return Object.assign(service, {
		credential: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key-of-the-service' },
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	});
}
