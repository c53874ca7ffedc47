/** Subscriptions of customers with their usage and lifecycle. Reference: 'Customers'. */
import type { World } from '../../contract/worlds.cts';
import { accepted, created, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope, type Part } from '../lists.cts';
import { refuse } from '../refusals.cts';
import { dateAfter } from '../seeds/people.cts';
import { customerOf } from './customers.cts';

interface Usage {
	id: string;
	amount: number;
	value: number | null;
	value_type: string | null;
	externalId: string | null;
	/** ISO 8601. */
	recorded_at: string;
}

export interface Subscription {
	id: string;
	customerId: string;
	/** Its id in the recurring-payments listing. */
	recurringId: string;
	planId: string;
	name: string;
	status: string;
	lifecycle_status: string;
	/** YYYY-MM-DD; `next_renew` while it is not dismissed. */
	renews_on: string;
	last_payment_status: string;
	price: { amount: number; vat: { percentage: number; name: string } };
	usages: Usage[];
}

interface Plan {
	id: string;
	name: string;
	amount: number;
}

export interface SubscriptionsState {
	subscriptions: Collection<Subscription>;
	plans: Plan[];
}

const usageParts: Record<World['usageEnvelope'], readonly Part[]> = {
	'count, per_page and pages': ['count', 'per_page', 'pages'],
	pages: ['pages'],
	count: ['count'],
	nothing: [],
};

const vat = { percentage: 22, name: 'Standard rate' };

/** The subscription of a path, which must be one of the customer's. */
function subscriptionOf(call: Call): Subscription {
	const customer = customerOf(call);
	const subscription = call.state.subscriptions.subscriptions.get(call.params.subscriptionId);
	if (subscription?.customerId !== customer.id) throw refuse('subscriptionOfOther');
	return subscription;
}

/** A plan by its own id, or the plan of a subscription in the recurring-payments listing. */
function planOf({ state, world }: Call, id = ''): Plan {
	const { plans, subscriptions } = state.subscriptions;
	const example = subscriptions.get(id) ?? subscriptions.findBy('recurringId', id);
	const { planId } = world;
	const isRow = example !== undefined;
	const isAllowed =
		planId === 'any' ||
		(planId === 'id of the row' && example?.recurringId === id) ||
		(planId === 'subscription_reference' && example?.id === id) ||
		(planId === 'id of the plan' && !isRow);
	const wanted = isAllowed ? (example?.planId ?? id) : undefined;
	const plan = plans.find((candidate) => candidate.id === wanted);
	if (!plan) throw refuse('notFound', 'This subscription plan does not exist');
	return plan;
}

const statusOf = ({ id, status, renews_on }: Subscription) => ({
	id,
	status,
	next_renew: status === 'dismiss' ? null : renews_on,
});

const lifecycleOf = ({ id, status, lifecycle_status }: Subscription) => ({
	id,
	status,
	lifecycle_status,
	cancel_at_period_end: false,
	scheduled_change: null,
	carryover_credit: 0,
});

