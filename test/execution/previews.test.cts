// Output schema previews against what really comes out: operations run against the sandbox, each
// item compared with the preview.
import Ajv from 'ajv/dist/2020';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { stepOf, totp } from '../sandbox/totp.cts';
import { sampleValue, type Form } from '../table/forms.cts';
import { table, type TableEntry } from '../table/operations.cts';
import { previewOf } from '../../tools/previews.cts';
import type { Field } from '../../nodes/shared/operation.ts';
import { byId, run } from './host/run.cts';

const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });

/** Ids of the sandbox's seeds, and values that it accepts, by the name of the field. */
const known: Form = {
	accountName: 'ada',
	connectionId: 'aic-2',
	contentId: 'cnt-1',
	customerId: 'cus-100001',
	documentId: 'ado-1',
	eventId: 'evt-1',
	events: ['RecurringPayments.charge.paid'],
	externalUserId: 'user-1',
	feeId: 'fee-1',
	fromCurrency: 'EUR',
	knowledgeBaseId: 'akb-1',
	newsletterId: 'nwl-130',
	partnerId: 'ptn-1',
	payoutId: 'pay-1',
	plan: 'plan-basic',
	provider: 'vendor_a',
	subscriptionId: 'sub-500001',
	target: 'example.com',
	toCurrency: 'USD',
	typeId: 'typ-article',
	vatNumber: 'IT12345670785',
	vectorStoreId: 'avs-1',
	workflowId: 'wfl-1',
};

type Values = Form | ((sandbox: Sandbox) => Form | Promise<Form>);

const remoteDocument = {
	name: 'Terms',
	url: 'https://files.example.com/terms.md',
	contentType: 'text/markdown',
};

const newWebhook = async (sandbox: Sandbox): Promise<Form> => {
	const { items } = await run(sandbox, 'platformWebhooks', 'webhook.create', {
		name: 'Charges',
		url: 'https://example.com/charges',
		events: ['RecurringPayments.charge.paid'],
	});
	return { webhookId: byId(String(items[0].json.id)) };
};

/** What else operations need in their form, or must find at the service. */
const needs: Record<string, Values> = {
	'platformAiGateway.connection.create': { credential: 'secret' },
	'platformAiGateway.connection.delete': { connectionId: byId('aic-5') },
	'platformAiGateway.connection.update': { updateFields: { name: 'Renamed' } },
	'platformAiGateway.vectorStore.create': {
		provider: 'vector_vendor',
		endpoint: 'https://vectors.example.com',
	},
	'platformAiGateway.vectorStore.delete': { vectorStoreId: byId('avs-3') },
	'platformAiGateway.vectorStore.update': { updateFields: { name: 'Renamed' } },
	'platformAiGateway.knowledgeBase.search': { query: 'another plan' },
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
		fields: { field: [{ key: 'headline', label: 'Headline', type: byId('string') }] },
	},
	'platformContentBox.contentType.update': { updateFields: { title: 'Renamed' } },
	'platformCustomers.customer.getByExternalId': ({ state }) => ({
		externalId: state.customers.customers.rows.find(({ externalId }) => externalId)?.externalId,
	}),
	'platformCustomers.customer.update': { updateFields: { companyName: 'Renamed' } },
	'platformIdentity.user.create': { externalUserId: 'new' },
	'platformIdentity.oneTimePassword.verify': ({ state }) => ({
		code: totp(String(state.identity.users.rows[0].otp?.secret), stepOf(new Date())),
	}),
	'platformNewsletters.newsletter.update': { updateFields: { title: 'Renamed' } },
	'platformNewsletters.suppression.remove': ({ state }) => ({
		email: byId(state.unsubscribes.suppressions.rows[0].id),
	}),
	'platformPartners.partner.delete': async (sandbox) => {
		const { items } = await run(sandbox, 'platformPartners', 'partner.create', {
			name: 'New',
			email: 'new@example.com',
			country: 'DE',
		});
		return { partnerId: byId(String(items[0].json.id)) };
	},
	'platformPartners.partner.find': { externalId: 'partner-1' },
	'platformPartners.partner.update': { updateFields: { city: 'Bonn' } },
	'platformPartners.payout.create': ({ state }) => {
		const paid = new Set(state.payouts.payouts.rows.flatMap(({ fees }) => fees));
		const free = state.partners.fees.rows.find(
			({ id, partner_id }) => partner_id === 'ptn-1' && !paid.has(id),
		);
		return { transactions: [String(free?.id)] };
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

/** What the sandbox answers beyond what the reference shows, and no preview may promise. */
const ownToTheSandbox: Record<string, string[]> = {
	'platformCustomers.customer.get': ['partner'],
	'platformCustomers.customer.getByExternalId': ['partner'],
	'platformCustomers.customer.getAll': ['partner'],
	'platformNewsletters.newsletter.getStats': ['newsletter'],
	'platformNewsletters.recipient.getAll': ['email'],
};

/** A credential that a browser signed; test/execution/areas/identity.test.cts makes one. */
const needBrowser = [
	'platformIdentity.passkey.confirmRegistration',
	'platformIdentity.passkey.delete',
	'platformIdentity.passkey.startVerification',
	'platformIdentity.passkey.verify',
];

const keyOf = ({ node, resource, operation }: TableEntry) =>
	`${node}.${resource.value}.${operation.value}`;

function valueOf(field: Field): unknown {
	const value = known[field.name] ?? sampleValue(field);
	return field.type === 'resourceLocator' && typeof value === 'string' ? byId(value) : value;
}

/** The smallest form of an operation: what is required, and what is chosen for the user. */
function smallestForm({ operation: { fields = [], route } }: TableEntry): Form {
	return Object.fromEntries(
		fields.flatMap((field) => {
			if (field.required || route.includes(`{${field.name}}`))
				return [[field.name, valueOf(field)]];
			return field.type === 'options' ? [[field.name, field.default]] : [];
		}),
	) as Form;
}

const tried = table.filter((entry) => previewOf(entry) && !needBrowser.includes(keyOf(entry)));

test.each(tried.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
	const { node, resource, operation } = entry;
	const preview = previewOf(entry);
	const sandbox = await startSandbox({ customers: 20 });
	try {
		const need = needs[keyOf(entry)];
		const form = {
			...smallestForm(entry),
			...(typeof need === 'function' ? await need(sandbox) : need),
		};
		const name = `${resource.value}.${operation.value}`;
		const { items, error } = await run(sandbox, node, name, form as Record<string, object>);
		expect(error?.message).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		const promised = Object.keys(preview?.properties ?? {});
		const own = ownToTheSandbox[keyOf(entry)] ?? [];
		for (const { json } of items) {
			ajv.validate(preview as object, json);
			expect(ajv.errors ?? []).toEqual([]);
			expect(Object.keys(json).filter((key) => !promised.includes(key))).toEqual(
				own.filter((key) => key in json),
			);
		}
		expect(sandbox.problems).toEqual([]);
	} finally {
		await sandbox.close();
	}
});
