/** Content types and entries of the sandbox. */
import { open, type Send } from './client.cts';

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

let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ send, close } = await open({ customers: 1 })));
afterAll(() => close());

const unknown = { error: 'Content Box not found' };

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
});

describe('content types', () => {
	test('lists without per_page and pages', async () => {
		const list = await send<List>('GET', '/contentbox/types.json?size=2&page=2');
		expect(Object.keys(list.body)).toEqual(['entities', 'count', 'elements']);
		expect(list.body).toMatchObject({ entities: 'Types', count: 5 });
		expect(list.body.elements.map(({ id }) => id)).toEqual(['typ-event', 'typ-job']);
	});
});
