// Platform Tools on n8n's engine: what a model can't do that means harm, or that says the same in other words. Which tools there
// are, toolOffers.test.cts has, and what a model reads, toolTexts.test.cts.
import { until } from '../n8n/until.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { clearStore } from './host/keyStore.cts';
import { callers, type Call, type CallerName, type CallOptions } from './host/toolkit.cts';

const sandbox = sandboxFor({ customers: 30 });

beforeEach(clearStore);

const names = Object.keys(callers) as CallerName[];

/** Those for whom n8n keeps an execution that goes on from call to call. */
const inOneExecution = names.slice(0, 2);

type Options = Partial<CallOptions>;

/** Answers to steps of calls; the form offers the tools that are called. */
async function answersOf(steps: Call[][], form: object = {}, by = names[0], more: Options = {}) {
	const operations = [...new Set(steps.flat().map(([tool]) => tool))];
	const options = { credential: credentialOf(sandbox()), ...more };
	return await callers[by]({ offer: 'chosen', operations, ...form }, steps, options);
}

/** Answers to calls, one after the other. */
const answersTo = async (calls: Call[], ...more: [form?: object, by?: CallerName, Options?]) =>
	await answersOf(
		calls.map((call) => [call]),
		...more,
	);

const REPEATED = { onceOnly: false };

/** Requests that aren't reads. */
const sent = () => sandbox().requests.filter(({ method }) => method !== 'GET').length;

const bodies = () => sandbox().requests.map(({ body }) => body);

const customer_id = 'cus-100001';

const NAME = 'Café au lait';

const charge = (amount: unknown, more: object = {}): Call => [
	'create_charge',
	{ customer_id, services: [{ name: NAME, amount }], ...more },
];

const event = (title: string, schedule_date: string, more: object = {}): Call => [
	'create_event',
	{ title, schedule_date, ...more },
];

const update = (more: object): Call => ['update_customer', { customer_id, ...more }];

/** A charge, and then the same one in all words that a model finds for it. */
const inOtherWords = [
	charge(5),
	charge('5'),
	charge('5.00'),
	// One row in place of a list.
	charge(5, { services: { name: NAME, amount: 5 } }),
	...[`${NAME} `, NAME.normalize('NFD'), NAME.replace(' ', '\u00a0'), NAME.replace(' ', '  ')].map(
		(name) => charge(5, { services: [{ name, amount: 5 }] }),
	),
	...['', null].map((tax_profile) =>
		charge(5, { services: [{ name: NAME, amount: 5, tax_profile }] }),
	),
	// Defaults, and what only allows the request.
	...[{ capture: true }, { allow_free_lines: false }, { allow_free_lines: true }].map((more) =>
		charge(5, more),
	),
];

