// Builds the error of a failed request: the API's message or what happened, and the next step.
import { NodeApiError, type JsonObject } from 'n8n-workflow';

import { onlyReads } from '../../endpoints';
import { short } from '../../operation';
import { describe, idsIn, NO_REASON } from './response';
import { causeOf, type Cause } from './cause';
import { operationText, withoutParameters, type ErrorContext } from './errorContext';
import { afterResponse, afterAttempts, afterFailure, isFailureOfN8n } from './nextStep';
import type { ApiResponse, Failure, Outcome } from './outcome';
import { redact } from './redact';
import { NOT_SENT, verdictOf } from './verdict';

/** Max length of an API message in an error. */
const MAX_MESSAGE = 500;

/** An API message without secrets. Redacted before it's cut, because a cut could leave half of a secret. */
export const shown = (message: string, secrets: string[]) =>
	redact(message, secrets).slice(0, MAX_MESSAGE);

const DOUBT = "It may have gone through, so it wasn't retried. Check before you run it again.";

/** Joins lines of a description, which n8n's editor shows as HTML. */
const lines = (...texts: string[]) => texts.filter((text) => text !== '').join('<br>\n');

interface Texts {
	what: string;
	step: string;
	detail: string;
	httpCode?: string;
	/** n8n's scheduler decides from it when to poll again. */
	failure?: Cause;
}

function build(context: ErrorContext, { route, inDoubt }: Outcome, texts: Texts): NodeApiError {
	const { node, itemIndex, described = false, functionality } = context;
	const { what, step, detail, httpCode, failure } = texts;
	// The doubt about a write belongs in the message, because the description isn't shown everywhere.
	const isApart = described && !inDoubt;
	const next = [step, inDoubt ? DOUBT : ''].filter(Boolean).join(' ');
	const message = isApart ? what : `${what.replace(/\.?$/, '.')} ${next}`.trim();
	const response: JsonObject = { message, ...(httpCode ? { httpCode } : {}) };
	const error = new NodeApiError(withoutParameters(node), response, {
		message,
		description: lines(
			[isApart ? next : '', detail].filter(Boolean).join(' '),
			operationText(context, route),
		),
		itemIndex,
		functionality,
		...(httpCode ? { httpCode } : {}),
	});
	// n8n replaces the message for some codes. An agent only reads the message, so keep ours.
	error.message = message;
	return failure ? Object.assign(error, { failure }) : error;
}

/** A note for the error of a write whose earlier attempt may have been applied. */
function earlierAttempt(
	{ route, failures, status }: ApiResponse,
	{ lostResponse }: ErrorContext,
): string {
	if (onlyReads(route) || (failures === 0 && !lostResponse) || status >= 500) return '';
	return 'An earlier attempt got no response. It may have gone through.';
}

/** @param step the next step for the user */
export function responseError(
	response: ApiResponse,
	context: ErrorContext,
	step = afterResponse(response, context),
): NodeApiError {
	const { status, message, attempts } = response;
	const own = (message && shown(message, context.secrets)) ?? NO_REASON;
	// If the request is partly done, the user needs the ID.
	const ids = status < 300 ? idsIn(response.body) : [];
	const codes = [`HTTP ${status}`, ...ids.map(([name, id]) => `${name} ${short(id)}`)].join(', ');
	return build(context, response, {
		what: redact(`${own.replace(/\.$/, '')} (${codes})`, context.secrets),
		step: [step, earlierAttempt(response, context)].filter(Boolean).join(' '),
		detail: attempts > 1 ? `${attempts} attempts.` : '',
		httpCode: String(status),
		failure: causeOf(response),
	});
}

const wasNeverSent = (outcome: Failure) => !verdictOf(outcome).inDoubt;

function failureText(outcome: Failure, context: ErrorContext): string {
	const { failure, timedOut, detail, pause = 0 } = outcome;
	const { secrets } = context;
	if (failure === NOT_SENT) {
		const than = context.isFixed ? '' : ', longer than Retry Time';
		return `The API asks for a pause of ${pause / 1000} s${than}, so this request wasn't sent.`;
	}
	if (timedOut) return `The API didn't respond in time${afterAttempts(outcome)}.`;
	if (failure === 'ENOTFOUND') return "The host in Base URL wasn't found.";
	if (failure === 'ECONNREFUSED') {
		return `The host in Base URL refused the connection${afterAttempts(outcome)}.`;
	}
	if (wasNeverSent(outcome) && failure !== 'EAI_AGAIN') {
		return "The certificate of the host in Base URL couldn't be verified.";
	}
	if (isFailureOfN8n(outcome)) {
		return `The request failed: ${shown(detail, secrets)}.`;
	}
	return `The connection to the API broke${afterAttempts(outcome)}.`;
}

export function failureError(outcome: Failure, context: ErrorContext): NodeApiError {
	return build(context, outcome, {
		what: failureText(outcome, context),
		step: afterFailure(outcome, context),
		detail: outcome.failure === NOT_SENT ? '' : `Code ${outcome.failure}.`,
		failure: causeOf(outcome),
	});
}

/** Builds the error for a success with a body that the reference doesn't document. */
export function unreadableError(response: ApiResponse, context: ErrorContext): NodeApiError {
	const { status, body, inDoubt } = response;
	return build(context, response, {
		what: `The API returned ${describe(body)}.`,
		step: inDoubt ? '' : 'Check that Base URL in the credential points to the Platform API.',
		detail: `HTTP status ${status}.`,
		httpCode: String(status),
	});
}
