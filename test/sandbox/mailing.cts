/** Who can be written to: campaigns skip suppressed and unknown contacts. */
import type { State } from './areas/index.cts';

export const entryStatuses = ['pending', 'processing', 'sent', 'failed', 'skipped'] as const;

/** One recipient's mail of a queued campaign. */
export interface QueueEntry {
	customer_id: string;
	status: (typeof entryStatuses)[number];
	/** Why it failed or was skipped. */
	reason?: string;
}

/** Whether an address is on the suppression list, whatever its case. */
export const isSuppressed = ({ unsubscribes }: State, email: string): boolean =>
	unsubscribes.suppressions.get(email.toLowerCase()) !== undefined;

/** Which contacts can be written to, and how many cannot. Repeated ids count once. */
export function chosen(state: State, ids: readonly string[] = []) {
	const recipients: string[] = [];
	let skipped_suppressed = 0;
	let skipped_not_found = 0;
	for (const id of new Set(ids)) {
		const email = state.customers.customers.get(id)?.email;
		if (!email) skipped_not_found += 1;
		else if (isSuppressed(state, email)) skipped_suppressed += 1;
		else recipients.push(id);
	}
	return { recipients, skipped_suppressed, skipped_not_found };
}

/** The queue of a campaign to these customers; those who cannot be written to are skipped. */
export function queueOf(state: State, ids: readonly string[]): QueueEntry[] {
	return ids.map((customer_id) => {
		const { recipients, skipped_suppressed } = chosen(state, [customer_id]);
		if (recipients.length > 0) return { customer_id, status: 'pending' };
		const reason = skipped_suppressed > 0 ? 'suppressed' : 'not found';
		return { customer_id, status: 'skipped', reason };
	});
}
