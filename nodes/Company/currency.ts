// Currencies and conversion (reference: core, Resources, Currency conversion).
import { getMany, locator, operation } from '../api';
import { number } from '../engine/form/fields';
import { resource } from '../engine/form/operation';

const currencyField = (name: string, what: string, placeholder: string) => {
	const description = `${what}. The list shows the enabled currencies.`;
	const send = { format: 'currency' } as const;
	return locator('currencies', { name, required: true, send, description, placeholder }, 'name');
};

export const currency = resource('currency', {
	description: 'Currencies and their exchange rates',
	operations: [
		operation('convert', {
			action: 'Convert an amount between currencies',
			description: 'Convert an amount and return the rate and the converted amount',
			route: 'POST /currencies/{fromCurrency}/{toCurrency}.json',
			fields: [
				currencyField('fromCurrency', 'Currency of the amount', 'e.g. EUR'),
				currencyField('toCurrency', 'Currency to convert to', 'e.g. USD'),
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
