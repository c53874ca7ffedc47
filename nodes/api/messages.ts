// The messages of the API that the reference documents, and the next step after each (Errors in both documents).

import { USED_UP } from '../engine/client/http/nextStep';

const TEST_BOTH =
	'Test both with Vector Store → Test and Connection → Test: the store and the embedding connection.';

/** Next steps by documented message, or its beginning (Errors in both references, most of them without a status). */
const steps: Record<string, string> = {
	// Core
	'Invalid currency passed':
		'Check the currencies. Currency → Get Many lists those that you can use.',
	'A valid url must be specified.':
		'Check Name, URL and Events. The URL needs https:// and a valid certificate.',
	'Some events are not available': 'Choose events that Event Type → Get Many lists.',
	'a valid externalId or email must be specified': 'Fill in External ID or Email.',
	'target is required': 'Check the Target field. It needs a host name or an IP address.',
	'Unable to remove this partner.':
		'Customers are still attached to this partner. Partner → Get Customers lists them.',
	'Paid payouts cannot be updated': 'The payout is paid and stays as it is.',
	'Fields must be an associative array':
		'Check the fields of the content type. Each needs a key, a label and a type.',
	'User with this external_id already exists for this company':
		'Get the user that exists with User → Get, or use another External User ID.',
	'Only newsletters in draft status can be updated':
		"The newsletter isn't a draft anymore. Create a new one instead.",
	'This newsletter is already queued and cannot be queued again':
		"It's in the queue already. There's nothing to do.",
	'Email not found in suppression list':
		"The email isn't in the suppression list, so there's nothing to remove. Check the Email field.",
	// AI gateway
	'Invalid connection configuration':
		'Check Provider, Purpose, Model, Base URL and Credential of the connection.',
	'Create a new embedding connection and reindex instead':
		'A vector knowledge base uses this model. Create another connection and knowledge base.',
	'The AI connection is disabled': 'Set its status to active with Connection → Update.',
	'Provider request failed': 'Check Model, Base URL and Credential of the connection.',
	'Remove linked resources before deleting this connection':
		'An assistant or a vector knowledge base uses the connection.',
	'AI Gateway monthly budget would be exceeded': USED_UP,
	'Invalid embedding request':
		'Check that the connection is active and has the purpose Embedding, and check Passages, Model, Dimensions and Input Type. In Platform Embeddings, Send Input Type must be off for providers that tell no roles apart.',
	'Invalid vector store configuration':
		'Check Endpoint, API Key, CA Certificate and Collection Prefix of the vector store.',
	'The vector store is disabled': 'Set its status to active with Vector Store → Update.',
	'Vector store request failed': 'Check Endpoint, API Key and CA Certificate of the vector store.',
	'Remove linked knowledge bases before deletion': 'A knowledge base uses the vector store.',
	'Invalid prompt': 'Check Name and Content of the prompt.',
	'Invalid knowledge base configuration':
		'Check Retrieval Mode, Content Storage, Vector Store and Embedding Connection.',
	'Knowledge base setup failed': TEST_BOTH,
	'Vector indexing failed': TEST_BOTH,
	'Invalid ingestion manifest':
		'Check Source, Content Type, SHA-256 Checksum and Metadata. The knowledge base needs the retrieval mode Vector and keeps its content in the vector store.',
	'Invalid remote source':
		'Check Source, URL, Content Type and SHA-256 Checksum. The API rejects redirects to unsafe destinations, a URL with user name or password, content over 10 MB and text over 5 MB.',
	'Knowledge base is not ready':
		'Wait until the knowledge base is indexed, and check that its connection is active.',
};

/** The message about a wrong action type isn't quoted in the reference, which only says which types it names. */
const describesActions = (message: string) =>
	['charge', 'job_runner', 'workflow'].every((each) => message.includes(each));

/** Undefined if the reference doesn't document the message. */
export function stepFor(message: string): string | undefined {
	if (describesActions(message)) return 'Set Action Type to Charge, Job Runner or Workflow.';
	return Object.entries(steps).find(([said]) => message.startsWith(said))?.[1];
}
