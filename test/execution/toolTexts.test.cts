// What a model reads after a call that failed: every text speaks of arguments and tools, and of no field of the form.
import { z, type ZodTypeAny } from 'zod';
import type { Field } from '../../dist/nodes/engine/form/fields.js';
import { shareOf } from '../share.cts';
import {
	argumentsOf,
	leastFor,
	offerOf,
	offers,
	sampleOf,
	signatureFor,
	wellFormed,
	type Arguments,
	type Offer,
} from '../table/offers.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { callers, type Call } from './host/toolkit.cts';

const sandbox = sandboxFor({ customers: 30 });

/** Answers to calls by an agent, with all tools. */
const answersTo = async (calls: Call[], credential = credentialOf(sandbox())) =>
	await callers['an agent itself'](
		{
			offer: 'chosen',
			operations: [...new Set(calls.map(([tool]) => tool))],
			...{ onceOnly: false, secrets: true, requests: { retryTime: 0 } },
		},
		calls.map((call) => [call]),
		{ credential },
	);

/** The names of a row, if the argument is rows. */
function cellsOf(schema: ZodTypeAny): string[] {
	if (schema instanceof z.ZodOptional) return cellsOf(schema.unwrap() as ZodTypeAny);
	if (schema instanceof z.ZodArray) return cellsOf(schema.element as ZodTypeAny);
	return schema instanceof z.ZodObject ? Object.keys(schema.shape as object) : [];
}

const rowsOf = (offer: Offer) =>
	argumentsOf(offer)
		.map(([name, schema]) => [name, cellsOf(schema)] as const)
		.filter(([, cells]) => cells.length > 0);

const NOT_THERE = 'a record that is not there';
const NO_ROW = 'text in place of a row';

function wrongCalls(offer: Offer): Array<[what: string, args: Arguments]> {
	const text = () => 'nope-1';
	const given = leastFor(offer, { text });
	const below = leastFor(offer, { text, number: -5 });
	const optional = argumentsOf(offer).find(([, schema]) => schema.isOptional());
	return [
		['nothing given', {}],
		['a name that it lacks', { ...given, id: 'nope-1' }],
		[
			'values that mean nothing',
			{ ...given, ...(optional && { [optional[0]]: [{ no: 'such' }] }) },
		],
		[NOT_THERE, given],
		...rowsOf(offer).map(([name]): [string, Arguments] => [
			NO_ROW,
			{ ...given, [name]: 'Setup 5' },
		]),
		...(JSON.stringify(given) === JSON.stringify(below)
			? []
			: [['numbers below 0', below] as [string, Arguments]]),
	];
}

/** All labels of a form. */
const labelsOf = (fields: Field[]): string[] =>
	fields.flatMap((field) => [
		field.displayName,
		...(field.type === 'collection' ? labelsOf(field.options) : []),
	]);

interface Answer {
	offer: Offer;
	what: string;
	args: Arguments;
	text: string;
}

