// How many writes of one execution may be in flight.

/** What an answer tells of the writes that are in flight. */
export interface WriteSign {
	/** The API refused: it did nothing. */
	refused: boolean;
	/** The server or the network failed: the write may have been applied. */
	failed: boolean;
	/** Answers come as quickly as usual. */
	quick: boolean;
	/** As many writes as allowed were in flight. */
	full: boolean;
}

/**
 * Writes begin with few, and become more while answers are quick and nothing is refused or fails. The
 * first failure halves them, since each one that is in flight then may be in doubt; after it, or after
 * a refusal, there are never more again. (How many the API can take is the affair of its bound.)
 */
export class Growth {
	private growing = true;

	private failed = false;

	/**
	 * @param most writes in flight, at first
	 * @param ceiling how many there may ever be
	 */
	constructor(
		public most: number,
		private readonly ceiling: number,
	) {}

	/** A request was answered, or failed. */
	answered({ refused, failed, quick, full }: WriteSign): void {
		if (refused || failed) this.growing = false;
		if (failed && !this.failed) {
			this.failed = true;
			this.most = Math.max(1, Math.floor(this.most / 2));
		} else if (this.growing && quick && full) {
			this.most = Math.min(this.ceiling, this.most + 1);
		}
	}
}
