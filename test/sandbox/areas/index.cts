/** All areas, in the order in which they are seeded. */
import type { Area } from '../area.cts';
import { aiConnections } from './aiGateway/connections.cts';
import { aiDocuments } from './aiGateway/documents.cts';
import { aiEmbeddings } from './aiGateway/embeddings.cts';
import { aiKnowledgeBases } from './aiGateway/knowledgeBases.cts';
import { aiPrompts } from './aiGateway/prompts.cts';
import { aiRetrieval } from './aiGateway/retrieval.cts';
import { aiVectorStores } from './aiGateway/vectorStores.cts';
import { charges } from './charges.cts';
import { company } from './company.cts';
import { contentBox } from './contentBox.cts';
import { currencies } from './currencies.cts';
import { customers } from './customers.cts';
import { dns } from './dns.cts';
import { identity } from './identity.cts';
import { newsletters } from './newsletters.cts';
import { partners } from './partners.cts';
import { passkeys } from './passkeys.cts';
import { payouts } from './payouts.cts';
import { recurring } from './recurring.cts';
import { risk } from './risk.cts';
import { scheduler } from './scheduler.cts';
import { subscriptions } from './subscriptions.cts';
import { unsubscribes } from './unsubscribes.cts';
import { webhooks } from './webhooks.cts';
import { workflows } from './workflows.cts';

export const areas = {
	company,
	currencies,
	customers,
	subscriptions,
	charges,
	recurring,
	webhooks,
	workflows,
	scheduler,
	dns,
	partners,
	payouts,
	contentBox,
	identity,
	passkeys,
	risk,
	unsubscribes,
	newsletters,
	aiConnections,
	aiVectorStores,
	aiPrompts,
	aiKnowledgeBases,
	aiDocuments,
	aiRetrieval,
	aiEmbeddings,
};

type Areas = typeof areas;

/** The whole state of a sandbox, one store for each area. Tests may read and change it. */
export type State = { [Name in keyof Areas]: Areas[Name] extends Area<infer Own> ? Own : never };
