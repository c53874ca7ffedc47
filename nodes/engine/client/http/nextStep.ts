// The sentence of an error that tells the user what to check or do next.
import { endpointOf, isAbsentMessage, onlyReads, permissionOf } from '../../../api/endpoints';
import { short } from '../../form/operation';
import { isPage, isPerhapsAbsent, isUsedUp, WRONG_KEY } from './response';
import type { ErrorContext, SentField } from './errorContext';
import type { ApiResponse, Failed, Outcome } from './outcome';
import { redact } from './redact';
import { NOT_SENT, verdictOf } from './verdict';

const USED_UP =
	"A budget or quota is used up, so the request wasn't retried. Raise it, or wait until it renews.";

const TEST_BOTH = 'Test the vector store and the embedding connection with their Test operations.';

/**
 * Next steps by documented message, or by its beginning (Errors in both references). The statuses of most
 * aren't shown there.
 */
const documented: Record<string, string> = {
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
		'Get the user that exists with User → Get, or use another External ID.',
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
	'The AI connection is disabled':
		'Set Status of the connection to Active with Connection → Update.',
	'Provider request failed': 'Check Model, Base URL and Credential of the connection.',
	'Remove linked resources before deleting this connection':
		'An assistant or a vector knowledge base uses the connection.',
	'AI Gateway monthly budget would be exceeded': USED_UP,
	'Invalid embedding request':
		'Check that the connection is active and has the purpose Embedding, and check Passages, Model, Dimensions and Input Type. In Platform Embeddings, Send Input Type must be off for providers that tell no roles apart.',
	'Invalid vector store configuration':
		'Check Endpoint, API Key, CA Certificate and Collection Prefix of the vector store.',
	'The vector store is disabled':
		'Set Status of the vector store to Active with Vector Store → Update.',
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

/** The reference describes this message, and doesn't quote it. */
const describesActions = (message: string) =>
	['charge', 'job_runner', 'workflow'].every((each) => message.includes(each));

function documentedStep(message: string): string | undefined {
	if (describesActions(message)) return 'Set Action Type to Charge, Job Runner or Workflow.';
	return Object.entries(documented).find(([said]) => message.startsWith(said))?.[1];
}

/** For requests without a Retry Time to raise. */
const LATER = 'Try again later.';

/** Max fields that an error names. */
const MAX_FIELDS = 8;

export const afterAttempts = ({ attempts }: Outcome) =>
	attempts > 1 ? ` after ${attempts} attempts` : '';

/** True if something in n8n failed, such as an expression in the credential, not the network. */
export const isFailureOfN8n = ({ failure, detail }: Failed) =>
	failure === 'UNKNOWN' && detail !== '';

function tryAgain({ inDoubt, route }: Outcome, otherwise: string): string {
	const { again } = endpointOf(route);
	return again && !inDoubt ? `Running it again is safe: ${again}.` : otherwise;
}

/** Words in lower case with single blanks, also around them. */
const wordsOf = (text: string) =>
	` ${text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()} `;

/** Words of a message for a field: its label, or its name in the request. */
const callings = ({ field, name }: SentField): string[] =>
	[field.replace(/(?: Names? or)? IDs?$/, ''), name].map(wordsOf);

/**
 * Returns the sent fields that an API message names, such as plan or amount, in the order of the message. A
 * partner group isn't a partner.
 */
function fieldsIn(message: string, fields: SentField[]): string[] {
	const said = wordsOf(message);
	const named = fields.flatMap((each) => {
		const [calling] = callings(each)
			.filter((one) => one.trim() !== '' && said.includes(one))
			.sort((one, other) => other.length - one.length);
		return calling ? [{ field: each.field, calling }] : [];
	});
	return named
		.filter(({ calling: own }) =>
			named.every(({ calling }) => calling === own || !calling.includes(own)),
		)
		.sort((one, other) => said.indexOf(one.calling) - said.indexOf(other.calling))
		.map(({ field }) => field);
}

const checkNamed = (fields: string[]) =>
	`Check the ${fields.join(' and ')} ${fields.length > 1 ? 'fields' : 'field'}.`;

/** The next step if a record wasn't found. */
function checkIds(response: ApiResponse, { sent, secrets, lookupKeys = [] }: ErrorContext): string {
	const { lookupKeys: ids = lookupKeys, route, message = '' } = response;
	// What isn't found comes first, such as the fee of a partner.
	const named = fieldsIn(message, sent?.() ?? []).slice(0, 1);
	if (named.length > 0 && ids.every(({ field }) => !named.includes(field)))
		return checkNamed(named);
	if (ids.length > 0) {
		const values = ids.map(({ value }) => `"${short(redact(value, secrets))}"`).join(' and ');
		return `Nothing found for ${values}. ${checkNamed(ids.map(({ field }) => field))}`;
	}
	return onlyReads(route)
		? 'Check Base URL in the credential.'
		: 'Check the values of the fields, and Base URL in the credential.';
}

/** The next step after a message that no reference shows. */
function checkFields({ message = '', body }: ApiResponse, { sent, secrets }: ErrorContext): string {
	const fields = sent?.() ?? [];
	const isOfApi = !isPage(body) && message !== '';
	if (!isOfApi || (sent && fields.length === 0)) return 'Check Base URL in the credential.';
	const named = fieldsIn(message, fields);
	if (named.length > 0) return checkNamed(named);
	const all = fields
		.slice(0, MAX_FIELDS)
		.map(({ field, value }) =>
			value === undefined ? field : `${field} "${redact(value, secrets)}"`,
		);
	if (fields.length > MAX_FIELDS) all.push('…');
	return `Check the values of the fields.${all.length > 0 ? ` Sent: ${all.join(', ')}.` : ''}`;
}

/** Documented messages come before statuses, because the reference shows no status for most errors. */
function afterResponse(response: ApiResponse, context: ErrorContext): string {
	const { status, message = '', attempts, waited, route, says } = response;
	const { scope, checksCode, taken, refusedFor } = endpointOf(route);
	if (isAbsentMessage(message)) return checkIds(response, context);
	const advice = documentedStep(message);
	if (advice !== undefined) return advice;
	if (checksCode && /invalid credentials/i.test(message)) {
		return 'Check the code or the passkey, and the user it belongs to.';
	}
	if ((status === 401 || status === 403) && isPage(response.body)) {
		return 'Check Base URL and the API key in the credential.';
	}
	if (status === 401) {
		if (message === '' || message === WRONG_KEY) {
			return "Check the API key in the credential. It's wrong or was revoked.";
		}
		return `Check the API key in the credential${scope ? `, its scope ${scope}` : ''} and the values of the fields.`;
	}
	// Many services hide a record from a key without access to it.
	if (status === 403 && isPerhapsAbsent(response)) return checkIds(response, context);
	if (status === 403) {
		const what = scope ? `the scope ${scope} (${permissionOf(scope)}), which` : 'a scope that';
		const lacks = `The key may lack ${what} this operation needs.`;
		return refusedFor ? `${lacks} ${refusedFor}` : lacks;
	}
	if (refusedFor && says === 'refusal') return refusedFor;
	if (taken !== undefined && (status === 409 || /already exists/i.test(message))) return taken;
	if (status === 409) {
		return /exist/i.test(message)
			? 'A record with these values already exists. Update it, or use other values.'
			: "The record's current state doesn't allow this.";
	}
	if (isUsedUp(response)) return USED_UP;
	const { retry } = verdictOf(response);
	if (retry === 'any') {
		const raise = 'Send fewer requests in parallel, or raise Retry Time in Settings.';
		const waits = `${attempts} times and waited ${Math.round(waited / 1000)} s`;
		const tried = attempts > 1 ? ` Tried ${waits}.` : '';
		return `The API's rate limit was reached.${tried} ${context.isFixed ? LATER : raise}`;
	}
	if (status >= 300 && status < 400) {
		return "The API redirected. Set Base URL to the final URL; the key isn't sent to redirects.";
	}
	if (retry === 'repeatable') {
		const failed = `The API failed${afterAttempts(response)}.`;
		return `${failed} ${tryAgain(response, response.inDoubt ? '' : LATER)}`.trim();
	}
	if (says === 'absent') return checkIds(response, context);
	return response.inDoubt ? '' : checkFields(response, context);
}

function afterFailure(outcome: Outcome & Failed, { isFixed }: ErrorContext): string {
	if (outcome.failure === NOT_SENT) {
		return isFixed ? LATER : 'Run it later, or raise Retry Time in Settings.';
	}
	if (outcome.inDoubt) return '';
	const otherwise = 'Check Base URL in the credential, and the network.';
	return tryAgain(outcome, isFailureOfN8n(outcome) ? '' : otherwise);
}

/** For anything but a readable success. */
export function nextStep(outcome: Outcome, context: ErrorContext): string {
	if (outcome.failure !== undefined) return afterFailure(outcome, context);
	if (outcome.says !== 'success') return afterResponse(outcome, context);
	return outcome.inDoubt ? '' : 'Check that Base URL in the credential points to the Platform API.';
}
