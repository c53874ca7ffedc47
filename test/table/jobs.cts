// Jobs of a support or billing team for an agent with Platform Tools. A scripted model does them as a sensible one would,
// on n8n's engine, in a real n8n and as an MCP client. What it calls next follows from the answers.
import type { Sandbox } from '../sandbox/index.cts';

/** One call, made if the answer before it holds what the model goes by. */
export interface Step {
	/** Text of the answer before that leads to this call. */
	after?: string;
	tool: string;
	/** `@name` stands for a value of the newest answer that has it, `@name.2` for the second, `@name.all` for all. */
	args: Record<string, unknown>;
}

export interface Job {
	name: string;
	steps: (given: Given) => Step[];
	/** What the last answer says. */
	ends: string;
	limits?: Record<string, number>;
	/** The same change twice is meant, as where something is changed back. */
	repeats?: true;
	/** It needs what n8n doesn't keep for an MCP client. */
	perExecution?: true;
}

/** What the person who asks knows. */
interface Given {
	email: string;
	/** Of the same customer. */
	customer_id: string;
	subscription_id: string;
	/** Gets no newsletters. */
	suppressed: string;
	/** Fees of `ptn-1` that no payout has. */
	fees: string[];
}

/** A subscription far behind in its list, its customer, and a webhook that misses an event. */
export function givenIn({ state }: Sandbox): Given {
	const { subscriptions } = state.subscriptions;
	const active = subscriptions.rows.filter(({ status }) => status !== 'dismiss');
	const { id: subscription_id, customerId } = active[Math.floor(active.length * 0.7)];
	const customer = state.customers.customers.rows.find(({ id }) => id === customerId);
	const { rows } = state.unsubscribes.suppressions;
	const paid = new Set(state.payouts.payouts.rows.flatMap(({ fees }) => fees));
	const fees = state.partners.fees.rows.filter(
		({ id, partner_id, status }) => partner_id === 'ptn-1' && status === 'pending' && !paid.has(id),
	);
	const { webhooks } = state.webhooks;
	if (webhooks.rows.length === 0) {
		webhooks.add({
			id: 'whk-1',
			name: 'Ledger',
			description: 'Paid charges for the ledger',
			url: 'https://ledger.example.com/events?key=hidden',
			events: ['RecurringPayments.charge.paid'],
			token: 'hidden',
		});
	}
	return {
		email: String(customer?.email),
		customer_id: customerId,
		subscription_id,
		suppressed: rows[Math.floor(rows.length * 0.7)].id,
		fees: fees.slice(0, 2).map(({ id }) => id),
	};
}

const charge = (customer_id: string, amount: unknown) => ({
	customer_id,
	services: [{ name: 'Setup', amount }],
});

const late = { last_payment_status: 'failed' };

const few = (rows: number) => ({ ...late, limit: rows, fields: ['customer_id'] });

const tagged = (customer: string): Step => ({
	tool: 'update_customer',
	args: { customer_id: customer, tags: ['late'] },
});

