// The ways that the tables show, with the settings that a user of the package has by default.
import type { Column } from './compare.cts';

/** Requests in flight at first, and at most. */
export const BOUND = 5;
export const CEILING = 32;

export const ours: Column = { title: 'Platform Customers', way: 'platformCustomers' };
export const oursAtBound: Column = {
	title: `Platform Customers, at most ${BOUND}`,
	way: 'platformCustomers',
	parallel: BOUND,
};
export const httpRequest: Column = { title: 'HTTP Request', way: 'httpRequest' };
export const routing: Column = { title: 'Declarative', way: 'routing' };
const helperAt = (parallel: number): Column => ({
	title: `Request helper, ${parallel}`,
	way: 'helper',
	parallel,
});
export const floor = helperAt(BOUND);
export const floorAtCeiling = helperAt(CEILING);
const undiciAt = (parallel: number): Column => ({
	title: `undici, ${parallel}`,
	way: 'undici',
	parallel,
});
export const limit = undiciAt(CEILING);
export const limitAtBound = undiciAt(BOUND);
