// Platform Tools on n8n's engine: the policy, and models that mean harm. Each runs in both
// ways: called by the engine, as AI Agent 3 has it, and called by an agent itself or for an MCP client.
import type { IDataObject } from 'n8n-workflow';
import { z, type ZodTypeAny } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { signatureFor } from '../../dist/nodes/ApiTool/toolkit.js';
import { offers, type Offer } from '../../dist/nodes/ApiTool/catalog.js';
import previews from '../../dist/nodes/api/outputs.json';
import areaTools from '../../nodes/ApiTool/areaTools.json';
import { labelOf } from '../../dist/nodes/engine/form/fields.js';
import { requestOf } from '../../dist/nodes/engine/form/request.js';
import { givenByModel } from '../../dist/nodes/engine/run/toolValues.js';
import { outputKey } from '../../dist/nodes/engine/node/hints.js';
import { tokensOfOffer } from '../../tools/tokens.cts';
import { until } from '../n8n/until.cts';
import { bothSides } from '../constants.cts';
import { shareOf } from '../share.cts';
import { table } from '../table/operations.cts';
import { clearStore } from './host/keyStore.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import {
	runTools,
	toolOfOwnAgent,
	useTools,
	type EngineCall,
	type EngineResult,
	type Tool,
} from './host/tool.cts';

const sandbox = sandboxFor({ customers: 30 });
const node = 'platformApiTool';

type Parameters = Record<string, unknown>;
type Call = [tool: string, args: Record<string, unknown>];

const toolOf = (parameters: Parameters) => ({ node, parameters: parameters as never });

const sent = (method = 'POST') =>
	sandbox().requests.filter((each) => each.method === method && each.path !== '/x').length;

const charge = (amount: unknown, customer_id = 'cus-100001'): Call => [
	'create_charge',
	{ customer_id, services: [{ name: 'Setup', amount }] },
];

const chosen = (...operations: string[]) => ({ offer: 'chosen', operations });

const CHARGES = chosen('create_charge', 'get_customer');

/** The text of an answer, as a model reads it. */
function textOf(answer: EngineResult): string {
	if (typeof answer === 'string') return answer;
	const [{ error }] = answer;
	return typeof error === 'string' ? error : JSON.stringify(answer);
}

/** Calls tools one step after the other, all calls of a step at once. */
async function byEngine(
	parameters: Parameters,
	steps: Call[][],
	{
		credential = credentialOf(sandbox()),
		...options
	}: { items?: IDataObject[]; cancelAfter?: Promise<unknown>; credential?: IDataObject } = {},
): Promise<string[]> {
	const calls = steps.map((step) =>
		step.map(([tool, args]): EngineCall => ({
			node: 'Tool 1',
			input: { ...args, tool } as IDataObject,
		})),
	);
	const [results] = await runTools([toolOf(parameters)], credential as never, calls, options);
	return results.map(textOf);
}

async function itself(
	parameters: Parameters,
	steps: Call[][],
	{ isWebhook = false, credential = credentialOf(sandbox()) } = {},
): Promise<string[]> {
	const answers: string[] = [];
	const use = async (tools: Record<string, Tool>) => {
		for (const step of steps) {
			const calls = step.map(
				async ([tool, args]) =>
					await tools[tool].invoke(args).catch((error: Error) => error.message),
			);
			answers.push(...(await Promise.all(calls)));
		}
	};
	await useTools([toolOf(parameters)], credential, use, { isWebhook });
	return answers;
}

// What an answer says is enough to mend the call.
test.each<[tool: string, args: Record<string, unknown>, says: string]>([
	['create_subscription', { customer_id: 'cus-100001', plan: '' }, '"plan" must not be empty'],
	['create_event', { title: 'X', schedule_date: 'next Monday' }, '"schedule_date" must be a date'],
	['look_up_dns', { target: 'the mail of example.com' }, '"target" must be a host name'],
	[
		'search_knowledge_base',
		{ knowledge_base_id: 'akb-1', question: 'X', passages: 50 },
		'must be between 1 and 10',
	],
	[
		'update_customer',
		{ customer_id: 'cus-100001', clear: ['company'] },
		'"clear" takes only first',
	],
	['list_customers', { skip: 'first' }, '"skip" must be a whole number'],
	['list_customers', { limit: 0 }, '"limit" must be a whole number of 1 or more'],
	['create_content', { type_id: 'faq', title: 'X' }, 'list_content_types lists each type_id'],
	['find_partner', { email: '' }, '"external_id" or "email" must be set'],
	['look_up_company', { vat_number: 'IT00000000000' }, 'Check the vat_number field'],
])('%s %j: %s', async (tool, args, says) => {
	const form = { ...chosen(tool), onceOnly: false };
	expect(await itself(form, [[[tool, args]]])).toEqual([expect.stringContaining(says)]);
});

test('a key that may only read names the scope that is missing', async () => {
	const apiKey = sandbox().addKey({ scopes: ['customers:read'] });
	const credential = { ...credentialOf(sandbox()), apiKey };
	const [answer] = await itself(CHARGES, [[charge(5)]], { credential });
	expect(answer).toContain('charges:write');
});

// The API gets the same request, whatever words a model finds for it.
const sameCharge: Record<string, object> = {
	'the amount as text': { services: [{ name: 'Setup', amount: '5' }] },
	'the amount with decimals': { services: [{ name: 'Setup', amount: '5.00' }] },
	'one row in place of a list': { services: { name: 'Setup', amount: 5 } },
	'a blank after a name': { services: [{ name: 'Setup ', amount: 5 }] },
	'the default of the form': { capture: true },
	'an empty field': { services: [{ name: 'Setup', amount: 5, tax_profile: '' }] },
	null: { services: [{ name: 'Setup', amount: 5, tax_profile: null }] },
	'a default': { allow_free_lines: false },
	'what only allows the request': { allow_free_lines: true },
};

/** Answers to one charge and then to the same one in all other words. */
async function answersToSame(call: typeof itself | typeof byEngine, form: Parameters) {
	const [tool, args] = charge(5);
	const others = Object.values(sameCharge).map((more): Call[] => [[tool, { ...args, ...more }]]);
	const [first, ...again] = await call(form, [[charge(5)], ...others]);
	const names = Object.keys(sameCharge);
	return { first, again: Object.fromEntries(names.map((name, index) => [name, again[index]])) };
}

/** This answer to the same charge in all other words. */
const eachSays = (text: RegExp) =>
	Object.fromEntries(Object.keys(sameCharge).map((name) => [name, expect.stringMatching(text)]));

