// n8n's search for nodes: what it shows for what people and models type.
import { table } from '../table/operations.cts';
import { builder, PACKAGE } from './builder.cts';

const building = builder('search');

/** Queries by the node that they are for. Written before the nodes had search words: none is changed to suit those. */
const queries: Record<string, string[]> = {
	Customers: [
		'platform api',
		'platform',
		'platform customers',
		'customer',
		'customers',
		'create customer',
		'update customer',
		'billing',
		'charge',
		'charge a customer',
		'create charge',
		'payment',
		'payment link',
		'subscription',
		'cancel subscription',
		'pause subscription',
		'record usage',
		'metered billing',
		'crm',
	],
	CustomersTrigger: [
		'platform trigger',
		'charge paid',
		'charge paid trigger',
		'payment received',
		'payment failed',
	],
	PollingTrigger: ['new customer', 'new customer trigger', 'polling trigger', 'platform polling'],
	Webhooks: ['platform webhooks', 'register webhook', 'event types'],
	RecurringPayments: ['recurring payments', 'recurring subscriptions', 'renewal'],
	Partners: ['partner', 'affiliate', 'commission', 'payout', 'create payout'],
	Newsletters: ['newsletter', 'send newsletter', 'unsubscribe list', 'email campaign'],
	Dns: ['dns lookup', 'dns records', 'mx record'],
	Company: ['vat number', 'convert currency', 'exchange rate', 'company profile'],
	Scheduler: ['appointment', 'schedule event', 'platform scheduler'],
	ContentBox: ['content type', 'headless cms', 'publish content entry'],
	Identity: ['one time password', 'two-factor', 'passkey', 'fraud risk'],
	Workflows: ['platform workflows', 'run platform workflow', 'workflow trace'],
	AiGateway: [
		'knowledge base',
		'create knowledge base',
		'add document to knowledge base',
		'ai gateway',
	],
	KnowledgeBaseTool: ['knowledge base tool', 'search knowledge base agent'],
	Embeddings: ['embeddings', 'platform embeddings'],
	KnowledgeBaseRetriever: ['retriever', 'knowledge base retriever'],
};

// Some queries have more than five products of that name, which n8n shows first.
test('the search shows the wanted node, or one that leads to it, for at least 60 of 73 queries', async () => {
	const missed: string[] = [];
	for (const [wanted, texts] of Object.entries(queries)) {
		for (const query of texts) {
			const shown = await building().ask('search_nodes', { queries: [query] });
			const found = new RegExp(`- ${PACKAGE}\\.platform${wanted}\\b`);
			if (!found.test(shown)) missed.push(query);
		}
	}
	expect(Object.values(queries).flat()).toHaveLength(73);
	expect(missed.slice(13)).toEqual([]);
});

test('the search says what to know before an operation is chosen', async () => {
	for (const { displayName, operation } of table.filter((entry) => entry.operation.builderHint)) {
		const shown = await building().ask('search_nodes', { queries: [displayName] });
		expect(shown).toContain(`@builderHint ${operation.builderHint}`);
	}
});
