// Worlds as data: seeds, files, and the form that a world gives to answers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	dimensionNames,
	dimensions,
	unusual,
	usualWorld,
	worldFrom,
	worldNamed,
	worldOf,
	type Dimension,
	type World,
} from '../contract/worlds.cts';
import { open } from './sandbox/client.cts';

describe('a world', () => {
	test('is the same one for the same seed, and mostly another for another', () => {
		const seeds = Array.from({ length: 200 }, (_each, index) => index + 1);
		const worlds = seeds.map((seed) => JSON.stringify(worldFrom(seed)));
		expect(seeds.map((seed) => JSON.stringify(worldFrom(seed)))).toEqual(worlds);
		expect(new Set(worlds).size).toBe(seeds.length);
	});

	test('has every choice of every dimension in some of 200 seeds', () => {
		const worlds = Array.from({ length: 200 }, (_each, index) => worldFrom(index + 1));
		for (const name of dimensionNames) {
			const drawn = new Set<string>(worlds.map((world) => world[name]));
			const { choices }: Dimension = dimensions[name];
			expect({ name, drawn: [...drawn].sort() }).toEqual({ name, drawn: [...choices].sort() });
		}
	});

	test('can be named: a seed, or a file of some choices', () => {
		expect(worldNamed('7')).toEqual(worldFrom(7));
		const folder = mkdtempSync(join(tmpdir(), 'world-'));
		const file = join(folder, 'world.json');
		writeFileSync(file, '{"ids": "UUIDs"}');
		expect(worldNamed(file)).toEqual({ ...usualWorld, ids: 'UUIDs' });
		expect(unusual(worldNamed(file))).toEqual(['ids']);
		rmSync(folder, { recursive: true });
	});

	test('refuses what is no dimension and no choice', () => {
		expect(() => worldOf({ id: 'UUIDs' })).toThrow('There is no dimension id');
		expect(() => worldOf({ ids: 'none' })).toThrow('ids must be one of: prefix and number');
	});
});

/** Answers of a sandbox in a world with these choices. */
async function answersIn(
	choices: Partial<World>,
	questions: Array<[method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown]>,
) {
	const { sandbox, send, close } = await open({ world: worldOf(choices), customers: 30 });
	const answers = [];
	for (const [method, path, body] of questions) {
		answers.push(await send<Record<string, unknown>>(method, path, body));
	}
	const problems = sandbox.problems.filter((problem) => problem.startsWith('Answer'));
	await close();
	return { answers, problems };
}

const charge = { charge: { services: [{ name: 'Work', amount: 10 }] } };
const chargePath = '/customers/cus-100001/charges.json';

test.each<[Partial<World>, ['GET' | 'POST' | 'PUT', string, unknown?], number, unknown]>([
	[{ unknownStatus: '200' }, ['GET', '/webhooks/none.json'], 200, { error: 'Webhook not found.' }],
	[
		{ unknownStatus: '422', unknownMessage: 'does not exist' },
		['GET', '/partners/none.json'],
		422,
		{ error: 'Partner does not exist' },
	],
	[
		{ unknownStatus: '400' },
		['GET', '/customers/customer.json?externalId=none'],
		404,
		{ error: 'This customer does not exist' },
	],
	[{ partnerNone: 'null' }, ['GET', '/partners/partner.json?externalId=none'], 200, null],
	[
		{ emptyLists: 'no key' },
		['GET', '/webhooks.json'],
		200,
		{ entities: 'Webhook', count: 0, per_page: 25, pages: { current: 1, max: 1 } },
	],
	[{ openAnswers: 'no body' }, ['POST', chargePath, charge], 204, undefined],
	[{ openAnswers: 'echo of the request' }, ['POST', chargePath, charge], 200, charge],
	[
		{ records: 'below their name' },
		['GET', '/company.json'],
		200,
		expect.objectContaining({ id: 'com-1' }),
	],
	[
		{ records: 'below their name' },
		['GET', '/contentbox/types/typ-faq.json'],
		200,
		{ type: expect.objectContaining({ id: 'typ-faq' }) as unknown },
	],
	[
		{ riskStatus: '422' },
		['POST', '/sentinel/verify.json', { sentinel: { id: '', context: { ip: '', ua: '' } } }],
		422,
		{ success: false, message: 'Missing: session, ip, user agent' },
	],
	[
		{ largestSize: '20', oversize: 'refused' },
		['GET', '/customers.json?size=100'],
		400,
		{ error: 'Invalid size' },
	],
	[{ beyondEnd: 'not found' }, ['GET', '/partners.json?page=99'], 404, { error: 'Page not found' }],
])('%j: %j', async (choices, question, status, body) => {
	const { answers, problems } = await answersIn(choices, [question]);
	expect(answers[0]).toMatchObject({ status });
	expect(answers[0].body).toEqual(body);
	expect(problems).toEqual([]);
});

test('ids of a world lead to the records that they name', async () => {
	for (const ids of ['digits', 'UUIDs'] as const) {
		const { sandbox, send, close } = await open({ world: worldOf({ ids }), customers: 3 });
		const { body } = await send<{ elements: Array<{ id: string }> }>('GET', '/customers.json');
		const [{ id }] = body.elements;
		expect(id).toBe(sandbox.shown('cus-100001'));
		expect(id).toMatch(ids === 'digits' ? /^\d+$/ : /^[\da-f-]{36}$/);
		const one = await send('GET', `/customers/${id}.json`);
		expect(one).toMatchObject({ status: 200, body: { id } });
		expect(await send('GET', '/customers/cus-100001.json')).toMatchObject({
			// The sandbox takes its own ids too, so that tests may name them.
			status: 200,
		});
		await close();
	}
});
