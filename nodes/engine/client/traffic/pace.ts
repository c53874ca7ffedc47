// Max Requests per Second: what users set, because refusals can't show every limit in time. A service may refuse
// everything for a while after one request too many.
import { MEMORY } from './rateLimit';

/** Requests can take different times to arrive, so they're sent a little slower. */
const MARGIN = 1.1;

/** All times are milliseconds of a monotonic clock. */
export class Pace {
	/** Time at which a client with such a number last asked for a slot. */
	private readonly usedAt = new Map<number, number>();

	private sentAt = -Infinity;

	/** A client that has set the number is at work. The lowest counts for all clients, as long as one is. */
	use(perSecond: number, now: number): void {
		this.usedAt.set(perSecond, now);
		for (const [each, usedAt] of this.usedAt) if (now - usedAt > MEMORY) this.usedAt.delete(each);
	}

	sent(now: number): void {
		this.sentAt = now;
	}

	/** Milliseconds until the next request of any client may be sent. */
	delay(now: number): number {
		if (this.usedAt.size === 0) return 0;
		const lowest = Math.min(...this.usedAt.keys());
		return Math.max(0, this.sentAt + (1000 * MARGIN) / lowest - now);
	}
}
