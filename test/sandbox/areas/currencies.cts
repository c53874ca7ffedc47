/** Currencies and conversion. Reference: 'Service and company', 'Currency conversion'. */
import type { Area } from '../area.cts';
import { refuse } from '../refusals.cts';

export interface CurrenciesState {
	/** Units of each currency for one euro. */
	rates: Record<string, number>;
}

export const currencies: Area<CurrenciesState> = {
	seed: () => ({
		rates: { CHF: 0.95, DKK: 7.46, EUR: 1, GBP: 0.85, NOK: 11.6, PLN: 4.3, SEK: 11.2, USD: 1.1 },
	}),

	endpoints: {
		'GET /currencies.json': ({ state }) => Object.keys(state.currencies.rates),

		'POST /currencies/{fromCurrency}/{toCurrency}.json': ({ state, params, body }) => {
			const { rates } = state.currencies;
			const from = params.fromCurrency.toUpperCase();
			const to = params.toCurrency.toUpperCase();
			if (!Object.hasOwn(rates, from) || !Object.hasOwn(rates, to)) {
				throw refuse('unsupportedCurrency');
			}
			const rate = Number((rates[to] / rates[from]).toFixed(6));
			const { amount } = body as { amount: number };
			return { from, to, rate, amount: Number((amount * rate).toFixed(2)) };
		},
	},
};
