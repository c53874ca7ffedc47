// What the pages for users promise, the roads on which it must hold, and the test that holds it there. A road that is derived from
// a table gets its proof by standing in that table.

/** Roads by their kind: listed here, or those of a table that the proof walks. */
export const roadsOf = {
	/** Ways to call an operation. */
	ways: { walks: 'host/ways.cts' },
	/** All operations. */
	operations: { walks: 'table/operations.cts' },
	/** Lists that a polling trigger watches. */
	watched: { walks: 'table/watched.cts' },
	/** Faults of one request. */
	faults: { walks: 'table/reliability.cts' },
	/** Who calls several operations of Platform Tools. */
	callers: { walks: 'host/toolkit.cts' },
	/** What begins an execution again. */
	again: ["n8n's Retry", 'Retry On Fail', 'a loop'],
	/** Where deliveries are recognized. */
	processes: ['the same process', 'another process'],
	/** Whose error it is. */
	errors: ['of the API', "of n8n's own"],
} satisfies Record<string, string[] | { walks: string }>;

type RoadKind = keyof typeof roadsOf;

/** A file of tests, and words of the title of one. */
export type Proof = [file: string, title: string];

export interface Promised {
	/** Words that stand on the page. */
	says: string;
	/** Without them, it holds in one place. */
	roads?: RoadKind;
	/** One for all roads, or by road. */
	proof: Proof | Record<string, Proof>;
}

const ROADS = 'execution/roads';

