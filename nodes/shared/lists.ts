// What pickers offer: lists of the API, and values that the reference shows without saying that
// they are all.
import type { IDataObject } from 'n8n-workflow';

/** A list of the API that a picker offers. */
export interface PickerList {
	/** Path template; its parameters are fields of the form, such as the chosen partner. */
	path: string;
	scope: string;
	/** Key of the rows in the envelope; default `elements`. A bare array needs none. */
	items?: string;
	/** Whether the list takes `page` and `size`. */
	paged?: boolean;
	/** Whether the rows are names and values of an object. */
	map?: boolean;
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
	/** Rows that are no choice, such as a connection of another purpose, are left out. */
	only?: (row: IDataObject) => boolean;
}

const DAY = 24 * 60 * 60 * 1000;

/** The date, YYYY-MM-DD, so many days from today. */
function dayFromNow(days: number): string {
	return new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
}

/** Named as the method that a field's `searchListMethod` or `loadOptionsMethod` calls. */
export const pickerLists = {
	customers: {
		path: '/customers.json',
		scope: 'customers:read',
		paged: true,
		label: ({ company_name, first_name, last_name, email }) => [
			company_name ?? [first_name, last_name].filter(Boolean).join(' '),
			email,
		],
	},
	customerProperties: {
		path: '/customers/{customerId}/properties.json',
		scope: 'customer_properties:read',
		map: true,
		value: 'name',
		label: ({ name }) => [name],
	},
	customerSubscriptions: {
		path: '/customers/{customerId}/subscriptions.json',
		scope: 'customer_subscriptions:read',
		label: ({ name, status }) => [name, status],
	},
	subscriptionPlans: {
		path: '/recurring-payments/subscriptions.json',
		scope: 'recurring_subscriptions:read',
		paged: true,
		label: ({ name, subscription_reference }) => [name ?? subscription_reference],
	},
	currencies: {
		path: '/currencies.json',
		scope: 'currencies:read',
		label: () => [],
	},
	webhooks: {
		path: '/webhooks.json',
		scope: 'webhooks:read',
		paged: true,
		// Not the address: its query may hold a secret of the receiver.
		label: ({ name, description }) => [name, description],
	},
	webhookEventTypes: {
		path: '/webhooks/types.json',
		scope: 'webhooks:read',
		label: () => [],
	},
	workflows: {
		path: '/workflow.json',
		scope: 'workflow:read',
		paged: true,
		label: ({ name, active }) => [name, active === false && 'inactive'],
	},
	workflowTraces: {
		path: '/workflow/{workflowId}/traces.json',
		scope: 'workflow_traces:read',
		paged: true,
		label: ({ run_date, status }) => [run_date, status],
	},
	schedulerEvents: {
		path: '/scheduler/events.json',
		scope: 'scheduler_events:read',
		items: 'events',
		query: () => ({ start: dayFromNow(-30), end: dayFromNow(365) }),
		label: ({ title, schedule_date }) => [title, schedule_date],
	},
	dnsRecordTypes: {
		path: '/dns/capabilities.json',
		scope: 'dns:read',
		items: 'recordTypes',
		label: () => [],
	},
	dnsResolvers: {
		path: '/dns/capabilities.json',
		scope: 'dns:read',
		items: 'resolvers',
		value: 'server',
		label: ({ label, server }) => [label, server],
	},
	aiProviders: {
		path: '/ai-gateway/providers.json',
		scope: 'ai_connections:read',
		value: 'key',
		label: ({ name }) => [name],
	},
	aiConnections: {
		path: '/ai-gateway/connections.json',
		scope: 'ai_connections:read',
		label: ({ name, model, status }) => [name, model, status === 'disabled' && 'disabled'],
	},
	embeddingConnections: {
		path: '/ai-gateway/connections.json',
		scope: 'ai_connections:read',
		label: ({ name, model, status }) => [name, model, status === 'disabled' && 'disabled'],
		only: ({ purpose }) => purpose === 'embedding',
	},
	vectorStoreProviders: {
		path: '/ai-gateway/vector-store-providers.json',
		scope: 'ai_vector_stores:read',
		value: 'key',
		label: ({ name }) => [name],
	},
	vectorStores: {
		path: '/ai-gateway/vector-stores.json',
		scope: 'ai_vector_stores:read',
		label: ({ name, status }) => [name, status === 'disabled' && 'disabled'],
	},
	knowledgeBases: {
		path: '/ai-gateway/knowledge-bases.json',
		scope: 'ai_knowledge_bases:read',
		label: ({ name, retrieval_mode, status }) => [name, retrieval_mode, status],
	},
	knowledgeBaseDocuments: {
		path: '/ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json',
		scope: 'ai_knowledge_bases:read',
		items: 'results',
		searchBody: (query) => ({ query, limit: 10 }),
		value: 'document_id',
		label: ({ document_name }) => [document_name],
	},
	contents: {
		path: '/contentbox/contents.json',
		scope: 'contentbox_contents:read',
		paged: true,
		searchParameter: 'search',
		label: ({ title, state }) => [title, state],
	},
	contentTypes: {
		path: '/contentbox/types.json',
		scope: 'contentbox_types:read',
		paged: true,
		label: ({ title }) => [title],
	},
	partners: {
		path: '/partners.json',
		scope: 'partners:read',
		paged: true,
		label: ({ name, email }) => [name, email],
	},
	partnerFees: {
		path: '/partners/{partnerId}/fees.json',
		scope: 'partners:read',
		label: ({ id, fee_value, status }) => [id, fee_value, status],
	},
	payouts: {
		path: '/partners/payouts.json',
		scope: 'partner_payouts:read',
		paged: true,
		label: ({ id, total, status, partner_id }) => [id, total, status, partner_id],
	},
	partnerPayouts: {
		path: '/partners/{partnerId}/payouts.json',
		scope: 'partner_payouts:read',
		paged: true,
		label: ({ id, total, status }) => [id, total, status],
	},
	newsletters: {
		path: '/newsletters.json',
		scope: 'newsletters:read',
		paged: true,
		label: ({ title, status }) => [title, status],
	},
	suppressions: {
		path: '/newsletters/unsubscribes.json',
		scope: 'newsletter_unsubscribes:read',
		paged: true,
		value: 'email',
		label: ({ email, reason }) => [email, reason],
	},
} satisfies Record<string, PickerList>;

export type PickerListName = keyof typeof pickerLists;

/** Values seen in the reference; a field that offers them takes any other value too. */
export const knownValues = {
	discountTypes: ['percentage'],
	subscriptionStatuses: ['active', 'dismiss', 'success'],
	schedulerEventTypes: ['action', 'appointment'],
	recurrenceTypes: ['month', 'week'],
	dnsResolverPresets: ['public'],
	contentStates: ['archived', 'draft', 'public'],
	contentFieldTypes: ['checkbox', 'string', 'url'],
} satisfies Record<string, string[]>;

export type KnownValuesName = keyof typeof knownValues;
