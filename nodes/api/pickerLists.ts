// Contents of the pickers: lists of the API, and values in the reference that may not be complete.
import type { PickerList } from '../engine/editor/pickers';
import type { Route } from './endpoints';
import { carries } from './upsert';

const DAY = 24 * 60 * 60 * 1000;

/** Returns a date as YYYY-MM-DD. */
function dayFromNow(days: number): string {
	return new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
}

/** `RecurringPayments.charge.paid` -> `Charge paid (RecurringPayments.charge.paid)`. */
function readableEvent(event: string): string {
	const words = event.split('.').slice(-2).join(' ').replace(/_/g, ' ').trim();
	return `${words.charAt(0).toUpperCase()}${words.slice(1)} (${event})`;
}

/** Capability that a provider needs for the purpose of a connection (AI Gateway, Provider). */
const needs: Record<string, string | undefined> = { embedding: 'embeddings', generation: 'chat' };

/** A list whose rows are shown by field names or by a function. */
const list = (
	route: Route,
	shown: string[] | PickerList['label'],
	more: Omit<PickerList<Route>, 'route' | 'label'> = {},
): PickerList<Route> => ({
	route,
	label: Array.isArray(shown) ? (row) => shown.map((name) => row[name]) : shown,
	...more,
});

const byExternalId = (route: Route): Pick<PickerList<Route>, 'lookup'> => ({
	lookup: { route, query: (externalId) => ({ externalId }), isFound: carries },
});

const CONNECTIONS: Route = 'GET /ai-gateway/connections.json';
const CAPABILITIES: Route = 'GET /dns/capabilities.json';

/** Shows fields of a row, and whether it's disabled. */
const orDisabled =
	(...fields: string[]): PickerList['label'] =>
	(row) => [...fields.map((name) => row[name]), row.status === 'disabled' && 'disabled'];

/** The keys are the methods that a field names as `searchListMethod` or `loadOptionsMethod`. */
export const pickerLists = {
	customers: list(
		'GET /customers.json',
		({ company_name, first_name, last_name, email, external_id, externalId }) => [
			company_name ?? [first_name, last_name].filter(Boolean).join(' '),
			email,
			external_id ?? externalId,
		],
		byExternalId('GET /customers/customer.json'),
	),
	customerProperties: list('GET /customers/{customerId}/properties.json', ['name'], {
		value: 'name',
	}),
	customerSubscriptions: list('GET /customers/{customerId}/subscriptions.json', ['name', 'status']),
	currencies: list('GET /currencies.json', []),
	// No URL: its query may have a secret of the receiver.
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
	partners: list(
		'GET /partners.json',
		['name', 'email', 'external_id'],
		byExternalId('GET /partners/partner.json'),
	),
	partnerFees: list(
		'GET /partners/{partnerId}/fees.json',
		({ id, fee_value, source_charge, status }) => [
			status === 'paid' ? `Already paid out: ${String(id)}` : id,
			fee_value,
			source_charge && `charge ${String(source_charge)}`,
			status !== 'paid' && status,
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

/** Values in the reference. Fields that offer them take any other value too. */
export const knownValues = {
	discountTypes: ['percentage'],
	subscriptionStatuses: ['dismiss'],
	schedulerEventTypes: ['action', 'appointment'],
	recurrenceTypes: ['month', 'week'],
	dnsResolverPresets: ['public'],
	contentStates: ['archived', 'draft', 'public'],
	contentFieldTypes: ['checkbox', 'string', 'url'],
} satisfies Record<string, string[]>;
