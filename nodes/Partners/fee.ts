// Commission fees of a partner (reference: core, Endpoints, Partners).
import { locator } from '../shared/locators';
import type { Resource } from '../shared/operation';
import { partnerId } from './fields';

export const fee: Resource = {
	name: 'Fee',
	value: 'fee',
	operations: [
		{
			name: 'Get',
			value: 'get',
			action: 'Get a fee',
			description: 'Return one commission fee of a partner with its value and status',
			method: 'GET',
			path: '/partners/{partnerId}/fees/{feeId}.json',
			scope: 'partners:read',
			response: { kind: 'one' },
			fields: [
				partnerId,
				locator('partnerFees', {
					displayName: 'Fee',
					name: 'feeId',
					required: true,
					description: 'A commission fee of the chosen partner',
					placeholder: 'e.g. fee_2048',
				}),
			],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many fees of a partner',
			description: 'Return the commission fees of a partner, one item each',
			method: 'GET',
			path: '/partners/{partnerId}/fees.json',
			scope: 'partners:read',
			response: { kind: 'list' },
			fields: [partnerId],
		},
	],
};