export const jobs: Job[] = [
	{
		name: 'Find a customer by email',
		steps: ({ email }) => [
			{ tool: 'get_customer', args: { customer_id: email } },
			{ after: 'Check the customer_id', tool: 'get_customer_by_email', args: { email } },
		],
		ends: '"email":"',
	},
	{
		name: 'Payment status of a customer',
		steps: ({ email }) => [
			{ tool: 'get_customer_by_email', args: { email } },
			{ after: '"id"', tool: 'list_recurring_subscriptions', args: { customer_id: '@id' } },
		],
		ends: '"last_payment_status":"',
	},
	{
		name: 'Who is late',
		steps: () => [
			{ tool: 'list_recurring_subscriptions', args: { last_payment_status: 'late' } },
			{ after: 'is one of', tool: 'list_recurring_subscriptions', args: few(100) },
		],
		ends: '"customer_id":"',
	},
	{
		name: 'Tag those who are late',
		steps: () => [
			{ tool: 'list_recurring_subscriptions', args: few(3) },
			{ after: 'call again with skip: 3', ...tagged('@customer_id') },
			tagged('@customer_id.2'),
			tagged('@customer_id.3'),
		],
		ends: '"id":"cus-',
	},
	{
		name: 'Customers of a country',
		steps: () => [
			{ tool: 'list_customers', args: { country: 'DE', limit: 100, fields: ['id', 'email'] } },
		],
		ends: '"email":"',
	},
	{
		name: 'Pause a subscription and start it again',
		steps: ({ customer_id }) => [
			{ tool: 'list_subscriptions', args: { customer_id, fields: ['id', 'status'] } },
			{
				after: '"id"',
				tool: 'pause_subscription',
				args: { customer_id, subscription_id: '@id' },
			},
			{
				after: 'paused',
				tool: 'update_subscription_status',
				args: { customer_id, subscription_id: '@id', status: 'active' },
			},
		],
		ends: '"status":"active"',
	},
	{
		name: 'Dismiss a subscription and take it back',
		repeats: true,
		steps: ({ customer_id, subscription_id }) =>
			['dismiss', 'active', 'dismiss'].map((status) => ({
				tool: 'update_subscription_status',
				args: { customer_id, subscription_id, status },
			})),
		ends: '"status":"dismiss"',
	},
	{
		name: 'Open fees of a partner',
		steps: () => [
			{
				tool: 'list_fees',
				args: { partner_id: 'ptn-1', status: 'pending', limit: 100, fields: ['id', 'fee_value'] },
			},
		],
		ends: '"fee_value":',
	},
	{
		name: 'Propose a payout',
		steps: ({ fees: transactions }) => [
			{
				tool: 'create_payout',
				args: { partner_id: 'ptn-1', transactions },
			},
			{
				after: '"invoice_number" must not be empty',
				tool: 'create_payout',
				args: { partner_id: 'ptn-1', transactions, invoice_number: 'INV-1' },
			},
		],
		ends: '"total":',
	},
	{
		name: 'Usage of a customer, and revenue',
		steps: () => [
			{
				tool: 'get_usage_history',
				args: { customer_id: 'cus-100001', subscription_id: 'sub-500001', limit: 5 },
			},
			{ tool: 'get_company_snapshot', args: {} },
		],
		ends: '"net_revenue":',
	},
	{
		name: 'Remind those who are late by a template',
		limits: { maxRecipients: 5 },
		perExecution: true,
		steps: () => [
			{ tool: 'list_recurring_subscriptions', args: few(3) },
			{
				after: '"customer_id"',
				tool: 'create_newsletter',
				args: {
					title: 'Reminder',
					subject: 'Your payment has failed',
					template_id: 'reminder.html',
					contact_ids: '@customer_id.all',
				},
			},
			{ after: '"draft"', tool: 'queue_newsletter', args: { newsletter_id: '@id' } },
		],
		ends: '"queued_recipients":',
	},
	{
		name: 'Why somebody gets no email',
		steps: ({ suppressed }) => [{ tool: 'list_suppressions', args: { email: suppressed } }],
		ends: '"unsubscribed_at":',
	},
	{
		name: 'Why a webhook gets no event',
		steps: () => [
			{ tool: 'list_webhooks', args: { event: 'RecurringPayments.charge.failed' } },
			{ after: 'Event is one of RecurringPayments.charge.paid', tool: 'list_webhooks', args: {} },
		],
		ends: '"url":"https://ledger.example.com/events"',
	},
	{
		name: 'Trace of a workflow that failed',
		steps: () => [
			{ tool: 'list_workflows', args: { name: 'address', fields: ['id', 'name'] } },
			{
				after: '"id"',
				tool: 'list_traces',
				args: { workflow_id: '@id', status: 'failed', limit: 1 },
			},
			{
				after: '"id"',
				tool: 'get_trace',
				args: { workflow_id: '@workflow_id', trace_id: '@id' },
			},
		],
		ends: '"FAILED"',
	},
	{
		name: 'A locked login',
		steps: () => [{ tool: 'get_user', args: { external_user_id: ' user-4 ' } }],
		ends: '"is_locked":true',
	},
	{
		name: 'Change back what was changed',
		repeats: true,
		steps: ({ customer_id }) =>
			['One', 'Two', 'One'].map((company_name) => ({
				tool: 'update_customer',
				args: { customer_id, company_name },
			})),
		ends: '"id":"cus-',
	},
	{
		name: 'A charge that a person approves',
		steps: ({ customer_id }) => [
			{ tool: 'create_charge', args: charge(customer_id, 'ten') },
			{
				after: 'amount must be a number',
				tool: 'create_charge',
				args: charge(customer_id, 10),
			},
		],
		ends: '"status":"pending"',
	},
	{
		name: 'A charge that is asked for twice',
		perExecution: true,
		steps: ({ customer_id }) => [
			{ tool: 'create_charge', args: charge(customer_id, 21) },
			{ after: 'pending', tool: 'create_charge', args: charge(customer_id, 21) },
		],
		ends: 'This was done already: chg-',
	},
	{
		name: 'A charge above the limit',
		limits: { maxAmount: 500 },
		steps: ({ customer_id }) => [{ tool: 'create_charge', args: charge(customer_id, 600) }],
		ends: 'Max Amount of this tool is 500',
	},
	{
		name: 'A refund',
		steps: ({ customer_id }) => [
			{ tool: 'create_charge', args: charge(customer_id, -50) },
			{
				after: 'unless allow_free_lines is on',
				tool: 'create_charge',
				args: { ...charge(customer_id, -50), allow_free_lines: true },
			},
		],
		ends: 'must add up to more than 0',
	},
];

/** Values of a name in the newest answer that has it. */
const valuesOf = (name: string, answers: string[]): string[] =>
	answers
		.map((answer) => {
			const plain = answer.replaceAll('\\"', '"');
			return [...plain.matchAll(new RegExp(`"${name}":\\s*"([^"]+)"`, 'g'))].map(
				([, value]) => value,
			);
		})
		.findLast((values) => values.length > 0) ?? [];

/** Puts what the model has read into the arguments of a call. */
export function filledIn(
	args: Record<string, unknown>,
	answers: string[],
): Record<string, unknown> {
	const text = JSON.stringify(args).replace(
		/"@([a-z_]+)(?:\.(\d+|all))?"/g,
		(_whole, name: string, which = '1') => {
			const values = valuesOf(name, answers);
			return JSON.stringify(which === 'all' ? values : (values[Number(which) - 1] ?? ''));
		},
	);
	return JSON.parse(text) as Record<string, unknown>;
}

/** The node's form for a job: the tools that it needs, and no others. */
export function formOf({ limits, repeats, perExecution }: Job, steps: Step[]) {
	return {
		offer: 'chosen',
		operations: [...new Set(steps.map(({ tool }) => tool))],
		onceOnly: perExecution === true,
		...(limits && { limits }),
		...(repeats && { onceOnly: false }),
	};
}
