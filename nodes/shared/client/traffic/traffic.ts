// What is known of each API, for all who ask it in this process. It is the one state that the package
// keeps outside of n8n's: two executions with the same key use one limit of the API, whether they know
// of each other or not.
import { createHmac, randomBytes } from 'node:crypto';

import { Gate } from './gate';

/** Milliseconds after which what nobody uses is forgotten. */
const MEMORY = 10 * 60_000;

/** Known to this process only, so that nothing that is kept tells a key, or can be tried out. */
const secret = randomBytes(32);

const gates = new Map<string, Gate>();

/**
 * The gate of an API: the same one for all who have the same Base URL and key. What was not used for
 * ten minutes is forgotten at the next call, so that no timer is needed.
 */
export function gateOf({ url, secrets }: { url: string; secrets: string[] }): Gate {
	const now = Date.now();
	for (const [name, gate] of gates) {
		if (gate.idle && now - gate.used > MEMORY) gates.delete(name);
	}
	const name = createHmac('sha256', secret)
		.update(JSON.stringify([url, secrets]))
		.digest('base64url');
	const gate = gates.get(name) ?? new Gate();
	gates.set(name, gate);
	return gate;
}
