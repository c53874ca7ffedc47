// What pickers offer: lists of the API, and values that the reference shows without saying that
// they are all.
import type { IDataObject } from 'n8n-workflow';

import type { ListShape } from './client/list/rows';
import type { Route } from './endpoints';

export interface PickerList {
	/** The endpoint; parameters of its path are fields of the form, such as the chosen partner. */
	route: Route;
	/** Where the rows are, if the endpoint does not answer with a list. */
	shape?: ListShape;
	/** Query parameter by which the API itself searches. */
	searchParameter?: string;
	/** Body of a POST that searches, for what has no list; it asks for a text first. */
	searchBody?: (text: string) => IDataObject;
	/** Further query parameters. */
	query?: () => IDataObject;
	/** Field of a row that is the value; a row that is a text is its own. Default `id`. */
	value?: string;
	/** What a row shows, from its fields; only texts and numbers are shown. */
	label: (row: IDataObject) => unknown[];
	/** What a row that is a text shows, itself unless said otherwise. */
	text?: (row: string) => string;
	/** Rows that are no choice, such as a connection of another purpose, are left out; `held` is what the form holds. */
	only?: (row: IDataObject, held: (field: string) => unknown) => boolean;
	/** Rows that come before the others. */
	first?: (row: IDataObject) => boolean;
}

const DAY = 24 * 60 * 60 * 1000;

/** The date, YYYY-MM-DD, so many days from today. */
function dayFromNow(days: number): string {
	return new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
}

/** `RecurringPayments.charge.paid` -> `Charge paid (RecurringPayments.charge.paid)`. */
function readableEvent(event: string): string {
	const words = event.split('.').slice(-2).join(' ').replace(/_/g, ' ').trim();
	return `${words.charAt(0).toUpperCase()}${words.slice(1)} (${event})`;
}

/** What a provider must be capable of, by the purpose of a connection (AI Gateway, Provider). */
const needs: Record<string, string | undefined> = { embedding: 'embeddings', generation: 'chat' };

/** A list, and what is shown of its rows: fields by name, or whatever is made of a row. */
const list = (
	route: Route,
	shown: string[] | PickerList['label'],
	more: Omit<PickerList, 'route' | 'label'> = {},
): PickerList => ({
	route,
	label: Array.isArray(shown) ? (row) => shown.map((name) => row[name]) : shown,
	...more,
});

const CONNECTIONS: Route = 'GET /ai-gateway/connections.json';
const CAPABILITIES: Route = 'GET /dns/capabilities.json';

/** Fields of a row that can be disabled, and whether it is. */
const orDisabled =
	(...fields: string[]): PickerList['label'] =>
	(row) => [...fields.map((name) => row[name]), row.status === 'disabled' && 'disabled'];

/** Named as the method that a field's `searchListMethod` or `loadOptionsMethod` calls. */
export const pickerLists = {
	customers: list('GET /customers.json', ({ company_name, first_name, last_name, email }) => [
		company_name ?? [first_name, last_name].filter(Boolean).join(' '),
		email,
	]),
	customerProperties: list('GET /customers/{customerId}/properties.json', ['name'], {
		value: 'name',
	}),
	customerSubscriptions: list('GET /customers/{customerId}/subscriptions.json', ['name', 'status']),
	currencies: list('GET /currencies.json', []),
	// Not the address: its query may hold a secret of the receiver.
	webhooks: list('GET /webhooks.json', ['name', 'description']),
	webhookEventTypes: list('GET /webhooks/types.json', [], { text: readableEvent }),
	workflows: list('GET /workflow.json', ({ name, active }) => [
		name,
		active === false && 'inactive',
	]),
	workflowTraces: list('GET /workflow/{workflowId}/traces.json', ['run_date', 'status']),
	schedulerEvents: list('GET /scheduler/events.json', ['title', 'schedule_date'], {
		query: () => ({ start: dayFromNow(-30), end: dayFromNow(365) }),
	}),
	dnsRecordTypes: list(CAPABILITIES, [], { shape: { kind: 'list', items: 'recordTypes' } }),
	dnsResolvers: list(CAPABILITIES, ['label', 'server'], {
		shape: { kind: 'list', items: 'resolvers' },
		value: 'server',
	}),
	aiProviders: list(
		'GET /ai-gateway/providers.json',
		({ name, capabilities }) => [name, Array.isArray(capabilities) && capabilities.join(', ')],
		{
			value: 'key',
			only: ({ capabilities }, held) => {
				const needed = needs[String(held('purpose'))];
				const offered: unknown = capabilities;
				return needed === undefined || !Array.isArray(offered) || offered.includes(needed);
			},
		},
	),
	aiConnections: list(CONNECTIONS, orDisabled('name', 'model')),
	embeddingConnections: list(CONNECTIONS, orDisabled('name', 'model'), {
		only: ({ purpose }) => purpose === 'embedding',
	}),
	vectorStoreProviders: list('GET /ai-gateway/vector-store-providers.json', ['name'], {
		value: 'key',
	}),
	vectorStores: list('GET /ai-gateway/vector-stores.json', orDisabled('name')),
	aiPrompts: list('GET /ai-gateway/prompts.json', ({ name, version }) => [
		name,
		version && `version ${String(version)}`,
	]),
	knowledgeBases: list('GET /ai-gateway/knowledge-bases.json', [
		'name',
		'retrieval_mode',
		'status',
	]),
	knowledgeBaseDocuments: list(
		'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json',
		['document_name'],
		{ searchBody: (query) => ({ query, limit: 10 }), value: 'document_id' },
	),
	contents: list('GET /contentbox/contents.json', ['title', 'state'], {
		searchParameter: 'search',
	}),
	contentTypes: list('GET /contentbox/types.json', ['title']),
	partners: list('GET /partners.json', ['name', 'email']),
	partnerFees: list(
		'GET /partners/{partnerId}/fees.json',
		({ id, fee_value, source_charge, status }) => [
			...[id, fee_value],
			source_charge && `charge ${String(source_charge)}`,
			status,
		],
		{ first: ({ status }) => status === 'pending' },
	),
	payouts: list('GET /partners/payouts.json', ['id', 'total', 'status', 'partner_id']),
	partnerPayouts: list('GET /partners/{partnerId}/payouts.json', ['id', 'total', 'status']),
	newsletters: list('GET /newsletters.json', ['title', 'status']),
	suppressions: list('GET /newsletters/unsubscribes.json', ['email', 'reason'], {
		value: 'email',
	}),
} satisfies Record<string, PickerList>;

export type PickerListName = keyof typeof pickerLists;

/** Values seen in the reference; a field that offers them takes any other value too. */
export const knownValues = {
	discountTypes: ['percentage'],
	subscriptionStatuses: ['dismiss'],
	schedulerEventTypes: ['action', 'appointment'],
	recurrenceTypes: ['month', 'week'],
	dnsResolverPresets: ['public'],
	contentStates: ['archived', 'draft', 'public'],
	contentFieldTypes: ['checkbox', 'string', 'url'],
} satisfies Record<string, string[]>;

export type KnownValuesName = keyof typeof knownValues;
