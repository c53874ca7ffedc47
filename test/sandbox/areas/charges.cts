/**
 * Charges. The reference shows neither the record of a charge nor its status values; see
 * CHOICES.md for how a charge comes out paid or failed here. Reference: 'Customers', 'Events'.
 */
import type { Area, Shared } from '../area.cts';
import { Collection } from '../collection.cts';
import { refuse } from '../refusals.cts';
import { customerOf } from './customers.cts';

export type ChargeOutcome = 'paid' | 'failed';

interface ChargeService {
	name?: string;
	amount?: number;
	taxProfile?: string;
}

export interface Charge {
	id: string;
	customer_id: string;
	status: 'pending' | ChargeOutcome;
	capture: boolean;
	services: ChargeService[];
	/** ISO 8601. */
	created_at: string;
}

export interface ChargesState {
	charges: Collection<Charge>;
}

/** A charge fails when the name of one of its services contains 'decline'. */
function outcomeOf(charge: Charge): ChargeOutcome {
	return charge.services.some(({ name }) => /decline/i.test(name ?? '')) ? 'failed' : 'paid';
}

/** Ends a pending charge; its event is delivered. Settled ones stay as they are. */
export function settle(shared: Shared, chargeId: string, outcome: ChargeOutcome): Charge {
	const charge = shared.state.charges.charges.get(chargeId);
	if (!charge) throw refuse('notFound', `There is no charge ${chargeId}`);
	if (charge.status !== 'pending') return charge;
	charge.status = outcome;
	const customer = shared.state.customers.customers.get(charge.customer_id);
	for (const id of customer?.subscriptions ?? []) {
		const subscription = shared.state.subscriptions.subscriptions.get(id);
		if (subscription && subscription.status !== 'dismiss') {
			subscription.last_payment_status = outcome;
		}
	}
	shared.emit(`RecurringPayments.charge.${outcome}`, { charge: { ...charge } });
	return charge;
}

export const charges: Area<ChargesState> = {
	seed: () => ({ charges: new Collection() }),

	endpoints: {
		'POST /customers/{customerId}/charges.json': (call) => {
			const customer = customerOf(call);
			const { charge: input } = call.body as {
				charge: { capture?: boolean; services?: ChargeService[] };
			};
			const charge = call.state.charges.charges.add({
				id: call.newId('chg'),
				customer_id: customer.id,
				status: 'pending',
				capture: input.capture ?? true,
				services: input.services ?? [],
				created_at: call.now().toISOString(),
			});
			if (call.settleAfterMs !== null && charge.capture) {
				call.after(call.settleAfterMs, () => settle(call, charge.id, outcomeOf(charge)));
			}
			return { ...charge };
		},
	},
};