describe.each([
	['the engine', byEngine],
	['an agent itself', itself],
])('called by %s', (_way, call) => {
	test('the same charge goes out once, also at the same time', async () => {
		const [first, , , again] = await call(CHARGES, [
			[charge(5), charge(5), charge(5)],
			[charge(5)],
		]);
		expect(sent()).toBe(1);
		const id = /"id":"(chg-\d+)"/.exec(first)?.[1];
		expect(again).toContain(`This was done already: ${id}.`);
	});

	test('the same charge in other words goes out once', async () => {
		const { again } = await answersToSame(call, CHARGES);
		expect(again).toEqual(eachSays(/This was done already/));
		expect(sent()).toBe(1);
	});

	test('a change whose texts and times look alike is made once', async () => {
		const named = (name: string): Call => [
			'create_charge',
			{ customer_id: 'cus-100001', services: [{ name, amount: 5 }] },
		];
		const names = ['Café au lait', 'Cafe\u0301 au lait', 'Café\u00a0au lait', 'Café  au lait'];
		await call(
			CHARGES,
			names.map((name) => [named(name)]),
		);
		expect(sent()).toBe(1);
		const event = (title: string, schedule_date: string): Call => [
			'create_event',
			{ title, schedule_date },
		];
		await call(chosen('create_event'), [
			[event('Call', '2026-03-01T10:00:00+01:00')],
			[event('Call ', '2026-03-01T10:00:00+01:00')],
			[event('Call', '2026-03-01T09:00:00Z')],
		]);
		expect(sent()).toBe(2);
	});

	test.each([true, false])(
		'a charge in doubt is never sent again, in whatever words (once only: %s)',
		async (onceOnly) => {
			sandbox().faults.add({ kind: 'status', status: 500, method: 'POST', nth: 1 });
			const { first, again } = await answersToSame(call, { ...CHARGES, onceOnly });
			expect(first).toContain('may have gone through');
			expect(again).toEqual(
				eachSays(/may have gone through, so it was not sent again\. Look up whether it did/),
			);
			expect(sent()).toBe(1);
		},
	);

	test('a charge may be made twice if the user wants that', async () => {
		await call({ ...CHARGES, onceOnly: false }, [[charge(5)], [charge(5)]]);
		expect(sent()).toBe(2);
	});

	test("a refused charge can be corrected, and doesn't count", async () => {
		const limits = { maxChanges: 1, maxTotal: 5 };
		const answers = await call({ ...CHARGES, limits }, [
			[charge(5, 'nobody')],
			[charge(5)],
			[charge(4)],
		]);
		expect(answers[0]).toContain('Nothing found for "nobody"');
		expect(answers[1]).toContain('"status":"pending"');
		expect(answers[2]).toMatch(/^Max Changes of this tool is 1, and that many changes were made/);
		expect(sent()).toBe(2);
	});

	test('30 calls side by side stay within Max Total', async () => {
		const calls = Array.from({ length: 30 }, (_each, index) => charge(1 + index / 1000));
		const answers = await call({ ...CHARGES, limits: { maxTotal: 10 } }, [calls]);
		const amounts = sandbox().requests.map(
			({ body }) =>
				(body as { charge: { services: Array<{ amount: number }> } }).charge.services[0].amount,
		);
		expect(amounts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(10);
		expect(amounts.length).toBeGreaterThan(7);
		expect(answers.filter((each) => each.includes('Max Total of this tool is 10')).length).toBe(
			calls.length - amounts.length,
		);
	});

	test('names of Object are no arguments', async () => {
		const args = JSON.parse(
			'{"customer_id": "cus-100001", "__proto__": {"customer_id": "cus-100002"}, "constructor": "x"}',
		) as Record<string, unknown>;
		await call(CHARGES, [[['get_customer', args]]]);
		expect(
			sandbox()
				.requests.map(({ path }) => path)
				.filter((path) => !path.endsWith('cus-100001.json')),
		).toEqual([]);
	});

	// Without them, everyone could see the document, and find what only some may see.
	test.each([
		['add_document', { knowledge_base_id: 'akb-1', name: 'Pay', content: 'Pay' }, 'acl', ''],
		['add_document', { knowledge_base_id: 'akb-1', name: 'Pay', content: 'Pay' }, 'acl', null],
		['search_knowledge_base', { knowledge_base_id: 'akb-1', question: 'Pay' }, 'principals', ''],
		['search_knowledge_base', { knowledge_base_id: 'akb-1', question: 'Pay' }, 'principals', null],
	])('%s with %j refuses a blank %s: %j', async (tool, args, limit, blank) => {
		const form = chosen(tool);
		const [answer] = await call(form, [[[tool, { ...args, [limit]: blank }]]]);
		expect(answer).toContain(`"${limit}" must not be empty`);
		expect(sandbox().requests).toEqual([]);
	});

	test.each([
		['create_charge', { ...charge(5)[1], currency: 'USD' }, 'currency'],
		['list_customers', { Company: 'Nobody' }, 'Company'],
		['list_customers', { company_name: '' }, 'company_name'],
	])('%s refuses an argument that it does not have: %j', async (tool, args, unknown) => {
		const form = chosen(tool);
		const [answer] = await call(form, [[[tool, args]]]);
		expect(answer).toContain(`"${unknown}" is no argument of ${tool}. There are: `);
		expect(sandbox().requests).toEqual([]);
	});

	test('a model that fills in everything is understood', async () => {
		const form = chosen('create_event', 'list_payouts', 'update_customer');
		const nothing = { event_type: '', action_type: '', workflow_id: null, payload: {} };
		const tags = { change_tags: '', tags: [], address: {}, clear: '' };
		const answers = await call(form, [
			[['create_event', { title: 'Call', schedule_date: '2026-03-01', ...nothing }]],
			[['list_payouts', { partner_id: '' }]],
			[['update_customer', { customer_id: 'cus-100005', first_name: 'Ada', ...tags }]],
		]);
		expect(answers.join()).not.toContain('"error"');
		expect(sandbox().requests.map(({ path, body }) => [path.split('?')[0], body])).toEqual([
			['/scheduler/events.json', { event: { title: 'Call', schedule_date: expect.anything() } }],
			['/partners/payouts.json', undefined],
			['/customers/cus-100005.json', { customer: { first_name: 'Ada' } }],
		]);
	});
});

describe('what a model reads of a list', () => {
	// The API gives no more than the asked number, so `skip` would drop what was found.
	test.each(['search_knowledge_base', 'get_knowledge_base_evaluations'])(
		'%s asks for a number of rows, and takes no skip',
		async (tool) => {
			const args = { knowledge_base_id: 'akb-1', question: 'password' };
			const { question: _question, ...rest } = args;
			const given = tool === 'search_knowledge_base' ? args : rest;
			const [refused] = await itself(chosen(tool), [[[tool, { ...given, skip: 5 }]]]);
			expect(refused).toContain('"skip" is no argument');
			const [answer] = await itself(chosen(tool), [[[tool, given]]]);
			expect((JSON.parse(answer) as object[]).map((row) => 'note' in row)).not.toContain(true);
		},
	);

	test('after the last row, it says so in place of "Nothing found."', async () => {
		const [first, after] = await itself(chosen('list_customers'), [
			[['list_customers', { limit: 1 }]],
			[['list_customers', { skip: 9000 }]],
		]);
		expect(JSON.parse(first)[0]).toHaveProperty('id');
		expect(JSON.parse(after)).toEqual([{ note: 'There are no more rows after the first 9000.' }]);
	});
});

describe('Access, of nodes since version 1.1', () => {
	const search = chosen('search_knowledge_base');
	const args = { knowledge_base_id: 'akb-4', question: 'salary bands' };
	const settings = { typeVersion: 1.1 };
	const ways = ['engine', 'itself', 'MCP'] as const;

	const answerTo = async (
		way: (typeof ways)[number],
		form: object,
		given: object = {},
		item = {},
	) => {
		const tools = [{ ...toolOf({ ...search, ...form }), settings }];
		const credential = credentialOf(sandbox());
		const input = { ...args, ...given };
		if (way === 'engine') {
			const call = { node: 'Tool 1', input: { ...input, tool: 'search_knowledge_base' } };
			const [[result]] = await runTools(tools, credential, [[call]], { items: [item] });
			return textOf(result);
		}
		let text = '';
		await useTools(
			tools,
			credential,
			async ({ search_knowledge_base: tool }) => {
				expect(Object.keys(tool.schema.shape)).not.toContain('principals');
				text = await tool.invoke(input).catch(({ message }: Error) => message);
			},
			{ items: [item], isWebhook: way === 'MCP' },
		);
		return text;
	};

	const asked = () =>
		sandbox().requests.map(({ body }) => (body as { principals?: unknown }).principals);

	test.each(ways)('is what the form says: %s', async (way) => {
		await answerTo(way, {});
		await answerTo(way, { access: 'principals', accessPrincipals: 'group:people' });
		await answerTo(way, { access: 'all' });
		expect(asked()).toEqual([[], ['group:people'], undefined]);
	});

	test.each(ways)('a model can not say for whom it asks: %s', async (way) => {
		for (const name of ['principals', 'access', 'access_principals', 'accessPrincipals']) {
			const answer = await answerTo(way, {}, { [name]: 'all' });
			expect(answer).toContain(`"${name}" is no argument`);
		}
		expect(asked()).toEqual([]);
	});

	test.each(ways)('the user of a conversation: %s', async (way) => {
		const form = { access: 'principals', accessPrincipals: '={{ $json.user }}' };
		// An MCP client has no item.
		const user = way === 'MCP' ? {} : { user: 'group:people' };
		const answer = await answerTo(way, form, {}, user);
		if (way === 'MCP') expect(answer).toContain('must name who is asking');
		else expect(asked()).toEqual([['group:people']]);
		sandbox().clearRequests();
		// The model writes over the item.
		if (way === 'engine')
			expect(await answerTo(way, form, { user: 'group:finance' }, user)).toContain('"user"');
		expect(await answerTo(way, form, {}, {})).toMatch(/must name who is asking.* tell the user/);
		expect(asked()).toEqual([]);
	});
});

describe('what is the same change', () => {
	test('arguments and lines in another order', async () => {
		const form = chosen('create_charge', 'run_workflow');
		const customer_id = 'cus-100001';
		const lines = [
			{ name: 'Setup', amount: 5 },
			{ name: 'Seats', amount: 7 },
		];
		const turned = [
			{ amount: 7, name: 'Seats' },
			{ amount: 5, name: 'Setup' },
		];
		const workflow_id = 'wfl-1';
		const answers = await itself(form, [
			[['create_charge', { customer_id, services: lines }]],
			[['create_charge', { services: turned, customer_id }]],
			[['run_workflow', { workflow_id, data: { a: 1, b: 2 } }]],
			[['run_workflow', { workflow_id, data: { b: 2, a: 1 } }]],
		]);
		const again = expect.stringContaining('This was done already');
		expect([answers[1], answers[3]]).toEqual([again, again]);
		expect(sent()).toBe(2);
	});

	const updates = chosen('update_customer');
	const tagged = (customer_id: string, more: object): Call[] => [
		['update_customer', { customer_id, tags: ['new'], ...more }],
	];

	test('another way to change a list is another change, and what was before it is a new one', async () => {
		const answers = await itself(updates, [
			tagged('cus-100002', { change_tags: 'replace' }),
			tagged('cus-100002', { change_tags: 'remove' }),
			tagged('cus-100002', { change_tags: 'replace', first_name: '' }),
			tagged('cus-100002', { change_tags: 'replace' }),
		]);
		expect(answers[3]).toContain('This was done already');
		expect(sent('PUT')).toBe(3);
	});

	test('two ways to the same request', async () => {
		const [, again] = await itself(updates, [
			tagged('cus-100003', { change_tags: 'replace' }),
			tagged('cus-100003', { change_tags: 'add' }),
		]);
		// The record shows it by then.
		expect(again).toContain('"action":"unchanged"');
		expect(sent('PUT')).toBe(1);
	});

	// Only the last of its requests creates something, and it's the same for both forms.
	test('a record whose creation is in doubt, by both operations that create one', async () => {
		sandbox().faults.add({ kind: 'status', status: 500, method: 'POST', nth: 1 });
		const operations = ['create_or_update_customer', 'create_customer'];
		const external_id = 'new-1';
		const [first, ...again] = await itself({ ...chosen(...operations), onceOnly: false }, [
			[['create_or_update_customer', { external_id }]],
			[['create_or_update_customer', { external_id, first_name: '' }]],
			[['create_customer', { external_id }]],
		]);
		expect(first).toContain('may have gone through');
		const refusal = expect.stringMatching(/may have gone through.*so it was not sent again/);
		expect(again).toEqual([refusal, refusal]);
		expect(sent()).toBe(1);
	});

	test('a dry run can be repeated', async () => {
		const credential = { ...credentialOf(sandbox()), dryRun: true };
		const answers = await itself(CHARGES, [[charge(5)], [charge(5)]], { credential });
		expect(answers.map((each) => each.includes('"dryRun"'))).toEqual([true, true]);
		expect(sent()).toBe(0);
	});
});

describe('arguments', () => {
	test('an empty access list makes a document public, as its description says', async () => {
		const form = chosen('add_document');
		const args = { knowledge_base_id: 'akb-1', name: 'News', content: 'News', acl: [] };
		await itself(form, [[['add_document', args]]]);
		expect(sandbox().requests.map(({ body }) => body)).toEqual([
			expect.objectContaining({ metadata: expect.objectContaining({ acl: [] }) }),
		]);
	});

	// The form hides their fields, so the API would do something else and report success.
	test.each([
		[
			'create_event',
			{ title: 'Call', schedule_date: '2026-03-01', workflow_id: 'wfl-1', payload: { a: 1 } },
			'"workflow_id" only counts with event_type other than appointment and action_type workflow',
		],
		[
			'create_event',
			{ title: 'Call', schedule_date: '2026-03-01', action_type: 'workflow' },
			'"action_type" only counts with event_type other than appointment',
		],
		[
			'create_event',
			{ title: 'Call', schedule_date: '2026-03-01', event_type: 'action', payload: { a: 1 } },
			'"payload" only counts with event_type other than appointment and any action_type',
		],
		[
			'create_knowledge_base',
			{ name: 'Help', vector_store_id: 'avs-1', embedding_connection_id: 'aic-1' },
			'"vector_store_id" only counts with retrieval_mode vector',
		],
	])('%s refuses what would be dropped: %j', async (tool, args, refusal) => {
		const [answer] = await itself(chosen(tool), [[[tool, args]]]);
		expect(answer).toContain(refusal);
		expect(sandbox().requests).toEqual([]);
	});

	test('what is given says how a record is found, and what is done', async () => {
		const form = chosen('create_event', 'list_payouts', 'get_payout', 'create_or_update_customer');
		const action = { event_type: 'action', action_type: 'workflow', workflow_id: 'wfl-1' };
		const { email } = sandbox().state.customers.customers.rows[2];
		const upsert = (args: object): Call[] => [['create_or_update_customer', { ...args }]];
		const answers = await itself(form, [
			[['create_event', { title: 'Call', schedule_date: '2026-03-02', ...action }]],
			[['list_payouts', { partner_id: ' ptn-1 ' }]],
			[['get_payout', { payout_id: ' pay-1 ' }]],
			upsert({ first_name: 'Ada' }),
			upsert({ email, first_name: 'Ada' }),
			upsert({ external_id: 'crm-2', email: 'new.2@example.com' }),
		]);
		const [event, payouts] = sandbox().requests;
		expect(event.body).toMatchObject({
			event: { action_type: 'workflow', action_details: { workflow_id: 'wfl-1' } },
		});
		expect(payouts.path).toContain('/partners/ptn-1/payouts.json');
		expect(answers[2]).toContain('"id":"pay-1"');
		expect(answers[3]).toContain('"external_id" or "email" must be given');
		expect(answers[4]).toContain('"action":"updated"');
		const last = sandbox().requests.at(-1);
		const customer = { email: 'new.2@example.com' };
		expect([last?.method, last?.body]).toEqual(['PUT', { customer }]);
	});

	test('an update without a field names those of the model', async () => {
		const form = chosen('update_customer');
		const update = (more: object): Call => [
			'update_customer',
			{ customer_id: 'cus-100004', ...more },
		];
		const answers = await itself(form, [
			[update({})],
			[update({ tags: [] })],
			[update({ tags: ['new'], clear: ['tags'] })],
			[update({ change_tags: 'add', clear: ['tags'] })],
		]);
		const names =
			'Give at least one of first_name, last_name, company_name, email, external_id, address, tags.';
		expect(answers.slice(0, 2)).toEqual([expect.stringContaining(names), answers[0]]);
		expect(answers[2]).toContain('"tags" is given, and stands in clear, too');
		expect(answers[3]).toContain(
			'"tags" must not be empty. To remove all tags, set change_tags to replace',
		);
		expect(sandbox().requests).toEqual([]);
		await itself(form, [[update({ clear: ['tags', 'first_name'] })]]);
		expect(sandbox().requests.map(({ body }) => body)).toEqual([
			{ customer: { first_name: '', tags: [] } },
		]);
	});
});

/** What refuses the form of a node: the message and the description of an error. */
const refusalIn = ({ message, description }: Error & { description?: string }) => [
	`${message} ${description}`,
];

describe('limits', () => {
	test('a change without an amount leaves what Max Total knows', async () => {
		const operations = ['create_charge', 'update_customer'];
		const answers = await itself({ ...chosen(...operations), limits: { maxTotal: 10 } }, [
			[charge(8)],
			[['update_customer', { customer_id: 'cus-100001', first_name: 'Ada' }]],
			[charge(7)],
		]);
		expect(answers[1]).toContain('cus-100001');
		expect(answers[2]).toMatch(/^Max Total of this tool is 10, and this call has 7.00 after 8.00/);
	});

	test('money and recipients are counted apart, as the API gives them', async () => {
		const operations = ['create_payout', 'queue_newsletter', 'create_charge'];
		const { newsletters } = sandbox().state.newsletters;
		const draft = newsletters.rows.find(
			({ status, recipients }) => status === 'draft' && recipients.length > 1,
		);
		const payout = { partner_id: 'ptn-1', transactions: ['fee-200'], invoice_number: 'INV-9' };
		const limits = { maxTotal: 1, maxRecipients: 1 };
		const answers = await itself({ ...chosen(...operations), limits }, [
			[['create_payout', payout]],
			[['queue_newsletter', { newsletter_id: draft?.id }]],
			[charge(1)],
		]);
		expect(answers[0]).toMatch(
			/^Max Total of this tool is 1, and this call has \d+\.\d\d after 0\.00/,
		);
		expect(answers[1]).toMatch(
			/^Max Recipients of this tool is 1, and this call has \d+ after 0\./,
		);
		expect(answers[2]).toContain('"status":"pending"');
		expect(sent()).toBe(1);
	});

	test.each([
		[{ maxTotal: '' }, '"Limits: Max Total" must be a number'],
		[{ maxTotal: null }, '"Limits: Max Total" must be a number'],
		[{ maxTotal: '0x10' }, '"Limits: Max Total" must be a number'],
		[{ maxTotal: true }, '"Limits: Max Total" must be a number'],
		[{ maxAmount: [5] }, '"Limits: Max Amount" must be a number'],
		[{ maxAmount: -1 }, '"Limits: Max Amount" must be a number'],
		[{ maxRows: 0 }, '"Limits: Max Rows" must be a whole number of 1 or more'],
		[{ maxRows: 1.5 }, '"Limits: Max Rows" must be a whole number of 1 or more'],
		[{ maxTotal: '99.5' }, 'Max Total of this tool is 99.5, and this call has 100.00'],
		[{ maxAmount: 99 }, 'Max Amount of this tool is 99, and this call has 100.00'],
		[{ maxAmount: ' 9.9e1 ' }, 'Max Amount of this tool is  9.9e1 , and this call has 100.00'],
	])('%j holds, or is refused', async (limits, refusal) => {
		const [answer] = await itself({ ...CHARGES, limits }, [[charge(100)]]).catch(refusalIn);
		expect(answer).toContain(refusal);
		expect(sent()).toBe(0);
	});

	// The API reference doesn't say if it's a quantity or money, so the limits take it for money.
	test('the amount and the value of a usage count for Max Amount', async () => {
		const form = { ...chosen('record_usage'), limits: { maxAmount: 4 } };
		const usage = { customer_id: 'cus-100001', subscription_id: 'sub-1' };
		const given = [
			{ amount: 5 },
			{ value: 5, value_type: 'calls' },
			{ amount: 1, value: 5, value_type: 'calls' },
		];
		const calls = given.map((more): Call[] => [['record_usage', { ...usage, ...more }]]);
		const over = 'Max Amount of this tool is 4, and this call has 5.00';
		expect(await itself(form, calls)).toEqual(given.map(() => expect.stringContaining(over)));
		expect(sent()).toBe(0);
	});

	test.each([
		['get_knowledge_base_evaluations', { knowledge_base_id: 'akb-1' }],
		['search_knowledge_base', { knowledge_base_id: 'akb-1', question: 'account invoice email' }],
		['look_up_dns', { target: 'example.com' }],
	])('Max Rows holds for %s', async (tool, args) => {
		const form = { ...chosen(tool), limits: { maxRows: 1 } };
		const [answer] = await itself(form, [[[tool, args]]]);
		const rows = JSON.parse(answer) as IDataObject[];
		expect(rows).toHaveLength(2);
		expect(rows[1]).toEqual({ note: expect.stringMatching(/^\d+ more are not shown/) });
	});

	describe('in a list that is longer', () => {
		const form = chosen('list_customers');
		const added: string[] = [];

		beforeEach(() => {
			const { customers } = sandbox().state.customers;
			const [row] = customers.rows;
			for (let index = 0; index < 80; index++) {
				added.push(customers.add({ ...row, id: `cus-more-${index}` }).id);
			}
		});

		afterEach(() => {
			for (const id of added.splice(0)) sandbox().state.customers.customers.remove(id);
		});

		const rowsOf = async (args: Record<string, unknown>) => {
			const [answer] = await itself(form, [[['list_customers', args]]]);
			return (JSON.parse(answer) as IDataObject[]).filter(({ id }) => id !== undefined);
		};

		bothSides('ApiTool/policy MAX_ROWS', async (number, _isWithin, limit) => {
			expect(await rowsOf({ limit: number })).toHaveLength(Math.min(number, limit));
		});

		test('a model that asks for no number gets as many as its schema says', async () => {
			const rows = await rowsOf({});
			const offer = offers.find(({ name }) => name === 'list_customers') as Offer;
			expect(signatureFor(offer).schema.shape.limit.description).toBe(`Max rows (${rows.length})`);
		});
	});

	test('a read of several rows goes on where it ended', async () => {
		const form = { ...chosen('check_service_access'), limits: { maxRows: 3 } };
		const read = (skip: number): Call => ['check_service_access', { skip }];
		const answers = await itself(form, [[read(0)], [read(3)]]);
		const [first, second] = answers.map((each) => JSON.parse(each) as IDataObject[]);
		expect(first).toHaveLength(4);
		expect(second).toHaveLength(4);
		expect(first.slice(0, 3)).not.toContainEqual(second[0]);
	});

	// They're shown once.
	test('what a change returns is never cut', async () => {
		const form = chosen('generate_backup_codes');
		const args = { external_user_id: 'user-1' };
		const [answer] = await itself({ ...form, limits: { maxRows: 1 } }, [
			[['generate_backup_codes', args]],
		]);
		expect((JSON.parse(answer) as unknown[]).length).toBeGreaterThan(1);
	});

	test('lists give as many rows, and say how many are left', async () => {
		const form = { offer: 'readOnly', areas: ['customers'] };
		const [first, second, third] = await itself({ ...form, limits: { maxRows: 3 } }, [
			[['list_customers', {}]],
			[['list_customers', { skip: 28 }]],
			[['list_customers', { skip: '', email: '' }]],
		]);
		expect(first.match(/"email"/g)).toHaveLength(3);
		expect(first).toContain('27 more are not shown');
		expect(second.match(/"email"/g)).toHaveLength(2);
		expect(third).toBe(first);
	});
});

describe('called by the engine', () => {
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
		const form = chosen('update_customer');
		const [answer] = await byEngine(form, [[['update_customer', { first_name: 'Ada' }]]], {
			items: [item],
		});
		expect(answer).toContain('"customer_id" must not be empty');
		await byEngine(
			form,
			[[['update_customer', { customer_id: 'cus-100001', first_name: 'Ada' }]]],
			{ items: [item] },
		);
		expect(sandbox().requests.map(({ path, body }) => [path, body])).toEqual([
			['/customers/cus-100001.json', { customer: { first_name: 'Ada' } }],
		]);
	});

	// n8n looks for arguments inside of one that is called query. An approval would show the others.
	test("arguments can't be hidden in another one", async () => {
		const [tool, args] = charge(1);
		const hidden = { ...args, query: { services: [{ name: 'Setup', amount: 999 }] } };
		const [answer] = await byEngine(CHARGES, [[[tool, hidden]]]);
		expect(answer).toContain('"query" is no argument');
		expect(sent()).toBe(0);
	});

	test('a cancelled run sends nothing more', async () => {
		sandbox().faults.add({ kind: 'stall', nth: 1 });
		const cancelAfter = until('the charge', () => sent() === 1);
		await byEngine(CHARGES, [[charge(1)], [charge(2)], [charge(3)]], { cancelAfter });
		expect(sent()).toBe(1);
	});

	test('executed by hand it says what it offers', async () => {
		const [results] = await runTools([toolOf(CHARGES)], credentialOf(sandbox()), [
			[{ node: 'Tool 1', input: {} }],
		]);
		expect(results[0]).toEqual([
			{
				tool: 'create_charge',
				description: expect.any(String),
				arguments: 'customer_id, services, allow_free_lines, capture',
				changesData: true,
			},
			{
				tool: 'get_customer',
				description: expect.any(String),
				arguments: 'customer_id',
				changesData: false,
			},
		]);
	});
});

