// Settings of recurring payments (reference: core, Resources, Recurring payments).
import type { Resource } from '../shared/operation';

export const settings: Resource = {
	name: 'Settings',
	value: 'settings',
	operations: [
		{
			name: 'Get',
			value: 'get',
			action: 'Get the settings of recurring payments',
			description: 'Return retry policy, retries, next cycle and dunning of recurring payments',
			route: 'GET /recurring-payments/settings.json',
		},
	],
};
