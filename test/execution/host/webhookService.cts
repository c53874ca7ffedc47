// A service of webhooks and nothing else, over HTTP, that shows what it was given in a form of its
// own. The reference does not say that a service shows it unchanged.
import { Service, type Received, type Reply } from './service.cts';

/** What a registration sends (reference: Webhooks). */
interface Sent {
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
	/** What it refuses to keep. */
	refuses?: (sent: Sent, rows: Kept[]) => Reply | undefined;
	/** How it is kept. */
	keeps?: (sent: Sent) => Partial<Sent>;
	/** How it stands in the list. */
	lists?: (webhook: Kept) => object;
	/** How its creation is answered. */
	answers?: (webhook: Kept) => object;
	/** Which of them the list has. */
	shows?: (rows: Kept[]) => Kept[];
	/** Its count, where that is not the number of its rows. */
	counts?: number;
	/** The answer to a deletion. */
	removes?: (webhook: Kept) => Reply | undefined;
	/** The answer to the look-up of an ID that there is none of. */
	misses?: Reply;
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
		const { refuses, keeps, lists, answers, shows, counts, removes, misses } = this.habits;
		if (method === 'POST') {
			const sent = body.webhook as Sent;
			const refused = refuses?.(sent, this.rows);
			if (refused) return refused;
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
		const shown = (row: Kept) => ({ ...row, token: '********', ...lists?.(row) });
		const [, number] = /^\/webhooks\/(\d+)\.json/.exec(path) ?? [];
		if (number !== undefined) {
			const id = Number(number);
			const row = this.rows.find((each) => each.id === id);
			if (!row) return misses ?? { status: 404, body: { error: 'Webhook not found.' } };
			if (method !== 'DELETE') return { body: shown(row) };
			const refusal = removes?.(row);
			if (refusal) return refusal;
			this.rows = this.rows.filter((each) => each.id !== id);
			return { body: { id, deleted: true } };
		}
		const elements = (shows?.(this.rows) ?? this.rows).map(shown);
		const count = counts ?? elements.length;
		const pages = { current: 1, max: 1 };
		return { body: { entities: 'Webhook', count, per_page: 100, pages, elements } };
	}
}
