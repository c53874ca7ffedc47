// Jobs for an agent with Platform Tools: each has a wrong turn, which the text of an answer lets a model mend.
// A scripted model does them on n8n's engine, in a real n8n and as an MCP client.

/** One call, made if the answer before it holds what the model goes by. */
interface Step {
	/** Text of the answer before that leads to this call. */
	after?: string;
	tool: string;
	/** `@id` stands for the first ID in the answer before, `@fee` for an open fee. */
	args: Record<string, unknown>;
}

export interface Job {
	name: string;
	/** What goes wrong on the way. */
	wrong: string;
	steps: Step[];
	/** What the last answer says. */
	ends: string;
	limits?: Record<string, number>;
	/** Scopes of the key, if not all. */
	scopes?: string[];
	dry?: true;
	/** It needs what n8n doesn't keep for an MCP client. */
	perExecution?: true;
}

const customer_id = 'cus-100001';
const setup = (amount: unknown) => ({ customer_id, services: [{ name: 'Setup', amount }] });
const fees = (more: object) => ({ partner_id: 'ptn-1', ...more });

export const jobs: Job[] = [
	{
		name: 'Find a customer by email',
		wrong: 'email given as an ID',
		steps: [
			{ tool: 'get_customer', args: { customer_id: 'elena.bianchi.1@zenith-studios.example' } },
			{
				after: 'Check the customer_id',
				tool: 'get_customer_by_email',
				args: { email: 'elena.bianchi.1@zenith-studios.example' },
			},
		],
		ends: '"id":"cus-100001"',
	},
	{
		name: 'Subscribe a customer to a plan',
		wrong: 'empty argument',
		steps: [
			{ tool: 'create_subscription', args: { customer_id, plan: '' } },
			{ after: '"plan" must not be empty', tool: 'list_recurring_subscriptions', args: {} },
			{ after: '"id"', tool: 'create_subscription', args: { customer_id, plan: '@id' } },
		],
		ends: '"status":"',
	},
	{
		name: 'Charge a customer',
		wrong: 'amount as words',
		steps: [
			{ tool: 'create_charge', args: setup('ten') },
			{ after: 'amount must be a number', tool: 'create_charge', args: setup(10) },
		],
		ends: '"status":"pending"',
	},
	{
		name: 'Dunning list of failed payments',
		wrong: 'skip as text, rows left',
		steps: [
			{ tool: 'list_recurring_subscriptions', args: { skip: 'first' } },
			{ after: 'must be a whole number', tool: 'list_recurring_subscriptions', args: {} },
			{ after: 'more are not shown', tool: 'list_recurring_subscriptions', args: { skip: 10 } },
		],
		ends: '"last_payment_status":"',
	},
	{
		name: 'Pay out the open fees of a partner',
		wrong: 'invoice number left out',
		steps: [
			{ tool: 'list_fees', args: { partner_id: 'ptn-1', skip: 120 } },
			{ after: '"fee_value"', tool: 'create_payout', args: fees({ transactions: ['@id'] }) },
			{
				after: '"invoice_number" must not be empty',
				tool: 'create_payout',
				args: fees({ transactions: ['@fee'], invoice_number: 'INV-1' }),
			},
		],
		ends: '"total":',
	},
	{
		name: 'Schedule an appointment',
		wrong: 'date in words',
		steps: [
			{ tool: 'create_event', args: { title: 'Review', schedule_date: 'next Monday' } },
			{
				after: '"schedule_date" must be a date',
				tool: 'create_event',
				args: { title: 'Review', schedule_date: '2027-01-11T09:00:00Z', event_type: 'appointment' },
			},
		],
		ends: '"event_type":"appointment"',
	},
	{
		name: 'Check the DNS records of a domain',
		wrong: 'a sentence as the target',
		steps: [
			{ tool: 'look_up_dns', args: { target: 'the mail of example.com' } },
			{
				after: '"target" must be a host name',
				tool: 'look_up_dns',
				args: { target: 'example.com', record_types: ['MX'] },
			},
		],
		ends: '"MX"',
	},
	{
		name: 'Newsletter to a segment, in a dry run',
		wrong: 'template left out',
		dry: true,
		steps: [
			{ tool: 'list_customers', args: { tag: 'trial' } },
			{
				after: '"trial"',
				tool: 'create_newsletter',
				args: { title: 'News', subject: 'Hello', contact_ids: ['@id'] },
			},
			{
				after: '"template_id" must not be empty',
				tool: 'create_newsletter',
				args: {
					title: 'News',
					subject: 'Hello',
					template_id: 'news.html',
					contact_ids: ['cus-100002'],
				},
			},
		],
		ends: '"dryRun":',
	},
	{
		name: 'Ask a knowledge base',
		wrong: 'limit of passages exceeded',
		steps: [
			{
				tool: 'search_knowledge_base',
				args: { knowledge_base_id: 'akb-1', question: 'reset password', passages: 50 },
			},
			{
				after: 'must be between 1 and 10',
				tool: 'search_knowledge_base',
				args: { knowledge_base_id: 'akb-1', question: 'reset password', passages: 2 },
			},
		],
		ends: 'Reset your password',
	},
	{
		name: 'Tag a customer',
		wrong: 'all fields empty',
		steps: [
			{ tool: 'update_customer', args: { customer_id, company_name: '', tags: [] } },
			{
				after: 'Give at least one of',
				tool: 'update_customer',
				args: { customer_id, company_name: '', tags: ['vip'], change_tags: 'add' },
			},
		],
		ends: '"id":"cus-100001"',
	},
	{
		name: 'Empty the company name of a customer',
		wrong: 'a field that is called otherwise',
		steps: [
			{ tool: 'update_customer', args: { customer_id, clear: ['company'] } },
			{
				after: '"clear" takes only first_name, last_name, company_name',
				tool: 'update_customer',
				args: { customer_id, clear: ['company_name'] },
			},
		],
		ends: '"id":"cus-100001"',
	},
	{
		name: 'Convert an amount',
		wrong: 'unsupported currency',
		steps: [
			{ tool: 'convert_currency', args: { from_currency: 'EUR', to_currency: 'USX', amount: 100 } },
			{ after: 'Currency → Get Many', tool: 'list_currencies', args: {} },
			{
				after: 'USD',
				tool: 'convert_currency',
				args: { from_currency: 'EUR', to_currency: 'USD', amount: 100 },
			},
		],
		ends: '"to":"USD"',
	},
	{
		name: 'Look up a company',
		wrong: 'unknown VAT number',
		steps: [
			{ tool: 'look_up_company', args: { vat_number: 'IT00000000000' } },
			{
				after: 'Check the vat_number',
				tool: 'look_up_company',
				args: { vat_number: 'IT12345670785' },
			},
		],
		ends: '"vat_number":"IT12345670785"',
	},
	{
		name: 'Charge with a key that may only read',
		wrong: 'missing scope',
		scopes: ['customers:read'],
		steps: [
			{ tool: 'create_charge', args: setup(10) },
			{ after: 'charges:write', tool: 'get_customer', args: { customer_id } },
		],
		ends: '"id":"cus-100001"',
	},
	{
		name: 'Publish a content entry',
		wrong: 'unknown content type',
		steps: [
			{ tool: 'create_content', args: { type_id: 'faq', title: 'Refunds' } },
			{ after: 'Content type not found', tool: 'list_content_types', args: {} },
			{
				after: '"id"',
				tool: 'create_content',
				args: { type_id: '@id', title: 'Refunds', state: 'public' },
			},
		],
		ends: '"id":"',
	},
	{
		name: 'Find a partner',
		wrong: 'nothing to look for',
		steps: [
			{ tool: 'find_partner', args: { external_id: '', email: '' } },
			{ after: '"external_id" or "email" must be set', tool: 'list_partners', args: {} },
			{ after: '"ptn-1"', tool: 'get_partner', args: { partner_id: 'ptn-1' } },
		],
		ends: '"id":"ptn-1"',
	},
	{
		name: 'Charge within a limit',
		wrong: 'more than Max Amount',
		limits: { maxAmount: 500 },
		steps: [
			{ tool: 'create_charge', args: setup(600) },
			{ after: 'Max Amount of this tool is 500', tool: 'create_charge', args: setup(400) },
		],
		ends: '"status":"pending"',
	},
	{
		name: 'Charge once, though asked twice',
		wrong: 'the same charge again',
		perExecution: true,
		steps: [
			{ tool: 'create_charge', args: setup(21) },
			{ after: 'pending', tool: 'create_charge', args: setup(21) },
		],
		ends: 'This was done already: chg-',
	},
	{
		name: 'Run a workflow',
		wrong: 'unknown workflow',
		steps: [
			{ tool: 'run_workflow', args: { workflow_id: 'onboarding', data: { order: 1 } } },
			{ after: 'Check the workflow_id', tool: 'list_workflows', args: {} },
			{
				after: '"id"',
				tool: 'run_workflow',
				args: { workflow_id: '@id', data: { order: 1 } },
			},
		],
		ends: '"execution_id":',
	},
	{
		name: 'Status of a subscription',
		wrong: 'subscription of another customer',
		steps: [
			{
				tool: 'get_subscription_status',
				args: { customer_id, subscription_id: 'sub-999' },
			},
			{
				after: 'subscription_id',
				tool: 'list_subscriptions',
				args: { customer_id },
			},
			{
				after: '"id"',
				tool: 'get_subscription_status',
				args: { customer_id, subscription_id: '@id' },
			},
		],
		ends: '"next_renew":',
	},
];

/** The next fee that isn't paid out. */
let fee = 121;

/** Puts what the model has read into the arguments of a call. */
export function filledIn(args: Record<string, unknown>, before: string): Record<string, unknown> {
	const id = /"id":"([^"]+)"/.exec(before)?.[1] ?? '';
	const text = JSON.stringify(args).replaceAll('@id', id);
	return JSON.parse(text.replace('@fee', () => `fee-${fee++}`)) as Record<string, unknown>;
}

/** The node's form for a job: the tools that it needs, and no others. */
export function formOf({ steps, limits, perExecution }: Job) {
	return {
		offer: 'chosen',
		operations: [...new Set(steps.map(({ tool }) => tool))],
		onceOnly: perExecution === true,
		...(limits && { limits }),
	};
}
