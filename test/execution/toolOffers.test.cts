// Which tools and arguments Platform Tools has: by the form, by its limits, and without what is secret.
import type { IDataObject } from 'n8n-workflow';
import { zodToJsonSchema } from 'zod-to-json-schema';
import previews from '../../dist/nodes/api/outputs.json';
import areaTools from '../../nodes/ApiTool/areaTools.json';
import { labelOf, snake } from '../../dist/nodes/engine/form/fields.js';
import { requestOf } from '../../dist/nodes/engine/form/request.js';
import { givenByModel } from '../../dist/nodes/engine/run/toolValues.js';
import { outputKey } from '../../dist/nodes/engine/node/hints.js';
import { tokensOfOffer } from '../../tools/tokens.cts';
import { bothSides } from '../constants.cts';
import { existingForm } from '../table/existing.cts';
import {
	argumentsOf,
	leastFor,
	offerOf,
	offers,
	sampleOf,
	signatureFor,
	wellFormed,
	type Arguments,
} from '../table/offers.cts';
import { onlyReads, shapeOf, table, type TableEntry } from '../table/operations.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { runTools, toolOfOwnAgent, useTools } from './host/tool.cts';
import { callers, toolkitOf, type Call } from './host/toolkit.cts';

const sandbox = sandboxFor({ customers: 110 });

const chosen = (...operations: string[]) => ({ offer: 'chosen', operations, onceOnly: false });

const answersTo = async (form: object, calls: Call[]) =>
	await callers['an agent itself'](
		form,
		calls.map((call) => [call]),
		{ credential: credentialOf(sandbox()) },
	);

async function namesOf(parameters: object): Promise<string[]> {
	const names: string[] = [];
	await useTools([toolkitOf(parameters)], credentialOf(sandbox()), async (tools) => {
		names.push(...(await Promise.resolve(Object.keys(tools))));
	});
	return names.sort();
}

/** What a person sees who executes the node by hand. */
async function listOf(form: object): Promise<IDataObject[]> {
	const byHand = [[{ node: 'Tool 1', input: {} }]];
	const [[rows]] = await runTools([toolkitOf(form)], credentialOf(sandbox()), byHand);
	return rows as IDataObject[];
}

/** The same operation in Platform Tools. */
const offerFor = ({ operation }: TableEntry) =>
	offers.find((offer) => (offer.withSecrets?.operation ?? offer.operation) === operation);

