// Platform AI Gateway: connections, vector stores, prompts, knowledge bases, documents, embeddings.
import { told } from '../host/host.cts';
import { areaOf, byId, credentialOf } from '../host/run.cts';
import { embed as vectorOf } from '../../sandbox/areas/aiGateway/text.cts';
import { searchList } from '../host/pickers.cts';

const node = 'platformAiGateway';
const { sandbox, run, rowsOf, one, faultOf, bodies, sent } = areaOf(node, { latencyMs: 2 });

const certificate = [
	'-----BEGIN CERTIFICATE-----',
	'A'.repeat(64),
	'BQ==',
	'-----END CERTIFICATE-----',
].join('\n');

test.each([
	['vendor_d', 'generation'],
	['vendor_a_embeddings_compatible', 'embedding'],
])('the provider %s needs a base URL', async (provider, purpose) => {
	const form = { name: 'Chat', provider, purpose, model: 'chat-1', credential: 'sk-secret-1' };
	const says = `"Base URL" must be set for the provider ${provider}`;
	expect(await faultOf('connection.create', form)).toContain(says);
	expect(sent()).toEqual([]);
});

test.each([
	['connection.rotateCredential', { connectionId: byId('aic-1'), credential: 'sk-secret-3' }],
	[
		'vectorStore.rotateKey',
		{ vectorStoreId: byId('avs-1'), apiKey: 'sk-secret-3', certificateAuthority: 'public' },
	],
])('%s is sent again, and says that this changes nothing', async (operation, parameters) => {
	sandbox().faults.add({ kind: 'status', status: 502 });
	expect(await faultOf(operation, { ...parameters, requests: { retryTime: 1 } })).toMatch(
		/The API failed after \d attempts\. Running it again is safe: it sets the same (key|credential)\./,
	);
});

test('a certificate is sent as PEM, or not at all for a public authority', async () => {
	const { id } = await one('vectorStore.create', {
		name: 'Vectors',
		provider: 'vector_vendor',
		endpoint: 'https://vectors.example.com:6333',
		apiKey: 'vk-secret-1',
		// As a field of one line makes it of a pasted certificate.
		additionalFields: { caCertificate: certificate.replaceAll('\n', ' ') },
	});
	const key = { vectorStoreId: byId(String(id)), apiKey: 'vk-secret-2' };
	const windows = certificate.replaceAll('\n', '\r\n');
	await one('vectorStore.rotateKey', { ...key, caCertificate: windows });
	await one('vectorStore.rotateKey', { ...key, certificateAuthority: 'public' });
	expect(bodies()[0]).toMatchObject({ api_key: 'vk-secret-1', ca_certificate: certificate });
	expect(bodies().slice(1)).toEqual([
		{ api_key: 'vk-secret-2', ca_certificate: windows },
		{ api_key: 'vk-secret-2' },
	]);
});

describe('documents', () => {
	const text = { knowledgeBaseId: byId('akb-5'), name: 'Notes', content: 'First.\n\nSecond.' };

	test('a text is added with metadata from all fields', async () => {
		const item = { meta: { author: 'Ada', page: 9 } };
		const additionalFields = {
			acl: '["group:finance"]',
			language: 'en',
			metadata: '={{ $json.meta }}',
			page: '={{ 3 }}',
			section: 'Releases',
		};
		const then = '{{ JSON.stringify($("Source").item.json) }}';
		const form = { ...text, additionalFields };
		const result = await run('document.add', form, { items: [item], then });
		expect(bodies()).toEqual([
			{
				name: 'Notes',
				content: 'First.\n\nSecond.',
				metadata: {
					acl: ['group:finance'],
					author: 'Ada',
					language: 'en',
					page: 3,
					section: 'Releases',
				},
			},
		]);
		expect(result.then).toEqual([JSON.stringify(item)]);
	});

	test('the descriptor of a connector is sent as it is', async () => {
		const name = 'Agreement';
		const sourceJson = '{"connector":"drive","object":{"id":"7"}}';
		const fault = await faultOf('document.ingest', {
			knowledgeBaseId: byId('akb-3'),
			name,
			sourceType: '',
			sourceJson,
			// Of the other choice, and so hidden.
			url: 'https://files.example.com/x.md',
		});
		expect(bodies()).toEqual([{ name, source: JSON.parse(sourceJson) }]);
		// The sandbox knows remote addresses only.
		expect(fault).toContain('Invalid ingestion manifest');
	});
});

