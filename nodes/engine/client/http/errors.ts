// Builds the error of a failed request: the API's message or what happened, and the next step.
import { NodeApiError } from 'n8n-workflow';

import { onlyReads } from '../../base/definition';
import { short } from '../../base/guards';
import { causeOf } from './cause';
import { operationText, withoutParameters, type ErrorContext } from './errorContext';
import { afterAttempts, isFailureOfN8n, nextStep } from './nextStep';
import type { ApiResponse, Failed, Outcome } from './outcome';
import { redact } from './redact';
import { describe, idsIn, NO_REASON } from './response';
import { BAD_CERTIFICATE, NOT_SENT } from './verdict';

/** Max length of an API message in an error. */
const MAX_MESSAGE = 500;

/** An API message without secrets. Redacted before it's cut, because a cut could leave half of a secret. */
export const shown = (message: string, secrets: string[]) =>
	redact(message, secrets).slice(0, MAX_MESSAGE);

const DOUBT = "It may have gone through, so it wasn't retried. Check before you run it again.";

function failureText(outcome: Outcome & Failed, { isFixed, secrets }: ErrorContext): string {
	const { failure, detail, pause } = outcome;
	const after = afterAttempts(outcome);
	if (failure === NOT_SENT) {
		const than = isFixed ? '' : ', longer than Retry Time';
		if (pause === undefined)
			return "The API's rate limit was reached, so this request wasn't sent.";
		return `The API asks for a pause of ${pause / 1000} s${than}, so this request wasn't sent.`;
	}
	if (failure === 'ETIMEDOUT') return `The API didn't respond in time${after}.`;
	if (failure === 'ENOTFOUND') return "The host in Base URL wasn't found.";
	if (failure === 'ECONNREFUSED') return `The host in Base URL refused the connection${after}.`;
	if (BAD_CERTIFICATE.test(failure)) {
		return "The certificate of the host in Base URL couldn't be verified.";
	}
	if (isFailureOfN8n(outcome)) return `The request failed: ${shown(detail, secrets)}.`;
	return `The connection to the API broke${after}.`;
}

function refusalText({ status, message, body }: ApiResponse, secrets: string[]): string {
	const own = shown(message ?? NO_REASON, secrets);
	// If the request is partly done, the user needs the ID.
	const ids = status < 300 ? idsIn(body) : [];
	const codes = [
		`HTTP ${status}`,
		...ids.map(([name, id]) => `${name} ${short(redact(id, secrets))}`),
	].join(', ');
	return redact(`${own.replace(/\.$/, '')} (${codes})`, secrets);
}

function whatHappened(outcome: Outcome, context: ErrorContext): string {
	if (outcome.failure !== undefined) return failureText(outcome, context);
	if (outcome.says === 'success') return `The API returned ${describe(outcome.body)}.`;
	return refusalText(outcome, context.secrets);
}

/** A note for the error of a write whose earlier attempt may have been applied. */
function earlierAttempt(outcome: Outcome, { lostResponse }: ErrorContext): string {
	if (outcome.failure !== undefined || outcome.says === 'success') return '';
	const { endpoint, failures, status } = outcome;
	if (onlyReads(endpoint) || (failures === 0 && !lostResponse) || status >= 500) return '';
	return 'An earlier attempt failed. It may have gone through.';
}

function detailOf(outcome: Outcome): string {
	if (outcome.failure === NOT_SENT) return '';
	if (outcome.failure !== undefined) return `Code ${outcome.failure}.`;
	if (outcome.says === 'success') return `HTTP status ${outcome.status}.`;
	return outcome.attempts > 1 ? `${outcome.attempts} attempts.` : '';
}

/**
 * Builds the error for anything but a readable success. A success counts as unreadable here: its body isn't
 * what the reference documents.
 * @param step the next step for the user
 */
export function requestError(
	outcome: Outcome,
	context: ErrorContext,
	step = nextStep(outcome, context),
): NodeApiError {
	const { node, itemIndex, described = false, functionality } = context;
	const { endpoint, inDoubt } = outcome;
	const what = whatHappened(outcome, context);
	const earlier = earlierAttempt(outcome, context);
	const next = [step, earlier, inDoubt ? DOUBT : ''].filter(Boolean).join(' ');
	// The doubt about a write belongs in the message, because the description isn't shown everywhere.
	const isApart = described && !inDoubt;
	const message = isApart ? what : `${what.replace(/\.?$/, '.')} ${next}`.trim();
	const httpCode = outcome.failure === undefined ? String(outcome.status) : undefined;
	const details = [isApart ? next : '', detailOf(outcome)].filter(Boolean).join(' ');
	// n8n's editor shows it as HTML.
	const description = [details, operationText(context, endpoint)].filter(Boolean).join('<br>\n');
	const options = { message, description, httpCode, itemIndex, functionality };
	const error = new NodeApiError(withoutParameters(node), { message }, options);
	// n8n replaces the message for some codes. An agent only reads the message, so keep ours.
	error.message = message;
	return Object.assign(error, { failure: causeOf(outcome) });
}
