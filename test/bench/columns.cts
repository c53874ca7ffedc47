// The ways that the tables show, with the settings that a user of the package has by default.
import type { INodeProperties } from 'n8n-workflow';
import { packageNodes } from '../execution/host/package.cts';
import type { Column } from './compare.cts';

/** Default of a setting in the Options of Customer: Get Many. */
function defaultOption(name: string): number {
	const { properties } = packageNodes().platformCustomers.description;
	const option = properties
		.filter((property) => property.name === 'options')
		.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes('getAll'))
		.flatMap(({ options }) => options as INodeProperties[])
		.find((each) => each.name === name);
	if (typeof option?.default !== 'number') throw new Error(`No option ${name}`);
	return option.default;
}

/** Requests in flight at first. */
export const BOUND = defaultOption('parallel');
/** Requests in flight at most. */
export const CEILING = defaultOption('ceiling');

export const ours: Column = { title: 'Platform Customers', way: 'platformCustomers' };
export const oursAtBound: Column = {
	title: `Platform Customers, fixed at ${BOUND}`,
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
