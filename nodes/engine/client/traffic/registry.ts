// Finds the traffic of an API for a client. It's the only state of the package outside of n8n's: executions
// with the same key share the API's limits.
import { createHmac, randomBytes } from 'node:crypto';

import { MEMORY } from './rateLimit';
import { Traffic } from './traffic';

/** New in each process, so that no name shows a key. */
const salt = randomBytes(32);

/** Also finds traffic that only a client holds, such as that of a sub-node which was opened an hour ago. */
const held = new Map<string, WeakRef<Traffic>>();

/** Traffic of the last two minutes, for the next execution to find. */
const recent = new Map<string, Traffic>();

/**
 * Returns the same traffic for the same Base URL and key, as long as a client holds it, and for two minutes
 * if it isn't used. The next call removes old ones, so there is no timer.
 */
export function trafficOf({ url, key }: { url: string; key: string }): Traffic {
	const now = performance.now();
	for (const [name, traffic] of recent) {
		if (traffic.idle && now - traffic.endedAt > MEMORY) recent.delete(name);
	}
	for (const [name, reference] of held) if (!reference.deref()) held.delete(name);
	const name = createHmac('sha256', salt).update(`${url} ${key}`).digest('base64url');
	const traffic = held.get(name)?.deref() ?? new Traffic();
	held.set(name, new WeakRef(traffic));
	recent.set(name, traffic);
	return traffic;
}
