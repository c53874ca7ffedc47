/** Content types and entries of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';
import { unansweredRows } from './coverage.cts';

interface Entry {
	id: string;
	type_id: string;
	title: string;
	state: string;
	data: Record<string, unknown>;
}

interface List {
	entities: string;
	count: number;
	per_page: number;
	elements: Entry[];
}

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open({ customers: 1 })));
afterAll(() => close());

const unknown = { error: 'Content Box not found' };
const badFields = { error: 'Fields must be an associative array' };

async function createEntry(content: object): Promise<string> {
	const { body } = await send<{ id: string }>('POST', '/contentbox/contents.json', { content });
	return body.id;
}

describe('content entries', () => {
	test('lists 50 by default and 100 at most, without pages', async () => {
		const list = await send<List>('GET', '/contentbox/contents.json');
		expect(Object.keys(list.body)).toEqual(['entities', 'count', 'per_page', 'elements']);
		expect(list.body).toMatchObject({ entities: 'Contents', per_page: 50 });
		expect(list.body.elements).toHaveLength(50);
		const sizes = [];
		for (let page = 1; page <= 5; page += 1) {
			const { body } = await send<List>('GET', `/contentbox/contents.json?size=100&page=${page}`);
			sizes.push(body.elements.length);
		}
		expect(sizes).toEqual([100, 100, 100, 72, 0]);
		expect((await send('GET', '/contentbox/contents.json?size=101')).status).toBe(400);
	});

	test('filters by type, state and text', async () => {
		const list = async (query: string) =>
			(await send<List>('GET', `/contentbox/contents.json?size=100&${query}`)).body;
		const faq = await list('type_id=typ-faq');
		expect(faq.count).toBe(60);
		expect(faq.elements.every(({ type_id }) => type_id === 'typ-faq')).toBe(true);
		const drafts = await list('type_id=typ-faq&state=draft');
		expect(drafts.count).toBeGreaterThan(0);
		expect(drafts.elements).toEqual(faq.elements.filter(({ state }) => state === 'draft'));
		expect((await list('type_id=typ-testimonial')).count).toBe(0);

		const id = await createEntry({ title: 'Zebra crossing', type_id: 'typ-faq', data: {} });
		const answer = { answer: 'On a ZEBRA', topic: 'Traffic' };
		const other = await createEntry({ title: 'Where', type_id: 'typ-faq', data: answer });
		const found = await list('search=zebra');
		expect(found.elements.map((entry) => entry.id)).toEqual([id, other]);
	});

	test('creates a draft, updates single keys, publishes and deletes for good', async () => {
		const data = { answer: 'Yes', topic: 'Taxes', pinned: true };
		const id = await createEntry({ title: 'May I?', type_id: 'typ-faq', data });
		const path = `/contentbox/contents/${id}.json`;
		const entry = { id, type_id: 'typ-faq', title: 'May I?', state: 'draft', data };
		expect((await send('GET', path)).body).toEqual(entry);

		const change = { state: 'public', data: { pinned: false } };
		const updated = await send('PUT', path, { content: change });
		expect(updated.body).toEqual({ id, updated: true });
		const changed = { ...entry, state: 'public', data: { ...data, pinned: false } };
		expect((await send('GET', path)).body).toEqual(changed);

		expect((await send('DELETE', path)).body).toEqual({ id, deleted: true });
		expect((await send('GET', path)).body).toEqual(unknown);
		expect((await send('PUT', path, { content: change })).body).toEqual(unknown);
		expect((await send('DELETE', path)).body).toEqual(unknown);
	});

	test('refuses unknown types, unknown fields and missing values', async () => {
		const post = async (content: object) =>
			(await send('POST', '/contentbox/contents.json', { content })).status;
		expect(await post({ title: 'A', type_id: 'none' })).toBe(404);
		expect(await post({ title: 'A', type_id: 'typ-faq', data: { colour: 'red' } })).toBe(400);
		expect(await post({ title: 'A', type_id: 'typ-faq', data: { toString: 'x' } })).toBe(400);
		expect(await post({ title: 'A' })).toBe(400);
		expect(await post({ type_id: 'typ-faq' })).toBe(400);
	});
});

describe('content types', () => {
	const type = {
		title: 'Recipe',
		description: 'Dishes',
		fields: {
			dish: { label: 'Dish', type: 'string' },
			vegan: { label: 'Vegan', type: 'checkbox' },
			page: { label: 'Page', type: 'url' },
		},
	};

	test('lists without per_page and pages', async () => {
		const list = await send<List>('GET', '/contentbox/types.json?size=2&page=2');
		expect(Object.keys(list.body)).toEqual(['entities', 'count', 'elements']);
		expect(list.body).toMatchObject({ entities: 'Types', count: 5 });
		expect(list.body.elements.map(({ id }) => id)).toEqual(['typ-event', 'typ-job']);
	});

	test('creates, reads and updates', async () => {
		const made = await send<{ id: string }>('POST', '/contentbox/types.json', { type });
		const { id } = made.body;
		expect(made.body).toEqual({ id, title: 'Recipe' });
		const path = `/contentbox/types/${id}.json`;
		expect((await send('GET', path)).body).toEqual({ ...type, id });
		const entry = await createEntry({ title: 'Soup', type_id: id, data: { vegan: true } });
		expect((await send('GET', `/contentbox/contents/${entry}.json`)).body).toMatchObject({
			data: { vegan: true },
		});

		const renamed = await send('PUT', path, { type: { title: 'Dish' } });
		expect(renamed.body).toEqual({ ...type, id, title: 'Dish' });
		const fields = { name: { label: 'Name', type: 'string' } };
		await send('PUT', path, { type: { fields } });
		expect((await send('GET', path)).body).toEqual({ ...type, id, title: 'Dish', fields });
		expect((await send('GET', '/contentbox/types/none.json')).status).toBe(404);
	});

	test.each([
		['a list', [{ label: 'A', type: 'string' }]],
		['a text', 'dish'],
		['null', null],
		['a field without a label', { dish: { type: 'string' } }],
		['a field without a type', { dish: { label: 'Dish' } }],
		['an unknown field type', { dish: { label: 'Dish', type: 'hologram' } }],
		['a field that is a text', { dish: 'string' }],
		['a field that is null', { dish: null }],
	])('refuses fields that are %s', async (_case, fields) => {
		const created = await send('POST', '/contentbox/types.json', { type: { ...type, fields } });
		expect(created.body).toEqual(badFields);
		const updated = await send('PUT', '/contentbox/types/typ-faq.json', { type: { fields } });
		expect(updated.body).toEqual(badFields);
	});

	test('needs a title', async () => {
		const { title: _title, ...rest } = type;
		expect(await send('POST', '/contentbox/types.json', { type: rest })).toMatchObject({
			status: 400,
			body: { error: 'Invalid request' },
		});
	});
});

test('has answered every row of the area', () => {
	expect(unansweredRows(sandbox, 'Content Box')).toEqual([]);
	expect(sandbox.problems.filter((problem) => !problem.startsWith('Request'))).toEqual([]);
});
