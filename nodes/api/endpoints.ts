// The API on one page: a row for each endpoint of the two reference documents, in their order. The key is the route. All other
// code names routes and never repeats a path or scope.
import type { EndpointRow, Facts, Shape } from '../engine/base/definition';

type Scope = EndpointRow['scope'];

type More<Kind> = Omit<Extract<Shape, { kind: Kind }>, 'kind'> & Facts;

const one = (scope: Scope, more: More<'one'> = {}): EndpointRow => ({
	kind: 'one',
	scope,
	...more,
});

/** A write isn't known to be done without the members in `returns`, which are separated by spaces. */
const write = (scope: Scope, returns: string, more: More<'one'> = {}): EndpointRow =>
	one(scope, { returns: returns.split(' '), ...more });

const deletion = (scope: Scope, more: More<'one'> = {}): EndpointRow =>
	write(scope, 'deleted', { gone: (id) => ({ id, deleted: true }), ...more });

const list = (scope: Scope, more: More<'list'> = {}): EndpointRow => ({
	kind: 'list',
	scope,
	...more,
});

const paged = (scope: Scope, more: More<'list'> = {}): EndpointRow =>
	list(scope, { paging: 'paged', ...more });

const strings = (scope: Scope, more: More<'strings'>): EndpointRow => ({
	kind: 'strings',
	scope,
	...more,
});

/** Messages for a missing record by the beginning of its path, from both references (Errors). The last match counts. */
const absent: Record<string, string> = {
	'/company/{vatNumber}': 'Company not found',
	'/customers/customer': 'This customer does not exist',
	'/customers/{customerId}/subscriptions/{subscriptionId}':
		'This subscription does not exists for this customer',
	'/webhooks/{webhookId}': 'Webhook not found.',
	'/workflow/{workflowId}': 'This workflow does not exists',
	'/workflow/{workflowId}/traces/{traceId}': 'Trace not found for this workflow.',
	'/contentbox/contents/{contentId}': 'Content Box not found',
	'/ai-gateway/connections/{connectionId}': 'AI connection not found',
	'/ai-gateway/vector-stores/{vectorStoreId}': 'Vector store not found',
	'/ai-gateway/knowledge-bases/{knowledgeBaseId}': 'Knowledge base not found',
	'/ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}': 'Document not found',
};

const CUSTOMER_TAKEN = {
	by: ['email', 'externalId'],
	says: 'Another customer has the same email or external ID. Update that one, which Customer → Create or Update finds by either of them, or use other values.',
};