/** By page, and a number that stays. */
export const promises: Record<string, Promised> = {
	// Money.
	'money 1': {
		says: 'no change leaves n8n: always (**On**)',
		roads: 'ways',
		proof: [ROADS, 'leaves n8n in a dry run only to read'],
	},
	'money 2': {
		says: 'nodes read real data',
		roads: 'operations',
		proof: ['execution/dryRun', 'form %d: not sent, and told as it would be'],
	},
	'money 3': {
		says: 'all items of a write are checked before anything is sent',
		proof: ['execution/items', 'a value that must not be sent is refused before any request'],
	},
	'money 4': {
		says: 'Items that replace the same list of one record, each with its own, are refused',
		proof: [
			'execution/replaced',
			'different lists for one record are refused, and nothing is sent',
		],
	},
	'money 5': {
		says: 'If one is exceeded, nothing is sent.',
		roads: 'ways',
		proof: [ROADS, 'holds, or the call is refused'],
	},
	'money 6': {
		says: 'No number below 0 makes room for others.',
		proof: ['execution/safetyLimits', 'makes no room for others under Max Total'],
	},
	'money 7': {
		says: 'A fee that is paid already is refused.',
		proof: ['execution/safetyLimits', 'is refused by its ID'],
	},
	'money 8': {
		says: 'A limit holds for one execution, also in a loop, after a Wait, with Retry and for the calls of an AI agent.',
		roads: 'again',
		proof: {
			"n8n's Retry": [
				'execution/claims',
				'lets no limit be passed over an execution and its Retry',
			],
			'Retry On Fail': ['execution/ledger', 'and counts once'],
			'a loop': ['execution/ledger', 'limits count all rounds'],
		},
	},
	'money 9': {
		says: 'Each key is sent once',
		roads: 'ways',
		proof: [ROADS, 'holds, or the call is refused'],
	},
	'money 10': {
		says: 'If the API refuses the request, the key is free again.',
		proof: ['execution/wholeRun', 'a refusal releases the key, doubt keeps it, and says so'],
	},
	'money 11': {
		says: 'an execution and its Retries send each item once',
		roads: 'again',
		proof: {
			"n8n's Retry": ['execution/roads', 'of an action node'],
			'Retry On Fail': [
				'execution/money',
				'a call that n8n tries again sends no charge a second time',
			],
			'a loop': ['execution/ledger', 'a Retry that begins anew knows each round'],
		},
	},
	'money 12': {
		says: 'and ends, as a hint says. What',
		proof: [
			'execution/runAgain',
			'an item in doubt that an error output leads back comes back once more',
		],
	},
	'money 13': {
		says: 'has what it did:',
		proof: ['execution/ledger', 'it names each item as done, failed or in doubt'],
	},
	// Reliability.
	'reliability 1': {
		says: "isn't retried once it may have gone through",
		roads: 'ways',
		proof: [ROADS, 'is sent once if it acts, and again if not'],
	},
	'reliability 2': {
		says: 'A refused request was not applied',
		roads: 'ways',
		proof: [ROADS, 'is sent again after a refusal that says wait'],
	},
	'reliability 3': {
		says: 'A failure never looks like a success.',
		roads: 'ways',
		proof: [ROADS, 'is an error if a success says that it failed'],
	},
	'reliability 4': {
		says: 'Items keep their order and their pairing.',
		proof: [
			'execution/items',
			'results keep the order of the input although later answers come first',
		],
	},
	'reliability 5': {
		says: 'Documented limits, formats and required fields are checked',
		roads: 'operations',
		proof: ['contract/ends', 'each value reaches the service, or is refused by its range'],
	},
	'reliability 6': {
		says: 'No error, hint or log shows the key or a secret of the request.',
		roads: 'errors',
		proof: {
			'of the API': [ROADS, 'shows the key in no error of the API'],
			"of n8n's own": [ROADS, "shows the key in no error of n8n's own"],
		},
	},
	'reliability 7': {
		says: "Redirects aren't followed.",
		roads: 'ways',
		proof: [ROADS, 'follows no redirect'],
	},
	'reliability 8': {
		says: 'What happens | Safe to retry | Not safe to retry | May have gone through',
		roads: 'faults',
		proof: ['execution/faults', 'expectedOf'],
	},
	'reliability 9': {
		says: 'A request that fails while others to the same endpoint succeed is tried up to five times.',
		proof: ['execution/retries', 'a read gives up after five faults and says so'],
	},
	'reliability 10': {
		says: 'is done if the retry finds nothing. The item has a `warning`.',
		roads: 'operations',
		proof: ['execution/money', 'the same item when the answer was lost'],
	},
	'reliability 11': {
		says: 'the output has the rows that came, and a hint.',
		proof: ['execution/oddLists', 'a page that %s before others that are there is told'],
	},
	'reliability 12': {
		says: 'on a later page are left out, with a hint.',
		proof: ['execution/oddLists', 'a row of an earlier page is left out, with a hint'],
	},
	'reliability 13': {
		says: 'Reads, deletions and most updates are safe to retry.',
		roads: 'operations',
		proof: ['execution/money', 'says that it may have gone through'],
	},
	// Triggers.
	'triggers 1': {
		says: 'Publishing registers **one webhook for each event**',
		proof: ['execution/trigger', 'registers one webhook per event'],
	},
	'triggers 2': {
		says: 'Unpublishing removes them, and no others.',
		proof: ['execution/triggerOwnership', 'each has its own webhooks while it is published'],
	},
	'triggers 3': {
		says: 'Publishing again keeps what is right, registers what is missing, and removes leftovers.',
		proof: ['execution/trigger', 'a registration that fails leaves those that were right'],
	},
	'triggers 4': {
		says: 'Without the secret nothing starts',
		roads: 'processes',
		proof: {
			'the same process': ['execution/triggerPublishing', 'but not with a wrong secret'],
			'another process': [
				'execution/triggerPublishing',
				'another process, which knows of no registration',
			],
		},
	},
	'triggers 5': {
		says: 'a header contains the signature of the raw body, in hex or Base64.',
		proof: ['execution/trigger', 'checked by its token: %s'],
	},
	'triggers 6': {
		says: 'The same for every delivery of the same body for the same event',
		proof: ['execution/trigger', 'becomes an item with event, body and a stable id'],
	},
	'triggers 7': {
		says: '`headers` without credentials and cookies',
		proof: ['execution/trigger', 'headers without its token, its secret and credentials'],
	},
	'triggers 8': {
		says: "Webhooks of another company's key, or at an [earlier URL of n8n](#after-changes), are left alone.",
		proof: ['execution/trigger', 'the earlier one is left and named in the log'],
	},
	'triggers 9': {
		says: 'A longer list takes several polls, and each change is reported once.',
		roads: 'watched',
		proof: [
			'execution/polling',
			'each of its news is reported once, also if it comes while n8n is stopped',
		],
	},
	'triggers 10': {
		says: 'takes the state that counts: that of the index, unless the document is queued or has failed.',
		proof: ['unit/edges', 'a document that is %s, with an index that is %s'],
	},
	'triggers 11': {
		says: 'the first one 30 s',
		proof: ['execution/pollingLosses', 'the first poll takes no more than its time'],
	},
	'triggers 12': {
		says: 'reports what two complete polls in a row miss.',
		proof: ['execution/pollingGone', 'a subscription is told in the second poll that misses it'],
	},
	'triggers 13': {
		says: 'It passes each `deliveryId` once and remembers the last 10,000.',
		roads: 'again',
		proof: {
			"n8n's Retry": ['execution/ledger', 'what a run has passed passes again in its Retry'],
			'Retry On Fail': ['execution/ledger', 'Keep New with Continue'],
			'a loop': ['execution/ledger', 'Keep New with Continue'],
		},
	},
	'triggers 14': {
		says: 'The first poll only saves the current state, unless **Include Existing Rows** is on.',
		proof: [
			'execution/polling',
			'rows that are there already are reported once where that is asked for',
		],
	},
	'triggers 15': {
		says: 'After a failed poll, downtime or time unpublished, the next poll reports what changed in between.',
		roads: 'watched',
		proof: [
			'execution/polling',
			'each of its news is reported once, also if it comes while n8n is stopped',
		],
	},
	'triggers 16': {
		says: 'Several renewals between two polls are one item, with the outcome of the last one.',
		proof: [
			'execution/payments',
			'the warning says how many renewals lie between, and how many outcomes are known',
		],
	},
	'triggers 17': {
		says: 'A new row is no change.',
		proof: ['execution/pollingChanges', 'a new row is no change, its first change is reported'],
	},
	'triggers 18': {
		says: '**Filter by Status** and **Fields to Watch** take any case of letters.',
		proof: ['execution/payments', 'Filter by Status takes the outcome, in any case of letters'],
	},
	// AI.
	'ai 1': {
		says: 'Scores can be compared if all are lexical, or are vectors of the same embedding connection',
		proof: [
			'execution/relevance',
			'passages of bases whose scores can not be compared are merged by rank',
		],
	},
	'ai 2': {
		says: 'is for the scores of the first knowledge base, and of those of its kind. Those of another kind pass it.',
		proof: [
			'execution/relevance',
			'Minimum Score is for scores of the kind that the first base has',
		],
	},
	'ai 3': {
		says: 'What everyone may see. A new node begins with it',
		proof: ['execution/access', 'what is public is found by default'],
	},
	'ai 4': {
		says: "whose model can't choose it.",
		roads: 'callers',
		proof: ['execution/access', 'a model can not say for whom it asks'],
	},
	'ai 30': {
		says: 'nothing is sent until you say what is there',
		proof: [
			'execution/createOrReplace',
			'nothing is sent until a person says which document it is',
		],
	},
	'ai 5': {
		says: "The node refuses a call under a rule that can't hold there",
		roads: 'ways',
		proof: [ROADS, 'holds, or the call is refused'],
	},
	'ai 6': {
		says: 'Within an execution, a change in doubt is never sent again.',
		roads: 'callers',
		proof: ['execution/toolkit', 'a charge in doubt is sent once, or not at all'],
	},
	'ai 7': {
		says: 'The node refuses several operations behind one review',
		proof: ['e2e/toolkit', "isn't asked for several operations at once"],
	},
	'ai 8': {
		says: "What the tool doesn't have is refused with the reason",
		roads: 'callers',
		proof: ['execution/toolkit', 'refuses an argument that it does not have'],
	},
	'ai 9': {
		says: 'webhooks come without their tokens and the queries of their URLs',
		proof: ['execution/toolOffers', 'webhooks can be looked into without what is secret in them'],
	},
	'ai 10': {
		says: '**Lists** give 10 rows unless the model sets `limit`',
		roads: 'operations',
		proof: ['execution/tools', 'a list gives ten rows, and says how many are left'],
	},
	'ai 11': {
		says: "So the nodes refuse an expression that isn't the same for all input items",
		proof: ['execution/tools', 'calls no tool where %s differs'],
	},
	'ai 12': {
		says: 'If the requests of one insert bring several models or lengths, it fails.',
		proof: ['execution/embeddings', 'one of another length'],
	},
	'ai 13': {
		says: "**Empty means not given.** An empty field isn't changed by an update and doesn't filter a list.",
		roads: 'ways',
		proof: ['contract/emptyFields', 'each field that gives nothing comes to its end'],
	},
};
