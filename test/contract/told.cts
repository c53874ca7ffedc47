/**
 * What users read about things that the reference leaves open: forms, notices, examples, pages. When
 * a service turns out otherwise than a text supposes, these are the texts to change; `npm run check
 * service` names them. test/unit/told.test.cts finds a text that is not listed.
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

/** Texts, and what each is of, by their file. */
const texts: Record<string, Record<string, Told['of']>> = {
	'examples/03-bill-monthly-usage.json': {
		"In the sandbox, the API refuses an ID that it already has, so a second run doesn't record the usage again. The API reference doesn't say this":
			'usageTwice',
	},
	'examples/04-dunning-on-a-failed-charge.json': {
		'In the sandbox, a charge fails if the name of its service contains *decline*.':
			'core, Customer: when a charge fails is not shown',
	},
	'examples/06-reconcile-payments.json': {
		"The API reference doesn't list the payment statuses. **paid** and **failed** are those of the sandbox":
			'statusWords',
	},
	'examples/07-pay-partners.json': {
		"In the sandbox, the API refuses fees that are already in a payout. The API reference doesn't say this":
			'core, Payouts: whether a fee can be in two payouts is not said',
	},
	'examples/10-step-up-a-risky-login.json': {
		"The API reference doesn't list the risk decisions. **allow** is the one of the sandbox":
			'core, Identity and risk: values of `decision` are not shown',
	},
	'examples/20-wait-until-a-charge-is-paid.json': {
		'In the sandbox, a charge settles after some seconds.':
			'core, Customer: when a charge is paid or fails is not shown',
	},
	'docs/nodes.md': {
		"The API reference doesn't say for all lists how large a page can be": 'largestSize',
		"The API reference doesn't show for every field how its value is removed":
			'core, Customers: "body `customer` (partial fields)"; how a value is removed is not shown',
		"What the API reference doesn't show is passed on unchanged.": 'further',
		"The API reference doesn't show which field it is.": 'planId',
		"The API reference doesn't promise partial updates of address and properties":
			'core, Customers: partial updates of address and properties are not shown',
		"because the API reference doesn't say if data is merged": 'dataUpdate',
		"The API reference doesn't show the fields and response of **Pause**": 'openAnswers',
		"The API reference doesn't say whether the API refuses an ID that it already has.":
			'usageTwice',
		"The API reference doesn't say that external IDs are unique":
			'core, Partners: uniqueness is stated for customers only',
		"the API reference doesn't say what happens to parts left out.":
			'core, Scheduler: partial updates of recurrence and payload are not shown',
	},
	'nodes/Customers/subscription.ts': {
		"The API reference doesn't show which field of that list is the plan.": 'planId',
	},
	'nodes/Customers/usage.ts': {
		"The API reference doesn't say if it's a quantity or money":
			'core, Customer: usage `amount` number, without a unit',
	},
	'nodes/Dns/lookup.ts': {
		"The API reference doesn't show what a resolver consists of":
			'core, DNS: `resolvers` (array of additional resolvers), without a shape',
	},
	'nodes/Identity/passkey.ts': {
		"The API reference doesn't say if it's the ID that Confirm Registration returns":
			'core, Identity: `credentialId`, without a meaning',
	},
	'nodes/Identity/risk.ts': {
		"The API reference doesn't say what it identifies":
			'core, Identity: `sentinel.id`, without a meaning',
	},
	'examples/08-send-a-newsletter.json': {
		"The API reference doesn't say that it looks at **has_consent**":
			'core, Newsletters: what has_consent changes is not said',
	},
	'docs/credential.md': {
		"The API reference doesn't show what a missing scope looks like.": 'missingScope',
		"The API reference doesn't show how to get a key or its scopes.":
			'core, Authentication: how keys are made is not shown',
		"The API reference doesn't show the scope of Platform Customers, **Subscription: Pause**.":
			'pauseScope',
	},
	'docs/ai.md': {
		"The API doesn't document if scores of different bases can be compared.":
			'gateway, Search: `score`, without a range',
		"The API doesn't document what comes after that":
			'gateway, Documents: values of `index_status` beyond queued are not shown',
		"The API reference doesn't say who sees a document without one.":
			'gateway, Documents: who sees a document without `acl` is not shown',
	},
	'README.md': {
		"The API's rate limits aren't documented.": 'retryAfter',
		"The payload of webhook deliveries isn't documented, so it's passed on unchanged.":
			'deliveryBody',
	},
	'docs/triggers.md': {
		"The API reference doesn't show what a delivery looks like, so it's passed on unchanged":
			'deliveryBody',
		"The API reference doesn't show how deliveries include it.":
			'core, Events: "Signature or token verification scheme, retries and delivery timing: not shown."',
	},
	'docs/performance.md': {
		"The API's rate limits aren't documented, so the nodes learn them.": 'retryAfter',
	},
	'docs/reliability.md': {
		"a response that the API reference doesn't describe may be empty": 'openAnswers',
		"A list that isn't documented to have pages is asked for a second one only": 'partialEnvelopes',
	},
};

/** Examples that start with the delivery of a charge. */
const deliveries = [
	'04-dunning-on-a-failed-charge',
	'05-receipt-on-a-paid-charge',
	'20-wait-until-a-charge-is-paid',
	'23-paid-charges-none-missed',
];

export const told: Told[] = [
	...Object.entries(texts).flatMap(([file, all]) =>
		Object.entries(all).map(([says, of]): Told => ({ file, says, of })),
	),
	...deliveries.flatMap((name): Told[] =>
		["The API reference doesn't show the content of a delivery.", 'as the sandbox sends it'].map(
			(says) => ({ file: `examples/${name}.json`, says, of: 'deliveryBody' }),
		),
	),
];
