// What is measured, in terms that every way of doing it understands.

/** Where requests go. */
export interface Service {
	baseUrl: string;
	apiKey: string;
}

/** One piece of work; the number of results says whether it was done. */
export type Work =
	| { kind: 'list'; part: Part }
	/** `seconds` is for how long it is done again. */
	| { kind: 'read'; ids: string[]; seconds?: number }
	/** Names of companies, as a sheet has them. */
	| { kind: 'keep'; companies: string[]; all: boolean };

/** A list from one row to another, so many rows in each execution. */
interface Part {
	from: number;
	to: number;
	size: number;
}

/** Reads of the first customers of the sandbox. */
export const readsOf = (count: number) => ({
	kind: 'read' as const,
	ids: Array.from({ length: count }, (_, index) => `cus-${100_001 + index}`),
});

let nights = 0;

/**
 * Names of the first companies: so many have changed since the night before.
 * @param all each record is sent, also one that is as it should be
 */
export function nightOf(count: number, changed: number, all: boolean): Work {
	nights++;
	const isChanged = (index: number) => index % Math.ceil(count / changed) === 0;
	return {
		kind: 'keep',
		companies: Array.from({ length: count }, (_, index) =>
			isChanged(index) ? `Company ${index}, night ${nights}` : `Company ${index}`,
		),
		all,
	};
}
