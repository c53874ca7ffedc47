/** Webhooks and the events that they can subscribe to. Reference: 'Webhooks', 'Events'. */
import { randomBytes } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import type { World } from '../../contract/worlds.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { refuse } from '../refusals.cts';

interface Webhook {
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
	/** IDs of those that were registered by a request, and how often their deletion was asked for. */
	registered: Map<string, number>;
	/** What the next reading of the list doesn't show yet. */
	late: { made: Set<string>; deleted: Webhook[] };
}

interface WebhookInput {
	name: string;
	url: string;
	events: string[] | string;
	description?: string;
}

/** How an address is shown, where that is not how it is kept. */
const shownUrls: Partial<Record<World['webhookUrls'], (url: string) => string>> = {
	'shown with a masked query': (url) => url.replace(/=[^&]+/g, '=***'),
	'shown with http:': (url) => url.replace(/^https:/, 'http:'),
	'shown without its scheme': (url) => url.replace(/^https:/, ''),
	'shown with doubled slashes': (url) => url.replace(/(?<=\w)\/(?=\w)/g, '//'),
	'shown with encoded letters': (url) => url.replace(/(?<=\/\w*)o/g, '%6f'),
	'shown with a dot after the host': (url) => url.replace(/\.com(?=[:/])/, '.com.'),
};

/** A webhook as it is shown after it was made. */
function redacted({ world }: Call, webhook: Webhook): Webhook {
	return {
		...webhook,
		url: shownUrls[world.webhookUrls]?.(webhook.url) ?? webhook.url,
		token: `${webhook.token.slice(0, 4)}********`,
	};
}

/** An address as it is kept. */
function asKept({ world }: Call, address: string): string {
	if (world.webhookUrls === 'cut after 120 characters') return address.slice(0, 120);
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

/** What the list shows, which may be old or lack some. */
function listed({ world, state, query }: Call): readonly Webhook[] {
	const { webhooks: book, registered, late } = state.webhooks;
	if (world.webhookList === 'at once') return book.rows;
	if (world.webhookList === 'never') {
		return book.rows.filter(({ id }) => !registered.has(id));
	}
	const rows = [...book.rows.filter(({ id }) => !late.made.has(id)), ...late.deleted];
	const isFirstPage = Number(query.page ?? 1) === 1;
	if (isFirstPage) state.webhooks.late = { made: new Set(), deleted: [] };
	return rows;
}

/** @throws what the world answers in place of a deletion */
function mayBeDeleted({ world, state }: Call, { id }: Webhook): void {
	const { registered } = state.webhooks;
	const attempts = registered.get(id);
	if (attempts === undefined || world.webhookDeletion === 'always') return;
	registered.set(id, attempts + 1);
	if (world.webhookDeletion === 'never' || attempts === 0) {
		throw refuse('conflict', 'This webhook is in use');
	}
}

export const webhooks: Area<WebhooksState> = {
	seed: () => ({
		webhooks: new Collection(),
		registered: new Map(),
		late: { made: new Set(), deleted: [] },
		types: ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'],
	}),

	endpoints: {
		'GET /webhooks.json': (call) =>
			envelope(call, listed(call), {
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
				const id = call.newId('whk');
				call.state.webhooks.registered.set(id, 0);
				call.state.webhooks.late.made.add(id);
				return book.add({
					id,
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

		'DELETE /webhooks/{webhookId}.json': (call) => {
			const webhook = webhookOf(call);
			mayBeDeleted(call, webhook);
			call.state.webhooks.late.deleted.push(webhook);
			return call.state.webhooks.webhooks.deleted(webhook);
		},
	},
};
