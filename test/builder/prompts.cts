// What people ask an AI for, and what it then has to do: the search that finds the node, the picker whose first entry it
// takes, the parameters. They make the list in docs/contributing/builders.md, too.

export interface PromptStep {
	/** The node, without the prefix `platform`. */
	node: string;
	/** What is searched for. */
	query: string;
	/** Fields that take the first entry of a picker, by the name of its list. */
	pickers?: Record<string, string>;
	parameters: Record<string, unknown>;
}

export interface Prompt {
	says: string;
	steps: PromptStep[];
	/** What reaches the API, a star for an ID; a workflow that a trigger starts is tested with pinned data. */
	sends: string[];
}

export const prompts: Prompt[] = [
	{
		says: 'Create the Platform customer Ada Lovelace, ada@example.com, or update her if she is there.',
		steps: [
			{
				node: 'Customers',
				query: 'platform customers',
				parameters: {
					resource: 'customer',
					operation: 'upsert',
					matchBy: 'externalId',
					externalId: 'ada',
					email: 'ada@example.com',
					fields: { firstName: 'Ada', lastName: 'Lovelace' },
				},
			},
		],
		sends: ['GET /customers/customer.json', 'POST /customers.json'],
	},
	{
		says: 'Charge a Platform customer 49.90 for the setup. Let me pick the customer.',
		steps: [
			{
				node: 'Customers',
				query: 'create charge',
				pickers: { customerId: 'customers' },
				parameters: {
					resource: 'charge',
					operation: 'create',
					services: { service: [{ name: 'Setup', amount: 49.9 }] },
				},
			},
		],
		sends: ['POST /customers/*/charges.json'],
	},
	{
		says: 'For every recurring subscription, get the status of the customer’s subscription.',
		steps: [
			{
				node: 'RecurringPayments',
				query: 'recurring subscriptions',
				parameters: { resource: 'subscription', operation: 'getAll', limit: 1 },
			},
			{
				node: 'Customers',
				query: 'subscription',
				parameters: {
					resource: 'subscription',
					operation: 'getAll',
					customerId: { __rl: true, mode: 'id', value: '={{ $json.customer_id }}' },
				},
			},
		],
		sends: ['GET /recurring-payments/subscriptions.json', 'GET /customers/*/subscriptions.json'],
	},
	{
		says: 'When a charge fails on the Platform, write down the delivery.',
		steps: [
			{
				node: 'CustomersTrigger',
				query: 'payment failed',
				parameters: { events: ['RecurringPayments.charge.failed'] },
			},
		],
		sends: [],
	},
	{
		says: 'My n8n has no public URL. Tell me when a payment status changes.',
		steps: [
			{
				node: 'PollingTrigger',
				query: 'platform polling',
				parameters: { event: 'paymentStatusChanged' },
			},
		],
		sends: [],
	},
	{
		says: 'Send me a test of our newest newsletter, to me@example.com.',
		steps: [
			{
				node: 'Newsletters',
				query: 'send newsletter',
				pickers: { newsletterId: 'newsletters' },
				parameters: {
					resource: 'newsletter',
					operation: 'sendTest',
					testEmail: 'me@example.com',
				},
			},
		],
		sends: ['POST /newsletters/*/test.json'],
	},
	{
		says: 'Create a knowledge base "Handbook" and add a first text to it.',
		steps: [
			{
				node: 'AiGateway',
				query: 'create knowledge base',
				parameters: { resource: 'knowledgeBase', operation: 'create', name: 'Handbook' },
			},
			{
				node: 'AiGateway',
				query: 'add document to knowledge base',
				parameters: {
					resource: 'document',
					operation: 'add',
					knowledgeBaseId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
					contentFrom: 'text',
					name: 'Holidays',
					content: 'Everybody has 30 days of holidays a year.',
				},
			},
		],
		sends: [
			'POST /ai-gateway/knowledge-bases.json',
			'POST /ai-gateway/knowledge-bases/*/documents.json',
		],
	},
];
