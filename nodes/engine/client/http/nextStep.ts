// The sentence of an error that tells the user what to check or do next.
import { isUnset, recordOf, short } from '../../base/data';
import type { ApiDefinition } from '../../base/definition';
import type { ErrorContext, SentField } from './errorContext';
import { isPage, isPerhapsAbsent } from './exchange';
import type { ApiResponse, Failed, Outcome } from './outcome';
import { NOT_SENT, verdictOf } from './retry';

export const USED_UP =
	"A budget or quota is used up, so the request wasn't retried. Raise it, or wait until it renews.";

/** A request without a Retry Time has nothing to raise. */
const LATER = 'Try again later.';

const MAX_FIELDS = 8;

export const afterAttempts = ({ attempts }: Outcome) =>
	attempts > 1 ? ` after ${attempts} attempts` : '';

/** Something in n8n failed, such as an expression in the credential, not the network. */
export const isFailureOfN8n = ({ failure, detail }: Failed) =>
	failure === 'UNKNOWN' && detail !== '';

function tryAgain({ inDoubt, endpoint }: Outcome, otherwise: string): string {
	const { again } = endpoint;
	return again && !inDoubt ? `Running it again is safe: ${again}.` : otherwise;
}

/** Words in lower case with single blanks, also around them. So `includes` only finds whole words. */
const wordsOf = (text: string) =>
	` ${text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()} `;

/** A message may call a field by its label, without an ID at its end, or by its name in the request. */
const callings = ({ field, name }: SentField): string[] =>
	[field.replace(/(?:(?: Names? or)? IDs?|_ids?)$/, ''), name].map(wordsOf);

/** The sent fields that an API message names, in its order. If it says "user group", it names that field, and not the user. */
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

function checkIds(response: ApiResponse, { sent, secrets, lookupKeys }: ErrorContext): string {
	const { endpoint, message = '' } = response;
	const ids = (response.lookupKeys ?? lookupKeys)?.() ?? [];
	// The first field in a message is what wasn't found, such as in "order of this user not found".
	const named = fieldsIn(message, sent?.() ?? []).slice(0, 1);
	if (named.length > 0 && ids.every(({ field }) => !named.includes(field)))
		return checkNamed(named);
	if (ids.length > 0) {
		const values = ids.map(({ value }) => `"${short(secrets.hide(value))}"`).join(' and ');
		return `Nothing found for ${values}. ${checkNamed(ids.map(({ field }) => field))}`;
	}
	return endpoint.onlyReads
		? 'Check Base URL in the credential.'
		: 'Check the values of the fields, and Base URL in the credential.';
}

function checkFields({ message = '', body }: ApiResponse, { sent, secrets }: ErrorContext): string {
	const fields = sent?.() ?? [];
	const isOfApi = !isPage(body) && message !== '';
	// If it isn't known what was sent, a message in JSON shows that it's of the API.
	const isOfForm = sent ? fields.length > 0 : typeof body !== 'string';
	if (!isOfApi || !isOfForm) return 'Check Base URL in the credential.';
	const named = fieldsIn(message, fields);
	if (named.length > 0) return checkNamed(named);
	const all = fields
		.slice(0, MAX_FIELDS)
		.map(({ field, value }) => (value === undefined ? field : `${field} "${secrets.hide(value)}"`));
	if (fields.length > MAX_FIELDS) all.push('…');
	return `Check the values of the fields.${all.length > 0 ? ` Sent: ${all.join(', ')}.` : ''}`;
}

/** A write may fail because of another record that it names, so the messages of all endpoints count. */
const isAbsentMessage = (message: string, { routes, endpoint }: ApiDefinition) =>
	message !== '' && routes.some((route) => endpoint(route).absent === message);

interface AdviceRule {
	applies: (response: ApiResponse) => boolean;
	says: (response: ApiResponse, context: ErrorContext) => string;
}

const status =
	(...codes: number[]) =>
	(response: ApiResponse) =>
		codes.includes(response.status);

function afterUnauthorized({ message = '', endpoint }: ApiResponse): string {
	const { scope, api } = endpoint;
	if (message === '' || message === api.errors.wrongKey) {
		return "Check the API key in the credential. It's wrong or was revoked.";
	}
	// Any other 401 may be about the scope, or a code that was sent.
	return `Check the API key in the credential${scope ? `, its scope ${scope}` : ''} and the values of the fields.`;
}

function afterForbidden({ endpoint: { scope, api, refusedFor } }: ApiResponse): string {
	const permission = scope && api.permissionOf?.(scope);
	const named = permission ? `the scope ${scope} (${permission})` : `the scope ${scope}`;
	const what = scope ? `${named}, which` : 'a scope that';
	const lacks = `The key may lack ${what} this operation needs.`;
	return refusedFor ? `${lacks} ${refusedFor}` : lacks;
}

function afterLimit({ attempts, waited }: ApiResponse, { hasFixedBudget }: ErrorContext): string {
	const raise = 'Send fewer requests in parallel, or raise Retry Time in Settings.';
	const waits = `${attempts} times and waited ${Math.round(waited / 1000)} s`;
	const tried = attempts > 1 ? ` Tried ${waits}.` : '';
	return `The API's rate limit was reached.${tried} ${hasFixedBudget ? LATER : raise}`;
}

