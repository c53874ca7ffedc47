// What is derived from an operation's endpoint everywhere else, for the operations whose `run` is
// code: which endpoints they ask, and what their items hold.
import type { Route } from '../test/table/api.cts';
import type { Preview } from './previews.cts';
import type { TableEntry } from '../test/table/operations.cts';

/** An operation that sends several requests. */
interface Composite {
	/** What it asks, where its endpoints are too many to name. */
	summary?: string;
	/** It answers one row of the list that its endpoint answers. */
	row?: boolean;
	/** It answers what this endpoint answers, not its own. */
	answers?: Route;
	/** Properties of one output item; without them it answers what its own endpoint answers. */
	properties?: Record<string, Preview>;
}

const composites: Record<string, Composite> = {
	'platformAiGateway.connection.get': { row: true },
	'platformAiGateway.knowledgeBase.get': { row: true },
	'platformAiGateway.prompt.get': { row: true },
	'platformAiGateway.vectorStore.get': { row: true },
	'platformAiGateway.document.add': {},
	'platformAiGateway.document.createOrReplace': {
		properties: {
			id: { type: 'string' },
			name: { type: 'string' },
			action: { type: 'string' },
			replaced_document_id: { type: 'string' },
			retrieval_mode: { type: 'string' },
			chunks_count: { type: 'number' },
			indexed_in_vector_store: { type: 'boolean' },
			index_status: { type: 'string' },
			warning: { type: 'string' },
		},
	},
	'platformAiGateway.document.ingest': {},
	'platformAiGateway.document.replaceSource': {},
	'platformAiGateway.embedding.create': {},
	// The key needs no scope for this: that one is missing is a part of the result.
	'platformCompany.service.checkAccess': {
		summary: 'one GET for each read scope',
		properties: {
			scope: { type: 'string' },
			access: { type: 'string' },
			status: { type: ['integer', 'null'] },
			answer: { type: 'string' },
			endpoint: { type: 'string' },
		},
	},
	// They read the record only for what an update may replace as a whole.
	'platformCustomers.property.update': {},
	'platformContentBox.content.update': {},
	'platformCustomers.customer.getByEmail': { row: true },
	// They check that the record is the one that was asked for.
	'platformCustomers.customer.getByExternalId': {},
	'platformPartners.partner.find': {},
	'platformCustomers.customer.update': {},
	'platformNewsletters.recipient.set': {},
	'platformPartners.partner.update': {},
	// Those that both write to one record answer what the create or the update answers.
	'platformCustomers.customer.upsert': {
		properties: {
			id: { type: 'string' },
			partner: {},
			action: { type: 'string' },
			changes: { type: 'object' },
		},
	},
	'platformPartners.partner.upsert': {
		properties: {
			id: { type: 'string' },
			name: { type: 'string' },
			action: { type: 'string' },
			changes: { type: 'object' },
		},
	},
};

/**
 * The declaration of an operation that sends several requests.
 *
 * @returns undefined for an operation that is one request
 * @throws when an operation with `run` is not declared
 */
export function compositeOf({ node, resource, operation, title }: TableEntry) {
	if (operation.run === undefined) return undefined;
	const composite = composites[`${node}.${resource.value}.${operation.value}`];
	if (!composite) throw new Error(`${title} has run, and no entry in tools/composites.cts`);
	return composite;
}

/** What the node adds to each row: of a list, by what stands beside the rows; of an update, by what it has read before. */
const added: Record<string, Record<string, Preview>> = {
	'platformCustomers.property.update': {
		action: { type: 'string' },
		changes: { type: 'object' },
	},
	'platformNewsletters.recipient.getAll': {
		is_selected: { type: 'boolean' },
		newsletter_status: { type: 'string' },
	},
};

/** Members of an item that the API does not send with the row. */
export const addedTo = ({ node, resource, operation }: TableEntry): Record<string, Preview> =>
	added[`${node}.${resource.value}.${operation.value}`] ?? {};
