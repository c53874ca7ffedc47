// Contents of the pickers: lists of the API, and values in the reference that may not be complete.
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../engine/base/data';
import type { PickerList } from '../engine/editor/pickers';
import type { Route } from './endpoints';
import { carries } from './recordByKey';

const DAY = 24 * 60 * 60 * 1000;

/** YYYY-MM-DD of the day in so many days, a negative number for days ago. */
function dayFromNow(days: number): string {
	return new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
}

/** `RecurringPayments.charge.paid` -> `Charge paid (RecurringPayments.charge.paid)`. */
function readableEvent(event: string): string {
	const words = event.split('.').slice(-2).join(' ').replace(/_/g, ' ').trim();
	return `${words.charAt(0).toUpperCase()}${words.slice(1)} (${event})`;
}

/** Capability that a provider needs for the purpose of a connection (AI Gateway, Provider). */
const capabilityFor: Record<string, string | undefined> = {
	embedding: 'embeddings',
	generation: 'chat',
};

/** @param shown the fields that name a row, or a function that returns the parts of its name */
const picker = (
	route: Route,
	shown: string[] | PickerList['label'],
	more: Omit<PickerList<Route>, 'route' | 'label'> = {},
): PickerList<Route> => ({
	route,
	label: Array.isArray(shown) ? (row) => shown.map((name) => row[name]) : shown,
	...more,
});

/** The picker also finds the record whose external ID is typed as a whole, by the route that looks it up. */
const byExternalId = (route: Route): Pick<PickerList<Route>, 'lookup'> => ({
	lookup: { route, query: (externalId) => ({ externalId }), isFound: carries },
});

const CONNECTIONS: Route = 'GET /ai-gateway/connections.json';
const CAPABILITIES: Route = 'GET /dns/capabilities.json';

/** A disabled record has the word in its name. */
const orDisabled =
	(...fields: string[]): PickerList['label'] =>
	(row) => [...fields.map((name) => row[name]), row.status === 'disabled' && 'disabled'];

const PLAN_ID = /^plan_?id$/i;

/** The ID of the plan in a row, as far as its names tell: a field such as `plan_id`, or a plan with an ID. */
function planIn(row: IDataObject): unknown {
	const named = Object.entries(row).find(([name]) => PLAN_ID.test(name))?.[1];
	const { plan } = row;
	return named ?? (isRecord(plan) ? plan.id : plan);
}

/** All that a row says of its plan. */
function planParts(row: IDataObject): unknown[] {
	const own = isRecord(row.plan) ? [row.plan.name] : [];
	const named = Object.entries(row).filter(([name]) => /^plan_/i.test(name) && !PLAN_ID.test(name));
	return [...own, ...named.map(([, value]) => value), planIn(row)];
}

/** The keys are the methods that a field names as `searchListMethod` or `loadOptionsMethod`. */
export const pickerLists = {
	customers: picker(
		'GET /customers.json',
		({ company_name, first_name, last_name, email, external_id, externalId }) => [
			company_name ?? [first_name, last_name].filter(Boolean).join(' '),
			email,
			external_id ?? externalId,
		],
		byExternalId('GET /customers/customer.json'),
	),
	customerProperties: picker('GET /customers/{customerId}/properties.json', ['name'], {
		value: 'name',
	}),
	customerSubscriptions: picker('GET /customers/{customerId}/subscriptions.json', [
		'name',
		'status',
	]),
	currencies: picker('GET /currencies.json', []),
	// The reference doesn't show the fields of a plan in this list.
	plans: picker('GET /recurring-payments/subscriptions.json', planParts, {
		value: 'plan_id',
		otherwise: planIn,
		repeats: true,
		none: 'The list of recurring subscriptions shows no plan. Choose By ID, and enter its ID.',
	}),
	// The URL isn't shown, because its query may have a secret of the receiver.
	webhooks: picker('GET /webhooks.json', ['name', 'description']),
	webhookEventTypes: picker('GET /webhooks/types.json', [], { text: readableEvent }),
	workflows: picker('GET /workflow.json', ({ name, active }) => [
		name,
		active === false && 'inactive',
	]),
	workflowTraces: picker('GET /workflow/{workflowId}/traces.json', ['run_date', 'status']),
	// The API requires both dates.
	schedulerEvents: picker('GET /scheduler/events.json', ['title', 'schedule_date'], {
		query: () => ({ start: dayFromNow(-30), end: dayFromNow(365) }),
	}),
	dnsRecordTypes: picker(CAPABILITIES, [], { shape: { kind: 'list', items: 'recordTypes' } }),
	dnsResolvers: picker(CAPABILITIES, ['label', 'server'], {
		shape: { kind: 'list', items: 'resolvers' },
		value: 'server',
	}),
	aiProviders: picker(
		'GET /ai-gateway/providers.json',
		({ name, capabilities }) => [name, Array.isArray(capabilities) && capabilities.join(', ')],
		{
			value: 'key',
			// A provider is shown if it can do what the purpose in the form needs, or if that can't be told.
			only: ({ capabilities }, formValue) => {
				const needed = capabilityFor[String(formValue('purpose'))];
				const offered: unknown = capabilities;
				return needed === undefined || !Array.isArray(offered) || offered.includes(needed);
			},
		},
	),
	aiConnections: picker(CONNECTIONS, orDisabled('name', 'model')),
	embeddingConnections: picker(CONNECTIONS, orDisabled('name', 'model'), {
		only: ({ purpose }) => purpose === 'embedding',
	}),
	vectorStoreProviders: picker('GET /ai-gateway/vector-store-providers.json', ['name'], {
		value: 'key',
	}),
	vectorStores: picker('GET /ai-gateway/vector-stores.json', orDisabled('name')),
	aiPrompts: picker('GET /ai-gateway/prompts.json', ({ name, version }) => [
		name,
		version && `version ${String(version)}`,
	]),
	knowledgeBases: picker('GET /ai-gateway/knowledge-bases.json', [
		'name',
		'retrieval_mode',
		'status',
	]),
	knowledgeBaseDocuments: picker(
		'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json',
		['document_name'],
		{ searchBody: (query) => ({ query, limit: 10 }), value: 'document_id' },
	),
	contents: picker('GET /contentbox/contents.json', ['title', 'state'], {
		searchParameter: 'search',
	}),
	contentTypes: picker('GET /contentbox/types.json', ['title']),
	partners: picker(
		'GET /partners.json',
		['name', 'email', 'external_id'],
		byExternalId('GET /partners/partner.json'),
	),
	partnerFees: picker(
		'GET /partners/{partnerId}/fees.json',
		({ id, fee_value, source_charge, status }) => [
			status === 'paid' ? `Already paid out: ${String(id)}` : id,
			fee_value,
			source_charge && `charge ${String(source_charge)}`,
			status !== 'paid' && status,
		],
		{ first: ({ status }) => status === 'pending' },
	),
	payouts: picker('GET /partners/payouts.json', ['id', 'total', 'status', 'partner_id']),
	partnerPayouts: picker('GET /partners/{partnerId}/payouts.json', ['id', 'total', 'status']),
	newsletters: picker('GET /newsletters.json', ['title', 'status']),
	suppressions: picker('GET /newsletters/unsubscribes.json', ['email', 'reason'], {
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