function afterServerError(response: ApiResponse): string {
	const failed = `The API failed${afterAttempts(response)}.`;
	return `${failed} ${tryAgain(response, response.inDoubt ? '' : LATER)}`.trim();
}

/** The message of a 403 may be about the key. */
const isAboutKey = (message: string) =>
	message === '' || /scope|permission|\bkey\b|token|forbidden|denied|authori|access/i.test(message);

const isTaken = ({ endpoint: { taken }, sent = {} }: ApiResponse) =>
	[sent, ...Object.values(sent)].some((each) => taken?.by.some((name) => name in recordOf(each)));

const documented = ({ endpoint, message = '' }: ApiResponse) =>
	endpoint.api.errors.stepFor?.(message);

/** The first rule that applies counts. Documented messages come first: a reference may show no status for most errors. */
const adviceRules: AdviceRule[] = [
	{
		applies: ({ message = '', endpoint }) => isAbsentMessage(message, endpoint.api),
		says: checkIds,
	},
	{
		applies: (response) => documented(response) !== undefined,
		says: (response) => documented(response) as string,
	},
	{
		applies: ({ endpoint, status: code, message = '' }) =>
			endpoint.checksCode === true && (code < 300 || /invalid credentials/i.test(message)),
		says: () => 'Check the code or the passkey, and the user it belongs to.',
	},
	{
		applies: (response) => status(401, 403)(response) && isPage(response.body),
		says: () => 'Check Base URL and the API key in the credential.',
	},
	{ applies: status(401), says: afterUnauthorized },
	{
		// A 403 about the key isn't about what the API may refuse here.
		applies: ({ endpoint, says, status: code, message = '' }) =>
			endpoint.refusedFor !== undefined &&
			(says === 'rejected' || (code === 403 && !isAboutKey(message))),
		says: ({ endpoint }) => endpoint.refusedFor as string,
	},
	{
		// Many services hide a record from a key without access to it.
		applies: (response) => status(403)(response) && isPerhapsAbsent(response),
		says: checkIds,
	},
	{ applies: status(403), says: afterForbidden },
	{
		applies: (response) =>
			isTaken(response) &&
			(response.status === 409 || /already exists/i.test(`${response.message}`)),
		says: ({ endpoint }) => endpoint.taken?.says ?? '',
	},
	{
		applies: status(413),
		says: () =>
			'The request is too big for the API, or for a proxy before it. Send less, or have its limit raised.',
	},
	// What a conflict is about is for the API to say.
	{ applies: status(409), says: () => '' },
	{ applies: ({ isUsedUp }) => isUsedUp, says: () => USED_UP },
	{ applies: (response) => verdictOf(response).isThrottled, says: afterLimit },
	{
		applies: (response) => response.status >= 300 && response.status < 400,
		says: () =>
			"The API redirected. Set Base URL to the final URL; the key isn't sent to redirects.",
	},
	{ applies: (response) => verdictOf(response).retry !== 'none', says: afterServerError },
	{ applies: ({ says }) => says === 'absent', says: checkIds },
	{ applies: ({ inDoubt }) => inDoubt, says: () => '' },
	{ applies: () => true, says: checkFields },
];

function afterResponse(response: ApiResponse, context: ErrorContext): string {
	const rule = adviceRules.find(({ applies }) => applies(response)) as AdviceRule;
	return rule.says(response, context);
}

/** A hook, a poll or a picker has no Timeout to raise. */
export const raiseTimeout = ({ failure }: Outcome, { hasFixedBudget }: ErrorContext) =>
	failure === 'ETIMEDOUT' && !hasFixedBudget
		? 'If the API needs longer, raise Timeout in Settings.'
		: '';

function afterFailure(outcome: Outcome & Failed, context: ErrorContext): string {
	const { hasFixedBudget } = context;
	if (outcome.failure === NOT_SENT) {
		return hasFixedBudget ? LATER : 'Run it later, or raise Retry Time in Settings.';
	}
	if (outcome.inDoubt) return '';
	const check = 'Check Base URL in the credential, and the network.';
	const otherwise = `${check} ${raiseTimeout(outcome, context)}`.trim();
	return tryAgain(outcome, isFailureOfN8n(outcome) ? '' : otherwise);
}

const DIDNT =
	"The API didn't do it, and gave no reason. Look the record up before you run it again.";

/** A read of one record returned nothing: no record, or none in a list. */
export function isNoRecord({ attempts, body, endpoint }: ApiResponse): boolean {
	const readsOne = endpoint.onlyReads && endpoint.kind === 'one' && endpoint.name !== undefined;
	const isNothing = isUnset(body) || (typeof body === 'object' && Object.keys(body).length === 0);
	return readsOne && isNothing && attempts > 0;
}

function afterUnreadable(response: ApiResponse, context: ErrorContext): string {
	const { endpoint, came } = response;
	// The API returned `{deleted: false}`, say.
	if (came?.endsWith(': false')) return DIDNT;
	if (isNoRecord(response)) return checkIds(response, context);
	return `Check that Base URL in the credential points to the ${endpoint.api.name}.`;
}

/** Empty if nothing helps, or in doubt, where `requestError` adds what to do. */
export function nextStep(outcome: Outcome, context: ErrorContext): string {
	if (outcome.failure !== undefined) return afterFailure(outcome, context);
	if (outcome.says !== 'success') return afterResponse(outcome, context);
	return outcome.inDoubt ? '' : afterUnreadable(outcome, context);
}
