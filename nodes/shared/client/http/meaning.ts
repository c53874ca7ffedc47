// What an answer, or none, means for the request that was sent: whether it is sent again, and whether
// it may have been applied. docs/reliability.md is made of these rules.

import { isUsedUp } from './answer';
import type { Result } from './outcome';

/** The `failure` of a request that was not sent: the API asks to wait for longer than it may. */
export const NOT_SENT = 'NOT_SENT';

/** One rule. */
export interface Rule {
	/** When it holds, for people. */
	when: string;
	/** Which requests are sent again: any, only those that are safe to repeat, or none. */
	again: 'any' | 'repeatable' | 'none';
	/** Whether the request may have been applied, so that one that is not safe to repeat is in doubt. */
	doubt: boolean;
}

/** The connection was never made. */
const UNREACHABLE = /^(ECONNREFUSED|EAI_AGAIN)$/;

/** There is no such host, or another one answers there. */
const WRONG_HOST = /^ENOTFOUND$|CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** The connection broke, or the time was over: another attempt may well succeed. */
const BROKEN = /^(ECONNABORTED|ECONNRESET|EPIPE|ERR_BAD_RESPONSE|ERR_NETWORK|ETIMEDOUT)$/;

const rules = {
	usedUp: {
		when: 'HTTP 429 without Retry-After whose message mentions a budget or a monthly quota',
		again: 'none',
		doubt: false,
	},
	refused: {
		when: "Any other HTTP 429: the API didn't process the request",
		again: 'any',
		doubt: false,
	},
	broken: {
		when: 'HTTP 408 or 5xx, even with Retry-After: a proxy may send it after forwarding the request',
		again: 'repeatable',
		doubt: true,
	},
	redirected: {
		when: "HTTP 3xx: redirects aren't followed",
		again: 'none',
		doubt: true,
	},
	answered: { when: 'Any other response', again: 'none', doubt: false },
	disconnected: {
		when: "The connection breaks, or there's no response in time",
		again: 'repeatable',
		doubt: true,
	},
	unreachable: { when: 'The connection is refused', again: 'repeatable', doubt: false },
	wrongHost: {
		when: "The host isn't found, or its certificate isn't valid",
		again: 'none',
		doubt: false,
	},
	unsent: {
		when: "The API asks for a pause longer than Retry Time, so the request isn't sent",
		again: 'none',
		doubt: false,
	},
	failed: { when: 'Any other failure', again: 'none', doubt: true },
} satisfies Record<string, Rule>;

/**
 * Whether a request broke on its way: no response, or one of a gateway. One that costs, but changes
 * nothing, may be sent again then, if the user wants it.
 */
export function isBroken(result: Result): boolean {
	if (result.failure !== undefined) return ruleOf(result).again === 'repeatable';
	return result.status >= 502 && result.status <= 504;
}

/** All rules, in the order of the page. */
export const allRules: Rule[] = Object.values(rules);

/** The rule for the result of an attempt. */
export function ruleOf(result: Result): Rule {
	if (result.failure !== undefined) {
		if (result.timedOut || BROKEN.test(result.failure)) return rules.disconnected;
		if (result.failure === NOT_SENT) return rules.unsent;
		if (UNREACHABLE.test(result.failure)) return rules.unreachable;
		return WRONG_HOST.test(result.failure) ? rules.wrongHost : rules.failed;
	}
	if (result.status === 429) return isUsedUp(result) ? rules.usedUp : rules.refused;
	if (result.status === 408 || result.status >= 500) return rules.broken;
	return result.status >= 300 && result.status <= 399 ? rules.redirected : rules.answered;
}
