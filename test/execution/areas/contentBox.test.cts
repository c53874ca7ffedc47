// Platform Content Box: entries with their data by mapper or JSON, and content types.
import { packageNodes } from '../host/package.cts';
import { mapperFields, searchList } from '../host/pickers.cts';
import { told } from '../host/host.cts';
import { byId, run as runOn, sandboxFor } from '../host/run.cts';

const sandbox = sandboxFor({ customers: 20 });
const node = 'platformContentBox';

const run = async (operation: string, parameters = {}, options = {}) =>
	await runOn(sandbox(), node, operation, { simplify: false, ...parameters }, options);

const rowsOf = async (operation: string, parameters = {}, options = {}) => {
	const { items, error } = await run(operation, parameters, options);
	if (error) throw error;
	return items.map(({ json }) => json);
};
const faultOf = async (operation: string, parameters = {}, options = {}) =>
	told((await run(operation, parameters, options)).error);
const bodies = () => sandbox().requests.flatMap(({ body }) => (body ? [body] : []));
const requested = () => sandbox().requests.map(({ path }) => path);
const entry = (id: unknown) => sandbox().state.contentBox.contents.get(String(id));

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
		const { error } = await run('content.create', { ...faq, data });
		expect(error?.message).toContain('"Data" has no columns to map');
		expect(bodies()).toEqual([]);
	});

	test('one is created, read, changed in part and deleted', async () => {
		const [{ id }] = await rowsOf('content.create', {
			...faq,
			data: byHand({ answer: 'By card', topic: 'Billing', pinned: false }),
		});
		const contentId = byId(String(id));
		const [read] = await rowsOf('content.get', { contentId });
		expect(read).toEqual({
			id,
			type_id: 'typ-faq',
			title: 'How do I pay?',
			state: 'draft',
			data: { answer: 'By card', topic: 'Billing', pinned: false },
		});

		sandbox().clearRequests();
		const [updated] = await rowsOf('content.update', {
			contentId,
			data: byHand({ pinned: true }),
			updateFields: { state: byId('public') },
		});
		const sent = { state: 'public', data: { pinned: true } };
		expect(updated).toEqual({ id, updated: true, sent });
		expect(bodies()).toEqual([{ content: sent }]);
		expect(entry(id)).toMatchObject({ state: 'public', data: { answer: 'By card', pinned: true } });

		expect(await rowsOf('content.delete', { contentId })).toEqual([{ id, deleted: true }]);
		expect(entry(id)).toBeUndefined();
		const message = await faultOf('content.get', { contentId });
		expect(message).toContain('Content Box not found');
		expect(message).toContain(`Nothing found for "${String(id)}". Check the Entry field.`);
	});

	test('without data or state, neither is sent', async () => {
		await rowsOf('content.create', { ...faq, data: byHand({ answer: null }) });
		expect(bodies()).toEqual([{ content: { type_id: 'typ-faq', title: 'How do I pay?' } }]);
	});

	test('data can be a JSON object or an expression', async () => {
		const data = { answer: 'By card', pinned: true };
		const json = { ...faq, dataInput: 'json' };
		await rowsOf('content.create', { ...json, dataJson: JSON.stringify(data) });
		await rowsOf('content.create', { ...json, dataJson: '={{ $json }}' }, { items: [data] });
		const sent = { content: { type_id: 'typ-faq', title: 'How do I pay?', data } };
		expect(bodies()).toEqual([sent, sent]);
		expect(await faultOf('content.create', { ...json, dataJson: '[1]' })).toContain(
			'"Data (JSON)" must be a JSON object',
		);
	});

	test('what the form hides is not sent', async () => {
		const data = byHand({ answer: 'hidden' });
		await rowsOf('content.create', { ...faq, data, dataInput: 'json', dataJson: '{}' });
		expect(JSON.stringify(bodies())).not.toContain('hidden');
	});

	test('a state that was added and left as it stands is a draft', async () => {
		const { properties } = packageNodes()[node].description;
		const collection = properties.find(({ name }) => name === 'additionalFields');
		const [state] = collection?.options as Array<{ name: string; default: object }>;
		await rowsOf('content.create', { ...faq, additionalFields: { state: state.default } });
		expect(bodies()).toMatchObject([{ content: { state: 'draft' } }]);
	});

	test('a filter that was added and left empty filters nothing', async () => {
		const { properties } = packageNodes()[node].description;
		const collection = properties.find(({ name }) => name === 'filters');
		const defaults = (collection?.options as Array<{ name: string; default: unknown }>).map(
			(field) => [field.name, field.default],
		);
		await rowsOf('content.getAll', { limit: 3, filters: Object.fromEntries(defaults) });
		expect(requested()).toEqual(['/contentbox/contents.json?size=3&page=1']);
	});

	test('an update of nothing is refused', async () => {
		const contentId = byId('cnt-1');
		const message = await faultOf('content.update', { contentId, data: byHand({}) });
		expect(message).toContain('"Update Fields" is empty: add at least one field to update');
		expect(sandbox().requests).toEqual([]);
	});

	test('entries are found by type, state and text', async () => {
		await rowsOf('content.create', {
			...faq,
			title: 'Needle in the title',
			additionalFields: { state: byId('archived') },
		});
		await rowsOf('content.create', { ...faq, title: 'Another needle' });
		const found = async (filters: object) =>
			(await rowsOf('content.getAll', { returnAll: true, filters })).map(({ title }) => title);
		expect(await found({ search: 'needle' })).toEqual(['Needle in the title', 'Another needle']);
		expect(await found({ search: 'needle', state: byId('draft') })).toEqual(['Another needle']);
		expect(await found({ search: 'needle', typeId: byId('typ-job') })).toEqual([]);
		const jobs = await rowsOf('content.getAll', {
			returnAll: true,
			filters: { typeId: byId('typ-job') },
		});
		expect(jobs).toHaveLength(12);
	});
});

