// Forms that the sandbox accepts, for every operation: ids of its seeds, and what must be there
// before. What is needed is put into the sandbox's state, so that no other operation has to work.
import { randomBytes } from 'node:crypto';
import type { Sandbox } from '../sandbox/index.cts';
import { codeOf } from '../sandbox/areas/identity.cts';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { located, sampleValue, type Form } from './forms.cts';
import { partsOf, type TableEntry } from './operations.cts';

const byId = (value: string, mode = 'id') => ({ __rl: true, mode, value });

/** Ids of the sandbox's seeds, and values that it accepts, by the name of the field. */
const known: Form = {
	accountName: 'ada',
	connectionId: 'aic-2',
	contentId: 'cnt-1',
	customerId: 'cus-100001',
	documentId: 'ado-1',
	embeddingConnectionId: 'aic-2',
	eventId: 'evt-1',
	events: ['RecurringPayments.charge.paid'],
	externalUserId: 'user-1',
	moreKnowledgeBases: ['akb-2'],
	feeId: 'fee-1',
	fromCurrency: 'EUR',
	knowledgeBaseId: 'akb-1',
	promptId: 'apr-1',
	newsletterId: 'nwl-130',
	partnerId: 'ptn-1',
	payoutId: 'pay-1',
	plan: 'plan-basic',
	provider: 'vendor_a',
	recordTypes: ['A'],
	subscriptionId: 'sub-500001',
	target: 'example.com',
	toCurrency: 'USD',
	typeId: 'typ-article',
	vatNumber: 'IT12345670785',
	vectorStoreId: 'avs-1',
	workflowId: 'wfl-1',
};

type Values = Form | ((sandbox: Sandbox) => Form);

const remoteDocument = {
	name: 'Terms',
	url: 'https://files.example.com/terms.md',
	contentType: 'text/markdown',
};

let serial = 7_000_000;

function newWebhook({ state }: Sandbox): Form {
	serial += 1;
	const { id } = state.webhooks.webhooks.add({
		id: `whk-${serial}`,
		name: 'Charges',
		description: '',
		url: `https://example.com/charges/${serial}`,
		events: ['RecurringPayments.charge.paid'],
		token: randomBytes(24).toString('hex'),
	});
	return { webhookId: byId(id) };
}

const passkeyOf = ({ state }: Sandbox, user: string): string => {
	const [passkey] = state.identity.users.findBy('external', user)?.passkeys ?? [];
	return passkey?.id ?? '';
};

