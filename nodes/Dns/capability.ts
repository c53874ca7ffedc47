// Record types and resolvers for lookups (reference: core, Resources, DNS).
import { get } from '../api';
import { named } from '../api/simplify';
import { resource } from '../engine/form/operation';

export const capability = resource('capability', {
	description: 'Record types and resolvers for lookups',
	operations: [
		get({
			action: 'Get the lookup capabilities',
			description: 'Return the record types, the default ones and the resolvers of lookups',
			route: 'GET /dns/capabilities.json',
			simplify: named,
		}),
	],
});
