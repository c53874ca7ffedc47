// What is measured, in terms that every way of doing it understands.

/** Where requests go. */
export interface Service {
	baseUrl: string;
	apiKey: string;
}

/** One piece of work; the number of results says whether it was done. `seconds` is for how long it is done again. */
export type Work =
	| { kind: 'list'; part?: Part }
	| { kind: 'read'; ids: string[]; seconds?: number }
	| { kind: 'create'; emails: string[] }
	| { kind: 'keep'; companies: string[] };

/** A list from one row to another, so many rows in each execution. */
interface Part {
	from: number;
	to: number;
	size: number;
}

/**
 * A way of doing the work: gives the number of rows read, or of customers read or created.
 * `parallel` is the number of requests in flight, for ways that let it be chosen.
 */
export type Way = (work: Work, service: Service, parallel?: number) => Promise<number>;

/** Path below the version, with the version. */
export const VERSION = '/2026-02-01';

/** Rows of a page, the most that the reference allows. */
export const PAGE_SIZE = 100;

/** Reads of the first customers of the sandbox. */
export const readsOf = (count: number) => (): Work => ({
	kind: 'read',
	ids: Array.from({ length: count }, (_, index) => `cus-${100_001 + index}`),
});

let nights = 0;

/** Names of the first companies, as a sheet has them: so many have changed since the night before. */
export const nightOf = (count: number, changed: number) => (): Work => {
	nights++;
	const isChanged = (index: number) => index % Math.ceil(count / changed) === 0;
	return {
		kind: 'keep',
		companies: Array.from({ length: count }, (_, index) =>
			isChanged(index) ? `Company ${index}, night ${nights}` : `Company ${index}`,
		),
	};
};

let creations = 0;

/** Customers to be created, each time others. */
export const createsOf = (count: number) => (): Work => {
	creations++;
	return {
		kind: 'create',
		emails: Array.from({ length: count }, (_, index) => `bench-${creations}-${index}@example.com`),
	};
};