export const subscriptions: Area<SubscriptionsState> = {
	seed({ state, random, today }) {
		const plans = [
			{ id: 'plan-basic', name: 'Basic', amount: 19 },
			{ id: 'plan-team', name: 'Team', amount: 79 },
			{ id: 'plan-enterprise', name: 'Enterprise', amount: 490 },
		];
		const rows = new Collection<Subscription>([], {
			recurringId: ({ recurringId }) => recurringId,
		});
		for (const [index, customer] of state.customers.customers.rows.entries()) {
			const number = index === 0 ? 2 : random.pick([0, 0, 1, 1, 2]);
			for (let count = 0; count < number; count += 1) {
				const plan = random.pick(plans);
				const dismissed = index > 0 && random.chance(0.1);
				const serial = 500_000 + rows.size + 1;
				const usages = index === 0 && count === 0 ? 130 : random.pick([0, 0, 0, 3]);
				rows.add({
					id: `sub-${serial}`,
					customerId: customer.id,
					recurringId: `rec-${serial}`,
					planId: plan.id,
					name: plan.name,
					status: dismissed ? 'dismiss' : random.pick(['active', 'active', 'success']),
					lifecycle_status: 'active',
					renews_on: dateAfter(today, random.int(1, 30)),
					last_payment_status: random.pick(['paid', 'paid', 'paid', 'failed']),
					price: { amount: plan.amount, vat },
					usages: Array.from({ length: usages }, (_, number) => ({
						id: `use-${serial}-${number + 1}`,
						amount: random.int(1, 50),
						value: random.int(1, 500),
						value_type: 'api-call',
						externalId: `meter-${serial}-${number + 1}`,
						recorded_at: `${dateAfter(today, -1 - Math.floor(number / 5))}T08:00:00+00:00`,
					})),
				});
				customer.subscriptions.push(`sub-${serial}`);
			}
		}
		return { subscriptions: rows, plans };
	},

	endpoints: {
		'GET /customers/{customerId}/subscriptions.json': (call) => {
			const { subscriptions: book } = call.state.subscriptions;
			const own = customerOf(call).subscriptions.flatMap((id) => book.get(id) ?? []);
			return envelope(call, own, {
				element: (subscription) => ({
					...statusOf(subscription),
					name: subscription.name,
					price: subscription.price,
				}),
			});
		},

		'POST /customers/{customerId}/subscriptions.json': (call) => {
			const customer = customerOf(call);
			const { subscription: input } = call.body as { subscription: { id?: string } };
			const plan = planOf(call, input.id);
			const subscription = call.state.subscriptions.subscriptions.add({
				id: call.newId('sub'),
				customerId: customer.id,
				recurringId: call.newId('rec'),
				planId: plan.id,
				name: plan.name,
				status: 'active',
				lifecycle_status: 'active',
				renews_on: dateAfter(call.now(), 30),
				last_payment_status: 'pending',
				price: { amount: plan.amount, vat },
				usages: [],
			});
			customer.subscriptions.push(subscription.id);
			return created({ id: subscription.id, status: subscription.status });
		},

		'DELETE /customers/{customerId}/subscriptions/{subscriptionId}.json': (call) => {
			const subscription = subscriptionOf(call);
			const customer = customerOf(call);
			customer.subscriptions = customer.subscriptions.filter((id) => id !== subscription.id);
			return accepted(call.state.subscriptions.subscriptions.deleted(subscription));
		},

		'POST /customers/{customerId}/subscriptions/{subscriptionId}.json': (call) => {
			const { usages } = subscriptionOf(call);
			const { usage: input } = call.body as { usage: Partial<Usage> };
			const repeated = usages.find(
				({ externalId }) => externalId !== null && externalId === input.externalId,
			);
			const { usageTwice } = call.world;
			if (repeated && usageTwice === 'refused') {
				throw refuse('conflict', 'A usage with this externalId already exists');
			}
			if (repeated && usageTwice === 'answered like the first') {
				return { id: repeated.id, amount: repeated.amount };
			}
			const usage: Usage = {
				id: call.newId('use'),
				amount: input.amount ?? 0,
				value: input.value ?? null,
				value_type: input.value_type ?? null,
				externalId: input.externalId ?? null,
				recorded_at: call.now().toISOString(),
			};
			usages.unshift(usage);
			return { id: usage.id, amount: usage.amount };
		},

		'GET /customers/{customerId}/subscriptions/{subscriptionId}.json': (call) =>
			envelope(call, subscriptionOf(call).usages, {
				carries: usageParts[call.world.usageEnvelope],
				paging: call.world.usagePaging,
			}),

		'GET /customers/{customerId}/subscriptions/{subscriptionId}/status.json': (call) =>
			statusOf(subscriptionOf(call)),

		'PUT /customers/{customerId}/subscriptions/{subscriptionId}/status.json': (call) => {
			const subscription = subscriptionOf(call);
			const { subscription: input } = call.body as { subscription: { status?: string } };
			subscription.status = input.status ?? subscription.status;
			return statusOf(subscription);
		},

		'GET /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle.json': (call) =>
			lifecycleOf(subscriptionOf(call)),

		'PUT /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle/pause.json': (call) => {
			const subscription = subscriptionOf(call);
			subscription.lifecycle_status = 'paused';
			return lifecycleOf(subscription);
		},
	},
};