describe('by the form', () => {
	test.each(Object.entries(areaTools))(
		'the area %s has what its list says, its secrets apart',
		async (area, { reads, changes }) => {
			const all = [...reads, ...changes];
			const open = (names: string[]) => names.filter((name) => !offerOf(name).isSecret).sort();
			expect(reads.filter((name) => offerOf(name).changes)).toEqual([]);
			const form = { areas: [area] };
			const changing = { ...form, offer: 'readAndChange' };
			expect(await namesOf(form)).toEqual(open(reads));
			expect(await namesOf(changing)).toEqual(open(all));
			expect(await namesOf({ ...changing, secrets: true })).toEqual(all.sort());
		},
	);

	test('the default is what reads customers and their payments', async () => {
		const areas = ['customers', 'recurringPayments'];
		expect(await namesOf({})).toEqual(await namesOf({ offer: 'readOnly', areas }));
	});

	test('by hand, it says what it offers', async () => {
		const list = await listOf(chosen('create_charge', 'get_customer'));
		expect(list.map(({ description: _text, ...row }) => row)).toEqual([
			{
				tool: 'create_charge',
				arguments: 'customer_id, services, allow_free_lines, capture',
				changesData: true,
			},
			{ tool: 'get_customer', arguments: 'customer_id', changesData: false },
		]);
	});

	// They take no toolkit: one tool calls the others, and n8n tells the model nothing but its schema.
	test("in n8n's own Agents, one tool says what it calls", async () => {
		const { schema, description } = await toolOfOwnAgent(toolkitOf({}), credentialOf(sandbox()));
		expect(Object.keys(schema.shape)).toEqual(['tool', 'arguments']);
		const says = 'get_customer(customer_id): Return the customer that has this ID';
		expect(schema.shape.tool.description).toContain(says);
		expect(description).not.toContain('get_customer');
	});

	test("a tool that isn't offered is not called, whatever n8n's engine passes on", async () => {
		const call: Call = ['create_charge', {}];
		const credential = credentialOf(sandbox());
		const [answer] = await callers["n8n's engine"]({}, [[call]], { credential });
		expect(answer).toContain('There is no tool "create_charge"');
	});

	test.each([
		[chosen(), '"Operations" must have at least one'],
		[chosen('get_kustomer'), '"Operations" has "get_kustomer"'],
		[
			{ ...chosen('run_workflow'), limits: { maxTotal: 5 } },
			"can't offer run_workflow while Max Total is set",
		],
	])('%j is refused', async (parameters, refusal) => {
		const told = await namesOf(parameters).catch(
			({ message, description }: Error & { description?: string }) => `${message} ${description}`,
		);
		expect(told).toContain(refusal);
	});
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
	['maxAmount', unknown],
	['maxTotal', unknown],
	['maxRecipients', ['create_event', 'run_workflow', 'update_event']],
	['maxRows', []],
])('under %s no road is open that it can not measure', async (limit, closed) => {
	const all = offers.map(({ name }) => name);
	const form = { ...chosen(...all), limits: { [limit]: 10 } };
	const open = await namesOf(form);
	expect(all.filter((name) => !open.includes(name)).sort()).toEqual(closed);
	const steps = closed.map((tool): Call[] => [[tool, {}]]);
	const credential = credentialOf(sandbox());
	const answers = await callers["n8n's engine"](form, steps, { credential });
	expect(answers).toEqual(
		closed.map((tool) =>
			expect.stringContaining(`${tool} isn't offered, since ${labelOf(limit)} is set`),
		),
	);
	const left = (await listOf(form)).filter(({ notOffered }) => notOffered !== undefined);
	expect(left.map(({ tool }) => tool).sort()).toEqual(closed);
	expect(left.filter(({ notOffered }) => !String(notOffered).includes(labelOf(limit)))).toEqual([]);
});

