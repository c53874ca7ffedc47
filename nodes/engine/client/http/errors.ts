// Builds n8n's errors: of a failed request, with the API's message or what happened and the next step, and of anything else,
// such as a wrong value.
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { FieldFault } from '../../base/apiRequest';
import { sentence, short } from '../../base/data';
import type { ApiContext } from './context';
import { secretsOfNode } from './credential';
import { itemText, operationText, withoutParameters, type ErrorContext } from './errorContext';
import { describe, idsIn, NO_REASON } from './exchange';
import { afterAttempts, isFailureOfN8n, nextStep, raiseTimeout } from './nextStep';
import type { ApiResponse, Failed, Outcome } from './outcome';
import type { Secrets } from './redact';
import { BAD_CERTIFICATE, NOT_SENT, verdictOf } from './retry';

/** The cause of an error as in n8n-workflow's TIMED_CAUSES and ACTIONABLE_CAUSES, by which n8n decides when to poll again. */
export interface Cause {
	cause:
		| 'rate-limited'
		| 'quota-exhausted'
		| 'temporarily-unavailable'
		| 'credential-invalid'
		| 'configuration-invalid';
	retryAfterMs?: number;
}

/** The API recovers by itself, so a later poll can go on. */
export function isTimed(error: unknown): boolean {
	const { failure } = error as { failure?: Cause };
	return failure?.cause === 'rate-limited' || failure?.cause === 'temporarily-unavailable';
}

/** An unsure cause is undefined. */
function causeOf(outcome: Outcome): Cause | undefined {
	const { retry, isThrottled, pause: retryAfterMs } = verdictOf(outcome);
	if (isThrottled || outcome.failure === NOT_SENT) return { cause: 'rate-limited', retryAfterMs };
	if (retry !== 'none') return { cause: 'temporarily-unavailable', retryAfterMs };
	if (outcome.failure !== undefined) return undefined;
	const { status, says } = outcome;
	if (status === 402 || outcome.isUsedUp) return { cause: 'quota-exhausted' };
	if (status === 401) return { cause: 'credential-invalid' };
	return status === 403 || says === 'absent' ? { cause: 'configuration-invalid' } : undefined;
}

const MAX_MESSAGE = 500;

/** Secrets are hidden before the cut, because a cut could leave half of a secret. */
export const safeMessage = (message: string, secrets: Secrets) =>
	secrets.hide(message).slice(0, MAX_MESSAGE);

export const CHECK = 'Check before you run it again.';

const DOUBT = `It may have gone through, so it wasn't retried. ${CHECK}`;

const doubtText = ({ write }: ErrorContext): string =>
	write ? `${DOUBT} Look for the ${write()}.` : DOUBT;

/** A check of a person may be made again, and all that counts is that it hasn't said yes. */
function doubtOf(outcome: Outcome, context: ErrorContext): string {
	const { endpoint, failure } = outcome;
	if (!endpoint.checksPerson) {
		return `${doubtText(context)} ${raiseTimeout(outcome, context)}`.trim();
	}
	const why =
		failure === undefined
			? "That isn't as documented, so"
			: "The API may count it as a try, so it wasn't retried, and";
	return `${why} the person isn't confirmed.`;
}

const DONE_BEFORE = `A request before it may have gone through. ${CHECK}`;

function failureText(outcome: Outcome & Failed, { hasFixedBudget, secrets }: ErrorContext): string {
	const { failure, detail, pause } = outcome;
	const after = afterAttempts(outcome);
	if (failure === NOT_SENT) {
		if (pause === undefined)
			return "The API's rate limit was reached, so this request wasn't sent.";
		const longer = hasFixedBudget ? '' : ', longer than Retry Time';
		return `The API asks for a pause of ${pause / 1000} s${longer}, so this request wasn't sent.`;
	}
	if (failure === 'ETIMEDOUT') return `The API didn't respond in time${after}.`;
	if (failure === 'ENOTFOUND') return "The host in Base URL wasn't found.";
	if (failure === 'ECONNREFUSED') return `The host in Base URL refused the connection${after}.`;
	if (BAD_CERTIFICATE.test(failure)) {
		return "The certificate of the host in Base URL couldn't be verified.";
	}
	if (isFailureOfN8n(outcome)) return `The request failed: ${safeMessage(detail, secrets)}.`;
	return `The connection to the API broke${after}.`;
}

/** The API's message, with the status, and with the IDs of a request that is partly done. Secrets are hidden in all of it. */
function rejectionText({ status, message, body }: ApiResponse, secrets: Secrets): string {
	const own = safeMessage(message ?? NO_REASON, secrets);
	const ids = status < 300 ? idsIn(body) : [];
	const codes = [
		`HTTP ${status}`,
		...ids.map(([name, id]) => `${name} ${short(secrets.hide(id))}`),
	].join(', ');
	return secrets.hide(`${own.replace(/\.$/, '')} (${codes})`);
}

