// Settings of recurring payments (reference: core, Resources, Recurring payments).
import { get } from '../api';
import { resource } from '../engine/form/operation';

export const settings = resource('settings', {
	description: 'Settings of recurring payments',
	operations: [
		get({
			action: 'Get the settings of recurring payments',
			description: 'Return the retry policy, max retries, next cycle and dunning settings',
			route: 'GET /recurring-payments/settings.json',
		}),
	],
});