describe('where n8n keeps nothing', () => {
	beforeEach(clearStore);

	const byClient = async (form: Parameters, steps: Call[][]) =>
		await itself(form, steps, { isWebhook: true });

	test('Max Changes is refused for an MCP client', async () => {
		const form = { ...CHARGES, onceOnly: false, limits: { maxChanges: 10 } };
		const [answer] = await byClient(form, [[charge(5)]]);
		expect(answer).toContain('"Max Changes" can\'t hold behind the MCP Server Trigger');
		expect(sent()).toBe(0);
	});

	test('the same charge goes out once in some minutes', async () => {
		const answers = await byClient(CHARGES, [[charge(5)], [charge(5)], [charge(6)]]);
		expect(answers[1]).toContain('The same change was sent within the last 20 minutes');
		expect(sent()).toBe(2);
		await byClient({ ...CHARGES, onceOnly: false }, [[charge(5)]]);
		expect(sent()).toBe(3);
	});

	// They're kept in spans of ten minutes, of which this one and the one before count.
	const span = 600_000;
	const start = 3_000_000 * span;
	test.each([
		['at the start of a span, 20 minutes but a moment', start, start + 2 * span - 1, 1],
		['at the start of a span, 20 minutes', start, start + 2 * span, 2],
		['at the end of a span, ten minutes', start + span - 1, start + 2 * span - 1, 1],
		['at the end of a span, ten minutes and a moment', start + span - 1, start + 2 * span, 2],
	])('the same charge again %s later', async (_what, first, second, times) => {
		const now = jest.spyOn(Date, 'now');
		for (const moment of [first, second]) {
			now.mockReturnValue(moment);
			await byClient(CHARGES, [[charge(7, `cus-10000${times}`)]]);
		}
		now.mockRestore();
		expect(sent()).toBe(times);
	});
});

