// Currencies and conversion (reference: core, Resources, Currency conversion).
import { getMany, locator, operation } from '../api';
import { number } from '../engine/form/fields';
import { resource } from '../engine/form/operation';

/** A picker of currencies that also takes a typed code. */
const currencyField = (name: string, placeholder: string) => {
	const send = { format: 'currency' } as const;
	return locator('currencies', { name, required: true, send, placeholder }, 'name');
};

export const currency = resource('currency', {
	description: 'Currencies and their exchange rates',
	operations: [
		operation('convert', {
			action: 'Convert an amount between currencies',
			description: 'Convert an amount and return the rate and the converted amount',
			route: 'POST /currencies/{fromCurrency}/{toCurrency}.json',
			fields: [
				currencyField('fromCurrency', 'e.g. EUR'),
				currencyField('toCurrency', 'e.g. USD'),
				number({
					name: 'amount',
					required: true,
					default: '',
					description: 'In the currency to convert from',
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
