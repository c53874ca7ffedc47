// Finds the traffic of an API for a client. It's the only state of the package outside of n8n's: executions
// with the same key share the API's limits.
import { createHmac, randomBytes } from 'node:crypto';

import { MEMORY } from './rateLimit';
import { Traffic } from './traffic';

/** New in each process, so that no name shows a key. */
const secret = randomBytes(32);

const alive = new Map<string, WeakRef<Traffic>>();
const recent = new Map<string, Traffic>();

/**
 * Returns the same traffic for the same Base URL and key, as long as a client holds it, and for two minutes
 * if it isn't used. The next call removes old ones, so there is no timer.
 */
export function trafficOf({ url, secrets }: { url: string; secrets: string[] }): Traffic {
	const now = performance.now();
	for (const [name, traffic] of recent) {
		if (traffic.idle && now - traffic.used > MEMORY) recent.delete(name);
	}
	for (const [name, reference] of alive) if (!reference.deref()) alive.delete(name);
	const name = createHmac('sha256', secret)
		.update(JSON.stringify([url, secrets]))
		.digest('base64url');
	const traffic = alive.get(name)?.deref() ?? new Traffic();
	alive.set(name, new WeakRef(traffic));
	recent.set(name, traffic);
	return traffic;
}