// They take no toolkit: one tool calls the others.
describe("in n8n's own Agents", () => {
	async function answerOf(form: Parameters, tool: string, args: object): Promise<string> {
		const dispatcher = await toolOfOwnAgent(toolOf(form), credentialOf(sandbox()));
		expect(Object.keys(dispatcher.schema.shape)).toEqual(['tool', 'arguments']);
		// n8n tells the model nothing else.
		expect(dispatcher.schema.shape.tool.description).toContain(
			'get_customer(customer_id): Return the customer that has this ID',
		);
		expect(dispatcher.description).not.toContain('get_customer');
		return await dispatcher
			.invoke({ tool, arguments: args })
			.catch((error: Error) => error.message);
	}

	test('one tool reads', async () => {
		const args = { customer_id: 'cus-100001' };
		expect(await answerOf({}, 'get_customer', args)).toContain('"id":"cus-100001"');
		expect(await answerOf({}, 'create_charge', {})).toContain('There is no tool "create_charge"');
	});
});

describe('what is offered', () => {
	const namesOf = async (parameters: Parameters): Promise<string[]> => {
		let names: string[] = [];
		await useTools([toolOf(parameters)], credentialOf(sandbox()), async (tools) => {
			names = await Promise.resolve(Object.keys(tools));
		});
		return names.sort();
	};

	test('by default only reads of customers and their payments, and no payment link', async () => {
		expect(await namesOf({})).toEqual([
			'get_customer',
			'get_customer_by_email',
			'get_customer_by_external_id',
			'get_recurring_settings',
			'get_subscription_lifecycle',
			'get_subscription_status',
			'get_usage_history',
			'list_customer_properties',
			'list_customers',
			'list_recurring_subscriptions',
			'list_subscriptions',
		]);
		expect(await namesOf({ secrets: true })).toContain('get_customer_payment_link');
	});

	test('no output has a field that may be a secret, unless it is known to be none', () => {
		const outputs = previews as Record<string, string | undefined>;
		const suspects = offers.filter(({ isSecret, operation, shown }) => {
			const output = outputs[outputKey(operation)] ?? '';
			return (
				!isSecret && !shown && /\b\w*(secret|token|payload|seed|code|url|link|key)\b/.test(output)
			);
		});
		expect(suspects.map(({ name }) => name).sort()).toEqual([
			// The code of a partner, which its customers know.
			'create_or_update_partner',
			'create_partner',
			'find_partner',
			// Addresses of providers and of an offer, and the names of settings.
			'get_company_snapshot',
			'get_connection',
			'get_partner',
			'list_connections',
			'list_partners',
			'list_providers',
			'list_vector_store_providers',
			'update_partner',
		]);
	});

	test('all of an area, its secrets apart', async () => {
		const form = { offer: 'readAndChange', areas: ['webhooks'] };
		const open = ['delete_webhook', 'get_webhook', 'list_event_types', 'list_webhooks'];
		expect(await namesOf(form)).toEqual(open);
		expect(await namesOf({ ...form, secrets: true })).toHaveLength(5);
	});

	// One injected text would be enough to have it sent to anyone: change the address, then test the connection.
	test.each([
		[
			'update_connection',
			'base_url',
			{ connection_id: 'aic-1', base_url: 'https://x.example.com' },
		],
		[
			'update_vector_store',
			'endpoint',
			{ vector_store_id: 'avs-1', endpoint: 'https://x.example' },
		],
	])('%s has the address of a stored key only with secrets: %s', async (tool, address, args) => {
		const form = chosen(tool);
		const [refused] = await itself(form, [[[tool, args]]]);
		expect(refused).toContain(`"${address}" is no argument`);
		expect(sandbox().requests).toEqual([]);
		await itself({ ...form, secrets: true }, [[[tool, args]]]);
		expect(sent('PUT')).toBe(1);
	});

	// Each of these moves money, now or later, in an amount that no limit can know before.
	const unknown = [
		'create_event',
		'create_subscription',
		'run_workflow',
		'update_event',
		'update_subscription_status',
	];

	test.each([
		['maxAmount', { maxAmount: 10 }, unknown],
		['maxTotal', { maxTotal: 10 }, unknown],
		['maxRecipients', { maxRecipients: 10 }, ['create_event', 'run_workflow', 'update_event']],
		['maxRows', { maxRows: 10 }, []],
	])('under %s no road is open that it can not measure', async (limit, limits, closed) => {
		const all = offers.map(({ name }) => name);
		const form = { ...chosen(...all), limits };
		const open = await namesOf(form);
		expect(all.filter((name) => !open.includes(name)).sort()).toEqual(closed);
		const answers = await byEngine(
			form,
			closed.map((tool): Call[] => [[tool, {}]]),
		);
		const says = (tool: string) => `${tool} isn't offered, since ${labelOf(limit)} is set`;
		expect(answers).toEqual(closed.map((tool) => expect.stringContaining(says(tool))));
	});

	test('Execute step names what is not offered under a limit', async () => {
		const operations = ['get_customer', ...unknown];
		const tools = [toolOf({ ...chosen(...operations), limits: { maxTotal: 10 } })];
		const input = [[{ node: 'Tool 1', input: {} }]];
		const [[rows]] = await runTools(tools, credentialOf(sandbox()), input);
		const closed = (rows as IDataObject[]).filter(({ notOffered }) => notOffered !== undefined);
		expect(closed.map(({ tool }) => tool).sort()).toEqual(unknown);
		expect(closed[0].notOffered).toContain('Max Total is set');
	});

	test('webhooks can be looked into without what is secret in them', async () => {
		const url = 'https://ada:pass@n8n.example.com/webhook/1?token=hidden#x';
		const { webhooks } = sandbox().state.webhooks;
		const { id } = webhooks.add({
			id: 'whk-90',
			name: 'n8n',
			events: [],
			url,
			token: 'hidden-token',
		} as never);
		const form = chosen('get_webhook', 'list_webhooks');
		const calls: Call[][] = [
			[['get_webhook', { webhook_id: id }]],
			[['list_webhooks', { skip: 0 }]],
		];
		for (const answer of await itself(form, calls)) {
			expect(answer).toContain('"url":"https://n8n.example.com/webhook/1"');
			expect(answer).not.toMatch(/token|hidden|pass/);
		}
		const [whole] = await itself({ ...form, secrets: true }, calls);
		expect(whole).toContain('token=hidden');
		webhooks.add({ id: 'whk-91', name: 'n8n', events: [], url, token: 'hidden-token' } as never);
		const [part] = await itself(form, [[['list_webhooks', { limit: 1, fields: ['id'] }]]]);
		expect(JSON.parse(part)).toEqual([
			{ id: expect.any(String) },
			{ note: expect.stringContaining('call again with skip: 1') },
		]);
	});

	test.each([
		[chosen(), '"Operations" must have at least one'],
		[chosen('get_kustomer'), '"Operations" has "get_kustomer"'],
		[
			{ ...chosen('run_workflow'), limits: { maxTotal: 5 } },
			"can't offer run_workflow while Max Total is set",
		],
	])('%j is refused', async (parameters, refusal) => {
		const told = await namesOf(parameters).catch(refusalIn);
		expect(told).toEqual([expect.stringContaining(refusal)]);
	});
});

