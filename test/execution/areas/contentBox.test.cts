// Platform Content Box: entries with their data by mapper or JSON, and content types.
import { mapperFields } from '../host/pickers.cts';
import { areaOf, byId } from '../host/run.cts';

const node = 'platformContentBox';
const { sandbox, rowsOf, faultOf, bodies } = areaOf(node, {}, { simplify: false });

const faq = { typeId: byId('typ-faq'), title: 'How do I pay?' };

/** Columns as the editor keeps them with the mapper's value. */
const columns = [
	{ id: 'answer', displayName: 'Answer', display: true },
	{ id: 'topic', displayName: 'Topic', type: 'string', display: true },
	{ id: 'pinned', displayName: 'Pinned', type: 'boolean', display: true },
];
const byHand = (value: object, schema: object[] = columns) => ({
	mappingMode: 'defineBelow',
	value,
	schema,
});
const withoutColumns = { mappingMode: 'autoMapInputData', value: null, schema: [] };
const automatic = { mappingMode: 'autoMapInputData', value: null, schema: columns };

describe('entries', () => {
	test.each([
		['an empty list of columns', withoutColumns],
		['no columns at all', { mappingMode: 'autoMapInputData', value: null }],
	])('automatic mapping with %s is refused', async (_what, data) => {
		expect(await faultOf('content.create', { ...faq, data })).toContain(
			'"Data" has no columns to map',
		);
		expect(bodies()).toEqual([]);
	});

	test('what the form hides is not sent', async () => {
		const data = byHand({ answer: 'hidden' });
		await rowsOf('content.create', { ...faq, data, dataInput: 'json', dataJson: '{}' });
		expect(JSON.stringify(bodies())).not.toContain('hidden');
	});
});

describe('the mapper', () => {
	test('a checkbox takes text and numbers as a boolean', async () => {
		const data = byHand({ pinned: '={{ $json.given }}' });
		const items = ['true', 'FALSE', 0, '1'].map((given) => ({ given }));
		await rowsOf('content.create', { ...faq, data }, { items });
		expect(bodies()).toMatchObject(
			[true, false, false, true].map((pinned) => ({ content: { data: { pinned } } })),
		);
	});

	test('a value that is none for its field is refused by its label', async () => {
		const wrong = async (id: string, given: string | object) => {
			const data = byHand({ [id]: '={{ $json.given }}' });
			return await faultOf('content.create', { ...faq, data }, { items: [{ given }] });
		};
		expect(await wrong('pinned', 'perhaps')).toContain('"Pinned" must be of type boolean');
		expect(await wrong('topic', { a: 1 })).toContain('"Topic" must be text');
		expect(sandbox().requests).toEqual([]);
	});

	test('a text field takes a number as text, a field of unknown type as it is', async () => {
		await rowsOf('content.create', { ...faq, data: byHand({ topic: 2026, answer: 42 }) });
		expect(bodies()).toMatchObject([{ content: { data: { topic: '2026', answer: 42 } } }]);
	});

	test('a field that was removed is not sent, also if a value is left', async () => {
		const schema = columns.map((column) => ({ ...column, removed: column.id === 'pinned' }));
		const data = byHand({ topic: 'Taxes', pinned: false }, schema);
		await rowsOf('content.create', { ...faq, data });
		expect(bodies()).toMatchObject([{ content: { data: { topic: 'Taxes' } } }]);
		expect(JSON.stringify(bodies())).not.toContain('pinned');
	});

	test('automatic mapping takes the known fields of each item in their type', async () => {
		const items = [
			{ answer: 'One', topic: 7, pinned: 'TRUE', row: 1 },
			{ answer: null, topic: '', pinned: '', row: 2 },
		];
		await rowsOf('content.create', { ...faq, data: automatic }, { items });
		expect(bodies().map(({ content }) => (content as { data: object }).data)).toEqual([
			{ answer: 'One', topic: '7', pinned: true },
			{ topic: '' },
		]);
	});

	test('a plain object, as generated workflows hold it, is data, too', async () => {
		const items = [{ reply: 'Yes' }];
		await rowsOf('content.create', { ...faq, data: { answer: '={{ $json.reply }}' } }, { items });
		expect(bodies()).toMatchObject([{ content: { data: { answer: 'Yes' } } }]);
	});

	const fields = [
		{ id: 'teaser', displayName: 'Teaser', type: 'string' },
		{ id: 'body', displayName: 'Body', type: undefined },
		{ id: 'author', displayName: 'Author', type: 'string' },
		{ id: 'published_on', displayName: 'Published on', type: undefined },
		{ id: 'source', displayName: 'Source', type: 'string' },
		{ id: 'featured', displayName: 'Featured', type: 'boolean' },
	];

	const load = async (parameters: Parameters<typeof mapperFields>[3]) =>
		await mapperFields(sandbox(), node, 'contentFields', { resource: 'content', ...parameters });

	test('shows the fields of the type that the chosen entry has', async () => {
		const parameters = { contentId: byId('cnt-1'), typeId: byId('typ-job') };
		const shown = await load({ operation: 'update', ...parameters });
		expect(shown.fields).toMatchObject(fields);
		expect(shown.fields.every(({ required, display }) => !required && display)).toBe(true);
		expect(sandbox().requests.map(({ path }) => path)).toEqual([
			'/contentbox/contents/cnt-1.json',
			'/contentbox/types/typ-article.json',
		]);
	});

	test('says what to choose first, and asks nothing before', async () => {
		const empty = { __rl: true, mode: 'list', value: '' };
		expect(await load({ operation: 'create', typeId: empty })).toMatchObject({
			fields: [],
			emptyFieldsNotice: expect.stringContaining('content type'),
		});
		expect(await load({ operation: 'update', contentId: empty })).toMatchObject({
			fields: [],
			emptyFieldsNotice: expect.stringContaining('entry'),
		});
		expect(sandbox().requests).toEqual([]);
	});
});
