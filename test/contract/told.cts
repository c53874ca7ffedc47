/**
 * What users read about things that the reference leaves open: forms, notices, examples, pages. When
 * a service turns out otherwise than a text supposes, these are the texts to change; `npm run
 * check:service` names them. test/unit/told.test.cts finds a text that is not listed.
 */
import type { DimensionName } from './worlds.cts';

/** A text that speaks of something open. */
export interface Told {
	/** The file that holds it. */
	file: string;
	/** The part of it that speaks of the open thing, on one line. */
	says: string;
	/** The open question, or the sentence of the reference that leaves it open. */
	of: DimensionName | `${'core' | 'gateway'}, ${string}`;
}

/** What marks a text as one that speaks of something open. */
export const MARK =
	/reference doesn't|API doesn't document|(is|are)n't documented|(in|one|those) (of )?the sandbox|the sandbox (sends|decides)/i;

export const told: Told[] = [
	{
		file: 'examples/03-bill-monthly-usage.json',
		says: "In the sandbox, the API refuses an ID that it already has, so a second run doesn't record the usage again. The API reference doesn't say this",
		of: 'usageTwice',
	},
	...[
		'04-dunning-on-a-failed-charge',
		'05-receipt-on-a-paid-charge',
		'20-wait-until-a-charge-is-paid',
		'23-paid-charges-none-missed',
	].map((name): Told => ({
		file: `examples/${name}.json`,
		says: "The API reference doesn't show the content of a delivery.",
		of: 'deliveryBody',
	})),
	...[
		'04-dunning-on-a-failed-charge',
		'05-receipt-on-a-paid-charge',
		'20-wait-until-a-charge-is-paid',
		'23-paid-charges-none-missed',
	].map((name): Told => ({
		file: `examples/${name}.json`,
		says: 'as the sandbox sends it',
		of: 'deliveryBody',
	})),
	{
		file: 'examples/04-dunning-on-a-failed-charge.json',
		says: 'In the sandbox, a charge fails if the name of its service contains *decline*.',
		of: 'core, Customer: when a charge fails is not shown',
	},
	{
		file: 'examples/06-reconcile-payments.json',
		says: "The API reference doesn't list the payment statuses. **paid** and **failed** are those of the sandbox",
		of: 'statusWords',
	},
	{
		file: 'examples/07-pay-partners.json',
		says: "In the sandbox, the API refuses fees that are already in a payout. The API reference doesn't say this",
		of: 'core, Payouts: whether a fee can be in two payouts is not said',
	},
	{
		file: 'examples/10-step-up-a-risky-login.json',
		says: "The API reference doesn't list the risk decisions. **allow** is the one of the sandbox",
		of: 'core, Identity and risk: values of `decision` are not shown',
	},
	{
		file: 'examples/20-wait-until-a-charge-is-paid.json',
		says: 'In the sandbox, a charge settles after some seconds.',
		of: 'core, Customer: when a charge is paid or fails is not shown',
	},
	{
		file: 'docs/nodes.md',
		says: "The API reference doesn't say for all lists how large a page can be",
		of: 'largestSize',
	},
	{
		file: 'docs/nodes.md',
		says: "The API reference doesn't show for every field how its value is removed",
		of: 'core, Customers: "body `customer` (partial fields)"; how a value is removed is not shown',
	},
	{
		file: 'docs/credential.md',
		says: "The API reference doesn't show what a missing scope looks like.",
		of: 'missingScope',
	},
	{
		file: 'docs/nodes.md',
		says: "What the API reference doesn't show is passed on unchanged.",
		of: 'further',
	},
	{
		file: 'docs/ai.md',
		says: "The API doesn't document if scores of different bases can be compared.",
		of: 'gateway, Search: `score`, without a range',
	},
	{
		file: 'docs/ai.md',
		says: "The API doesn't document what comes after that",
		of: 'gateway, Documents: values of `index_status` beyond queued are not shown',
	},
	{
		file: 'README.md',
		says: "The API's rate limits aren't documented.",
		of: 'retryAfter',
	},
	{
		file: 'README.md',
		says: "The payload of webhook deliveries isn't documented, so it's passed on unchanged.",
		of: 'deliveryBody',
	},
	{
		file: 'docs/credential.md',
		says: "The API reference doesn't show how to get a key or its scopes.",
		of: 'core, Authentication: how keys are made is not shown',
	},
	{
		file: 'docs/credential.md',
		says: "The API reference doesn't show the scope of Platform Customers, **Subscription: Pause**.",
		of: 'pauseScope',
	},
	{
		file: 'docs/nodes.md',
		says: "The API reference doesn't show the fields and response of **Pause**",
		of: 'openAnswers',
	},
	{
		file: 'docs/nodes.md',
		says: "The API reference doesn't say whether the API refuses an ID that it already has.",
		of: 'usageTwice',
	},
	{
		file: 'docs/nodes.md',
		says: "The API reference doesn't say that external IDs are unique",
		of: 'core, Partners: uniqueness is stated for customers only',
	},
	{
		file: 'docs/triggers.md',
		says: "The API reference doesn't show what a delivery looks like, so it's passed on unchanged",
		of: 'deliveryBody',
	},
	{
		file: 'docs/triggers.md',
		says: "The API reference doesn't show how deliveries include it.",
		of: 'core, Events: "Signature or token verification scheme, retries and delivery timing: not shown."',
	},
	{
		file: 'docs/performance.md',
		says: "The API's rate limits aren't documented, so the nodes learn them.",
		of: 'retryAfter',
	},
	{
		file: 'docs/reliability.md',
		says: "a response that the API reference doesn't describe may be empty",
		of: 'openAnswers',
	},
	{
		file: 'docs/reliability.md',
		says: "A list that isn't documented to have pages is asked for a second one only",
		of: 'partialEnvelopes',
	},
	{
		file: 'docs/ai.md',
		says: "The API reference doesn't say who sees a document without one.",
		of: 'gateway, Documents: who sees a document without `acl` is not shown',
	},
	{
		file: 'docs/nodes.md',
		says: "the API reference doesn't say what happens to parts left out.",
		of: 'core, Scheduler: partial updates of recurrence and payload are not shown',
	},
];
