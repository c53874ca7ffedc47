// Currencies and conversion (reference: core, Resources, Currency conversion).
import { number } from '../shared/fields';
import { locator } from '../shared/pickers';
import { getMany, resource, operation } from '../shared/operation';

export const currency = resource('currency', {
	description: 'Currencies and their exchange rates',
	operations: [
		operation('convert', {
			action: 'Convert an amount between currencies',
			description: 'Convert an amount and return the rate and the converted amount',
			route: 'POST /currencies/{fromCurrency}/{toCurrency}.json',
			fields: [
				locator(
					'currencies',
					{
						name: 'fromCurrency',
						required: true,
						send: { format: 'currency' },
						description: 'Currency of the amount. The list shows the enabled currencies.',
						placeholder: 'e.g. EUR',
					},
					'name',
				),
				locator(
					'currencies',
					{
						name: 'toCurrency',
						required: true,
						send: { format: 'currency' },
						description: 'Currency to convert to. The list shows the enabled currencies.',
						placeholder: 'e.g. USD',
					},
					'name',
				),
				number({
					name: 'amount',
					required: true,
					default: '',
					description: 'Amount in the currency to convert from',
				}),
			],
		}),
		getMany({
			action: 'Get many currencies',
			description: 'Return the currency codes enabled for your company, one item each',
			route: 'GET /currencies.json',
		}),
	],
});
