// What pickers offer: lists of the API, and values that the reference shows without saying that
// they are all.
import type { IDataObject } from 'n8n-workflow';

import type { ListShape } from './client/list/rows';
import type { Route } from './endpoints';

/** A list of the API that a picker offers. */
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

/** Named as the method that a field's `searchListMethod` or `loadOptionsMethod` calls. */
export const pickerLists = {
	customers: {
		route: 'GET /customers.json',
		label: ({ company_name, first_name, last_name, email }) => [
			company_name ?? [first_name, last_name].filter(Boolean).join(' '),
			email,
		],
	},
	customerProperties: {
		route: 'GET /customers/{customerId}/properties.json',
		value: 'name',
		label: ({ name }) => [name],
	},
	customerSubscriptions: {
		route: 'GET /customers/{customerId}/subscriptions.json',
		label: ({ name, status }) => [name, status],
	},
	currencies: {
		route: 'GET /currencies.json',
		label: () => [],
	},
	webhooks: {
		route: 'GET /webhooks.json',
		// Not the address: its query may hold a secret of the receiver.
		label: ({ name, description }) => [name, description],
	},
	webhookEventTypes: {
		route: 'GET /webhooks/types.json',
		label: () => [],
		text: readableEvent,
	},
	workflows: {
		route: 'GET /workflow.json',
		label: ({ name, active }) => [name, active === false && 'inactive'],
	},
	workflowTraces: {
		route: 'GET /workflow/{workflowId}/traces.json',
		label: ({ run_date, status }) => [run_date, status],
	},
	schedulerEvents: {
		route: 'GET /scheduler/events.json',
		query: () => ({ start: dayFromNow(-30), end: dayFromNow(365) }),
		label: ({ title, schedule_date }) => [title, schedule_date],
	},
	dnsRecordTypes: {
		route: 'GET /dns/capabilities.json',
		shape: { kind: 'list', items: 'recordTypes' },
		label: () => [],
	},
	dnsResolvers: {
		route: 'GET /dns/capabilities.json',
		shape: { kind: 'list', items: 'resolvers' },
		value: 'server',
		label: ({ label, server }) => [label, server],
	},
	aiProviders: {
		route: 'GET /ai-gateway/providers.json',
		value: 'key',
		label: ({ name, capabilities }) => [
			name,
			Array.isArray(capabilities) && capabilities.join(', '),
		],
		only: ({ capabilities }, held) => {
			const needed = needs[String(held('purpose'))];
			return (
				!Array.isArray(capabilities) ||
				needed === undefined ||
				(capabilities as unknown[]).includes(needed)
			);
		},
	},
	aiConnections: {
		route: 'GET /ai-gateway/connections.json',
		label: ({ name, model, status }) => [name, model, status === 'disabled' && 'disabled'],
	},
	embeddingConnections: {
		route: 'GET /ai-gateway/connections.json',
		label: ({ name, model, status }) => [name, model, status === 'disabled' && 'disabled'],
		only: ({ purpose }) => purpose === 'embedding',
	},
	vectorStoreProviders: {
		route: 'GET /ai-gateway/vector-store-providers.json',
		value: 'key',
		label: ({ name }) => [name],
	},
	vectorStores: {
		route: 'GET /ai-gateway/vector-stores.json',
		label: ({ name, status }) => [name, status === 'disabled' && 'disabled'],
	},
	aiPrompts: {
		route: 'GET /ai-gateway/prompts.json',
		label: ({ name, version }) => [name, version && `version ${String(version)}`],
	},
	knowledgeBases: {
		route: 'GET /ai-gateway/knowledge-bases.json',
		label: ({ name, retrieval_mode, status }) => [name, retrieval_mode, status],
	},
	knowledgeBaseDocuments: {
		route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json',
		searchBody: (query) => ({ query, limit: 10 }),
		value: 'document_id',
		label: ({ document_name }) => [document_name],
	},
	contents: {
		route: 'GET /contentbox/contents.json',
		searchParameter: 'search',
		label: ({ title, state }) => [title, state],
	},
	contentTypes: {
		route: 'GET /contentbox/types.json',
		label: ({ title }) => [title],
	},
	partners: {
		route: 'GET /partners.json',
		label: ({ name, email }) => [name, email],
	},
	partnerFees: {
		route: 'GET /partners/{partnerId}/fees.json',
		label: ({ id, fee_value, source_charge, status }) => [
			id,
			fee_value,
			source_charge && `charge ${String(source_charge)}`,
			status,
		],
		first: ({ status }) => status === 'pending',
	},
	payouts: {
		route: 'GET /partners/payouts.json',
		label: ({ id, total, status, partner_id }) => [id, total, status, partner_id],
	},
	partnerPayouts: {
		route: 'GET /partners/{partnerId}/payouts.json',
		label: ({ id, total, status }) => [id, total, status],
	},
	newsletters: {
		route: 'GET /newsletters.json',
		label: ({ title, status }) => [title, status],
	},
	suppressions: {
		route: 'GET /newsletters/unsubscribes.json',
		value: 'email',
		label: ({ email, reason }) => [email, reason],
	},
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
