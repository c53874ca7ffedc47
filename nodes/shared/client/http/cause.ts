// Why a request failed, in the words of n8n (TIMED_CAUSES and ACTIONABLE_CAUSES of n8n-workflow): from
// them n8n's scheduler decides when it polls again.
import { isUsedUp } from './response';
import type { Outcome } from './outcome';
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

/** The cause of a response that is an error, or of a request without a response; none where it isn't sure. */
export function causeOf(outcome: Outcome): Cause | undefined {
	const { retry, pause: retryAfterMs } = verdictOf(outcome);
	if (retry === 'any' || outcome.failure === NOT_SENT)
		return { cause: 'rate-limited', retryAfterMs };
	if (retry === 'repeatable') return { cause: 'temporarily-unavailable', retryAfterMs };
	if (outcome.failure !== undefined) return undefined;
	const { status, says } = outcome;
	if (status === 402 || isUsedUp(outcome)) return { cause: 'quota-exhausted' };
	if (status === 401) return { cause: 'credential-invalid' };
	return status === 403 || says === 'absent' ? { cause: 'configuration-invalid' } : undefined;
}
