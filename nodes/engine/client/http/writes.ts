// The writes of one item, or of one call of a hook or poll: the one record of what has left and what came of it.
import type { ApiRequest } from '../../base/apiRequest';
import { isRepeatable, onlyReads } from '../../base/definition';
import type { ApiResponse, Outcome, WriteOutcome } from './outcome';

export class Writes {
	/** The last write. */
	last?: ApiRequest;

	/** A write went through, or may have. Then only a cancel ends a wait: the item must be completed. */
	hasWritten = false;

	/** A write that is safe to repeat failed without a response. A repetition may find its effect. */
	isLost = false;

	private isInFlight = false;

	private isApplied = false;

	private isInDoubt = false;

	get outcome(): WriteOutcome {
		if (this.isInDoubt || this.isInFlight) return 'inDoubt';
		return this.isApplied ? 'applied' : 'notApplied';
	}

	/** A write is in flight, went through, or may have. */
	get mayHaveWritten(): boolean {
		return this.isInFlight || this.hasWritten;
	}

	/** An attempt leaves. Until it ends it may go through, even if the execution is cancelled. */
	leaves({ endpoint }: ApiRequest): void {
		if (!onlyReads(endpoint)) this.isInFlight = true;
	}

	/** An attempt ended. */
	ended(isDone: boolean): void {
		this.hasWritten ||= this.isInFlight && isDone;
		this.isInFlight = false;
	}

	/** The API accepted a request. */
	accepted({ endpoint }: ApiResponse): void {
		this.isApplied ||= !isRepeatable(endpoint);
	}

	/** A request failed for good. */
	failed({ endpoint, inDoubt, failures }: Outcome): void {
		this.isInDoubt ||= inDoubt;
		this.isLost ||= failures > 0 && !onlyReads(endpoint);
	}
}
