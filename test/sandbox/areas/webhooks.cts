/** Webhooks and the events that they can subscribe to. Reference: 'Webhooks', 'Events'. */
import { randomBytes } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { refuse } from '../refusals.cts';

export interface Webhook {
	id: string;
	name: string;
	description: string;
	url: string;
	events: string[];
	/** In full; answers show it so only once. */
	token: string;
}

export interface WebhooksState {
	webhooks: Collection<Webhook>;
	/** The event names on offer. */
	types: string[];
}

interface WebhookInput {
	name: string;
	url: string;
	events: string[] | string;
	description?: string;
}

/** A webhook as it is shown after it was made. */
function redacted({ world }: Call, webhook: Webhook): Webhook {
	const isMasked = world.webhookUrls === 'shown with a masked query';
	return {
		...webhook,
		url: isMasked ? webhook.url.replace(/=[^&]+/g, '=***') : webhook.url,
		token: `${webhook.token.slice(0, 4)}********`,
	};
}

/** An address as it is kept. */
function asKept({ world }: Call, address: string): string {
	if (!world.webhookUrls.startsWith('normalised')) return address;
	const url = new URL(address);
	if (world.webhookUrls === 'normalised, its query sorted') url.searchParams.sort();
	return url.href;
}

/** A text as it is kept. */
const asWritten = ({ world }: Call, text = '') =>
	world.webhookTexts === 'cut' ? text.slice(0, 12) : text;

const webhookOf = ({ state, params }: Call): Webhook =>
	state.webhooks.webhooks.need(params.webhookId, 'unknownWebhook');

export const webhooks: Area<WebhooksState> = {
	seed: () => ({
		webhooks: new Collection(),
		types: ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'],
	}),

	endpoints: {
		'GET /webhooks.json': (call) =>
			envelope(call, call.state.webhooks.webhooks.rows, {
				entities: 'Webhook',
				element: (webhook) => redacted(call, webhook),
			}),

		'POST /webhooks.json': {
			invalid: 'badWebhook',
			handle: (call) => {
				const { webhook: input } = call.body as { webhook: WebhookInput };
				const events = [input.events].flat();
				const isHttps = URL.canParse(input.url) && new URL(input.url).protocol === 'https:';
				if (!input.name || !isHttps || events.length === 0) throw refuse('badWebhook');
				const { types, webhooks: book } = call.state.webhooks;
				if (events.some((event) => !types.includes(event))) throw refuse('unsupportedEvent');
				const url = asKept(call, input.url);
				const isTwice = book.rows.some(
					(one) => one.url === url && events.every((event) => one.events.includes(event)),
				);
				if (isTwice && call.world.sameWebhook === 'refused') {
					throw refuse('conflict', 'This webhook is registered already');
				}
				return book.add({
					id: call.newId('whk'),
					name: asWritten(call, input.name),
					description: asWritten(call, input.description),
					url,
					events,
					token: randomBytes(24).toString('hex'),
				});
			},
		},

		'GET /webhooks/types.json': ({ state }) => state.webhooks.types,

		'GET /webhooks/{webhookId}.json': (call) => redacted(call, webhookOf(call)),

		'DELETE /webhooks/{webhookId}.json': (call) =>
			call.state.webhooks.webhooks.deleted(webhookOf(call)),
	},
};
