// What the user can do after a request that failed: the sentence of an error that says what to check.
import { endpointOf, isAbsentMessage, onlyReads } from '../../endpoints';
import { short } from '../../operation';
import { adviceOn, USED_UP } from './advice';
import { isPage, isPerhapsAbsent, isUsedUp, WRONG_KEY } from './answer';
import type { ErrorContext, SentField } from './errorContext';
import type { Answer, Failed, Outcome } from './outcome';
import { redact } from './redact';
import { NOT_SENT, verdictOf } from './verdict';

/** The next step of who cannot say how long to try. */
const LATER = 'Try again later.';

const RAISE = 'Send fewer requests in parallel, or raise Retry Time in Settings.';

/** How many of the fields that were sent an error names. */
const MAX_FIELDS = 8;

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;

/** 'after 3 attempts', where there was more than one. */
export const afterAttempts = ({ attempts }: Outcome) =>
	attempts > 1 ? ` after ${attempts} attempts` : '';

/** Not a network error: something in n8n failed, such as an expression in the credential. */
export const isFailureOfN8n = ({ failure, detail }: Failed) =>
	failure === 'UNKNOWN' && detail !== '';

/** What the user can do after a request that broke. */
function tryAgain({ inDoubt, route }: Outcome, otherwise: string): string {
	const { again } = endpointOf(route);
	return again && !inDoubt ? `Running it again is safe: ${again}.` : otherwise;
}

/** The fields that a message of the API names, such as plan or amount. */
function fieldsIn(message: string, fields: SentField[]): string[] {
	const words = message.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
	const isNamed = ({ field, name }: SentField) =>
		[field.replace(/ IDs?$/, ''), name].some((each) => words.includes(each.toLowerCase()));
	return fields.filter(isNamed).map(({ field }) => field);
}

const checkNamed = (fields: string[]) =>
	`Check the ${fields.join(' and ')} ${fields.length > 1 ? 'fields' : 'field'}.`;

/** What to check where nothing was found. */
function checkIds({ lookupKeys: ids = [], route, message = '' }: Answer, { sent }: ErrorContext) {
	const named = fieldsIn(message, sent?.() ?? []);
	if (named.length > 0 && ids.every(({ field }) => !named.includes(field)))
		return checkNamed(named);
	const [{ field, value } = { field: '', value: '' }, ...others] = ids;
	if (others.length > 0) {
		const all = ids.map((each) => `${each.field} "${short(each.value)}"`).join(' and ');
		return `Nothing found for ${all}. Check these fields.`;
	}
	if (field !== '') return `Nothing found for "${short(value)}". Check the ${field} field.`;
	return onlyReads(route)
		? 'Check Base URL in the credential.'
		: 'Check the values of the fields, and Base URL in the credential.';
}

/** What to check where the API gives a reason that no reference shows. */
function checkFields({ message = '', body }: Answer, { sent, secrets }: ErrorContext): string {
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

/** What the user can do. The statuses of most errors aren't shown, so documented messages come first. */
export function afterAnswer(answer: Answer, context: ErrorContext): string {
	const { status, message = '', attempts, waited, route, missing } = answer;
	const { scope, checksCode, taken } = endpointOf(route);
	if (isAbsentMessage(message)) return checkIds(answer, context);
	const advice = adviceOn(message);
	if (advice !== undefined) return advice;
	if (checksCode && /invalid credentials/i.test(message)) {
		return 'Check the code or the passkey, and the user it belongs to.';
	}
	if ((status === 401 || status === 403) && isPage(answer.body)) {
		return 'Check Base URL and the API key in the credential.';
	}
	if (status === 401) {
		if (message === '' || message === WRONG_KEY) {
			return "Check the API key in the credential. It's wrong or was revoked.";
		}
		return `Check the API key in the credential${scope ? `, its scope ${scope}` : ''} and the values of the fields.`;
	}
	// Many services hide what is there from a key that may not see it.
	if (status === 403 && isPerhapsAbsent(answer)) return checkIds(answer, context);
	if (status === 403) {
		return scope
			? `The key may lack the scope ${scope}, which this operation needs.`
			: 'The key may lack a scope that this operation needs.';
	}
	if (taken !== undefined && (status === 409 || /already exists/i.test(message))) return taken;
	if (status === 409) {
		return /exist/i.test(message)
			? 'A record with these values already exists. Update it, or use other values.'
			: "The record's current state doesn't allow this.";
	}
	if (isUsedUp(answer)) return USED_UP;
	if (verdictOf(answer).retry === 'any') {
		return `The API's rate limit was reached. Tried ${attempts} times and waited ${seconds(waited)}. ${context.isFixed ? LATER : RAISE}`;
	}
	if (status >= 300 && status < 400) {
		return "The API redirected. Set Base URL to the final URL; the key isn't sent to redirects.";
	}
	if (verdictOf(answer).retry === 'repeatable') {
		const failed = `The API failed${afterAttempts(answer)}.`;
		return `${failed} ${tryAgain(answer, answer.inDoubt ? '' : LATER)}`.trim();
	}
	if (missing) return checkIds(answer, context);
	return answer.inDoubt ? '' : checkFields(answer, context);
}

/** The next step after a request that got no response. */
export function afterFailure(outcome: Failed, context: ErrorContext): string {
	if (outcome.failure === NOT_SENT) {
		return context.isFixed ? LATER : 'Run it later, or raise Retry Time in Settings.';
	}
	if (outcome.inDoubt) return '';
	const otherwise = 'Check Base URL in the credential, and the network.';
	return tryAgain(outcome, isFailureOfN8n(outcome) ? '' : otherwise);
}
