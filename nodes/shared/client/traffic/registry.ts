// What is known of each API, for all clients in this process. It is the one state that the package
// keeps outside of n8n's: executions with the same key share the API's limits.
import { createHmac, randomBytes } from 'node:crypto';

import { MEMORY } from './rateLimit';
import { Traffic } from './traffic';

/** Known to this process only, so that nothing that is kept shows a key. */
const secret = randomBytes(32);

const alive = new Map<string, WeakRef<Traffic>>();
const recent = new Map<string, Traffic>();

/**
 * The traffic of an API: the same for all who have the same Base URL and key, as long as anybody holds it
 * and for two minutes after its last use. No timer is needed: the old is forgotten at the next call.
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