describe('secrets', () => {
	test('no output has a field that may be one, unless it is known to be none', () => {
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

	// One injected text would be enough to have it sent to anyone: change the address, then test the connection.
	test.each([
		['update_connection', 'base_url', 'connection_id', 'aic-1'],
		['update_vector_store', 'endpoint', 'vector_store_id', 'avs-1'],
	])('%s has the URL of a stored key only with secrets: %s', async (tool, address, id, value) => {
		const call: Call = [tool, { [id]: value, [address]: 'https://x.example.com' }];
		const [refused] = await answersTo(chosen(tool), [call]);
		expect(refused).toContain(`"${address}" is no argument`);
		expect(sandbox().requests).toEqual([]);
		await answersTo({ ...chosen(tool), secrets: true }, [call]);
		expect(sandbox().requests.map(({ method }) => method)).toEqual(['PUT']);
	});

	test('webhooks can be looked into without what is secret in them', async () => {
		const { webhooks } = sandbox().state.webhooks;
		const common = { name: 'n8n', events: [], token: 'hidden-token' };
		const url = 'https://ada:pass@n8n.example.com/webhook/1?token=hidden#x';
		for (const id of ['whk-90', 'whk-91']) webhooks.add({ ...common, id, url } as never);
		const form = chosen('get_webhook', 'list_webhooks');
		const calls: Call[] = [
			['get_webhook', { webhook_id: 'whk-90' }],
			['list_webhooks', { skip: 0 }],
		];
		for (const answer of await answersTo(form, calls)) {
			expect(answer).toContain('"url":"https://n8n.example.com/webhook/1"');
			expect(answer).not.toMatch(/token|hidden|pass/);
		}
		const [whole] = await answersTo({ ...form, secrets: true }, calls);
		expect(whole).toContain('token=hidden');
		// The note on the rows left is no webhook.
		const [part] = await answersTo(form, [['list_webhooks', { limit: 1, fields: ['id'] }]]);
		expect(JSON.parse(part)).toEqual([
			{ id: expect.any(String) as string },
			{ note: expect.stringContaining('call again with skip: 1') as string },
		]);
	});
});

describe('rows', () => {
	/** Reads of several rows, each with arguments that find some. */
	const lists = table.flatMap((entry) => {
		const offer = offerFor(entry);
		const isList = ['list', 'strings'].includes(shapeOf(entry.operation).kind);
		return offer && isList && onlyReads(entry.operation.endpoint.route)
			? [[offer.name, { entry, offer }] as const]
			: [];
	});

	const rowsIn = (answer: string) =>
		(JSON.parse(answer) as IDataObject[]).filter((row) => Object.keys(row).join() !== 'note');

	test.each(lists)(
		'of %s come in parts, if the model asks for them or a limit is set',
		async (name, list) => {
			const { entry, offer } = list;
			const known = argumentsOf(offer).map(([each]) => each);
			const args = Object.fromEntries(
				Object.entries(existingForm(sandbox(), entry))
					.map(([field, value]) => [field === 'query' ? 'question' : snake(field), value] as const)
					.filter(([each]) => known.includes(each))
					.map(([each, value]) => [each, (value as { value?: unknown } | null)?.value ?? value]),
			);
			const read = async (more: object, form: object = {}) =>
				(await answersTo({ ...chosen(name), ...form }, [[name, { ...args, ...more }]]))[0];
			const whole = rowsIn(await read({}));
			expect(whole.length).toBeGreaterThan(0);
			const few = { limits: { maxRows: 2 } };
			const first = await read({}, few);
			expect(rowsIn(first)).toEqual(whole.slice(0, 2));
			if (whole.length > 2) expect(first).toMatch(/\d+ more are not shown|There may be more/);
			// The API gives no more than the asked number, so `skip` would drop what was found.
			if (known.includes('skip')) {
				expect(rowsIn(await read({ skip: 2 }, few))).toEqual(whole.slice(2, 4));
				const note = 'There are no more rows after the first 9000.';
				expect(JSON.parse(await read({ skip: 9000 }))).toEqual([{ note }]);
			}
		},
	);

	test('are told with their number in a list', async () => {
		const form = { ...chosen('list_customers'), limits: { maxRows: 3 } };
		const left = sandbox().state.customers.customers.rows.length;
		const [first, last, all] = await answersTo(form, [
			['list_customers', {}],
			['list_customers', { skip: left - 2 }],
			['list_customers', { skip: '', email: '' }],
		]);
		expect(first).toContain(`${left - 3} more are not shown`);
		expect(JSON.parse(last)).toHaveLength(2);
		expect(all).toBe(first);
	});

	const customersFor = async (args: Arguments) =>
		rowsIn((await answersTo(chosen('list_customers'), [['list_customers', args]]))[0]);

	bothSides('ApiTool/policy MAX_ROWS', async (number, _isWithin, limit) => {
		expect(await customersFor({ limit: number })).toHaveLength(Math.min(number, limit));
	});

	test('are as many as the schema says for a model that asks for no number', async () => {
		const { limit } = signatureFor(offerOf('list_customers')).schema.shape;
		expect(limit.description).toBe(`Max rows (${(await customersFor({})).length})`);
	});

	// They're shown once.
	test('of a change are never cut', async () => {
		const form = { ...chosen('generate_backup_codes'), limits: { maxRows: 1 } };
		const call: Call = ['generate_backup_codes', { external_user_id: 'user-1' }];
		expect(rowsIn((await answersTo(form, [call]))[0]).length).toBeGreaterThan(1);
	});
});

describe('the catalog', () => {
	test('has each operation once, but for what no model can read or give', () => {
		const left = table.filter((entry) => !offerFor(entry)).map(({ title }) => title);
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
		expect(table.length - left.length).toBe(offers.length);
	});

	test('has names and arguments that are unique, short and free of what n8n takes', () => {
		const names = offers.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(names.filter((name) => !/^[a-z][a-z_]{3,31}$/.test(name))).toEqual([]);
		const taken = ['tool', 'query', 'toolCallId', 'toolParameters', 'hitlParameters'];
		const wrong = offers.flatMap((offer) =>
			argumentsOf(offer)
				.filter(([name]) => taken.includes(name) || !/^[a-z][a-z_\d]*$/.test(name))
				.map(([name]) => `${offer.name}.${name}`),
		);
		expect(wrong).toEqual([]);
	});

	// A form that says so speaks to a person who can try it once.
	test.each([
		['create_charge', 'services', /Check its unit and currency/],
		['record_usage', 'value', /doesn't say in which unit. Set value_type too/],
		[
			'create_subscription',
			'plan',
			/list_recurring_subscriptions has .* doesn't say in which field/,
		],
		['update_event', 'workflow_id', /Add payload too/],
		['update_customer', 'change_tags', /Default: add/],
		['create_content', 'state', /default is draft/],
	])('%s marks what is assumed of %s', (name, argument, mark) => {
		const schema = zodToJsonSchema(signatureFor(offerOf(name)).schema as never) as {
			properties: Record<string, object>;
		};
		expect(JSON.stringify(schema.properties[argument])).toMatch(mark);
	});

	// What was dropped would be done otherwise than asked, and look like a success.
	test('drops no argument: each gets into the request, or is refused', () => {
		const outcomes: Array<[argument: string, outcome: 'dropped' | 'refused' | 'sent']> = [];
		for (const offer of offers) {
			const signature = signatureFor(offer);
			const base = leastFor(offer, wellFormed);
			const request = (args: Arguments): string | undefined => {
				try {
					const values = signature.valuesOf(args, 10);
					const { fields = [] } = signature.operation;
					const form = givenByModel(fields, (name: string) => values[name]);
					const { path, query, body, settings } = requestOf(signature.operation, form, 'UTC');
					// Filters of lists that the API can't search, and the part of a list.
					return JSON.stringify([path, query, body, settings, values.filters, values.limit]);
				} catch {
					return undefined;
				}
			};
			const without = request(base);
			for (const [name, schema] of argumentsOf(offer)) {
				// `match_by` only decides if both keys are given.
				if (name in base || ['fields', 'skip', 'match_by'].includes(name)) continue;
				const isClear = name === 'clear';
				const sample = isClear ? ['description', 'title'] : sampleOf(name, schema, wellFormed);
				const made = request({ ...base, [name]: sample });
				const outcome = made === undefined ? 'refused' : made === without ? 'dropped' : 'sent';
				outcomes.push([`${offer.name}.${name}`, outcome]);
			}
		}
		expect(outcomes.filter(([, outcome]) => outcome === 'dropped')).toEqual([]);
		expect(outcomes.filter(([, outcome]) => outcome === 'sent').length).toBeGreaterThan(120);
	});

	test('costs few tokens, as what forms with areas have does', () => {
		const sum = (names: string[]) =>
			names
				.map(offerOf)
				.filter(({ isSecret }) => !isSecret)
				.map(tokensOfOffer)
				.reduce((total, each) => total + each, 0);
		const areas = Object.values(areaTools);
		const all = areas.flatMap(({ reads, changes }: typeof areaTools.customers) => [
			...reads,
			...changes,
		]);
		expect(sum(all)).toBeLessThanOrEqual(13_000);
		expect(sum(areaTools.customers.reads)).toBeLessThanOrEqual(800);
	});
});
