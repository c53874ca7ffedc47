// The cause of an error in n8n's terms (TIMED_CAUSES and ACTIONABLE_CAUSES of n8n-workflow). n8n's
// scheduler decides from it when to poll again.
import type { Outcome } from './outcome';
import { NOT_SENT, verdictOf } from './verdict';

/** n8n reads it from the `failure` property of an error. */
export interface Cause {
	cause:
		| 'rate-limited'
		| 'quota-exhausted'
		| 'temporarily-unavailable'
		| 'credential-invalid'
		| 'configuration-invalid';
	retryAfterMs?: number;
}

/** True if the API recovers by itself, so that a later poll can go on. */
export function isTimed(error: unknown): boolean {
	const { failure } = error as { failure?: Cause };
	return failure?.cause === 'rate-limited' || failure?.cause === 'temporarily-unavailable';
}

/** Undefined if the cause isn't sure. */
export function causeOf(outcome: Outcome): Cause | undefined {
	const { retry, pause: retryAfterMs } = verdictOf(outcome);
	if (retry === 'any' || outcome.failure === NOT_SENT)
		return { cause: 'rate-limited', retryAfterMs };
	if (retry === 'repeatable') return { cause: 'temporarily-unavailable', retryAfterMs };
	if (outcome.failure !== undefined) return undefined;
	const { status, says } = outcome;
	if (status === 402 || outcome.isUsedUp) return { cause: 'quota-exhausted' };
	if (status === 401) return { cause: 'credential-invalid' };
	return status === 403 || says === 'absent' ? { cause: 'configuration-invalid' } : undefined;
}
