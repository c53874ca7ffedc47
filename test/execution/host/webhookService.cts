// A service of webhooks and nothing else, over HTTP, that shows what it was given in a form of its
// own. The reference does not say that a service shows it unchanged.
import { Service, type Received, type Reply } from './service.cts';

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

/** Keeps webhooks; its first id is 1. */
export class WebhookService extends Service {
	rows: Kept[] = [];

	habits: Habits = {};

	private ids = 0;

	constructor() {
		super();
		this.behave((request) => this.replyTo(request));
	}

	private replyTo({ method, path, body }: Received): Reply {
		const { keeps, lists, answers } = this.habits;
		if (method === 'POST') {
			const sent = body.webhook as Sent;
			this.ids += 1;
			const row = {
				...sent,
				...keeps?.(sent),
				id: this.ids,
				token: `token-of-webhook-${this.ids}`,
			};
			this.rows.push(row);
			return { status: 201, body: answers?.(row) ?? row };
		}
		if (method === 'DELETE') {
			const id = Number(/(\d+)\.json$/.exec(path)?.[1]);
			if (!this.rows.some((row) => row.id === id)) {
				return { status: 404, body: { error: 'Webhook not found.' } };
			}
			this.rows = this.rows.filter((row) => row.id !== id);
			return { body: { id, deleted: true } };
		}
		const elements = this.rows.map((row) => ({ ...row, token: '********', ...lists?.(row) }));
		const pages = { current: 1, max: 1 };
		return {
			body: { entities: 'Webhook', count: elements.length, per_page: 100, pages, elements },
		};
	}
}
