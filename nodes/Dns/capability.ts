// What a lookup can ask for (reference: core, Resources, DNS).
import { get, type Resource } from '../shared/operation';
import { named } from '../shared/simplify';

export const capability: Resource = {
	name: 'Capability',
	value: 'capability',
	description: 'Record types and resolvers for lookups',
	operations: [
		get({
			action: 'Get the lookup capabilities',
			description: 'Return the record types, the default ones and the resolvers of lookups',
			route: 'GET /dns/capabilities.json',
			simplify: named,
		}),
	],
};
