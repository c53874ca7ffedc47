// Why a request failed, in the words of n8n (TIMED_CAUSES and ACTIONABLE_CAUSES of n8n-workflow): from
// them n8n's scheduler decides when it polls again.
import type { Answer, Failed } from './outcome';
import { isUsedUp } from './answer';
import { NOT_SENT, verdictOf } from './verdict';

/** What n8n reads from the `failure` of an error. */
export interface Cause {
	cause:
		| 'rate-limited'
		| 'quota-exhausted'
		| 'temporarily-unavailable'
		| 'credential-invalid'
		| 'configuration-invalid';
	/** How long the API asks to wait. */
	retryAfterMs?: number;
}

/** Whether the API comes back by itself, so that a later poll can go on. */
export function isTimed(error: unknown): boolean {
	const { failure } = error as { failure?: Cause };
	return failure?.cause === 'rate-limited' || failure?.cause === 'temporarily-unavailable';
}

function causeOfAnswer(answer: Answer): Cause | undefined {
	const { status, missing } = answer;
	const { retry, pause: retryAfterMs } = verdictOf(answer);
	if (status === 402 || isUsedUp(answer)) return { cause: 'quota-exhausted' };
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 403 || missing) return { cause: 'configuration-invalid' };
	return retry === 'repeatable' ? { cause: 'temporarily-unavailable', retryAfterMs } : undefined;
}

/** The cause of a response that is an error, or of a request without a response; none where it isn't sure. */
export function causeOf(outcome: Answer | Failed): Cause | undefined {
	if (outcome.failure === undefined) return causeOfAnswer(outcome);
	if (outcome.failure === NOT_SENT) {
		// The detail is the pause, in seconds.
		return { cause: 'rate-limited', retryAfterMs: parseFloat(outcome.detail) * 1000 };
	}
	return verdictOf(outcome).retry === 'repeatable'
		? { cause: 'temporarily-unavailable' }
		: undefined;
}