/** What else operations need in their form, or must find at the service. */
const needs: Record<string, Values> = {
	'platformAiGateway.connection.create': { credential: 'secret' },
	'platformAiGateway.connection.delete': { connectionId: byId('aic-5') },
	'platformAiGateway.connection.update': ({ state }) => ({
		updateFields: { name: 'Renamed', model: state.aiConnections.connections.get('aic-2')?.model },
	}),
	'platformAiGateway.vectorStore.create': {
		provider: 'vector_vendor',
		endpoint: 'https://vectors.example.com',
	},
	'platformAiGateway.vectorStore.delete': { vectorStoreId: byId('avs-3') },
	'platformAiGateway.vectorStore.update': { updateFields: { name: 'Renamed' } },
	'platformAiGateway.knowledgeBase.search': { query: 'another plan' },
	'platformKnowledgeBaseTool.tool.search': { question: 'How do I reset my password?' },
	'platformAiGateway.document.add': { binaryPropertyName: 'data', fileDocumentName: 'Plans' },
	'platformAiGateway.document.createOrReplace': {
		knowledgeBaseId: byId('akb-3'),
		binaryPropertyName: 'data',
		fileDocumentName: 'Plans',
		...remoteDocument,
	},
	'platformAiGateway.embedding.create': ({ state }) => ({
		additionalFields: { model: state.aiConnections.connections.get('aic-2')?.model },
	}),
	'platformAiGateway.document.ingest': { knowledgeBaseId: byId('akb-3'), ...remoteDocument },
	'platformAiGateway.document.replaceSource': ({ state }) => {
		const document = state.aiDocuments.documents.rows.find(({ remote }) => remote);
		return {
			knowledgeBaseId: byId(String(document?.knowledge_base_id)),
			documentId: byId(String(document?.id)),
			...remoteDocument,
		};
	},
	'platformContentBox.content.update': { updateFields: { title: 'Renamed' } },
	'platformContentBox.contentType.create': {
		fields: { field: [{ key: 'headline', label: 'Headline', type: byId('string', 'name') }] },
	},
	'platformContentBox.contentType.update': { updateFields: { title: 'Renamed' } },
	'platformCustomers.customer.create': () => {
		serial += 1;
		return { email: `new-${serial}@example.com` };
	},
	'platformCustomers.customer.upsert': { fields: { companyName: 'Upserted' } },
	'platformCustomers.usage.record': () => {
		serial += 1;
		return { externalId: `usage-${serial}`, additionalFields: { amount: 3 } };
	},
	'platformScheduler.event.create': { title: 'Review', scheduleDate: '2026-03-01' },
	'platformCustomers.customer.getByEmail': ({ state }) => ({
		email: state.customers.customers.rows[0].email,
	}),
	'platformCustomers.customer.getByExternalId': ({ state }) => ({
		externalId: state.customers.customers.rows.find(({ externalId }) => externalId)?.externalId,
	}),
	'platformCustomers.customer.update': { updateFields: { companyName: 'Renamed' } },
	'platformCustomers.subscription.create': ({ state, world }) => {
		const [{ id, recurringId }] = state.subscriptions.subscriptions.rows;
		const plans: Record<string, string> = {
			'id of the row': recurringId,
			subscription_reference: id,
		};
		return { plan: plans[world.planId] ?? 'plan-basic' };
	},
	'platformIdentity.risk.assessSession': {
		eventIp: '203.0.113.7',
		eventUserAgent: 'Mozilla/5.0',
		sentinelSession: 'user-1',
	},
	'platformIdentity.user.create': () => {
		serial += 1;
		return { externalUserId: `new-${serial}` };
	},
	'platformIdentity.oneTimePassword.verify': ({ state }) => ({
		code: codeOf(String(state.identity.users.rows[0].otp?.secret)),
	}),
	'platformIdentity.passkey.confirmRegistration': { payload: '{"id": "new"}' },
	'platformIdentity.passkey.delete': (sandbox) => ({
		externalUserId: 'user-3',
		credentialId: passkeyOf(sandbox, 'user-3'),
	}),
	'platformIdentity.passkey.startVerification': { externalUserId: 'user-2' },
	'platformIdentity.passkey.verify': (sandbox) => ({
		externalUserId: 'user-2',
		payload: JSON.stringify({ id: passkeyOf(sandbox, 'user-2') }),
	}),
	'platformNewsletters.newsletter.queue': ({ state }) => {
		serial += 1;
		const recipients = state.customers.customers.rows.slice(-3).map(({ id }) => id);
		const pattern = state.newsletters.newsletters.get('nwl-130')!;
		const { id } = state.newsletters.newsletters.add({
			...pattern,
			id: `nwl-${serial}`,
			recipients,
		});
		return { newsletterId: byId(id) };
	},
	'platformNewsletters.newsletter.update': { updateFields: { title: 'Renamed' } },
	// In any newsletter there are customers to choose from, but not always recipients.
	'platformNewsletters.recipient.getAll': { output: 'customers' },
	'platformNewsletters.suppression.remove': ({ state }) => {
		serial += 1;
		const [pattern] = state.unsubscribes.suppressions.rows;
		const { id } = state.unsubscribes.suppressions.add({ ...pattern, id: `${serial}@example.com` });
		return { email: byId(id, 'email') };
	},
	'platformPartners.partner.delete': ({ state }) => {
		serial += 1;
		const [pattern] = state.partners.partners.rows;
		const { id } = state.partners.partners.add({
			...pattern,
			id: `ptn-${serial}`,
			external_id: `partner-${serial}`,
		});
		return { partnerId: byId(id) };
	},
	'platformPartners.partner.find': { externalId: 'partner-1' },
	'platformPartners.partner.update': { updateFields: { address: { city: 'Bonn' } } },
	'platformPartners.payout.create': ({ state }) => {
		serial += 1;
		const pattern = state.partners.fees.rows.find(({ partner_id }) => partner_id === 'ptn-1');
		const fee = { ...pattern!, id: `fee-${serial}`, status: 'pending' as const };
		return { transactions: [state.partners.fees.add(fee).id] };
	},
	'platformPartners.payout.updateStatus': ({ state }) => {
		serial += 1;
		const [pattern] = state.payouts.payouts.rows;
		const payout = { ...pattern, id: `pay-${serial}`, fees: [], status: 'pending' as const };
		return { payoutId: byId(state.payouts.payouts.add(payout).id) };
	},
	'platformScheduler.event.getAll': { start: '2020-01-01', end: '2040-01-01' },
	'platformScheduler.event.update': { updateFields: { title: 'Renamed' } },
	'platformWebhooks.webhook.delete': newWebhook,
	'platformWebhooks.webhook.get': newWebhook,
	'platformWebhooks.webhook.getAll': newWebhook,
	'platformWorkflows.trace.get': ({ state }) => ({
		traceId: byId(String(state.workflows.traces.get('wfl-1')?.rows[0].id)),
	}),
};

/** `platformCustomers.customer.get`: an operation as the tables of the tests name it. */
export const keyOf = ({ node, resource, operation }: TableEntry) =>
	`${node}.${resource.value}.${operation.value}`;

const ranks: Record<string, number> = { GET: 0, POST: 1, PUT: 1, DELETE: 3 };
const late: Record<string, number> = {
	'platformNewsletters.newsletter.queue': 2,
	'platformCustomers.customer.delete': 4,
};
const rank = (entry: TableEntry) =>
	late[keyOf(entry)] ?? ranks[partsOf(entry.operation.endpoint.route).method];

/** Reads first, and what ends something last, so that each finds what it needs in one sandbox. */
export const inOrder = (entries: TableEntry[]): TableEntry[] =>
	[...entries].sort((one, other) => rank(one) - rank(other));

/** A value of a field: of a record that is there, if it names one. */
export function valueOf(field: Field): unknown {
	const value = known[field.name] ?? sampleValue(field);
	return field.type === 'resourceLocator' && typeof value === 'string'
		? located(field, value)
		: value;
}

/** The smallest form of an operation: what is required, and what is chosen for the user. */
function smallestForm({
	operation: {
		fields = [],
		endpoint: { route },
	},
}: TableEntry): Form {
	return Object.fromEntries(
		fields.flatMap((field) => {
			if (field.required || route.includes(`{${field.name}}`))
				return [[field.name, valueOf(field)]];
			return field.type === 'options' ? [[field.name, field.default]] : [];
		}),
	) as Form;
}

/** A form that the sandbox accepts, with the ids of its state, which is made ready for it. */
export function ownForm(sandbox: Sandbox, entry: TableEntry): Form {
	const need = needs[keyOf(entry)];
	return { ...smallestForm(entry), ...(typeof need === 'function' ? need(sandbox) : need) };
}

/** The same with its ids as clients see them. */
export const existingForm = (sandbox: Sandbox, entry: TableEntry): Form =>
	sandbox.shown(ownForm(sandbox, entry));
