// Waits for what has no event of its own.
import type { Program } from './program.cts';
import { wait } from '../wait.cts';

/** How long n8n may take for what it does in seconds on a quiet machine, in milliseconds. */
export const PATIENCE_MS = 300_000;

const POLL_MS = 100;

/**
 * Waits until `attempt` gives something, or `true`, and gives it.
 * @param what is waited for, for the error
 * @throws when it has not come in time
 */
export async function until<T>(
	what: string | (() => string),
	attempt: () => Promise<T | false | undefined> | T | false | undefined,
	timeoutMs = PATIENCE_MS,
): Promise<T> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const result = await attempt();
		if (result !== undefined && result !== false) return result;
		if (Date.now() > deadline) {
			const wanted = typeof what === 'string' ? what : what();
			throw new Error(`Waited ${timeoutMs} ms for ${wanted} in vain.`);
		}
		await wait(POLL_MS);
	}
}

/**
 * Waits until a program is ready.
 * @param name of it, for the error
 * @throws with its last output when it ends, or takes too long
 */
export async function untilReady(
	name: string,
	program: Program,
	isReady: () => Promise<boolean> | boolean,
): Promise<void> {
	const last = () => program.output().slice(-3000);
	await until(
		() => `${name} to get ready:\n${last()}`,
		async () => {
			if (await isReady()) return true;
			if (!program.running()) throw new Error(`${name} ended while starting:\n${last()}`);
			return false;
		},
	);
}
