/**
 * Every error that the sandbox answers, in one table: the message as the reference gives it and
 * the status. `own` is a status that the reference does not show: another one in other worlds.
 */
import type { World } from '../contract/worlds.cts';

/** An error answer of the API: its usual status and its `error` message. */
export class Refusal extends Error {
	constructor(
		private readonly entry: Entry,
		message: string,
		/** Whether the message is documented, or the sandbox's own. */
		private readonly isOwnMessage: boolean,
	) {
		super(message);
	}

	/** The status, and the message, that this world gives it. */
	in(world: World): { status: number; message: string } {
		const { status, decidedBy } = this.entry;
		return {
			status: decidedBy ? Number(world[decidedBy]) : status,
			message: this.isOwnMessage ? unknownMessage(this.message, world) : this.message,
		};
	}
}

function unknownMessage(message: string, { unknownMessage: choice }: World): string {
	if (!/ not found| does not exist/i.test(message) || choice === 'not found') return message;
	if (choice === 'invalid id') return 'Invalid id';
	return message.replace(/ not found.*/i, ' does not exist');
}

/** The dimensions that decide a status. */
type StatusDimension =
	| 'invalidStatus'
	| 'unknownStatus'
	| 'conflictStatus'
	| 'deniedStatus'
	| 'outsideStatus'
	| 'budgetStatus'
	| 'missingScope';

interface Entry {
	status: number;
	message: string;
	/** Which dimension decides the status where the reference does not show it. */
	decidedBy?: StatusDimension;
}

const kinds: Record<number, StatusDimension> = {
	400: 'invalidStatus',
	402: 'budgetStatus',
	404: 'unknownStatus',
	409: 'conflictStatus',
	424: 'outsideStatus',
};

/** The status is the reference's, or the sandbox's own in every world. */
const always = (status: number, message: string): Entry => ({ status, message });
/** The status is the world's choice. */
const own = (status: number, message: string, decidedBy = kinds[status]): Entry => ({
	status,
	message,
	decidedBy,
});

/** Reference: 'Errors' of both documents; the last group has messages of the sandbox's own. */
export const refusals = {
	invalidToken: always(401, 'Invalid token'),
	unsupportedCurrency: always(400, 'Invalid currency passed'),
	customerExists: always(409, 'A customer already exists with this email'),
	unknownCustomer: always(404, 'This customer does not exist'),
	subscriptionOfOther: always(404, 'This subscription does not exists for this customer'),
	unknownVatNumber: always(404, 'Company not found'),

	unknownWorkflow: own(404, 'This workflow does not exists'),
	unknownTrace: own(404, 'Trace not found for this workflow.'),
	badActionType: own(400, 'action_type must be one of charge, job_runner, workflow'),
	noDnsTarget: own(400, 'target is required'),
	badWebhook: own(400, 'A valid url must be specified.'),
	unsupportedEvent: own(400, 'Some events are not available'),
	unknownWebhook: own(404, 'Webhook not found.'),
	noPartnerKey: own(400, 'a valid externalId or email must be specified'),
	partnerHasCustomers: own(409, 'Unable to remove this partner. Customer attached to partner: ...'),
	payoutPaid: own(409, 'Paid payouts cannot be updated'),
	unknownContent: own(404, 'Content Box not found'),
	badFields: own(400, 'Fields must be an associative array'),
	userExists: own(409, 'User with this external_id already exists for this company'),
	badCode: own(400, 'Invalid credentials or access denied', 'deniedStatus'),
	newsletterNotDraft: own(409, 'Only newsletters in draft status can be updated'),
	newsletterQueued: own(409, 'This newsletter is already queued and cannot be queued again'),
	notSuppressed: own(404, 'Email not found in suppression list'),

	badConnection: own(400, 'Invalid connection configuration'),
	unknownConnection: own(404, 'AI connection not found'),
	modelInUse: own(409, 'Create a new embedding connection and reindex instead'),
	connectionDisabled: own(409, 'The AI connection is disabled'),
	providerFailed: own(424, 'Provider request failed'),
	connectionInUse: own(409, 'Remove linked resources before deleting this connection'),
	budgetExceeded: own(402, 'AI Gateway monthly budget would be exceeded'),
	badEmbedding: own(400, 'Invalid embedding request'),
	badVectorStore: own(400, 'Invalid vector store configuration'),
	unknownVectorStore: own(404, 'Vector store not found'),
	vectorStoreDisabled: own(409, 'The vector store is disabled'),
	vectorStoreFailed: own(424, 'Vector store request failed'),
	vectorStoreInUse: own(409, 'Remove linked knowledge bases before deletion'),
	badPrompt: own(400, 'Invalid prompt'),
	badKnowledgeBase: own(400, 'Invalid knowledge base configuration'),
	knowledgeBaseSetupFailed: own(424, 'Knowledge base setup failed'),
	unknownKnowledgeBase: own(404, 'Knowledge base not found'),
	indexingFailed: own(424, 'Vector indexing failed'),
	badIngestion: own(400, 'Invalid ingestion manifest'),
	unknownDocument: own(404, 'Document not found'),
	badSource: own(400, 'Invalid remote source'),
	knowledgeBaseNotReady: own(409, 'Knowledge base is not ready'),

	insufficientScope: own(403, 'Insufficient scope', 'missingScope'),
	tooManyRequests: always(429, 'Too many requests'),
	invalidRequest: own(400, 'Invalid request'),
	notFound: own(404, 'Not found'),
	noSuchAddress: always(404, 'Not found'),
	unknownCustomerId: own(404, 'This customer does not exist'),
	conflict: own(409, 'Conflict'),
	brokenContract: always(500, 'The sandbox broke the contract'),
} as const;

export type RefusalName = keyof typeof refusals;

/** To be thrown by a handler. `message` replaces the table's where it carries a value. */
export function refuse(name: RefusalName, message?: string): Refusal {
	const entry = refusals[name];
	return new Refusal(entry, message ?? entry.message, message !== undefined);
}