function whatHappened(outcome: Outcome, context: ErrorContext): string {
	if (outcome.failure !== undefined) return failureText(outcome, context);
	if (outcome.says === 'success')
		return `The API returned ${outcome.came ?? describe(outcome.body)}.`;
	return rejectionText(outcome, context.secrets);
}

/** An earlier attempt that was applied may be why a write was refused. After a 5xx, or no response, it wasn't refused. */
function earlierAttempt(outcome: Outcome, { lostResponse }: ErrorContext): string {
	if (outcome.failure !== undefined || outcome.says === 'success') return '';
	const { endpoint, doubtfulAttempts } = outcome;
	if (endpoint.onlyReads || (doubtfulAttempts === 0 && !lostResponse)) return '';
	if (verdictOf(outcome).retry === 'repeatable') return '';
	return 'An earlier attempt failed. It may have gone through.';
}

function detailOf(outcome: Outcome): string {
	if (outcome.failure === NOT_SENT) return '';
	if (outcome.failure !== undefined) return `Code ${outcome.failure}.`;
	if (outcome.says === 'success') return `HTTP status ${outcome.status}.`;
	return outcome.attempts > 1 ? `${outcome.attempts} attempts.` : '';
}

/** The next step in the message of an error. A tool puts one in the words of its model in its place. */
export const advised = new WeakMap<Error, string>();

/** The error for anything but a success whose body is as the reference documents. */
export function requestError(
	outcome: Outcome,
	context: ErrorContext,
	advice = nextStep(outcome, context),
): NodeApiError {
	const { node, itemIndex, described = false, functionality } = context;
	const { endpoint, inDoubt } = outcome;
	const what = whatHappened(outcome, context);
	const earlier = earlierAttempt(outcome, context);
	const next = [advice, earlier, inDoubt ? doubtOf(outcome, context) : '']
		.filter(Boolean)
		.join(' ');
	// The doubt about a write belongs in the message, because the description isn't shown everywhere.
	const isInDescription = described && !inDoubt;
	const message = isInDescription ? what : `${sentence(what)} ${next}`.trim();
	const httpCode = outcome.failure === undefined ? String(outcome.status) : undefined;
	const details = [isInDescription ? next : '', detailOf(outcome)].filter(Boolean).join(' ');
	// n8n's editor shows the description as HTML.
	const description = [details, operationText(context, endpoint)].filter(Boolean).join('<br>\n');
	const options = { message, description, httpCode, itemIndex, functionality };
	const error = new NodeApiError(withoutParameters(node), { message }, options);
	// n8n replaces the message for some codes. An agent only reads the message, so ours stays.
	error.message = message;
	advised.set(error, advice);
	return Object.assign(error, { failure: causeOf(outcome) });
}

const MAX_EXPRESSION = 100;

/** Says which expression gave no value. Empty if the expression is long. */
const emptyText = ({ empty = '' }: FieldFault): string =>
	empty !== '' && empty.length <= MAX_EXPRESSION
		? `, and the expression ${empty} gives nothing`
		: '';

/** The error of a write says that nothing was sent, unless an earlier request of the item was. */
function fieldError(error: FieldFault, context: ErrorContext): NodeOperationError {
	const { field, fault, missing } = error;
	const { node, itemIndex, secrets, endpoint, functionality } = context;
	const item = itemText(context);
	const about = item ? ` [${item}]` : '';
	const unsent = endpoint === undefined || endpoint.onlyReads ? '' : 'Nothing was sent.';
	const more = [missing, error.isAfterWrite ? DONE_BEFORE : unsent].filter(Boolean).join(' ');
	const failure: Cause = { cause: 'configuration-invalid' };
	const fieldFault = new NodeOperationError(
		withoutParameters(node),
		secrets.hide(`"${field}" ${fault}${emptyText(error)}${about}. ${more}`.trimEnd()),
		{ itemIndex, functionality, description: secrets.hide(operationText(context)) },
	);
	return Object.assign(fieldFault, { failure });
}

/** The one door for the texts of errors, none of which shows a secret. An error of n8n stays the same object, with the item. */
export function nodeError(
	error: unknown,
	context: ErrorContext,
): NodeApiError | NodeOperationError {
	if (error instanceof FieldFault) return fieldError(error, context);
	const { node, itemIndex, secrets, functionality } = context;
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		error.message = secrets.hide(error.message);
		if (error.description) error.description = secrets.hide(error.description);
		return error;
	}
	const { message, description } = error as Error & { description?: string };
	return new NodeOperationError(withoutParameters(node), secrets.hide(message || 'Unknown error'), {
		itemIndex,
		functionality,
		description: description ? secrets.hide(description) : undefined,
	});
}

/** Whatever the work in a hook, a poll or the editor throws becomes an error of the node. */
export async function withNodeErrors<T>(context: ApiContext, work: Promise<T>): Promise<T> {
	return await work.catch(async (error: unknown) => {
		throw nodeError(error, { node: context.getNode(), secrets: await secretsOfNode(context) });
	});
}