describe('the mapper', () => {
	test.each([
		['true', true],
		['FALSE', false],
		[0, false],
		['1', true],
	])('a checkbox takes %p as a boolean', async (given, pinned) => {
		const data = byHand({ pinned: '={{ $json.given }}' });
		await rowsOf('content.create', { ...faq, data }, { items: [{ given }] });
		expect(bodies()).toMatchObject([{ content: { data: { pinned } } }]);
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
		const data = bodies().map((body) => (body as { content: { data: object } }).content.data);
		expect(data).toHaveLength(2);
		expect(data).toContainEqual({ answer: 'One', topic: '7', pinned: true });
		expect(data).toContainEqual({ topic: '' });
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

	test('shows the fields of the chosen type', async () => {
		const shown = await load({ operation: 'create', typeId: byId('typ-article') });
		expect(shown.fields).toMatchObject(fields);
		expect(shown.fields.every(({ required, display }) => !required && display)).toBe(true);
	});

	test('shows the fields of the type that the chosen entry has', async () => {
		const parameters = { contentId: byId('cnt-1'), typeId: byId('typ-job') };
		const shown = await load({ operation: 'update', ...parameters });
		expect(shown.fields).toMatchObject(fields);
		expect(requested()).toEqual([
			'/contentbox/contents/cnt-1.json',
			'/contentbox/types/typ-article.json',
		]);
	});

	test.each<[string, Parameters<typeof mapperFields>[3]]>([
		['a type as a locator', { typeId: byId('typ-article') }],
		['a type as a plain ID', { typeId: 'typ-article' }],
		['an entry as a locator', { contentId: byId('cnt-1') }],
		['an entry as a plain ID', { contentId: 'cnt-1' }],
	])('needs nothing but %s, which is all that an AI builder passes on', async (_what, given) => {
		const shown = await mapperFields(sandbox(), node, 'contentFields', given);
		expect(shown.fields).toMatchObject(fields);
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

	test('shows the error of the API', async () => {
		const missing = load({ operation: 'update', contentId: byId('cnt-none') });
		await expect(missing).rejects.toThrow('Content Box not found');
	});
});

describe('content types', () => {
	const headline = { key: 'headline', label: 'Headline', type: byId('string') };
	const live = { key: 'live', label: 'Live', type: byId('checkbox') };
	const fields = {
		headline: { label: 'Headline', type: 'string' },
		live: { label: 'Live', type: 'checkbox' },
	};

	test('one is created from rows, read and changed', async () => {
		const [{ id, ...created }] = await rowsOf('contentType.create', {
			title: 'Banner',
			fields: { field: [headline, live] },
			additionalFields: { description: 'Above the fold' },
		});
		const body = { title: 'Banner', description: 'Above the fold', fields };
		const { title, ...sent } = body;
		expect(created).toEqual({ title, sent });
		expect(bodies()).toEqual([{ type: body }]);
		const typeId = byId(String(id));
		expect(await rowsOf('contentType.get', { typeId })).toEqual([{ id, ...body }]);

		const [updated] = await rowsOf('contentType.update', {
			typeId,
			updateFields: { fieldsJson: { headline: fields.headline }, title: 'Top banner' },
		});
		expect(updated).toMatchObject({ title: 'Top banner', fields: { headline: fields.headline } });
		const all = await rowsOf('contentType.getAll', { returnAll: true });
		expect(all.map(({ title }) => title)).toContain('Top banner');
	});

	test('one is created from JSON', async () => {
		const fieldsJson = JSON.stringify(fields);
		await rowsOf('contentType.create', { title: 'Banner', fieldsInput: 'json', fieldsJson });
		expect(bodies()).toEqual([{ type: { title: 'Banner', fields } }]);
	});

	test.each([
		['no rows', { fields: { field: [] } }, '"Fields" must not be empty'],
		[
			'a row without a label',
			{ fields: { field: [{ ...headline, label: '={{ "" }}' }] } },
			'"Label" must not be empty',
		],
		[
			'a row without a type',
			{ fields: { field: [{ ...headline, type: byId('={{ "" }}') }] } },
			'"Type" must not be empty',
		],
		[
			'two rows of one key',
			{ fields: { field: [headline, headline] } },
			'"Fields" must not have the same name twice',
		],
		[
			'JSON without a label',
			{ fieldsInput: 'json', fieldsJson: '{"headline": {"type": "string"}}' },
			'"Fields (JSON)" must have a label and a type for the field "headline"',
		],
		[
			'JSON with a type alone',
			{ fieldsInput: 'json', fieldsJson: '{"headline": "string"}' },
			'"Fields (JSON)" must have a label and a type for the field "headline"',
		],
		[
			'a JSON list',
			{ fieldsInput: 'json', fieldsJson: '[{"label": "Headline", "type": "string"}]' },
			'"Fields (JSON)" must be a JSON object',
		],
	])('%s is refused before anything is sent', async (_case, values, message) => {
		expect(await faultOf('contentType.create', { title: 'Banner', ...values })).toContain(message);
		expect(sandbox().requests).toEqual([]);
	});

	test('a type that the service does not know gives its error', async () => {
		const field = { ...headline, type: byId('hologram') };
		const message = await faultOf('contentType.create', {
			title: 'Banner',
			fields: { field: [field] },
		});
		expect(message).toContain('Fields must be an associative array');
	});
});

test('pickers offer types, entries found by the service, states and field types', async () => {
	const offered = async (list: string, filter?: string) =>
		(await searchList(sandbox(), node, list, {}, filter)).results;
	expect(await offered('contentTypes', 'job')).toEqual([{ name: 'Job', value: 'typ-job' }]);
	const [{ author }] = await rowsOf('content.get', { contentId: byId('cnt-1') }).then((rows) =>
		rows.map(({ data }) => data as { author: string }),
	);
	sandbox().clearRequests();
	// Found in the data, so the label does not hold the text.
	const found = await offered('contents', author);
	expect(found.map(({ value }) => value)).toContain('cnt-1');
	expect(requested()).toEqual([
		`/contentbox/contents.json?search=${encodeURIComponent(author)}&size=100&page=1`,
	]);
	expect((await offered('contentStates')).map(({ value }) => value)).toEqual([
		'archived',
		'draft',
		'public',
	]);
	expect((await offered('contentFieldTypes', 'check')).map(({ value }) => value)).toEqual([
		'checkbox',
	]);
});
