// The nodes of the package, as AI builders are told of them.
import type { NodeTexts } from '../engine/base/definition';
import outputs from './outputs.json';

/** Related nodes show the use of each node. */
const roles = {
	platformAiGateway: 'Builds and searches knowledge bases',
	platformApiTool: 'Many operations as tools of an agent or MCP client',
	platformCompany: 'VAT numbers, currencies, own company',
	platformContentBox: 'Content entries',
	platformCustomers: 'Customers, subscriptions, usage, charges',
	platformDns: 'DNS lookups',
	platformEmbeddings: 'Embeddings for a vector store',
	platformIdentity: 'Users, one-time passwords, passkeys, risk',
	platformKnowledgeBaseRetriever: 'Knowledge base for chains',
	platformKnowledgeBaseTool: 'Knowledge base for agents',
	platformNewsletters: 'Newsletters to customers',
	platformPartners: 'Partners, commission fees, payouts',
	platformPollingTrigger: 'Starts on new customers or changed statuses, without a public URL',
	platformRecurringPayments: 'Recurring subscriptions of all customers',
	platformScheduler: 'Appointments and automated actions',
	platformCustomersTrigger:
		'Starts when a charge is paid or fails, or on another event; needs a public HTTPS URL',
	platformWebhooks: 'Webhooks that other systems receive',
	platformWorkflows: 'Runs workflows of the Platform',
};

/** Type of a node of this package, without its prefix. */
export type NodeName = keyof typeof roles;

/** The search shows only a few nodes for the word platform, so one of those links to all others. */
export const ALL = Object.keys(roles) as NodeName[];

const usual: NodeName[] = [
	'platformCustomers',
	'platformCustomersTrigger',
	'platformPollingTrigger',
];

/** The outputs are generated from the schema previews. */
export const nodes: NodeTexts = { roles, usual, outputs };