describe('embeddings', () => {
	const connectionId = byId('aic-2');

	interface Embeddings {
		data: Array<{ index: number; embedding: number[] }>;
		usage: { prompt_tokens: number; total_tokens: number };
		svc: Record<string, unknown>;
	}

	const embed = async (passages: unknown, additionalFields = {}) =>
		(await one('embedding.create', {
			simplify: false,
			connectionId,
			passages,
			additionalFields,
		})) as unknown as Embeddings;

	const many = '={{ Array.from({ length: 130 }, (_, n) => "text " + n) }}';

	test('130 passages: three requests, one answer in order, with each of its ledgers', async () => {
		const texts = Array.from({ length: 130 }, (_each, n) => `text ${n}`);
		const { data, svc } = await embed(many, { dimensions: 16 });
		expect(bodies().map(({ input }) => input)).toEqual(
			[0, 64, 128].map((from) => texts.slice(from, from + 64)),
		);
		expect(bodies().every(({ dimensions }) => dimensions === 16)).toBe(true);
		expect(data.map(({ index, embedding }) => [index, embedding])).toEqual(
			texts.map((text, index) => [index, vectorOf(text, 16)]),
		);
		const ledgers = svc.requests as Array<Record<string, unknown>>;
		expect(new Set(ledgers.map(({ request_id }) => request_id)).size).toBe(3);
		expect(svc).toMatchObject({ connection_id: 'aic-2', provider: 'vendor_a' });
		expect(svc).not.toHaveProperty('request_id');
	});

	test.each([
		[{ status: 502 }, 'It may have gone through'],
		[{ status: 400, body: { error: 'Invalid embedding request' } }, 'Invalid embedding request'],
	])(
		"a later request fails with %j: n8n's Retry On Fail pays for nothing again",
		async (response, says) => {
			sandbox().faults.add({ kind: 'status', ...response, nth: 2 });
			const fault = await faultOf(
				'embedding.create',
				{ connectionId, passages: many, additionalFields: { retryBroken: false } },
				{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 } },
			);
			expect(fault).toContain('64 of 130 passages were already embedded');
			expect(fault).toContain(says);
			expect(sandbox().requests).toHaveLength(2);
		},
	);

	/** An answer of the API in place of the sandbox's own. */
	const answer = (body: object, nth?: number) =>
		sandbox().faults.add({ kind: 'status', status: 200, body, nth });

	test.each([
		['lengths: 3, 4', [0, 0, 0, 1], 'm', 'm'],
		['models: m, n', [0, 0, 1], 'm', 'n'],
	])('vectors of several %s in different batches are refused', async (says, other, one, two) => {
		const part = (count: number, embedding: number[], model: string) => ({
			data: Array.from({ length: count }, (_each, index) => ({ index, embedding })),
			model,
		});
		answer(part(64, [1, 0, 0], one), 1);
		answer(part(64, [1, 0, 0], one), 2);
		answer(part(2, other, two), 3);
		const fault = await faultOf('embedding.create', { connectionId, passages: many });
		expect(fault).toContain(`The API returned vectors of several ${says}. None were used`);
		expect(fault).toContain('tokens are spent');
		expect(sandbox().requests).toHaveLength(3);
	});

	test('costs and tokens that come as texts are added up', async () => {
		const part = (count: number, cost: string) => ({
			data: Array.from({ length: count }, (_each, index) => ({ index, embedding: [index] })),
			usage: { total_tokens: String(count) },
			svc: { request_id: cost, estimated_cost_usd: cost },
		});
		answer(part(64, '0.1'), 1);
		answer(part(64, '0.2'), 2);
		answer(part(2, '0.3'), 3);
		const { usage, svc } = await embed(many);
		expect(usage).toEqual({ total_tokens: 130 });
		expect(svc.estimated_cost_usd).toBe(0.6);
		answer(part(64, '0.1'), 1);
		answer({ ...part(64, '0.2'), usage: undefined }, 2);
		answer({ ...part(2, '0.3'), svc: undefined }, 3);
		// A sum of two of three would be too low.
		expect(await embed(many)).toMatchObject({ usage: undefined, svc: undefined });
	});
});

