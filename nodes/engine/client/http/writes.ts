// The writes of one item, or of one call of a hook or poll: what has left, and what came of it.
import type { ApiRequest } from '../../base/apiRequest';
import type { Outcome } from './outcome';

export class Writes {
	last?: ApiRequest;

	/** Called with each write before it leaves or is held back. Throws for a write that must not leave. */
	guard?: (request: ApiRequest) => void;

	/** Requests that Dry Run held back, reads too. */
	readonly held: ApiRequest[] = [];

	/** Any write went through, or may have. From then on only a cancel ends a wait: the item must be completed. */
	hasWritten = false;

	/** A write failed for good, but one of its attempts may have been applied. A repeated write may find that effect. */
	hasDoubtfulAttempt = false;

	/** An attempt of any write has left. Until it ends it may go through, even if the execution is cancelled. */
	isInFlight = false;

	/** A write that must not be repeated went through. */
	isApplied = false;

	/** A write that must not be repeated may have gone through. */
	private isInDoubt = false;

	/** A write that must not be repeated went through, or may have. Others only count while they're in flight. */
	get mayBeApplied(): boolean {
		return this.isInDoubt || this.isInFlight || this.isApplied;
	}

	get mayHaveWritten(): boolean {
		return this.isInFlight || this.hasWritten;
	}

	/** A request is about to be sent, or held back by Dry Run. Throws what the guard of writes throws. */
	begin(request: ApiRequest): void {
		if (request.endpoint.onlyReads) return;
		this.guard?.(request);
		this.last = request;
	}

	/** An attempt ended, of a write if one `isInFlight`. `mayBeDone`: the write went through, or may have. */
	ended(mayBeDone: boolean): void {
		this.hasWritten ||= this.isInFlight && mayBeDone;
		this.isInFlight = false;
	}

	failed({ endpoint, inDoubt, doubtfulAttempts }: Outcome): void {
		this.isInDoubt ||= inDoubt;
		this.hasDoubtfulAttempt ||= doubtfulAttempts > 0 && !endpoint.onlyReads;
	}
}
