// A service that charges customers, for the tests of running again.
import type { Reply, Service } from './service.cts';

type Odd = Reply | (() => Reply | undefined | Promise<Reply | undefined>);

/** The card is declined, so nothing was charged. */
export const refused: Reply = { status: 422, body: { error: 'Card declined' } };

/** Nobody knows if it was charged. */
export const lost: Reply = { status: 502, body: 'Bad gateway' };

const customerOf = (path: string) => path.split('/')[2];

/** Answers each charge with an ID, but for the customers in `odd`. */
export function answerCharges(service: Service, odd: Record<string, Odd> = {}): void {
	service.behave(async ({ path }) => {
		const customer = customerOf(path);
		const other = odd[customer];
		const answer = typeof other === 'function' ? await other() : other;
		return answer ?? { body: { id: `ch-${customer}` } };
	});
}

/** The customers that were charged since the last look. */
export const customersCharged = (service: Service): string[] =>
	service.received
		.splice(0)
		.filter(({ method }) => method === 'POST')
		.map(({ path }) => customerOf(path));