const textOrFault = (make: () => string): string => {
	try {
		return make();
	} catch (error) {
		return `refused: ${(error as Error).message}`;
	}
};

/** Values that pass the formats of the API, by what the name of an argument contains. */
const samples: Array<[name: RegExp, value: string]> = [
	[/currency/, 'EUR'],
	[/email/, 'ada@example.com'],
	[/url|endpoint/, 'https://x.example.com'],
	[/country/, 'DE'],
	[/^ip$/, '192.0.2.1'],
	[/date|start|end|since|from|until/, '2026-03-01'],
];

/** A value for an argument: the last choice, which is seldom the default. */
function sampleOf(name: string, schema: ZodTypeAny): unknown {
	if (schema instanceof z.ZodOptional) return sampleOf(name, schema.unwrap() as ZodTypeAny);
	if (schema instanceof z.ZodEnum) return (schema.options as string[]).at(-1);
	if (schema instanceof z.ZodArray) return [sampleOf(name, schema.element as ZodTypeAny)];
	if (schema instanceof z.ZodBoolean) return true;
	if (schema instanceof z.ZodNumber) return 7;
	if (schema instanceof z.ZodRecord) return { a: 'b' };
	if (schema instanceof z.ZodAny) return ['x'];
	if (!(schema instanceof z.ZodObject)) return samples.find(([is]) => is.test(name))?.[1] ?? 'x-7';
	const shape = Object.entries(schema.shape as Record<string, ZodTypeAny>);
	return Object.fromEntries(shape.map(([inner, each]) => [inner, sampleOf(inner, each)]));
}

