/** Recurring payments: settings, and the listing of all subscriptions. Reference: 'Recurring payments'. */
import type { Area, Call } from '../area.cts';
import { envelope } from '../lists.cts';
import type { Subscription } from './subscriptions.cts';

export interface RecurringState {
	status: string;
	settings: {
		retry_policy: string;
		max_retries: number;
		next_cycle_offset: string;
		dunning_notifications: boolean;
	};
}

/** A subscription under the id that it has in this list. */
const asRecurring = (subscription: Subscription) => ({
	...subscription,
	id: subscription.recurringId,
	subscriptionId: subscription.id,
});

/** What a row says about its plan beyond what the reference shows. */
function planIn({ world }: Call, { planId, name }: Subscription): Record<string, unknown> {
	const { recurringRows } = world;
	if (recurringRows === 'name') return { name };
	return recurringRows === 'nothing more' ? {} : { plan_id: planId, plan_name: name };
}

export const recurring: Area<RecurringState> = {
	seed: () => ({
		status: 'active',
		settings: {
			retry_policy: 'progressive',
			max_retries: 3,
			next_cycle_offset: '+1 month',
			dunning_notifications: true,
		},
	}),

	endpoints: {
		'GET /recurring-payments/settings.json': ({ state }) => state.recurring,

		'GET /recurring-payments/subscriptions.json': (call) =>
			envelope(call, call.state.subscriptions.subscriptions.rows.map(asRecurring), {
				element: (subscription) => ({
					id: subscription.id,
					customerId: subscription.customerId,
					subscription_reference: subscription.subscriptionId,
					status: subscription.status,
					next_renewal_date: `${subscription.renews_on}T00:00:00+00:00`,
					last_payment_status: subscription.last_payment_status,
					...planIn(call, subscription),
				}),
			}),
	},
};