describe.each(inOneExecution)('called by %s', (by) => {
	test('the same charge goes out once, also at the same time', async () => {
		const [first, , , again] = await answersOf(
			[[charge(5), charge(5), charge(5)], [charge(5)]],
			{},
			by,
		);
		expect(sent()).toBe(1);
		const id = /"id":"(chg-\d+)"/.exec(first)?.[1];
		expect(again).toContain(`This was done already: ${id}.`);
	});

	test('the same charge in other words goes out once', async () => {
		const [, ...again] = await answersTo(inOtherWords, {}, by);
		expect(again).toEqual(again.map(() => expect.stringContaining('This was done already')));
		expect(sent()).toBe(1);
	});

	test('an event at the same time, in other words, is created once', async () => {
		const times = ['2026-03-01T10:00:00+01:00', '2026-03-01T09:00:00Z'];
		await answersTo(
			[event('Call', times[0]), event('Call ', times[0]), event('Call', times[1])],
			{},
			by,
		);
		expect(sent()).toBe(1);
	});

	test.each([true, false])(
		'a charge in doubt is never sent again, in whatever words (once only: %s)',
		async (onceOnly) => {
			sandbox().faults.add({ kind: 'status', status: 500, method: 'POST', nth: 1 });
			const [first, ...again] = await answersTo(inOtherWords, { onceOnly }, by);
			expect(first).toContain('may have gone through');
			const refusal = /may have gone through, so it was not sent again\. Look up whether it did/;
			expect(again).toEqual(again.map(() => expect.stringMatching(refusal)));
			expect(sent()).toBe(1);
		},
	);

	test("a refused charge can be corrected, and doesn't count", async () => {
		const calls = [charge(5, { customer_id: 'nobody' }), charge(5), charge(4)];
		const answers = await answersTo(calls, { limits: { maxChanges: 1, maxTotal: 5 } }, by);
		expect(answers).toEqual([
			expect.stringContaining('Nothing found for "nobody"'),
			expect.stringContaining('"status":"pending"'),
			expect.stringMatching(/^Max Changes of this tool is 1, and that many changes were made/),
		]);
		expect(sent()).toBe(2);
	});

	test('30 calls side by side stay within Max Total', async () => {
		const calls = Array.from({ length: 30 }, (_each, index) => charge(1 + index / 1000));
		const answers = await answersOf([calls], { limits: { maxTotal: 10 } }, by);
		const charged = bodies() as Array<{ charge: { services: Array<{ amount: number }> } }>;
		const amounts = charged.map((body) => body.charge.services[0].amount);
		expect(amounts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(10);
		expect(amounts.length).toBeGreaterThan(7);
		const over = answers.filter((each) => each.includes('Max Total of this tool is 10'));
		expect(over).toHaveLength(calls.length - amounts.length);
	});
});

describe('what is the same change', () => {
	const tagged = (change_tags: string, more: object = {}) =>
		update({ tags: ['new'], change_tags, ...more });
	const lines = [
		{ name: 'Setup', amount: 5 },
		{ name: 'Seats', amount: 7 },
	];
	const turned = [
		{ amount: 7, name: 'Seats' },
		{ amount: 5, name: 'Setup' },
	];
	const DONE = 'This was done already';

	test.each<[what: string, calls: Call[], sent: number, says: string]>([
		['lines', [charge(0, { services: lines }), charge(0, { services: turned })], 1, DONE],
		[
			'data',
			[
				{ a: 1, b: 2 },
				{ b: 2, a: 1 },
			].map((data): Call => ['run_workflow', { workflow_id: 'wfl-1', data }]),
			1,
			DONE,
		],
		// The record shows it by then.
		['two ways', [tagged('replace'), tagged('add')], 1, '"action":"unchanged"'],
		[
			'another way to change a list, and then the first one',
			[
				tagged('replace'),
				tagged('remove'),
				tagged('replace', { first_name: '' }),
				tagged('replace'),
			],
			3,
			DONE,
		],
	])('%s', async (_what, calls, count, says) => {
		sandbox().state.customers.customers.rows[0].tags = [];
		expect((await answersTo(calls)).at(-1)).toContain(says);
		expect(sent()).toBe(count);
	});

	// Only the last of its requests creates something, and it's the same for both forms.
	test('a record whose creation is in doubt, by both operations that create one', async () => {
		sandbox().faults.add({ kind: 'status', status: 500, method: 'POST', nth: 1 });
		const external_id = 'new-1';
		const [first, ...again] = await answersTo(
			[
				['create_or_update_customer', { external_id }],
				['create_or_update_customer', { external_id, first_name: '' }],
				['create_customer', { external_id }],
			],
			REPEATED,
		);
		expect(first).toContain('may have gone through');
		const refusal = expect.stringMatching(/may have gone through.*so it was not sent again/);
		expect(again).toEqual([refusal, refusal]);
		expect(sent()).toBe(1);
	});

	test('a dry run can be repeated', async () => {
		const credential = { ...credentialOf(sandbox()), dryRun: true };
		const answers = await answersTo([charge(5), charge(5)], {}, names[0], { credential });
		expect(answers).toEqual(Array(2).fill(expect.stringContaining('"dryRun"')));
		expect(sent()).toBe(0);
	});

	// An MCP client has executions of its own. Changes are kept in spans of ten minutes, of which this one and the one before count.
	const span = 600_000;
	const start = 3_000_000 * span;
	test.each([
		['at the start of a span, 20 minutes but a moment', start, start + 2 * span - 1, 1],
		['at the start of a span, 20 minutes', start, start + 2 * span, 2],
		['at the end of a span, ten minutes', start + span - 1, start + 2 * span - 1, 1],
		['at the end of a span, ten minutes and a moment', start + span - 1, start + 2 * span, 2],
	])('that of an MCP client again %s later', async (_what, first, second, times) => {
		const now = jest.spyOn(Date, 'now');
		for (const moment of [first, second]) {
			now.mockReturnValue(moment);
			await answersTo([charge(7)], {}, 'an MCP client');
		}
		now.mockRestore();
		expect(sent()).toBe(times);
	});
});

const search: Call = [
	'search_knowledge_base',
	{ knowledge_base_id: 'akb-4', question: 'salary bands' },
];

describe.each(names)('%s', (by) => {
	const refusalOf = async ([tool, args]: Call, more: object) => {
		const [answer] = await answersTo([[tool, { ...args, ...more }]], REPEATED, by);
		expect(sandbox().requests).toEqual([]);
		return answer;
	};

	test('a charge in doubt is sent once, or not at all', async () => {
		sandbox().faults.add({ kind: 'status', status: 500, method: 'POST', nth: 1 });
		const [, again] = await answersTo([charge(5), charge(5)], {}, by);
		expect(again).toMatch(/not sent again|within the last 20 minutes|can't hold/);
		expect(sent()).toBe(again.includes("can't hold") ? 0 : 1);
	});

	test('names of Object are no arguments', async () => {
		const args = JSON.parse(
			`{"customer_id": "${customer_id}", "__proto__": {"customer_id": "cus-100002"}, "constructor": "x"}`,
		) as object;
		await answersTo([['get_customer', { ...args }]], {}, by);
		const paths = sandbox().requests.map(({ path }) => path);
		expect(paths.filter((path) => !path.endsWith(`${customer_id}.json`))).toEqual([]);
	});

	// Without them, everyone could see the document, and find what only some may see.
	test.each<[limit: string, call: Call, blank: unknown]>(
		['', null].flatMap((blank) => [
			['acl', ['add_document', { knowledge_base_id: 'akb-1', name: 'Pay', content: 'Pay' }], blank],
			['principals', search, blank],
		]),
	)('a blank %s is refused: %j %j', async (limit, call, blank) => {
		expect(await refusalOf(call, { [limit]: blank })).toContain(`"${limit}" must not be empty`);
	});

	test.each([
		['currency', charge(5), { currency: 'USD' }],
		['Company', ['list_customers', {}] as Call, { Company: 'Nobody' }],
		['company_name', ['list_customers', {}] as Call, { company_name: '' }],
		// n8n looks for arguments inside of it. An approval would show the others.
		['query', charge(1), { query: { services: [{ name: 'Setup', amount: 999 }] } }],
	])('refuses an argument that it does not have: %s', async (unknown, call, more) => {
		const says = `"${unknown}" is no argument of ${call[0]}. There are: `;
		expect(await refusalOf(call, more)).toContain(says);
	});
});

describe('arguments', () => {
	const knowledge_base_id = 'akb-1';
	const document = { knowledge_base_id, name: 'News', content: 'News' };
	const action = { event_type: 'action', action_type: 'workflow', workflow_id: 'wfl-1' };
	const anyDate = { title: 'Call', schedule_date: expect.anything() };
	const crm = { external_id: 'crm-2', email: 'new.2@example.com' };

	test.each<[call: Call, path: string, body: object | undefined]>([
		// A model that fills in everything.
		[
			event('Call', '2026-03-01', {
				event_type: '',
				action_type: '',
				workflow_id: null,
				payload: {},
			}),
			'/scheduler/events.json',
			{ event: anyDate },
		],
		[['list_payouts', { partner_id: '' }], '/partners/payouts.json', undefined],
		[
			update({ first_name: 'Ada', change_tags: '', tags: [], address: {}, clear: '' }),
			`/customers/${customer_id}.json`,
			{ customer: { first_name: 'Ada' } },
		],
		// What is given says how a record is found, and what is done.
		[
			event('Call', '2026-03-02', action),
			'/scheduler/events.json',
			{
				event: {
					...anyDate,
					event_type: 'action',
					action_type: 'workflow',
					action_details: { workflow_id: 'wfl-1' },
				},
			},
		],
		[['list_payouts', { partner_id: ' ptn-1 ' }], '/partners/ptn-1/payouts.json', undefined],
		[['get_payout', { payout_id: ' pay-1 ' }], '/partners/payouts/pay-1.json', undefined],
		[
			['create_or_update_customer', crm],
			'/customers/cus-100002.json',
			{ customer: { email: crm.email } },
		],
		[
			update({ clear: ['tags', 'first_name'] }),
			`/customers/${customer_id}.json`,
			{ customer: { first_name: '', tags: [] } },
		],
		// It makes a document public, as its description says.
		[
			['add_document', { ...document, acl: [] }],
			`/ai-gateway/knowledge-bases/${knowledge_base_id}/documents.json`,
			expect.objectContaining({
				metadata: expect.objectContaining({ acl: [] }) as object,
			}) as object,
		],
	])('%j goes to %s', async (call, path, body) => {
		const [answer] = await answersTo([call]);
		expect(answer).not.toContain('"error"');
		const last = sandbox().requests.at(-1);
		expect(last?.path.split('?')[0]).toBe(path);
		expect(last?.body).toEqual(body);
	});

	test.each<[call: Call, says: string]>([
		[event('X', 'next Monday'), '"schedule_date" must be a date'],
		[['look_up_dns', { target: 'the mail of example.com' }], '"target" must be a host name'],
		[[search[0], { ...search[1], passages: 50 }], 'must be between 1 and 10'],
		[['list_customers', { skip: 'first' }], '"skip" must be a whole number'],
		[['list_customers', { limit: 0 }], '"limit" must be a whole number of 1 or more'],
		[['find_partner', { email: '' }], '"external_id" or "email" must be set'],
		[['create_or_update_customer', { first_name: 'A' }], '"external_id" or "email" must be given'],
		[update({ clear: ['company'] }), '"clear" takes only first'],
		[update({ tags: ['new'], clear: ['tags'] }), '"tags" is given, and stands in clear, too'],
		[
			update({ change_tags: 'add', clear: ['tags'] }),
			'"tags" must not be empty. To remove all tags, set change_tags to replace',
		],
		// The form hides their fields, so the API would do something else and report success.
		[
			event('Call', '2026-03-01', { workflow_id: 'wfl-1', payload: { a: 1 } }),
			'"workflow_id" only counts with event_type other than appointment and action_type workflow',
		],
		[
			event('Call', '2026-03-01', { event_type: 'action', payload: { a: 1 } }),
			'"payload" only counts with event_type other than appointment and any action_type',
		],
	])('%j is refused: %s', async (call, says) => {
		expect(await answersTo([call], REPEATED)).toEqual([expect.stringContaining(says)]);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('limits', () => {
	test('a change without an amount leaves what Max Total knows', async () => {
		const calls = [charge(8), update({ first_name: 'Ada' }), charge(7)];
		const answers = await answersTo(calls, { limits: { maxTotal: 10 } });
		expect(answers[1]).toContain(customer_id);
		expect(answers[2]).toMatch(/^Max Total of this tool is 10, and this call has 7.00 after 8.00/);
	});

	test('money and recipients are counted apart, as the API gives them', async () => {
		const draft = sandbox().state.newsletters.newsletters.rows.find(
			({ status, recipients }) => status === 'draft' && recipients.length > 1,
		);
		const payout = { partner_id: 'ptn-1', transactions: ['fee-200'], invoice_number: 'INV-9' };
		const answers = await answersTo(
			[['create_payout', payout], ['queue_newsletter', { newsletter_id: draft?.id }], charge(1)],
			{ limits: { maxTotal: 1, maxRecipients: 1 } },
		);
		expect(answers).toEqual([
			expect.stringMatching(
				/^Max Total of this tool is 1, and this call has \d+\.\d\d after 0\.00/,
			),
			expect.stringMatching(/^Max Recipients of this tool is 1, and this call has \d+ after 0\./),
			expect.stringContaining('"status":"pending"'),
		]);
		expect(sent()).toBe(1);
	});

	const usage = (more: object): Call => [
		'record_usage',
		{ customer_id, subscription_id: 'sub-500001', ...more },
	];

	test.each<[limits: object, says: string, call?: Call]>([
		[{ maxTotal: '' }, '"Limits: Max Total" must be a number'],
		[{ maxTotal: null }, '"Limits: Max Total" must be a number'],
		[{ maxTotal: '0x10' }, '"Limits: Max Total" must be a number'],
		[{ maxTotal: true }, '"Limits: Max Total" must be a number'],
		[{ maxAmount: [5] }, '"Limits: Max Amount" must be a number'],
		[{ maxAmount: -1 }, '"Limits: Max Amount" must be a number'],
		[{ maxRows: 0 }, '"Limits: Max Rows" must be a whole number of 1 or more'],
		[{ maxRows: 1.5 }, '"Limits: Max Rows" must be a whole number of 1 or more'],
		[{ maxTotal: '99.5' }, 'Max Total of this tool is 99.5, and this call has 100.00'],
		[{ maxAmount: ' 9.9e1 ' }, 'Max Amount of this tool is  9.9e1 , and this call has 100.00'],
		// The API reference doesn't say if it's a quantity or money, so the limits take it for money.
		[{ maxAmount: 4 }, 'this call has 5.00', usage({ amount: 5 })],
		[{ maxAmount: 4 }, 'this call has 5.00', usage({ value: 5, value_type: 'calls' })],
		[{ maxAmount: 4 }, 'this call has 5.00', usage({ amount: 1, value: 5, value_type: 'calls' })],
	])('%j holds, or is refused: %s', async (limits, says, call = charge(100)) => {
		const refused = ({ message, description }: Error & { description?: string }) => [
			`${message} ${description}`,
		];
		const [answer] = await answersTo([call], { limits }).catch(refused);
		expect(answer).toContain(says);
		expect(sent()).toBe(0);
	});
});

describe("by n8n's engine", () => {
	const [, by] = names;

	test("the item of the agent doesn't get into the arguments", async () => {
		const item = {
			email: 'a@example.com',
			customer_id: 'cus-100002',
			tool: 'create_charge',
			clear: ['email'],
			tags: null,
			query: null,
			currency: 'USD',
			arguments: { email: 'a@example.com' },
			'Company Name': 'Zenith',
		};
		const [answer] = await answersTo(
			[['update_customer', { first_name: 'Ada' }], update({ first_name: 'Ada' })],
			{},
			by,
			{ items: [item] },
		);
		expect(answer).toContain('"customer_id" must not be empty');
		expect(sandbox().requests.map(({ path, body }) => [path, body])).toEqual([
			[`/customers/${customer_id}.json`, { customer: { first_name: 'Ada' } }],
		]);
	});

	test('a cancelled run sends nothing more', async () => {
		sandbox().faults.add({ kind: 'stall', nth: 1 });
		const cancelAfter = until('the charge', () => sent() === 1);
		await answersOf([[charge(1), charge(2), charge(3)]], {}, by, { cancelAfter });
		expect(sent()).toBe(1);
	});
});