/** Arguments that a tool requires. */
function leastFor(offer: Offer): Parameters {
	const shape = Object.entries(signatureFor(offer).schema.shape);
	const required = shape.filter(([name, each]) => !each.isOptional() || name === 'external_id');
	return Object.fromEntries(required.map(([name, each]) => [name, sampleOf(name, each)]));
}

describe('an error speaks of tools', () => {
	/** What only a person knows, who has the form before them. */
	const OF_FORM = /→|Base URL|\bcredential\b|Settings|turn on|Turn on|\b[A-Z]\w+ fields?\b/;

	const ANY_CHANGE = { offer: 'chosen', onceOnly: false, secrets: true };

	const errors: Array<[status: number, body: unknown]> = [
		[404, 'Not Found'],
		[404, { error: 'Not found' }],
		[400, { error: 'Invalid' }],
		[401, { error: 'Invalid token' }],
		[401, '<html></html>'],
		[403, { error: 'Forbidden' }],
		[409, { error: 'It exists' }],
		[422, '<html></html>'],
		[429, { error: 'Slow down' }],
		[500, { error: 'Failed' }],
		[302, ''],
	];
	test.each(errors)('HTTP %d %j', async (status, body) => {
		sandbox().faults.add({ kind: 'status', status, body: body as never });
		const row = errors.findIndex((each) => each[0] === status && each[1] === body);
		const calls = shareOf(offers, 5, row).map((offer): Call => {
			const { shape } = signatureFor(offer).schema;
			const [first] = Object.keys(shape).filter((name) => shape[name].isOptional());
			const args = leastFor(offer);
			if (offer.name.startsWith('update_')) args[first] ??= sampleOf(first, shape[first]);
			return [offer.name, args];
		});
		const operations = calls.map(([name]) => name);
		const answers = await itself(
			{ ...ANY_CHANGE, requests: { retryTime: 0 }, operations },
			calls.map((each) => [each]),
		);
		expect(answers).toHaveLength(calls.length);
		expect(answers.filter((each) => OF_FORM.test(each))).toEqual([]);
	});

	test.each([
		['convert_currency', 'Invalid currency passed', 'list_currencies lists'],
		[
			'create_webhook',
			'Some events are not available',
			'Choose events that list_event_types lists',
		],
		['delete_partner', 'Unable to remove this partner.', 'get_partner_customers lists'],
		['create_user', 'User with this external_id already exists for this company', 'get_user'],
		['test_connection', 'The AI connection is disabled', 'with update_connection'],
		['update_payout_status', 'Not allowed', 'get_payout shows it'],
		['queue_newsletter', 'Not allowed', 'get_newsletter shows'],
		['create_customer', 'A customer already exists with this email', 'create_or_update_customer'],
		['add_document', 'Vector indexing failed', 'with test_vector_store and test_connection'],
	])('%s after "%s" names %s', async (tool, error, names) => {
		const status = error.includes('already exists') ? 409 : 400;
		sandbox().faults.add({ kind: 'status', status, body: { error } });
		const offer = offers.find(({ name }) => name === tool) as Offer;
		const form = { ...ANY_CHANGE, operations: [tool] };
		const [answer] = await itself(form, [[[tool, leastFor(offer)]]]);
		expect(answer).toContain(names);
	});

	test('a free line names the argument that allows it', async () => {
		const [answer] = await itself(CHARGES, [[charge(0)]]);
		expect(answer).toContain('unless allow_free_lines is on (got 0)');
	});

	test.each([
		['get_customer', { customer_id: 'x' }, 'list_customers lists each customer_id.'],
		['get_trace', { workflow_id: 'wfl-1', trace_id: 'x' }, 'list_traces lists'],
		[
			'create_payout',
			{ partner_id: 'x', transactions: ['y'], invoice_number: '1' },
			'list_partners',
		],
		['get_fee', { partner_id: 'ptn-1', fee_id: 'x' }, 'list_fees lists'],
	])('%s says which tool lists what it has not found', async (tool, args, list) => {
		const [answer] = await itself({ ...chosen(tool), onceOnly: false }, [[[tool, args]]]);
		expect(answer).toContain(list);
	});
});

