// Commission fees of a partner (reference: core, Endpoints, Partners).
import { get, getMany, locator } from '../api';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { partnerId } from './partner';

export const fee = resource('fee', {
	description: 'Commission fees of partners',
	ids: [partnerId],
	operations: [
		get({
			action: 'Get a fee',
			description: 'Return a commission fee with its value and status',
			route: 'GET /partners/{partnerId}/fees/{feeId}.json',
			fields: [
				locator('partnerFees', {
					name: 'feeId',
					required: true,
					placeholder: 'e.g. fee-1',
				}),
			],
		}),
		getMany({
			action: 'Get many fees of a partner',
			description:
				'Return the commission fees of a partner with value and status. The API reference shows no date.',
			tool: 'Return the commission fees of a partner with value and status',
			route: 'GET /partners/{partnerId}/fees.json',
			...filteredBy('fees', { status: { placeholder: 'e.g. pending' } }),
		}),
	],
});