test('a picker finds documents of the chosen base by their text, each once', async () => {
	const knowledgeBaseId = byId('akb-5');
	const paragraph = `An ostrich. ${'It runs. '.repeat(60)}`;
	const content = `${paragraph}\n\n${paragraph}`;
	const { id } = await one('document.add', { knowledgeBaseId, name: 'Birds', content });
	const search = { knowledgeBaseId, query: 'ostrich' };
	expect(await rowsOf('knowledgeBase.search', search)).toHaveLength(2);
	sandbox().clearRequests();
	const form = { resource: 'document', operation: 'get', knowledgeBaseId };
	expect(
		await searchList(sandbox(), node, 'knowledgeBaseDocuments', form, { typed: ' ostrich ' }),
	).toEqual({ results: [{ name: 'Birds', value: id }] });
	expect(bodies()).toEqual([{ query: 'ostrich', limit: 10 }]);
});

describe('Wait Until Indexed', () => {
	const knowledgeBaseId = byId('akb-3');
	const source = {
		knowledgeBaseId,
		name: 'Terms',
		url: 'https://files.example.com/terms.md',
		contentType: 'text/markdown',
	};
	const wait = { waitUntilIndexed: true, waitInterval: 1, waitTimeout: 30 };
	const documents = '/ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json';
	const ingestions = '/ai-gateway/knowledge-bases/{knowledgeBaseId}/ingestions.json';
	const reads = () => sandbox().requests.filter(({ method }) => method === 'GET');

	const ingest = async (form: object = {}, more: object = {}) =>
		await run('document.ingest', { ...source, ...wait, ...form }, more);

	/** At the first looks, the document is in these states, and then in the last one. */
	function looksFind(...states: object[]): void {
		for (const [index, state] of states.entries()) {
			sandbox().faults.add({
				...{ kind: 'status', status: 200, path: documents },
				nth: index === states.length - 1 ? { from: index + 1 } : index + 1,
				body: { chunks_count: 7, ...state },
			});
		}
	}

	const ready = { status: 'stored', index_status: 'ready' };

	test('waits for what Create or Replace has sent', async () => {
		looksFind(ready);
		const replace = async (digit: string) =>
			await one('document.createOrReplace', {
				...{ ...source, ...wait, contentFrom: 'source', sha256: digit.repeat(64) },
			});
		const first = await replace('a');
		expect(first).toMatchObject({ index_status: 'ready', action: 'created' });
		expect(await replace('a')).toMatchObject({ action: 'unchanged' });
		const second = await replace('b');
		expect(second).toMatchObject({ id: first.id, index_status: 'ready', action: 'updated' });
	});

	test('asks nothing where the response says that it is done', async () => {
		const form = { knowledgeBaseId: byId('akb-5'), name: 'Notes', content: 'Text' };
		const { hints } = await run('document.add', { ...form, ...wait });
		expect(sent()).toEqual(['POST /ai-gateway/knowledge-bases/akb-5/documents.json']);
		expect(hints).toEqual([]);
	});

	test('waits for a text, whose ID has another name', async () => {
		const body = { document_id: 'ado-1', index_status: 'queued' };
		const path = '/ai-gateway/knowledge-bases/{knowledgeBaseId}/documents.json';
		sandbox().faults.add({ kind: 'status', status: 201, applied: true, path, body });
		looksFind(ready);
		const form = { knowledgeBaseId, name: 'Notes', content: 'Text', ...wait };
		expect(await one('document.add', form)).toMatchObject(ready);
	});

	// What each pair of states means, unit/edges knows.
	const isLate = "A document isn't ready after 2 seconds. Its state is";
	test.each<[states: object[], looks: number, warning?: string, form?: object]>([
		[[{ status: 'queued', index_status: 'ready' }, ready], 2],
		[[{ status: 'ready', index_status: 'queued' }, ready], 2],
		[[{ status: null, index_status: 'READY' }], 1],
		[[{ index_status: 'whatever', indexed_in_vector_store: true }], 1],
		[
			[
				{ index_status: 'queued', indexed_in_vector_store: true },
				{ index_status: 'queued' },
				ready,
			],
			3,
		],
		[[{ index_status: 'FAILED' }], 1, "A document isn't indexed. Its state is FAILED."],
		[
			[{ index_status: 'queued' }],
			2,
			`${isLate} queued. Get it later to see its state.`,
			{ waitTimeout: 2 },
		],
		[
			[{ index_status: 'embedding' }],
			1,
			`${isLate} embedding. Get it later to see its state.`,
			{ waitTimeout: 2, waitInterval: 3600 },
		],
	])('a document with %j is looked at %d times: %s', async (states, looks, warning, form) => {
		looksFind(...states);
		const begin = Date.now();
		const { items, hints } = await ingest(form);
		const { id } = items[0].json;
		expect(items[0].json).toMatchObject({ name: 'Terms', chunks_count: 7, ...states.at(-1) });
		expect(reads().map(({ path }) => path)).toEqual(
			Array(looks).fill(`/ai-gateway/knowledge-bases/akb-3/documents/${String(id)}.json`),
		);
		expect(hints).toEqual(warning ? [warning] : []);
		// Where nobody sees a hint, the workflow can look at the item.
		expect(items[0].json.warning).toBe(warning);
		expect(Date.now() - begin).toBeLessThan(60_000);
		if (!warning) return;
		sandbox().faults.clear();
		sandbox().clearRequests();
		looksFind(...states);
		const failed = await ingest({ ...form, failIfNotReady: true });
		expect(failed.items).toEqual([]);
		expect(failed.error?.message).toMatch(/^The document ado-\S+ was sent\. A document /);
		expect(failed.error?.message).toContain(warning);
	});

	test('Fail If Not Ready lets pass what is ready, and Retry On Fail sends nothing twice', async () => {
		looksFind(ready);
		const strict = { waitTimeout: 2, failIfNotReady: true };
		expect((await ingest(strict)).items).toHaveLength(1);
		sandbox().faults.clear();
		sandbox().clearRequests();
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { error } = await ingest(strict, { settings });
		expect(error?.message).toContain('was sent');
		expect(sent().filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	test('a document whose ID can not be read has been sent all the same, and the error says so', async () => {
		const body = { id: '..', status: 'queued' };
		sandbox().faults.add({ kind: 'status', status: 200, applied: true, path: ingestions, body });
		expect((await ingest()).error?.message).toBe(
			'"documentId" must be an ID (got ".."). A request before it may have gone through. Check before you run it again.',
		);
	});

	test.each([
		[404, 1, undefined],
		// The message that the reference shows for a document, not the one for its knowledge base.
		[400, 1, undefined],
		[404, 2, /^The document ado-\S+ was sent, but .*Nothing found for "ado-\S+"/],
	])('a document that is not there yet: %i, %i times', async (status, times, says) => {
		const body = { error: 'Document not found' };
		sandbox().faults.add({ kind: 'status', status, path: documents, times, body });
		looksFind({}, ready);
		const { items, error } = await ingest();
		expect(items.map(({ json }) => json.index_status)).toEqual(says ? [] : ['ready']);
		if (says) expect(`${error?.message} ${error?.description}`).toMatch(says);
		expect(reads()).toHaveLength(2);
	});

	test('asks one request at a time for each document', async () => {
		const { id } = await one('document.ingest', source);
		sandbox().clearRequests();
		looksFind({}, {}, ready);
		sandbox().faults.add({ kind: 'delay', ms: 200, path: documents });
		const { url, contentType } = source;
		const { items } = await run(
			'document.replaceSource',
			{ knowledgeBaseId, documentId: byId(String(id)), url, contentType, ...wait },
			{ items: [{}, {}, {}] },
		);
		expect(items).toHaveLength(3);
		const times = sandbox().requests.map(({ startedAt, endedAt }) => [startedAt, endedAt ?? 0]);
		const overlaps = times.filter(([start], index) => index > 0 && start < times[index - 1][1]);
		expect(reads().length).toBeGreaterThan(3);
		expect(overlaps).toEqual([]);
	});

	test('a word that may mean anything ends it after a while, and is named', async () => {
		looksFind({ index_status: 'queued' }, { index_status: 'settled' });
		const [hint] = (await ingest({ waitInterval: 70, waitTimeout: 3600 })).hints;
		const [, seconds] =
			/^A document may not be ready\. Its state has been settled for (\d+) seconds, and the API reference doesn't say/.exec(
				hint,
			) ?? [];
		expect(Number(seconds)).toBeGreaterThanOrEqual(60);
		expect(Number(seconds)).toBeLessThan(90);
	});

	test.each([
		[300, 22],
		[86_400, 60],
	])(
		'in %d seconds it reads less than %d times, and notices the end within a fifth of the time waited',
		async (waitTimeout, most) => {
			looksFind({ index_status: 'embedding' });
			const { hints } = await ingest({ waitInterval: 5, waitTimeout });
			expect(hints).toEqual([expect.stringContaining(`after ${waitTimeout} seconds`)]);
			expect(reads().length).toBeLessThan(most);
			const times = reads().map(({ startedAt }) => startedAt - sandbox().requests[0].startedAt);
			const late = times.filter(
				(time, index) => time - (times[index - 1] ?? 0) > Math.max(6000, time / 5 + 1000),
			);
			expect(late).toEqual([]);
		},
	);

	// The reference calls it a queued manifest, and doesn't show its fields.
	test.each([
		[{ status: 'queued' }, false],
		[{}, false],
		[{ status: 'READY' }, true],
	])('a manifest without an ID, %j: is known to be ready: %s', async (body, isReady) => {
		sandbox().faults.add({ kind: 'status', status: 202, applied: true, path: ingestions, body });
		const noId = "The API returned no ID for it, so it isn't known if it's indexed.";
		const alone = await run('document.ingest', source);
		expect([alone.error, alone.hints]).toEqual([undefined, []]);
		const { items, hints } = await ingest();
		expect(items[0].json).toMatchObject(isReady ? body : { ...body, warning: noId });
		expect(hints).toEqual(isReady ? [] : [noId]);
		const { error } = await ingest({ failIfNotReady: true });
		expect(error?.message).toBe(isReady ? undefined : `The document was sent. ${noId}`);
		expect(reads()).toEqual([]);
	});

	test.each([
		['document.ingest', source, 20],
		['document.add', { knowledgeBaseId, name: 'Notes', content: 'Text' }, 2],
		[
			'document.replaceSource',
			{ knowledgeBaseId, documentId: byId('ado-1'), url: source.url, contentType: 'text/plain' },
			2,
		],
	])('%s in a dry run is over at once', async (operation, form, count) => {
		const begin = Date.now();
		const { items, hints } = await run(
			operation,
			{ ...form, ...wait, failIfNotReady: true },
			{ credential: { ...credentialOf(sandbox()), dryRun: true }, items: Array(count).fill({}) },
		);
		expect(items).toHaveLength(count);
		expect(hints).toEqual([expect.stringMatching(/^Dry run, nothing was sent/)]);
		expect(Date.now() - begin).toBeLessThan(1000);
		expect(sent()).toEqual([]);
	});

	test('ends long before the next look when the execution is cancelled', async () => {
		await ingest({ waitInterval: 20 }, { cancelAfter: 500 });
		expect(reads()).toEqual([]);
	});
});

describe('Document: Add', () => {
	const knowledgeBaseId = byId('akb-5');
	const page = `<!DOCTYPE html>
<html lang="en"><head><title>Refunds</title><style>p { color: red }</style></head>
<body>
  <nav><a href="/">Home</a><a href="/x">Menu</a></nav>
  <script>if (a < b && c > d) document.write("<p>tracked</p>")</script>
  <!-- <p>hidden</p> -->
  <h1>Refunds &amp; credits</h1>
  <p>Ask within 14&nbsp;days,
     and get 5&#160;&euro; &#x2014; <b>in full</b>.</p>
  <ul><li>Card<li>Bank &lt;transfer&gt;</ul>
  <table><tr><td>Yearly</td><td>30 days</td></tr><tr><th>Monthly</th></tr></table>
  <pre>a
   b</pre>
</body></html>`;
	const text = [
		...['Refunds & credits', '', 'Ask within 14 days, and get 5\u00a0€ — in full.', ''],
		...['- Card', '- Bank <transfer>', '', 'Yearly 30 days', 'Monthly', '', 'a\n   b'],
	].join('\n');
	const warning = 'The content was HTML, so its text was added, without scripts, styles and menus.';

	test.each(['text', 'file'])('of a page, its text is added, with a warning: %s', async (from) => {
		const data = Buffer.from(page).toString('base64');
		const files = { data: { data, fileName: 'refunds.html', mimeType: 'text/html' } };
		const form = from === 'file' ? { contentFrom: 'file' } : { name: 'Refunds', content: page };
		const { items, hints } = await run('document.add', { knowledgeBaseId, ...form }, { files });
		expect(bodies().map(({ content }) => content)).toEqual([text]);
		expect(hints).toContain(warning);
		expect(items[0].json.warning).toBe(warning);
	});

	test.each([
		['<p>One</p><div>Two<br>Three</div>', 'One\n\nTwo\nThree'],
		['<html><nav>Menu<p>Never closed</p></html>', 'Menu\n\nNever closed'],
		['<div>a < b <3 &unknown; &#0;</div>', 'a < b <3 &unknown; &#0;'],
		['<html><p>cut <b', 'cut <b'],
		['<div>x<script>var never = "closed"</div>', 'x'],
		// Other text stays as it is.
		['# Heading\n\nUse `<script>` in <b>HTML</b>, a < b.'],
		['<p align="center">A picture</p>\n\n# Readme\n\nText'],
		['a < b and c > d'],
		['{"html": "<p>x</p>"}'],
	])('%j becomes %j', async (content, plain = content) => {
		const { hints } = await run('document.add', { knowledgeBaseId, name: 'Notes', content });
		expect(bodies()).toMatchObject([{ content: plain }]);
		expect(hints.includes(warning)).toBe(plain !== content);
	});

	const file = (content: string | Buffer, fileName = 'a.txt') => ({
		data: { data: Buffer.from(content).toString('base64'), fileName, mimeType: 'text/plain' },
	});

	test.each([
		['{\\rtf1\\ansi Hello}', '"Content" must be plain text, and is RTF'],
		['<html><script>x</script></html>', '"Content" must have text'],
	])('%j is refused', async (content, says) => {
		const form = { knowledgeBaseId, name: 'Notes', content };
		expect(await faultOf('document.add', form)).toContain(says);
		expect(sent()).toEqual([]);
	});

	test.each([
		['a PDF', file('%PDF-1.7 text', 'a.pdf'), 'must be a text file in UTF-8'],
		['one with a NUL', file('A\0B'), 'must be a text file in UTF-8'],
		['one without UTF-8', file(Buffer.from([0xff, 0xfe, 0x41])), 'must be a text file in UTF-8'],
		['an empty one', file(''), 'must name a file with text ("data" is empty)'],
		['none', undefined, 'must name a file of the item (got "data")'],
		['one without a name', file('Text', ''), '"Document Name" must not be empty'],
	])('as a file, %s is refused', async (_what, files, says) => {
		const form = { knowledgeBaseId, contentFrom: 'file' };
		expect(await faultOf('document.add', form, { files })).toContain(says);
		expect(sent()).toEqual([]);
	});

	// What looks back from each of them wouldn't end within the time limit of a test.
	test.each(['<p>text</p>', '<nav>', '<b ', '<!-- ', '< ', '</li>', '&amp;', '<svg><nav>'])(
		'a page of megabytes of %j takes moments',
		async (part) => {
			const content = `<html>${part.repeat(300_000)}x</html>`;
			const form = { knowledgeBaseId, name: 'Long', content };
			const credential = { ...credentialOf(sandbox()), dryRun: true };
			const { hints, error } = await run('document.add', form, { credential });
			expect(error ? told(error) : hints.join()).toMatch(/The content was HTML|must have text/);
		},
	);
});

describe('Get one', () => {
	test('finds a record by ID and by name in the list', async () => {
		const [, { id, name }] = sandbox().state.aiPrompts.prompts.rows;
		const found = { id, name };
		expect(await one('prompt.get', { promptId: byId(id) })).toMatchObject(found);
		expect(sandbox().requests).toHaveLength(1);
		expect(await one('prompt.get', { promptId: byId(name) })).toMatchObject(found);
		expect(await faultOf('prompt.get', { promptId: byId('none') })).toMatch(
			/must be the ID or name of a prompt that the API lists \(got "none"\)/,
		);
	});

	test('an ID comes before the name of another record, and a name that two have is not guessed', async () => {
		const [{ id, name, content }] = sandbox().state.aiPrompts.prompts.rows;
		await one('prompt.create', { name: id, content: 'Other' });
		expect(await one('prompt.get', { promptId: byId(id) })).toMatchObject({ id, content });
		await one('prompt.create', { name, content: 'Other' });
		expect(await faultOf('prompt.get', { promptId: byId(name) })).toMatch(
			/^"Prompt" must be an ID: 2 have the name /,
		);
	});
});