describe('the likeliest wrong calls of each tool', () => {
	const answers: Answer[] = [];

	beforeAll(async () => {
		const calls = offers.flatMap((offer) =>
			wrongCalls(offer).map(([what, args]) => ({ offer, what, args })),
		);
		const texts = await answersTo(calls.map(({ offer, args }) => [offer.name, args]));
		answers.push(...calls.map((call, index) => ({ ...call, text: texts[index] })));
	});

	afterAll(() => sandbox().problems.splice(0));

	const isRefusal = ({ text }: Answer) => !/^\s*[[{]/.test(text);

	/** Answers of which something is wrong: of all refusals, or of all answers to one kind of call. */
	const wrong = (isWrong: (answer: Answer) => boolean, kind?: string) =>
		answers
			.filter((each) => (kind === undefined ? isRefusal(each) : each.what === kind))
			.filter(isWrong)
			.map(({ offer, what, text }) => `${offer.name}, ${what}: ${text}`);

	test('no text names a field of the form', () => {
		const found = wrong(({ offer, text }) => {
			const { names } = signatureFor(offer);
			const all = labelsOf(offer.operation.fields ?? []);
			// Those of two words or more, which can't be anything else.
			const labels = all.filter((each) => /^[A-Z]\w+ [A-Z(]/.test(each) && !names.includes(each));
			const [, quoted = ''] = /^"([^"]+)"/.exec(text) ?? [];
			return (
				[...labels, 'the form', 'n8n date', 'External ID', 'in Settings'].some((label) =>
					text.includes(label),
				) ||
				(/[A-Z]| /.test(quoted) && labels.includes(quoted))
			);
		});
		expect(found).toEqual([]);
	});

	test('each wrong argument is named as the tool names it', () => {
		const found = wrong(({ offer, text, args }) => {
			// The check of a person: the API doesn't say which value is wrong.
			if (text.includes('Check the code or the passkey')) return false;
			const cells = [...text.matchAll(/"(\w+)" is no argument/g)].map(([, name]) => name);
			const tools = offers.map(({ name }) => name);
			const known = [...signatureFor(offer).names, ...Object.keys(args), ...cells, ...tools];
			return !known.some((name) => text.includes(name));
		});
		expect(found).toEqual([]);
	});

	test('an argument that must be given is one that the schema requires', () => {
		expect(wrong(({ text }) => /^"\w+" must not be empty/.test(text), NOT_THERE)).toEqual([]);
	});

	test('what was given is not called empty, and what is required is not to be left out', () => {
		const isBlank = (value: unknown) =>
			value === undefined || value === null || (Array.isArray(value) && value.length === 0);
		const found = wrong(({ text, args, offer }) => {
			const [, name = ''] = /^"(\w+)" must not be empty/.exec(text) ?? [];
			const schema = argumentsOf(offer).find(([each]) => each === name)?.[1];
			const isRequired = schema?.isOptional() === false;
			return (name !== '' && !isBlank(args[name])) || (isRequired && text.includes('leave it out'));
		});
		expect(found).toEqual([]);
	});

	test('text in place of a row is told what a row has', () => {
		expect(answers.filter(({ what }) => what === NO_ROW).length).toBeGreaterThan(5);
		const found = wrong(
			({ offer, args, text }) =>
				!rowsOf(offer).some(
					([name, cells]) =>
						args[name] === 'Setup 5' && [name, ...cells].every((each) => text.includes(each)),
				),
			NO_ROW,
		);
		expect(found).toEqual([]);
	});

	test('an update of nothing names all that it can update', () => {
		const found = wrong(({ offer, text }) => {
			const optional = argumentsOf(offer).filter(([, schema]) => schema.isOptional());
			// Ways to make a change say nothing alone.
			const names = optional.map(([name]) => name).filter((name) => !/^change_/.test(name));
			return text.startsWith('Give at least one') && !names.every((name) => text.includes(name));
		});
		expect(found).toEqual([]);
	});

	test('of a record that is not found, it says which tool lists those that are', () => {
		const listed = ['document_id: search_knowledge_base', 'email: list_suppressions'];
		for (const { name } of offers) {
			const [, noun] = /^list_(\w+)s$/.exec(name) ?? [];
			if (noun) listed.push(`${noun}_id: ${name}`);
		}
		const found = wrong(({ args, text }) => {
			const own = listed.map((each) => each.split(': ')).filter(([name]) => name in args);
			const isNotFound = text.includes('Nothing found for');
			return (
				isNotFound && !own.every(([name, tool]) => text.includes(`${tool} lists each ${name}.`))
			);
		}, NOT_THERE);
		expect(found).toEqual([]);
	});
});

/** What only a person knows, who has the form before them. */
const OF_FORM = /→|Base URL|\bcredential\b|Settings|turn on|Turn on|\b[A-Z]\w+ fields?\b/;

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

test.each(errors)('an error of the API speaks of tools: HTTP %d %j', async (status, body) => {
	sandbox().faults.add({ kind: 'status', status, body: body as never });
	const row = errors.findIndex((each) => each[0] === status && each[1] === body);
	const calls = shareOf(offers, 5, row).map((offer): Call => {
		const args = leastFor(offer, wellFormed);
		const optional = argumentsOf(offer).find(([, schema]) => schema.isOptional());
		const isUpdate = offer.name.startsWith('update_');
		if (isUpdate && optional) args[optional[0]] ??= sampleOf(...optional, wellFormed);
		return [offer.name, args];
	});
	const answers = await answersTo(calls);
	expect(answers).toHaveLength(calls.length);
	expect(answers.filter((each) => OF_FORM.test(each))).toEqual([]);
});

test.each([
	['convert_currency', 'Invalid currency passed', 'list_currencies lists'],
	['create_webhook', 'Some events are not available', 'Choose events that list_event_types lists'],
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
	const call: Call = [tool, leastFor(offerOf(tool), wellFormed)];
	expect(await answersTo([call])).toEqual([expect.stringContaining(names)]);
});

test('a key that may only read names the scope that is missing', async () => {
	const apiKey = sandbox().addKey({ scopes: ['customers:read'] });
	const services = [{ name: 'Setup', amount: 5 }];
	const call: Call = ['create_charge', { customer_id: 'cus-100001', services }];
	const answers = await answersTo([call], { ...credentialOf(sandbox()), apiKey });
	expect(answers).toEqual([expect.stringContaining('charges:write')]);
});