const rows = {
	// Service and company
	'GET /ping.json': one('ping:read'),
	'GET /connection.json': one('connection:read'),
	'GET /company.json': one('company:read'),
	'GET /company/modules.json': list('company_modules:read', { items: '' }),
	'GET /company/stats/intelligence.json': one('company_stats:read'),
	'GET /company/{vatNumber}.json': one('companies_open_data:read'),
	'GET /currencies.json': strings('currencies:read', { as: 'currency' }),
	'POST /currencies/{fromCurrency}/{toCurrency}.json': write('currencies:write', 'amount', {
		reads: true,
	}),

	// Customers
	'GET /customers.json': paged('customers:read'),
	'POST /customers.json': write('customers:write', 'id', {
		unwrap: 'customer',
		key: 'email',
		taken: CUSTOMER_TAKEN,
		about: ['customer.externalId', 'customer.email'],
	}),
	'GET /customers/{customerId}.json': one('customers:read', { name: 'customer' }),
	'PUT /customers/{customerId}.json': write('customers:write', 'id', {
		unwrap: 'customer',
		taken: CUSTOMER_TAKEN,
		replaces: { tags: 'Set Change Tags to Add' },
	}),
	'DELETE /customers/{customerId}.json': deletion('customers:write'),
	'GET /customers/customer.json': one('customers:read', {
		name: 'customer',
		about: ['externalId'],
	}),
	'GET /customers/{customerId}/properties.json': {
		kind: 'map',
		scope: 'customer_properties:read',
		items: 'elements',
	},
	'PUT /customers/{customerId}/properties.json': write('customer_properties:write', 'id', {
		replaces: { CustomerProperties: 'Turn on Keep Other Properties' },
	}),
	'GET /customers/{customerId}/payment_link.json': one('customers:read'),
	'GET /customers/{customerId}/subscriptions.json': list('customer_subscriptions:read'),
	'POST /customers/{customerId}/subscriptions.json': write(
		'customer_subscriptions:write',
		'id status',
		{ key: 'orderId' },
	),
	'DELETE /customers/{customerId}/subscriptions/{subscriptionId}.json': deletion(
		'customer_subscriptions:write',
	),
	'POST /customers/{customerId}/subscriptions/{subscriptionId}.json': write(
		'customer_subscriptions:write',
		'id',
		{ key: 'usageId' },
	),
	'GET /customers/{customerId}/subscriptions/{subscriptionId}.json': list(
		'customer_subscriptions:read',
		{ paging: 'unexplained' },
	),
	'GET /customers/{customerId}/subscriptions/{subscriptionId}/status.json': one(
		'customer_subscriptions:read',
	),
	'PUT /customers/{customerId}/subscriptions/{subscriptionId}/status.json': write(
		'customer_subscriptions:write',
		'id status',
	),
	'GET /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle.json': one(
		'customer_subscriptions:read',
	),
	'PUT /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle/pause.json': one(null, {
		untyped: 'applied',
		acts: true,
	}),
	'POST /customers/{customerId}/charges.json': one('charges:write', {
		untyped: 'open',
		key: 'orderId',
	}),

	// Recurring payments
	'GET /recurring-payments/settings.json': one('recurring_settings:read'),
	'GET /recurring-payments/subscriptions.json': paged('recurring_subscriptions:read'),

	// Webhooks
	'GET /webhooks.json': paged('webhooks:read', { maxSize: 100 }),
	'POST /webhooks.json': write('webhooks:write', 'id', {
		name: 'webhook',
		key: 'url',
	}),
	'GET /webhooks/types.json': strings('webhooks:read', { as: 'event' }),
	'GET /webhooks/{webhookId}.json': one('webhooks:read', { name: 'webhook' }),
	'DELETE /webhooks/{webhookId}.json': deletion('webhooks:write'),

	// Workflows
	'GET /workflow.json': paged('workflow:read', { maxSize: 100 }),
	'POST /workflow/{workflowId}.json': write('workflow:write', 'execution_id', {
		resultBy: 'execution_id',
		key: 'jobNumber',
	}),
	'GET /workflow/{workflowId}/traces.json': paged('workflow_traces:read', { maxSize: 100 }),
	'GET /workflow/{workflowId}/traces/{traceId}.json': one('workflow_traces:read'),

	// Scheduler
	'GET /scheduler/events.json': list('scheduler_events:read', { items: 'events', extras: true }),
	'POST /scheduler/events.json': write('scheduler_events:write', 'id', {
		unwrap: 'event',
		key: 'appointment',
	}),
	'PUT /scheduler/events/{eventId}.json': write('scheduler_events:write', 'id', {
		unwrap: 'event',
	}),
	'DELETE /scheduler/events/{eventId}.json': deletion('scheduler_events:write'),

	// DNS
	'GET /dns/capabilities.json': one('dns:read'),
	'GET /dns/lookup.json': one('dns:read', { about: ['target'] }),
	'POST /dns/lookup.json': one('dns:write', { reads: true, about: ['target'] }),

	// Partners
	'GET /partners.json': paged('partners:read', { maxSize: 100 }),
	'POST /partners.json': write('partners:write', 'id', {
		unwrap: 'partner',
		key: 'email',
		about: ['partner.external_id', 'partner.email'],
	}),
	'GET /partners/{partnerId}.json': one('partners:read', { name: 'partner' }),
	'GET /partners/partner.json': one('partners:read', {
		name: 'partner',
		about: ['externalId', 'email'],
	}),
	'PUT /partners/{partnerId}.json': write('partners:write', 'id', {
		replaces: { tags: 'Set Change Tags to Add' },
	}),
	'DELETE /partners/{partnerId}.json': deletion('partners:write'),
	'GET /partners/{partnerId}/customers.json': list('partners:read'),
	'GET /partners/{partnerId}/stats.json': one('partners:read'),
	'GET /partners/{partnerId}/fees.json': list('partners:read'),
	'GET /partners/{partnerId}/fees/{feeId}.json': one('partners:read'),
	'POST /partners/payouts.json': write('partner_payouts:write', 'id', {
		about: ['payout.partner_id'],
		key: 'invoiceNumber',
	}),
	'GET /partners/payouts.json': paged('partner_payouts:read', { maxSize: 100 }),
	'GET /partners/{partnerId}/payouts.json': paged('partner_payouts:read', { maxSize: 100 }),
	'GET /partners/{partnerId}/payouts/{payoutId}.json': one('partner_payouts:read', {
		name: 'payout',
	}),
	'GET /partners/payouts/{payoutId}.json': one('partner_payouts:read', { name: 'payout' }),
	'PUT /partners/payouts/{payoutId}/status.json': write('partner_payouts:write', 'id status', {
		unwrap: 'payout',
		acts: true,
		refusedFor: "The payout's status may not allow this. Payout → Get shows it.",
	}),
	'GET /partners/{partnerId}/payouts/{payoutId}/report.json': one('partner_payouts:read'),
	'GET /partners/{partnerId}/payouts/{payoutId}/report.pdf': {
		kind: 'binary',
		scope: 'partner_payouts:read',
		mimeType: 'application/pdf',
		fileName: 'payout-{id}.pdf',
		begins: '%PDF',
	},

	// Content box
	'GET /contentbox/contents.json': paged('contentbox_contents:read', { maxSize: 100 }),
	'POST /contentbox/contents.json': write('contentbox_contents:write', 'id', { key: 'title' }),
	'GET /contentbox/contents/{contentId}.json': one('contentbox_contents:read', { name: 'content' }),
	'PUT /contentbox/contents/{contentId}.json': write('contentbox_contents:write', 'id updated', {
		replaces: { data: 'Turn on Keep Other Fields' },
	}),
	'DELETE /contentbox/contents/{contentId}.json': deletion('contentbox_contents:write'),
	'GET /contentbox/types.json': paged('contentbox_types:read'),
	'POST /contentbox/types.json': write('contentbox_types:write', 'id', { key: 'title' }),
	'GET /contentbox/types/{typeId}.json': one('contentbox_types:read', { name: 'type' }),
	'PUT /contentbox/types/{typeId}.json': write('contentbox_types:write', 'id', {
		name: 'type',
		replaces: { fields: 'Enter all fields in one item' },
	}),

	// Identity and risk
	'POST /idp/user.json': write('idp:write', 'id status', {
		unwrap: 'user',
		key: 'userId',
		about: ['user.external_id'],
	}),
	'GET /idp/{externalUserId}.json': one('idp:read', { name: 'user' }),
	'POST /idp/{externalUserId}/otp.json': write('idp:write', 'new_otp_secret', { unwrap: 'user' }),
	'POST /idp/otp/verify.json': write('idp:write', 'id status', {
		outcome: 'status',
		checksCode: true,
		checksPerson: true,
		about: ['otp.id'],
	}),
	'POST /idp/{externalUserId}/backupcodes.json': strings('idp:write', {
		items: 'user.backupCodes',
		as: 'code',
		paging: 'unpaged',
	}),
	'POST /idp/{externalUserId}/passkey/options.json': write('idp:write', 'status challenge_id', {
		outcome: 'status',
		again: 'it starts another challenge',
	}),
	'POST /idp/{externalUserId}/passkey/confirm.json': write('idp:write', 'id status registered', {
		outcome: 'status',
	}),
	'POST /idp/passkey/challenge.json': write('idp:write', 'status challenge_id', {
		outcome: 'status',
		again: 'it starts another challenge',
		about: ['passkey.id'],
	}),
	'POST /idp/passkey/verify.json': write('idp:write', 'id status', {
		outcome: 'status',
		checksCode: true,
		checksPerson: true,
		about: ['passkey.id'],
	}),
	'DELETE /idp/{externalUserId}/passkey/{credentialId}.json': deletion('idp:write', {
		returns: ['status'],
		outcome: 'status',
		gone: (id) => ({ status: null, id, message: null }),
	}),
	'POST /sentinel/verify.json': write('sentinel:write', 'event_id decision', {
		checksPerson: true,
		about: ['sentinel.context.user_id', 'sentinel.id', 'event.user_id', 'event.sentinel_session'],
	}),

	// Newsletters
	'GET /newsletters.json': paged('newsletters:read', { maxSize: 100 }),
	'POST /newsletters.json': write('newsletters:write', 'id status', { key: 'campaign' }),
	'GET /newsletters/{newsletterId}.json': one('newsletters:read', { name: 'newsletter' }),
	'PUT /newsletters/{newsletterId}.json': write('newsletters:write', 'id', { name: 'newsletter' }),
	'DELETE /newsletters/{newsletterId}.json': deletion('newsletters:write'),
	'GET /newsletters/{newsletterId}/recipients.json': list('newsletters:read', {
		items: 'all_customers',
	}),
	'PUT /newsletters/{newsletterId}/recipients.json': write(
		'newsletters:write',
		'saved_recipients',
		{
			replaces: { contact_ids: 'Set Specify Customers to From Input Items' },
		},
	),
	'POST /newsletters/{newsletterId}/queue.json': write(
		'newsletters:write',
		'status queued_recipients',
		{
			key: 'edition',
			refusedFor:
				"The newsletter's state may not allow this, or the usage limit for newsletters is reached. Newsletter → Get shows its status and its recipients.",
		},
	),
	'POST /newsletters/{newsletterId}/test.json': write('newsletters:write', 'sent'),
	'GET /newsletters/{newsletterId}/stats.json': one('newsletters:read'),
	'GET /newsletters/unsubscribes.json': paged('newsletter_unsubscribes:read', {
		key: 'email',
		maxSize: 100,
	}),
	'POST /newsletters/unsubscribes.json': write('newsletter_unsubscribes:write', 'unsubscribed', {
		about: ['unsubscribe.email'],
	}),
	'POST /newsletters/unsubscribes/resubscribe.json': write(
		'newsletter_unsubscribes:write',
		'resubscribed',
		{ about: ['unsubscribe.email'] },
	),

	// AI gateway
	'GET /ai-gateway/providers.json': list('ai_connections:read', { key: 'key' }),
	'GET /ai-gateway/connections.json': list('ai_connections:read'),
	'POST /ai-gateway/connections.json': write('ai_connections:write', 'id', { key: 'name' }),
	'PUT /ai-gateway/connections/{connectionId}.json': write('ai_connections:write', 'id status'),
	'POST /ai-gateway/connections/{connectionId}/rotate.json': write(
		'ai_connections:write',
		'id credential_configured',
		{
			onRecord: true,
			again: 'it sets the same credential',
		},
	),
	'POST /ai-gateway/connections/{connectionId}/test.json': write('ai_connections:write', 'status', {
		tests: true,
	}),
	'DELETE /ai-gateway/connections/{connectionId}.json': deletion('ai_connections:write', {
		gone: (id) => ({ deleted: true, connection_id: id }),
	}),
	'POST /ai-gateway/embeddings': one('ai_embeddings:write', {
		computes: true,
		about: ['connection_id'],
	}),
	'POST /ai-gateway/embeddings.json': one('ai_embeddings:write', {
		computes: true,
		about: ['connection_id'],
	}),
	'GET /ai-gateway/vector-store-providers.json': list('ai_vector_stores:read', { key: 'key' }),
	'GET /ai-gateway/vector-stores.json': list('ai_vector_stores:read'),
	'POST /ai-gateway/vector-stores.json': write('ai_vector_stores:write', 'id', { key: 'name' }),
	'PUT /ai-gateway/vector-stores/{vectorStoreId}.json': write(
		'ai_vector_stores:write',
		'id status',
	),
	'POST /ai-gateway/vector-stores/{vectorStoreId}/rotate.json': write(
		'ai_vector_stores:write',
		'id credential_configured',
		{
			onRecord: true,
			again: 'it sets the same key',
		},
	),
	'POST /ai-gateway/vector-stores/{vectorStoreId}/test.json': write(
		'ai_vector_stores:write',
		'status',
		{ tests: true },
	),
	'DELETE /ai-gateway/vector-stores/{vectorStoreId}.json': deletion('ai_vector_stores:write', {
		gone: (id) => ({ deleted: true, vector_store_id: id }),
	}),
	'GET /ai-gateway/prompts.json': list('ai_prompts:read'),
	'POST /ai-gateway/prompts.json': write('ai_prompts:write', 'id status'),
	'GET /ai-gateway/knowledge-bases.json': list('ai_knowledge_bases:read'),
	'POST /ai-gateway/knowledge-bases.json': write('ai_knowledge_bases:write', 'id', { key: 'name' }),
	'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents.json': write(
		'ai_knowledge_bases:write',
		'document_id',
		{ key: 'fileName' },
	),
	// The reference calls the response a queued manifest, and doesn't show its fields.
	'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/ingestions.json': one(
		'ai_knowledge_bases:write',
		{ key: 'fileName' },
	),
	'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json':
		one('ai_knowledge_bases:read'),
	'PUT /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/source.json': write(
		'ai_knowledge_bases:write',
		'id status',
		{ acts: true },
	),
	'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json': list(
		'ai_knowledge_bases:read',
		{
			items: 'results',
			paging: 'unpaged',
			key: 'chunk_id',
			reads: true,
		},
	),
	'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/evaluations.json': list(
		'ai_knowledge_bases:read',
		{ paging: 'unpaged' },
	),
} satisfies Record<string, EndpointRow>;

/** Key of an endpoint: its method and its path below the version, with parameters in braces. */
export type Route = keyof typeof rows;

/** Of two beginnings of a path, the longer one is later in `absent`. */
function absentAt(route: string): string | undefined {
	const [, path] = route.split(' ');
	return Object.entries(absent).findLast(([beginning]) => path.startsWith(beginning))?.[1];
}

export const endpoints: Record<Route, EndpointRow> = Object.fromEntries(
	Object.entries<EndpointRow>(rows).map(([route, row]) => [
		route,
		{ ...row, absent: absentAt(route) },
	]),
) as Record<Route, EndpointRow>;
