// Currencies and conversion (reference: core, Resources, Currency conversion).
import { nameLocator } from '../shared/pickers';
import { getMany, type Resource } from '../shared/operation';

export const currency: Resource = {
	name: 'Currency',
	value: 'currency',
	description: 'Currencies and their exchange rates',
	operations: [
		{
			name: 'Convert',
			value: 'convert',
			action: 'Convert an amount between currencies',
			description: 'Convert an amount and return the rate and the converted amount',
			route: 'POST /currencies/{fromCurrency}/{toCurrency}.json',
			fields: [
				nameLocator('currencies', {
					displayName: 'From Currency',
					name: 'fromCurrency',
					required: true,
					send: { format: 'currency' },
					description: 'Currency of the amount. The list shows the enabled currencies.',
					placeholder: 'e.g. EUR',
				}),
				nameLocator('currencies', {
					displayName: 'To Currency',
					name: 'toCurrency',
					required: true,
					send: { format: 'currency' },
					description: 'Currency to convert to. The list shows the enabled currencies.',
					placeholder: 'e.g. USD',
				}),
				{
					displayName: 'Amount',
					name: 'amount',
					type: 'number',
					required: true,
					default: '',
					description: 'Amount in the currency to convert from',
				},
			],
		},
		getMany({
			action: 'Get many currencies',
			description: 'Return the currency codes enabled for your company, one item each',
			route: 'GET /currencies.json',
		}),
	],
};
