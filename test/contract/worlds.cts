// What the reference leaves open and a service has to decide: dimensions, each with the choices that the reference allows.
// A world is one choice for each. Identifiers are strings (core, conventions), so none is a number where the reference
// shows the record.
import { readFileSync } from 'node:fs';
import { randomFrom } from '../sandbox/random.cts';

/** One open question. */
export interface Dimension {
	/** What is decided. */
	decides: string;
	/** The sentence of the reference, or what it lacks, and where. `core` and `gateway` are its two documents. */
	open: string;
	/** The possible answers, the usual one first. */
	choices: readonly [string, ...string[]];
	/** Whether requests that only read show the choice: what `npm run check service` can find. */
	readable?: boolean;
}

const statuses =
	'core, Errors: "The HTTP status codes marked above are not shown."; gateway, Errors: "HTTP status codes of these errors are not stated in the reference"';

const envelope =
	'core, Common list envelope: "Some lists omit `pages` (...) and carry only a subset of `entities`/`type`, `count`, `per_page`, `elements`."';

export const dimensions = {
	// Errors
	invalidStatus: {
		decides: 'Status of a request that is not valid, and has no documented status',
		open: `${statuses}; core, Errors: "Error responses for validation failures on most other endpoints: not shown."`,
		choices: ['400', '422', '409', '200'],
		readable: true,
	},
	unknownStatus: {
		decides: 'Status of an unknown id, where none is documented',
		open: statuses,
		choices: ['404', '400', '403', '422', '200'],
		readable: true,
	},
	unknownMessage: {
		decides: 'Message for an unknown id, where none is documented',
		open: 'core, Errors: messages for an unknown partner, content type, event, user, campaign, payout and fee are not in the table',
		choices: ['not found', 'does not exist', 'invalid id'],
		readable: true,
	},
	conflictStatus: {
		decides: 'Status of a conflict with what exists, where none is documented',
		open: statuses,
		choices: ['409', '400', '422', '200'],
	},
	deniedStatus: {
		decides: 'Status of "Invalid credentials or access denied"',
		open: 'core, Errors: "bad OTP code | not shown"',
		choices: ['400', '401', '403', '422', '200'],
	},
	outsideStatus: {
		decides: 'Status when an external service of the gateway fails',
		open: 'gateway, Errors: "HTTP status codes of these errors are not stated in the reference"',
		choices: ['424', '400', '422', '502', '200'],
	},
	budgetStatus: {
		decides: 'Status when the monthly budget would be exceeded',
		open: 'gateway, Errors: "HTTP status codes of these errors are not stated in the reference"',
		choices: ['402', '403', '409', '429', '200'],
	},
	missingScope: {
		decides: 'Status of a request whose key lacks the scope',
		open: 'core, Authentication: "The response to a valid key lacking the required scope: not shown."',
		choices: ['403', '401'],
	},
	pauseScope: {
		decides: 'Which keys may pause a subscription',
		open: 'core, Customers: "PUT .../lifecycle/pause.json | scope not shown"',
		choices: ['any key', 'customer_subscriptions:write'],
	},
	retryAfter: {
		decides: 'Retry-After of a 429',
		open: 'core, Limits: "Rate limits, quotas per key (...): not shown."',
		choices: ['seconds', 'date', 'none'],
	},
	riskStatus: {
		decides: 'Status of {success: false, message} of the risk endpoint',
		open: 'core, Identity and risk: "when inputs are missing the body is {`success`: false, `message`}", without a status',
		choices: ['200', '400', '422'],
	},

	// Answers
	writeStatus: {
		decides: 'Status of a write that went well, where none is documented',
		open: 'core, Endpoints: "HTTP status codes of endpoints other than those stated in the Errors section: not shown."',
		choices: ['200', '201 where something is made', '202'],
	},
	openAnswers: {
		decides: 'Answer of a new charge and of a pause',
		open: 'core, Customers: "response not shown"; "payload not shown"',
		choices: ['record', 'id only', 'echo of the request', 'wrapped', 'empty object', 'no body'],
	},
	records: {
		decides: 'One record: as it is, or below the name that writes give it',
		open: 'core, Endpoints: the responses "customer", "partner profile", "webhook", "entity", "type definition", "campaign", "payout" and "identity profile" name the record, not its place',
		choices: ['bare', 'below their name'],
		readable: true,
	},
	further: {
		decides: 'Members beyond the documented ones',
		open: 'core, Customer: "Complete customer field list: not shown beyond those above." No record is said to be complete.',
		choices: ['none', 'some', 'some, also error and message'],
		readable: true,
	},
	unset: {
		decides: 'A documented member without a value',
		open: 'core, Resources: types of members only; how one without a value is written is not shown',
		choices: ['absent', 'null', 'empty text'],
		readable: true,
	},
	openNumbers: {
		decides: 'Numbers whose type is not shown',
		open: 'gateway: types of `estimated_cost_usd`, `bytes` and `position` are not shown; core, Newsletter: `overall_progress`, `delivery_rate`; core, Usage history: "element fields: not shown"',
		choices: ['numbers', 'texts'],
		readable: true,
	},
	openTimes: {
		decides: 'Times whose format is not shown',
		open: 'core, DNS: `generated_at` without a type; times of charges and usages not shown',
		choices: ['ISO 8601', 'Unix seconds'],
		readable: true,
	},
	ids: {
		decides: 'What an id looks like',
		open: 'core, conventions: "Identifiers are strings.", no more; records whose fields are not shown may hold numbers',
		choices: [
			'prefix and number',
			'digits',
			'digits, numbers where the record is not shown',
			'UUIDs',
		],
		readable: true,
	},
	statusWords: {
		decides: 'Words for the status of a charge and of a last payment',
		open: 'core, Customer: "Charge status values: not shown."',
		choices: ['pending, paid, failed', 'open, succeeded, declined'],
		readable: true,
	},

	// Lists
	defaultSize: {
		decides: 'Rows of a page where neither the request nor the reference says it',
		open: 'core, Limits: defaults are stated for traces and contents only',
		choices: ['25', '10', '50', '100'],
		readable: true,
	},
	largestSize: {
		decides: 'Largest page of customers, recurring subscriptions, content types and usages',
		open: 'core, Limits: a maximum is stated for the other lists only',
		choices: ['100', '20', '50', '1000'],
		readable: true,
	},
	oversize: {
		decides: 'A page that is asked for larger than that',
		open: 'core, Limits: not said',
		choices: ['cut', 'the default size', 'refused'],
		readable: true,
	},
	beyondEnd: {
		decides: 'A page behind the last one',
		open: 'core, Limits: "pages | numbered from 1", no more',
		choices: ['empty', 'not found', 'the last one again', 'refused'],
		readable: true,
	},
	partialCounts: {
		decides: '`count` of lists of which the reference shows a part of the envelope',
		open: `${envelope} That it is a total is said of the whole envelope only.`,
		choices: ['of the list', 'of the page', 'of the list, at most 100'],
	},
	partnerPages: {
		decides: 'Customers and fees of a partner: all at once, or pages whose size `per_page` tells',
		open: 'core, Partners: request "none"; core, Common list envelope: they carry "a subset of `entities`/`type`, `count`, `per_page`, `elements`"',
		choices: ['all at once', 'pages of 20'],
	},
	countTypes: {
		decides: '`count` and `per_page` of those lists: numbers, or digits as text',
		open: `${envelope} That they are integers is said of the whole envelope only; gateway, Endpoints: \`count\` of a search without a type.`,
		choices: ['numbers', 'texts'],
		readable: true,
	},
	arrays: {
		decides: 'Modules, currencies and event types: a bare array, or in the common envelope',
		open: 'core, Endpoints: "200 array of modules", "200 array of uppercase currency codes", "array of supported event names"; core, Common list envelope: "Most list responses"',
		choices: ['bare', 'in the envelope'],
		readable: true,
	},
	lookups: {
		decides:
			'A look-up by external id or e-mail that finds a record: it, or a list of all that match',
		open: 'core, Endpoints: the responses "customer" and "partner" of the look-ups name the record, not its place',
		choices: ['the record', 'a bare list'],
		readable: true,
	},
	emptyLists: {
		decides: 'The rows of an empty list',
		open: 'core, Common list envelope: `elements` (array); an empty one is not shown',
		choices: ['[]', 'no key', 'null', '{}'],
		readable: true,
	},
	emptyMaps: {
		decides: 'A map without entries',
		open: 'core, Customer properties: "`elements` map of property name to value"; an empty one is not shown',
		choices: ['{}', '[]'],
	},
	partialEnvelopes: {
		decides: 'What lists of which the reference shows a part of the envelope carry beyond it',
		open: envelope,
		choices: ['nothing', 'count', 'count and per_page'],
		readable: true,
	},
	usageEnvelope: {
		decides: 'What the usage history says about its pages',
		open: 'core, Customers: "200 paginated usage history"; the envelope shows `type` and `elements`',
		choices: ['count, per_page and pages', 'pages', 'count', 'nothing'],
		readable: true,
	},
	usagePaging: {
		decides: 'How a page of the usage history is chosen',
		open: 'core, Customers: "200 paginated usage history", request "none"',
		choices: ['size and page', 'page', 'not at all', 'all rows at once'],
		readable: true,
	},
	order: {
		decides: 'Order of the rows of a list',
		open: 'core, Common list envelope: no order is stated',
		choices: ['as kept', 'the other way round', 'mixed'],
		readable: true,
	},
	searchCount: {
		decides: '`count` of a filtered list of contents',
		open: 'core, Common list envelope: "`count` (integer, total)"; of the matches or of all is not said',
		choices: ['matches', 'all rows'],
		readable: true,
	},
	retrievalCount: {
		decides: '`count` of a search in a knowledge base',
		open: 'gateway, Endpoints: "{..., `count`, `results` passages}"; of the results or of all matches is not said',
		choices: ['results', 'all matches'],
	},
	recurringRows: {
		decides: 'What rows of recurring subscriptions say about the plan',
		open: 'core, Customer: "Subscription plan list element fields (...): not shown."',
		choices: ['nothing more', 'name', 'plan_id and plan_name'],
		readable: true,
	},
	planId: {
		decides: 'What names the plan of a new subscription',
		open: 'core, Customer: "`id` (plan id, string)"; which member of the listing holds it is not shown',
		choices: ['any', 'id of the row', 'subscription_reference', 'id of the plan'],
	},
	recurrences: {
		decides: 'An event that repeats, in a range',
		open: 'core, Scheduler: {`status`, `count`, `range`, `events`}; whether repetitions are unfolded is not shown',
		choices: ['one row', 'a row for each time'],
		readable: true,
	},
	schedulerRange: {
		decides: '`range` of a list of events',
		open: 'core, Scheduler: "`range` {`start`, `end`}" without a format',
		choices: ['as asked', 'as times'],
		readable: true,
	},
	recipientEmail: {
		decides: 'Name of the e-mail field of a recipient',
		open: 'core, Newsletter: "plus an e-mail field"',
		choices: ['email', 'email_address', 'contact_email'],
		readable: true,
	},
	statsCampaign: {
		decides: 'Place of the campaign in its statistics',
		open: 'core, Newsletters: "campaign and stats"',
		choices: ['newsletter', 'campaign', 'beside the stats'],
		readable: true,
	},
	partnerCode: {
		decides: 'Name of the code in the read of one partner',
		open: 'core, Partner: "`partner_code` (list) / `code` (write shape)"',
		choices: ['partner_code', 'code'],
		readable: true,
	},
	partnerNone: {
		decides: 'A look-up of a partner that finds none',
		open: 'core, Partners: "partner; error when neither is provided"; without a match: not shown',
		choices: ['error', 'null', '{}', '[]'],
		readable: true,
	},
	aliasLedger: {
		decides: 'Ledger of embeddings at the alias',
		open: 'gateway, Embeddings: "some fields may be omitted on the alias"',
		choices: ['shortened', 'whole'],
	},

	// What is read from requests, and what writes do
	queryArrays: {
		decides: 'How an array in a query is read',
		open: 'core, DNS: "query (...) `recordTypes` (array or string)"; how an array is written is not shown',
		choices: ['repeated or bracketed', 'bracketed', 'repeated', 'the last one'],
		readable: true,
	},
	addressUpdate: {
		decides: 'Parts of an address that an update of a customer does not name',
		open: 'core, Customers: "body `customer` (partial fields)"; of the parts of an address nothing is said',
		choices: ['kept', 'dropped'],
	},
	propertyUpdate: {
		decides: 'Properties that an update does not name',
		open: 'core, Customers: "body `CustomerProperties` map"',
		choices: ['kept', 'dropped'],
	},
	dataUpdate: {
		decides: 'Data of a content entry that an update does not name',
		open: 'core, Content box: "body `content` partial (`title`, `state`, `data` keys)"',
		choices: ['kept', 'dropped'],
	},
	deletion: {
		decides: 'When the queued deletion of a customer is done',
		open: 'core, Customers: "202 {`id`, `deleted`: true} (queued)"',
		choices: ['at once', 'later'],
	},
	usageTwice: {
		decides: 'A second usage with the same externalId',
		open: 'core, Customer: "`externalId` string (caller-supplied unique id for the usage event)"',
		choices: ['refused', 'answered like the first', 'recorded again'],
	},
	suppressTwice: {
		decides: 'A second suppression of the same address',
		open: 'core, Newsletters: "{`email`, `unsubscribed`: true}", no more',
		choices: ['unchanged', 'refused'],
	},
	backupCodes: {
		decides: 'Digits of a backup code',
		open: 'core, Identity: "10 single-use codes"; "numeric backup code" of a length that is not shown',
		choices: ['8', '6', '12'],
	},

	// Webhooks
	webhookUrls: {
		decides: 'The address of a registered webhook',
		open: 'core, Webhook: "`url` (HTTPS)"; that it comes back as sent is not said',
		choices: [
			'as sent',
			'normalised',
			'normalised, its query sorted',
			'shown with a masked query',
			'shown with http:',
			'shown without its scheme',
			'shown with doubled slashes',
			'shown with encoded letters',
			'shown with a dot after the host',
			'cut after 120 characters',
		],
	},
	webhookList: {
		decides: 'When the list shows a webhook that was registered or deleted',
		open: 'core, Webhooks: "200 list envelope (`entities` Webhook)", no more; core, Limits: consistency is not mentioned',
		choices: ['at once', 'from the second reading on', 'never'],
	},
	webhookDeletion: {
		decides: 'Whether a webhook that was registered can be deleted',
		open: 'core, Webhooks: "{`id`, `deleted`: true}; error when unknown"; other errors are not excluded',
		choices: ['always', 'at the second attempt', 'never'],
	},
	webhookTexts: {
		decides: 'Name and description of a registered webhook',
		open: 'core, Webhook: `name`, `description`; core, Limits: no length of them',
		choices: ['as sent', 'cut'],
	},
	sameWebhook: {
		decides: 'A second webhook with the same address and event',
		open: 'core, Webhooks: not said',
		choices: ['taken', 'refused'],
	},
	deliveryBody: {
		decides: 'Body of a delivery',
		open: 'core, Events: "Payload shape of a delivered event: not shown."',
		choices: ['JSON', 'JSON as text/plain', 'form', 'empty'],
	},
	deliveryIds: {
		decides: 'Where a delivery carries its id',
		open: 'core, Events: "Signature or token verification scheme, retries and delivery timing: not shown."',
		choices: ['header and body', 'header', 'body', 'nowhere'],
	},
	deliveries: {
		decides: 'How often an event is delivered',
		open: 'core, Events: "retries and delivery timing: not shown"',
		choices: ['once', 'twice'],
	},
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof dimensions;

/** One choice for each dimension. */
export type World = { [Name in DimensionName]: (typeof dimensions)[Name]['choices'][number] };

export const dimensionNames = Object.keys(dimensions) as DimensionName[];

function worldWith(choose: (name: DimensionName, dimension: Dimension) => string): World {
	const entries = dimensionNames.map((name) => [name, choose(name, dimensions[name])]);
	return Object.fromEntries(entries) as World;
}

/** The sandbox's own, of which every dimension has its first choice. */
export const usualWorld: World = worldWith((_name, { choices }) => choices[0]);

/**
 * The world of a seed; the same one each time. In half of the dimensions it is the usual one, so
 * that most of a failure's choices are those that matter.
 */
export function worldFrom(seed: number): World {
	const random = randomFrom(Math.imul(seed, 0x9e3779b1));
	return worldWith((_name, { choices }) =>
		random.chance(0.4) ? choices[0] : random.pick(choices),
	);
}

/** The usual world with some choices of its own, such as one that was written to a file. */
export function worldOf(choices: Readonly<Record<string, unknown>>): World {
	for (const [name, value] of Object.entries(choices)) {
		if (!Object.hasOwn(dimensions, name)) throw new Error(`There is no dimension ${name}`);
		const dimension: Dimension = dimensions[name as DimensionName];
		if (!dimension.choices.some((choice) => choice === value)) {
			throw new Error(`${name} must be one of: ${dimension.choices.join('; ')}`);
		}
	}
	return worldWith((name) => String(choices[name] ?? usualWorld[name]));
}

/** The dimensions in which a world is not the usual one. */
export function unusual(world: World): DimensionName[] {
	return dimensionNames.filter((name) => world[name] !== usualWorld[name]);
}

/** All dimensions as a table in Markdown. */
export function worldsTable(): string {
	const rows = dimensionNames.map((name) => {
		const { decides, open, choices }: Dimension = dimensions[name];
		const others = choices.slice(1).join('; ');
		return `| \`${name}\` | ${decides} | ${choices[0]} | ${others} | ${open.replace(/\|/g, '\\|')} |`;
	});
	return [
		'| Dimension | What is decided | Usually | Also allowed | What leaves it open |',
		'| --- | --- | --- | --- | --- |',
		...rows,
	].join('\n');
}

/** A world by its name: a seed, or a file of choices such as `npm run check service` writes. */
export function worldNamed(name: string): World {
	if (/^\d+$/.test(name)) return worldFrom(Number(name));
	return worldOf(choicesIn(name));
}

function choicesIn(file: string): Record<string, unknown> {
	let choices: unknown;
	try {
		choices = JSON.parse(readFileSync(file, 'utf8'));
	} catch (error) {
		const why = error instanceof SyntaxError ? "the file isn't JSON" : "the file can't be read";
		throw new Error(`Use a seed such as 7 or a file of choices: ${why}`);
	}
	if (typeof choices !== 'object' || choices === null || Array.isArray(choices)) {
		throw new Error('The file must hold a JSON object, such as {"ids": "UUIDs"}');
	}
	return { ...choices };
}