describe('the catalog', () => {
	test('has each operation once, but for what no model can read or give', () => {
		const known = new Set(
			offers.map(({ operation, withSecrets }) => withSecrets?.operation ?? operation),
		);
		const left = table.filter(({ operation }) => !known.has(operation)).map(({ title }) => title);
		expect(left).toEqual([
			'Platform AI Gateway › Embedding › Create',
			'Platform AI Gateway › Connection › Create',
			'Platform AI Gateway › Connection › Rotate Credential',
			'Platform AI Gateway › Vector Store › Create',
			'Platform AI Gateway › Vector Store › Rotate Key',
			'Platform Identity › One-Time Password › Verify',
			'Platform Partners › Payout › Download Report',
			'Platform Partners › Payout › Get Report',
		]);
		expect(known.size).toBe(offers.length);
	});

	test('has names and arguments that are unique, short and free of what n8n takes', () => {
		const names = offers.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(names.filter((name) => !/^[a-z][a-z_]{3,31}$/.test(name))).toEqual([]);
		const taken = ['tool', 'query', 'toolCallId', 'toolParameters', 'hitlParameters'];
		const wrong = offers.flatMap(({ name, ...offer }) =>
			Object.keys(signatureFor({ name, ...offer } as Offer).schema.shape as object)
				.filter((argument) => taken.includes(argument) || !/^[a-z][a-z_\d]*$/.test(argument))
				.map((argument) => `${name}.${argument}`),
		);
		expect(wrong).toEqual([]);
	});

	const offerOf = (name: string) => offers.find((each) => each.name === name) as Offer;

	test.each([
		['get_payout', 'payout_id'],
		['verify_passkey', 'payload'],
	])('%s requires %s', (name, argument) => {
		expect(signatureFor(offerOf(name)).schema.shape[argument].isOptional()).toBe(false);
	});

	test('has what an update adds where it is chosen, and nowhere else', async () => {
		const namesFor = async (form: Parameters) => {
			const names: string[] = [];
			const use = async (tools: Record<string, Tool>) =>
				await Promise.resolve(names.push(...Object.keys(tools)));
			await useTools([toolOf(form)], credentialOf(sandbox()), use);
			return names;
		};
		const form = { offer: 'readAndChange', areas: ['customers'] };
		const before = await namesFor(form);
		offers.push({ ...offerOf('list_customers'), name: 'list_notes' });
		try {
			expect(await namesFor(form)).toEqual(before);
			expect(await namesFor(chosen('list_notes'))).toEqual(['list_notes']);
		} finally {
			offers.pop();
		}
	});

	// A form that says so speaks to a person who can try it once.
	test.each([
		['create_charge', 'services', /Check its unit and currency/],
		['record_usage', 'amount', /doesn't say if it's a quantity or money/],
		['record_usage', 'value', /doesn't say in which unit. Set value_type too/],
		['create_subscription', 'discount_value', /Needs a discount_type. Check the unit/],
		[
			'create_subscription',
			'plan',
			/list_recurring_subscriptions has .* doesn't say in which field/,
		],
		['create_customer', 'tags', /Check that a new customer has them/],
		['update_customer', 'first_name', /Check that a first update changes it/],
		['update_event', 'workflow_id', /Add payload too/],
		['update_customer', 'change_tags', /Default: add/],
		['create_newsletter', 'template_id', /shows no list of templates/],
		['create_content', 'state', /default is draft/],
	])('%s marks what is assumed of %s', (name, argument, mark) => {
		const schema = zodToJsonSchema(signatureFor(offerOf(name)).schema as never) as {
			properties: Record<string, object>;
		};
		expect(JSON.stringify(schema.properties[argument])).toMatch(mark);
	});

	// What was dropped would be done otherwise than asked, and look like a success.
	test('drops no argument: each gets into the request, or is refused', () => {
		const counts = { sent: 0, refused: 0 };
		const dropped: string[] = [];
		for (const offer of offers) {
			const signature = signatureFor(offer);
			const shape = Object.entries(signature.schema.shape);
			const base = leastFor(offer);
			const request = (args: Parameters): string => {
				const values = signature.valuesOf(args, 10);
				const { fields = [] } = signature.operation;
				const form = givenByModel(fields, (name) => values[name]);
				const { path, query, body, settings } = requestOf(signature.operation, form, 'UTC');
				// Filters of lists that the API can't search, and the part of a list.
				return JSON.stringify([path, query, body, settings, values.filters, values.limit]);
			};
			const without = textOrFault(() => request(base));
			for (const [name, each] of shape) {
				// `match_by` only decides if both keys are given.
				if (name in base || ['fields', 'skip', 'match_by'].includes(name)) continue;
				const sample = name === 'clear' ? ['description', 'title'] : sampleOf(name, each);
				const text = textOrFault(() => request({ ...base, [name]: sample }));
				if (text === without && !text.startsWith('refused')) dropped.push(`${offer.name}.${name}`);
				counts[text.startsWith('refused') ? 'refused' : 'sent']++;
			}
		}
		expect(dropped).toEqual([]);
		expect(counts.sent).toBeGreaterThan(120);
	});

	test('costs few tokens, as what forms with areas have does', () => {
		const sum = (names: string[]) =>
			names.map((name) => tokensOfOffer(offerOf(name))).reduce((total, each) => total + each, 0);
		const { customers, ...others } = areaTools;
		const all = [customers, ...Object.values(others)].flatMap(({ reads, changes }) => [
			...reads,
			...changes,
		]);
		const open = all.filter((name) => !offerOf(name).isSecret);
		expect(sum(open)).toBeLessThanOrEqual(13_000);
		expect(sum(customers.reads.filter((name) => open.includes(name)))).toBeLessThanOrEqual(800);
	});
});
