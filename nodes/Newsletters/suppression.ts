// Email addresses that get no newsletters (reference: core, Endpoints, Newsletters).
import { getMany, locator, operation } from '../api';
import { additionalFields, text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { isoTimes } from '../engine/form/simplify';

export const suppression = resource('suppression', {
	description: 'Blocked email addresses',
	operations: [
		operation('add', {
			action: 'Add an email to the suppression list',
			description:
				'Add an email address to the suppression list, so that it gets no newsletters. Returns the address.',
			route: 'POST /newsletters/unsubscribes.json',
			root: 'unsubscribe',
			fields: [
				text({
					name: 'email',
					placeholder: 'name@email.com',
					required: true,
					send: { format: 'email' },
				}),
				additionalFields([
					text({
						name: 'reason',
						placeholder: 'e.g. Asked by phone',
					}),
				]),
			],
		}),
		getMany({
			action: 'Get many suppressed emails',
			description: 'Return the suppression list, one item each with email, reason and time',
			route: 'GET /newsletters/unsubscribes.json',
			simplify: isoTimes('unsubscribed_at'),
			...filteredBy('suppressed emails', { email: { identifies: true } }),
		}),
		operation('remove', {
			action: 'Remove an email from the suppression list',
			description:
				'Remove an email address from the suppression list, so that it can get newsletters again. Returns the address.',
			route: 'POST /newsletters/unsubscribes/resubscribe.json',
			root: 'unsubscribe',
			fields: [
				locator(
					'suppressions',
					{
						name: 'email',
						required: true,
						placeholder: 'name@email.com',
						description: 'Its owner must have agreed to get newsletters again',
					},
					'email',
				),
			],
		}),
	],
});
