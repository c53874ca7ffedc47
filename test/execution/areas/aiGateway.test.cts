// Platform AI Gateway: connections, vector stores, prompts, knowledge bases, documents, embeddings.
import { told } from '../host/host.cts';
import { useLeapingTime } from '../host/leapingTime.cts';
import { byId, run as runOn, sandboxFor } from '../host/run.cts';
import { loadOptions, searchList } from '../host/pickers.cts';

useLeapingTime();
const sandbox = sandboxFor({ customers: 20, latencyMs: 2 });
const node = 'platformAiGateway';

const run = async (operation: string, parameters = {}, options = {}) =>
	await runOn(sandbox(), node, operation, parameters, options);

const rowsOf = async (operation: string, parameters = {}) => {
	const { items, error } = await run(operation, parameters);
	if (error) throw error;
	return items.map(({ json }) => json);
};
const one = async (operation: string, parameters = {}) => (await rowsOf(operation, parameters))[0];
const faultOf = async (operation: string, parameters = {}, options = {}) =>
	told((await run(operation, parameters, options)).error);
const bodies = () => sandbox().requests.map(({ body }) => body as Record<string, unknown>);
const sent = () => sandbox().requests.map(({ method, path }) => `${method} ${path}`);

const certificate = [
	'-----BEGIN CERTIFICATE-----',
	'A'.repeat(64),
	'BQ==',
	'-----END CERTIFICATE-----',
].join('\n');

describe('connections', () => {
	const chat = { name: 'Chat', provider: 'vendor_a', model: 'chat-1', credential: 'sk-secret-1' };

	test('providers come with key and capabilities', async () => {
		const providers = await rowsOf('provider.getAll', { returnAll: true });
		expect(providers.map(({ key }) => key)).toContain('vendor_a_embeddings_compatible');
		expect(providers[0].capabilities).toEqual(['chat', 'streaming', 'embeddings']);
	});

	test('one is created, changed, rotated, tested, disabled and deleted; no secret comes back', async () => {
		const created = await one('connection.create', {
			...chat,
			additionalFields: { inputCost: 2.5, outputCost: 10 },
		});
		expect(bodies()).toEqual([
			{
				...chat,
				purpose: 'generation',
				input_cost_per_million: 2.5,
				output_cost_per_million: 10,
			},
		]);
		const connectionId = byId(String(created.id));
		const rotated = await one('connection.rotateCredential', {
			connectionId,
			credential: 'sk-secret-2',
		});
		expect(rotated).toEqual({ id: created.id, credential_configured: true });
		expect(await one('connection.test', { connectionId })).toMatchObject({
			status: 'succeeded',
			usage: { total_tokens: expect.any(Number) },
		});
		const updateFields = { name: 'Chat 2', baseUrl: 'https://x.example', status: 'disabled' };
		expect(await one('connection.update', { connectionId, updateFields })).toEqual({
			id: created.id,
			name: 'Chat 2',
			status: 'disabled',
		});
		expect(bodies().at(-1)).toEqual({
			name: 'Chat 2',
			base_url: 'https://x.example',
			status: 'disabled',
		});
		expect(await faultOf('connection.test', { connectionId })).toContain(
			'The AI connection is disabled',
		);
		const all = await rowsOf('connection.getAll', { returnAll: true });
		expect(all.find(({ id }) => id === created.id)).toMatchObject({ name: 'Chat 2' });
		expect(JSON.stringify([created, rotated, all])).not.toContain('sk-secret');
		expect(await one('connection.delete', { connectionId })).toEqual({
			deleted: true,
			connection_id: created.id,
		});
		expect(await faultOf('connection.test', { connectionId })).toContain('AI connection not found');
	});

	test.each(['vendor_d', 'vendor_a_compatible', 'vendor_a_embeddings_compatible'])(
		'%s needs a base URL',
		async (provider) => {
			const purpose = provider.includes('embeddings') ? 'embedding' : 'generation';
			const values = { ...chat, provider, purpose };
			expect(await faultOf('connection.create', values)).toContain(
				`"Base URL" must be set for the provider ${provider}`,
			);
			expect(sandbox().requests).toEqual([]);
			const baseUrl = 'https://models.example.com/v1';
			expect(await one('connection.create', { ...values, baseUrl })).toMatchObject({
				base_url: baseUrl,
				purpose,
			});
		},
	);

	test.each([
		['a long name', { name: 'x'.repeat(121) }, '"Name" must have at most 120'],
		['a long model', { model: 'x'.repeat(161) }, '"Model" must have at most 160'],
		['no model', { model: '={{ "" }}' }, '"Model" must not be empty'],
		['no provider', { provider: '={{ "" }}' }, '"Provider Name or ID" must not be empty'],
		['an http address', { baseUrl: 'http://x.example' }, '"Base URL" must be an https:// URL'],
		['another purpose', { purpose: '=chat' }, '"Purpose" must be one of'],
	])('%s is refused before anything is sent', async (_case, values, message) => {
		expect(await faultOf('connection.create', { ...chat, ...values })).toContain(message);
		expect(sandbox().requests).toEqual([]);
	});

	test('what the API refuses about links and models is passed on', async () => {
		expect(await faultOf('connection.delete', { connectionId: byId('aic-1') })).toContain(
			'Remove linked resources before deleting this connection',
		);
		const updateFields = { model: 'embed-other' };
		expect(
			await faultOf('connection.update', { connectionId: byId('aic-2'), updateFields }),
		).toContain('Create a new embedding connection and reindex instead');
	});

	test.each([
		['connection.test', { connectionId: byId('aic-1') }],
		['vectorStore.test', { vectorStoreId: byId('avs-1') }],
		[
			'embedding.create',
			{
				connectionId: byId('aic-2'),
				passages: 'text',
				additionalFields: { retryBroken: false },
			},
		],
		['document.add', { knowledgeBaseId: byId('akb-5'), name: 'n', content: 'c' }],
		[
			'document.replaceSource',
			{
				knowledgeBaseId: byId('akb-3'),
				documentId: byId('ado-1'),
				url: 'https://files.example.com/a.md',
				contentType: 'text/markdown',
			},
		],
	])('%s is sent once when the answer is lost', async (operation, parameters) => {
		sandbox().faults.add({ kind: 'status', status: 502 });
		expect(await faultOf(operation, parameters)).toContain("it wasn't retried");
		expect(sandbox().requests).toHaveLength(1);
	});

	test.each([
		['connection.rotateCredential', { connectionId: byId('aic-1'), credential: 'sk-secret-3' }],
		[
			'vectorStore.rotateKey',
			{ vectorStoreId: byId('avs-1'), apiKey: 'sk-secret-3', certificateAuthority: 'public' },
		],
	])('%s is sent again, and says that this changes nothing', async (operation, parameters) => {
		const fault = sandbox().faults.add({ kind: 'reset-after', times: 1 });
		await one(operation, parameters);
		expect(bodies()).toHaveLength(2);
		fault.remove();
		sandbox().faults.add({ kind: 'status', status: 502 });
		const requests = { retryTime: 1 };
		expect(await faultOf(operation, { ...parameters, requests })).toMatch(
			/The API failed after \d attempts\. Running it again is safe: it sets the same (key|credential)\./,
		);
	});
});

describe('vector stores', () => {
	test.each([
		['by default', { caCertificate: '={{ "" }}' }],
		['empty', { certificateAuthority: 'private', caCertificate: '={{ "" }}' }],
	])('a rotation never drops the private certificate in silence: %s', async (_title, more) => {
		expect(
			await faultOf('vectorStore.rotateKey', {
				vectorStoreId: byId('avs-1'),
				apiKey: 'vk-secret-4',
				...more,
			}),
		).toContain('"CA Certificate" must not be empty');
		expect(sandbox().requests).toEqual([]);
	});

	const store = {
		name: 'Vectors',
		provider: 'vector_vendor',
		endpoint: 'https://vectors.example.com:6333',
		apiKey: 'vk-secret-1',
	};

	test('providers are listed', async () => {
		expect(await rowsOf('vectorStoreProvider.getAll')).toMatchObject([
			{ key: 'vector_vendor', capabilities: ['dense_vectors', 'metadata_filters'] },
		]);
	});

	test('one is created, changed, rotated, tested and deleted', async () => {
		const created = await one('vectorStore.create', {
			...store,
			// As a field of one line makes it of a pasted certificate.
			additionalFields: {
				caCertificate: certificate.replaceAll('\n', ' '),
				collectionPrefix: 'acme',
			},
		});
		expect(bodies()).toEqual([
			{
				name: 'Vectors',
				provider: 'vector_vendor',
				endpoint: store.endpoint,
				api_key: 'vk-secret-1',
				ca_certificate: certificate,
				collection_prefix: 'acme',
			},
		]);
		expect(created).toMatchObject({ tls_ca_configured: true, credential_configured: true });
		const vectorStoreId = byId(String(created.id));

		const windows = certificate.replaceAll('\n', '\r\n');
		await one('vectorStore.rotateKey', {
			vectorStoreId,
			apiKey: 'vk-secret-2',
			caCertificate: windows,
		});
		expect(bodies().at(-1)).toEqual({ api_key: 'vk-secret-2', ca_certificate: windows });
		await one('vectorStore.rotateKey', {
			vectorStoreId,
			apiKey: 'vk-secret-3',
			certificateAuthority: 'public',
		});
		expect(bodies().at(-1)).toEqual({ api_key: 'vk-secret-3' });
		const all = await rowsOf('vectorStore.getAll', { returnAll: true });
		expect(all.find(({ id }) => id === created.id)).toMatchObject({ tls_ca_configured: false });
		expect(JSON.stringify([created, all])).not.toMatch(/vk-secret|BEGIN/);

		const updateFields = {
			name: 'Vectors 2',
			endpoint: 'https://other.example.com',
			collectionPrefix: 'acme2',
			status: 'disabled',
		};
		expect(await one('vectorStore.update', { vectorStoreId, updateFields })).toMatchObject({
			name: 'Vectors 2',
			status: 'disabled',
		});
		expect(await faultOf('vectorStore.test', { vectorStoreId })).toContain(
			'The vector store is disabled',
		);
		await one('vectorStore.update', { vectorStoreId, updateFields: { status: 'active' } });
		expect(await one('vectorStore.test', { vectorStoreId })).toMatchObject({
			vector_store_id: created.id,
			status: 'succeeded',
		});
		expect(await one('vectorStore.delete', { vectorStoreId })).toMatchObject({ deleted: true });
	});

	test.each([
		[
			'an http endpoint',
			{ endpoint: 'http://vectors.example.com' },
			'"Endpoint" must be https:// and a host',
		],
		['no key', { apiKey: '={{ "" }}' }, '"API Key" must not be empty'],
		[
			'a prefix with a capital',
			{ additionalFields: { collectionPrefix: 'Acme' } },
			'"Collection Prefix" must be lowercase',
		],
		[
			'a certificate in another form',
			{ additionalFields: { caCertificate: 'MIIBsecret' } },
			'"CA Certificate" must be a PEM certificate',
		],
	])('%s is refused before anything is sent', async (_case, values, message) => {
		const fault = await faultOf('vectorStore.create', { ...store, ...values });
		expect(fault).toContain(message);
		expect(fault).not.toContain('secret');
		expect(sandbox().requests).toEqual([]);
	});

	test('a store in use is not deleted', async () => {
		expect(await faultOf('vectorStore.delete', { vectorStoreId: byId('avs-1') })).toContain(
			'Remove linked knowledge bases before deletion',
		);
	});
});

test('a prompt is created as version 1 and listed', async () => {
	const created = await one('prompt.create', { name: 'Support', content: 'Answer politely.' });
	expect(created).toMatchObject({ name: 'Support', version: 1, status: 'published' });
	const all = await rowsOf('prompt.getAll', { returnAll: true });
	expect(all.find(({ id }) => id === created.id)).toMatchObject({ content: 'Answer politely.' });
	sandbox().clearRequests();
	expect(
		await faultOf('prompt.create', { name: 'Support', content: 'x'.repeat(32_001) }),
	).toContain('"Content" must have at most 32000');
	expect(sandbox().requests).toEqual([]);
});

describe('knowledge bases', () => {
	const links = { vectorStoreId: byId('avs-1'), embeddingConnectionId: byId('aic-2') };

	test('a lexical one is created without links, whatever hidden fields hold', async () => {
		const created = await one('knowledgeBase.create', {
			name: 'Handbook',
			...links,
			additionalFields: { description: 'For staff' },
		});
		expect(bodies()).toEqual([
			{ name: 'Handbook', retrieval_mode: 'lexical', description: 'For staff' },
		]);
		expect(created).toMatchObject({ status: 'empty', documents_count: 0, chunks_count: 0 });
		const all = await rowsOf('knowledgeBase.getAll', { returnAll: true });
		expect(all.map(({ id }) => id)).toContain(created.id);
	});

	test.each(['vector', '={{ "vector" }}'])('a vector one takes both links (%s)', async (mode) => {
		const created = await one('knowledgeBase.create', {
			name: 'Contracts',
			retrievalMode: mode,
			...links,
			additionalFields: { contentStorageMode: 'vector_store_payload' },
		});
		expect(created).toMatchObject({
			retrieval_mode: 'vector',
			vector_store_id: 'avs-1',
			embedding_connection_id: 'aic-2',
			content_storage_mode: 'vector_store_payload',
		});
	});

	test.each([
		['no store', { vectorStoreId: byId('={{ "" }}') }, '"Vector Store" must not be empty'],
		[
			'no embedding connection',
			{ embeddingConnectionId: byId('={{ "" }}') },
			'"Embedding Connection" must not be empty',
		],
		['a long name', { name: 'x'.repeat(121) }, '"Name" must have at most 120'],
		[
			'a long description',
			{ additionalFields: { description: 'x'.repeat(501) } },
			'"Description" must have at most 500',
		],
		[
			'content in the vector store without vector retrieval',
			{
				retrievalMode: 'lexical',
				additionalFields: { contentStorageMode: 'vector_store_payload' },
			},
			'"Content Storage" can only be the vector store if Retrieval Mode is Vector',
		],
	])('%s is refused before anything is sent', async (_case, values, message) => {
		const valid = { name: 'Contracts', retrievalMode: 'vector', ...links };
		expect(await faultOf('knowledgeBase.create', { ...valid, ...values })).toContain(message);
		expect(sandbox().requests).toEqual([]);
	});

	test('evaluations: 20 unless asked for more', async () => {
		const knowledgeBaseId = byId('akb-1');
		expect(await rowsOf('knowledgeBase.getEvaluations', { knowledgeBaseId })).toHaveLength(20);
		const filters = { evaluations: 24 };
		const all = await rowsOf('knowledgeBase.getEvaluations', { knowledgeBaseId, filters });
		expect(all).toHaveLength(24);
		expect(all[0]).toMatchObject({ metrics: { recall_at_5: expect.any(Number) } });
		expect(sent()).toEqual([
			'GET /ai-gateway/knowledge-bases/akb-1/evaluations.json',
			'GET /ai-gateway/knowledge-bases/akb-1/evaluations.json?limit=24',
		]);
	});
});

describe('search', () => {
	const knowledgeBaseId = byId('akb-1');
	const query = 'refund of a payment, invoices, password, export';

	test('passages come one item each, best first', async () => {
		const passages = await rowsOf('knowledgeBase.search', { knowledgeBaseId, query });
		expect(passages).toHaveLength(5);
		expect(passages[0]).toMatchObject({ content: expect.any(String), score: expect.any(Number) });
		const scores = passages.map(({ score }) => Number(score));
		expect(scores).toEqual([...scores].sort((a, b) => b - a));
		expect(bodies()).toEqual([{ query }]);
	});

	test('the whole answer is one item', async () => {
		const answer = await rowsOf('knowledgeBase.search', {
			knowledgeBaseId,
			query,
			output: 'answer',
			additionalFields: { passages: 2 },
		});
		expect(bodies()).toEqual([{ query, limit: 2 }]);
		expect(answer).toMatchObject([
			{ knowledge_base: { id: 'akb-1', retrieval_mode: 'lexical' }, count: 2 },
		]);
		expect(answer[0].results).toHaveLength(2);
	});

	test('nothing found is no item', async () => {
		expect(await rowsOf('knowledgeBase.search', { knowledgeBaseId, query: 'zyxwv' })).toEqual([]);
	});

	test('principals restrict the passages; an empty list leaves the public ones', async () => {
		const find = async (principals: string) => {
			const passages = await rowsOf('knowledgeBase.search', {
				knowledgeBaseId: byId('akb-4'),
				query: 'salary travel refund',
				additionalFields: { principals, passages: 10 },
			});
			return [...new Set(passages.map(({ document_name }) => document_name))].sort();
		};
		expect(await find('["group:people"]')).toEqual(['Salary bands', 'Travel policy']);
		expect(await find('[]')).toEqual(['Travel policy']);
	});

	test.each([
		['no query', { query: '={{ "" }}' }, '"Query" must not be empty'],
		['a long query', { query: 'x'.repeat(32_001) }, '"Query" must have at most 32000'],
		['11 passages', { additionalFields: { passages: 11 } }, '"Max Passages" must be between 1'],
		['0 passages', { additionalFields: { passages: 0 } }, '"Max Passages" must be between 1'],
		// What would search without a restriction.
		[
			'principals that are blank',
			{ additionalFields: { principals: '["group:a", " "]' } },
			'"Principals (JSON)" must not have empty entries',
		],
		[
			'principals that are null',
			{ additionalFields: { principals: '[null]' } },
			'"Principals (JSON)" must not have empty entries',
		],
		[
			'principals that an expression left out',
			{ additionalFields: { principals: '={{ $json.groups }}' } },
			'"Principals (JSON)" must not be empty',
		],
		[
			'principals that are no list',
			{ additionalFields: { principals: '{"group":"people"}' } },
			'"Principals (JSON)" must be a JSON array',
		],
	])('%s is refused before anything is sent', async (_case, values, message) => {
		const fault = await faultOf('knowledgeBase.search', { knowledgeBaseId, query, ...values });
		expect(fault).toContain(message);
		expect(sandbox().requests).toEqual([]);
	});

	test('a search only reads, so it is repeated', async () => {
		sandbox().faults.add({ kind: 'status', status: 502, times: 1 });
		const passages = await rowsOf('knowledgeBase.search', { knowledgeBaseId, query });
		expect(passages).toHaveLength(5);
		expect(sandbox().requests).toHaveLength(2);
	});

	test('a base that is not ready gives the error of the API', async () => {
		expect(
			await faultOf('knowledgeBase.search', { knowledgeBaseId: byId('akb-6'), query }),
		).toContain('Knowledge base is not ready');
	});
});

describe('documents', () => {
	const text = { knowledgeBaseId: byId('akb-5'), name: 'Notes', content: 'First.\n\nSecond.' };

	test('a text is added with metadata from all fields, and read back', async () => {
		const item = { meta: { author: 'Ada', page: 9 } };
		const result = await run(
			'document.add',
			{
				...text,
				additionalFields: {
					acl: '["group:finance"]',
					language: 'en',
					metadata: '={{ $json.meta }}',
					page: '={{ 3 }}',
					section: 'Releases',
				},
			},
			{ items: [item], then: '{{ JSON.stringify($("Source").item.json) }}' },
		);
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
		const added = result.items[0].json;
		expect(added).toMatchObject({ chunks_count: 1, indexed_in_vector_store: false });
		const read = await one('document.get', {
			knowledgeBaseId: text.knowledgeBaseId,
			documentId: byId(String(added.id)),
		});
		expect(read).toMatchObject({ id: added.id, name: 'Notes', chunks_count: 1 });
	});

	test('an empty access list is sent, since it makes the document public', async () => {
		await one('document.add', { ...text, additionalFields: { acl: '[]' } });
		expect(bodies()[0].metadata).toEqual({ acl: [] });
	});

	const remote = {
		knowledgeBaseId: byId('akb-3'),
		name: 'Agreement',
		url: 'https://files.example.com/agreement.md?signature=abc',
		contentType: 'text/markdown',
	};

	const fields = (count: number) =>
		JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_each, key) => [key, 1])));

	test.each([
		['no content', { content: '={{ "" }}' }, '"Content" must not be empty'],
		['a long name', { name: 'x'.repeat(181) }, '"Name" must have at most 180'],
		[
			'no access list',
			{ additionalFields: { acl: '={{ $json.readers }}' } },
			'"Access List (JSON)" must not be empty',
		],
		[
			'21 metadata fields, one of which has its own field',
			{ additionalFields: { metadata: fields(20), page: '1' } },
			'"Metadata (JSON)" must have at most 20 fields (got 21)',
		],
		[
			'metadata over 8 KB',
			{ additionalFields: { metadata: JSON.stringify({ note: 'é'.repeat(4096) }) } },
			'"Metadata (JSON)" must have at most 8192 bytes',
		],
		[
			'metadata that is no object',
			{ additionalFields: { metadata: '[1]' } },
			'"Metadata (JSON)" must be a JSON object',
		],
	])('%s is refused before anything is sent', async (_case, values, message) => {
		expect(await faultOf('document.add', { ...text, ...values })).toContain(message);
		expect(sandbox().requests).toEqual([]);
	});

	// It could make the document public, which only an empty list says on purpose.
	test.each(['null', '""', '" "', '0', 'false', '{}', '["group:a", ""]', '[0]', '[{}]'])(
		'an access list of %s is refused, wherever it stands',
		async (acl) => {
			const metadata = `{"acl": ${acl}}`;
			const refused = [
				await faultOf('document.add', { ...text, additionalFields: { acl } }),
				await faultOf('document.add', { ...text, additionalFields: { metadata } }),
				await faultOf('document.ingest', { ...remote, additionalFields: { metadata } }),
			];
			expect(refused).toEqual([
				expect.stringContaining('"Access List (JSON)" must name who can see the document'),
				expect.stringContaining('"Access List (JSON)" must name who can see the document'),
				expect.stringMatching(/"Metadata \(JSON\)" must (name in acl who|only have text, number)/),
			]);
			expect(sandbox().requests).toEqual([]);
		},
	);

	test('20 metadata fields are sent', async () => {
		await one('document.add', {
			...text,
			additionalFields: { metadata: fields(19), page: '1' },
		});
		expect(Object.keys(bodies()[0].metadata as object)).toHaveLength(20);
	});

	test('a remote document is queued, and queued again with another source', async () => {
		const queued = await one('document.ingest', {
			...remote,
			sha256: 'a1'.repeat(32),
			additionalFields: { metadata: '{"acl":"legal","draft":false,"year":2026,"page":null}' },
		});
		expect(bodies()).toEqual([
			{
				name: 'Agreement',
				source: {
					type: 'remote_url',
					url: remote.url,
					content_type: 'text/markdown',
					sha256: 'a1'.repeat(32),
				},
				metadata: { acl: 'legal', draft: false, year: 2026, page: null },
			},
		]);
		expect(queued).toMatchObject({ status: 'queued', ingestion_attempts: 0 });
		const { knowledgeBaseId } = remote;
		const documentId = byId(String(queued.id));
		const replaced = await one('document.replaceSource', {
			knowledgeBaseId,
			documentId,
			url: 'https://files.example.com/v2.md',
			contentType: 'text/markdown',
		});
		expect(bodies().at(-1)).toEqual({
			source: {
				type: 'remote_url',
				url: 'https://files.example.com/v2.md',
				content_type: 'text/markdown',
			},
		});
		expect(replaced).toMatchObject({ id: queued.id, source_version: 2, status: 'queued' });
		const read = await one('document.get', { knowledgeBaseId, documentId });
		expect(read).toMatchObject({ source_type: 'remote_url', source_version: 2 });
	});

	test('the descriptor of a connector is sent as it is', async () => {
		const { knowledgeBaseId, name } = remote;
		const sourceJson = '{"connector":"drive","object":{"id":"7"}}';
		const fault = await faultOf('document.ingest', {
			knowledgeBaseId,
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

	test.each([
		['no address', { url: '={{ "" }}' }, '"URL" must not be empty'],
		['an http address', { url: 'http://files.example.com/a' }, '"URL" must be an https:// URL'],
		[
			'a password in it',
			{ url: 'https://u:p@files.example.com/a' },
			'"URL" must be an https:// URL',
		],
		['no content type', { contentType: '={{ "" }}' }, '"Content Type" must not be empty'],
		['half a checksum', { sha256: 'A1'.repeat(16) }, '"SHA-256 Checksum" must be a SHA-256'],
		['a connector without descriptor', { sourceType: '' }, '"Source (JSON)" must not be empty'],
		[
			'metadata that is not flat',
			{ additionalFields: { metadata: '{"ok":1,"tags":["a"]}' } },
			'"Metadata (JSON)" must only have text, number, boolean and null values (see tags)',
		],
		[
			'21 metadata fields',
			{ additionalFields: { metadata: fields(21) } },
			'"Metadata (JSON)" must have at most 20 fields',
		],
	])('%s is refused before anything is sent', async (_case, values, message) => {
		expect(await faultOf('document.ingest', { ...remote, ...values })).toContain(message);
		expect(sandbox().requests).toEqual([]);
	});

	test('a base that keeps its content itself, and a document of another one, are refused', async () => {
		expect(
			await faultOf('document.ingest', { ...remote, knowledgeBaseId: byId('akb-1') }),
		).toContain('Invalid ingestion manifest');
		const fault = await faultOf('document.get', {
			knowledgeBaseId: byId('akb-2'),
			documentId: byId('ado-1'),
		});
		expect(fault).toContain('Document not found');
		expect(fault).toContain('Document "ado-1"');
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

	test('one text is sent as it is, with its options', async () => {
		const { data, svc } = await embed('[1] is no list', {
			dimensions: 8,
			inputType: 'query',
			model: 'embed-small-1',
		});
		expect(bodies()).toEqual([
			{
				connection_id: 'aic-2',
				input: '[1] is no list',
				dimensions: 8,
				input_type: 'query',
				model: 'embed-small-1',
			},
		]);
		expect(sent()).toEqual(['POST /ai-gateway/embeddings']);
		expect(data[0].embedding).toHaveLength(8);
		expect(svc).toEqual({
			request_id: expect.any(String),
			run_id: expect.any(String),
			connection_id: 'aic-2',
			provider: 'vendor_a',
			input_items: 1,
			dimensions: 8,
			estimated_cost_usd: expect.any(Number),
		});
	});

	test('130 passages: three requests, one answer in order with everything added up', async () => {
		const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
		const text = (index: number) => `${words[index % 5]} ${words[(index % 7) % 5]} ${index}`;
		const expression = `={{ Array.from({ length: 130 }, (_, n) => { const w = ${JSON.stringify(words)}; return w[n % 5] + ' ' + w[n % 7 % 5] + ' ' + n; }) }}`;
		const all = await embed(expression, { dimensions: 16 });
		expect(bodies().map(({ input }) => (input as string[]).length)).toEqual([64, 64, 2]);
		expect(bodies().flatMap(({ input }) => input)).toEqual(
			Array.from({ length: 130 }, (_each, index) => text(index)),
		);
		expect(bodies().every(({ dimensions }) => dimensions === 16)).toBe(true);
		expect(all.data.map(({ index }) => index)).toEqual(
			Array.from({ length: 130 }, (_each, index) => index),
		);

		const usage = { prompt_tokens: 0, total_tokens: 0 };
		for (const [from, to] of [
			[0, 64],
			[64, 128],
			[128, 130],
		]) {
			const part = await embed(
				`={{ ${JSON.stringify(Array.from({ length: to - from }, (_each, index) => text(from + index)))} }}`,
				{ dimensions: 16 },
			);
			usage.prompt_tokens += part.usage.prompt_tokens;
			usage.total_tokens += part.usage.total_tokens;
			expect(all.data.slice(from, to).map(({ embedding }) => embedding)).toEqual(
				part.data.map(({ embedding }) => embedding),
			);
		}
		expect(all.usage).toEqual(usage);
		const ledgers = all.svc.requests as Array<Record<string, unknown>>;
		expect(new Set(ledgers.map(({ request_id }) => request_id)).size).toBe(3);
		expect(all.svc).toMatchObject({ connection_id: 'aic-2', provider: 'vendor_a' });
		expect(all.svc).not.toHaveProperty('request_id');
		expect(all.svc.estimated_cost_usd).toBeCloseTo(
			ledgers.reduce((sum, { estimated_cost_usd }) => sum + Number(estimated_cost_usd), 0),
			12,
		);
	});

	test('more than 1 MB of passages is split', async () => {
		await embed('={{ Array.from({ length: 10 }, () => "word ".repeat(26214)) }}');
		expect(bodies().map(({ input }) => (input as string[]).length)).toEqual([7, 3]);
	});

	test.each([
		['no passage', '={{ [] }}', '"Passages" must have at least 1'],
		['an empty text', '={{ "" }}', '"Passages" must not be empty'],
		['an empty passage', '={{ ["a", ""] }}', '"Passages" must not be empty (passage 2 of 2)'],
		['a long passage', '={{ "x".repeat(131073) }}', '"Passages" must have at most 131072 bytes'],
		['a list of objects', '={{ [{ a: 1 }] }}', '"Passages" must be text'],
	])('%s is refused before anything is sent', async (_case, passages, message) => {
		expect(await faultOf('embedding.create', { connectionId, passages })).toContain(message);
		expect(sandbox().requests).toEqual([]);
	});

	test.each([0, 65_537, 1.5])('%p dimensions are refused', async (dimensions) => {
		const values = { connectionId, passages: 'a', additionalFields: { dimensions } };
		expect(await faultOf('embedding.create', values)).toContain('"Dimensions" must be');
		expect(sandbox().requests).toEqual([]);
	});

	const many = '={{ Array.from({ length: 130 }, (_, n) => "text " + n) }}';

	test('a later request that fails says how many passages were done before it', async () => {
		sandbox().faults.add({ kind: 'status', status: 502, nth: 2 });
		const additionalFields = { retryBroken: false };
		const fault = await faultOf('embedding.create', {
			connectionId,
			passages: many,
			additionalFields,
		});
		expect(fault).toContain('64 of 130 passages were already embedded');
		expect(fault).toContain('may have gone through');
		expect(sandbox().requests).toHaveLength(2);
	});

	test('a request that broke is sent again, unless the form says otherwise', async () => {
		sandbox().faults.add({ kind: 'status', status: 502, nth: 2 });
		const { data } = await embed(many);
		expect(data).toHaveLength(130);
		expect(sandbox().requests).toHaveLength(4);
	});

	test('a request that keeps breaking says how often it was sent', async () => {
		sandbox().faults.add({ kind: 'status', status: 504 });
		const requests = { retryTime: 1 };
		const fault = await faultOf('embedding.create', { connectionId, passages: 'a', requests });
		expect(fault).toMatch(/HTTP 504.*The API failed after \d attempts\./);
	});

	/** An answer of the API in place of the sandbox's own. */
	const answer = (body: object, nth?: number) =>
		sandbox().faults.add({ kind: 'status', status: 200, body, nth });

	test('vectors come in the order of the passages', async () => {
		answer({
			data: [
				{ index: '1', embedding: [1] },
				{ index: '0', embedding: [0] },
			],
		});
		const { data } = await embed('={{ ["zero", "one"] }}');
		expect(data).toEqual([
			{ index: 0, embedding: [0] },
			{ index: 1, embedding: [1] },
		]);
	});

	test.each([
		['one too few', [{ index: 0, embedding: [1] }]],
		['one of another kind', [0, 1].map((index) => ({ index, embedding: 'AAAA' }))],
	])('an answer with %s is refused', async (_title, data) => {
		answer({ data });
		expect(
			await faultOf('embedding.create', { connectionId, passages: '={{ ["zero", "one"] }}' }),
		).toMatch(/returned \d entries with \d usable vectors for 2 texts/);
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
	});

	test("n8n's Retry On Fail does not pay for the first passages again", async () => {
		sandbox().faults.add({
			kind: 'status',
			status: 400,
			body: { error: 'Invalid embedding request' },
			nth: 2,
		});
		const fault = await faultOf(
			'embedding.create',
			{ connectionId, passages: many },
			{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 } },
		);
		expect(fault).toContain('64 of 130');
		expect(sandbox().requests).toHaveLength(2);
	});

	test('the budget and a connection of another purpose give the error of the API', async () => {
		const { budget } = sandbox().state.aiEmbeddings;
		const { limitUsd } = budget;
		budget.limitUsd = 0;
		expect(await faultOf('embedding.create', { connectionId, passages: 'a' })).toContain(
			'AI Gateway monthly budget would be exceeded',
		);
		budget.limitUsd = limitUsd;
		expect(
			await faultOf('embedding.create', { connectionId: byId('aic-1'), passages: 'a' }),
		).toContain('Invalid embedding request');
	});
});

describe('pickers', () => {
	test('providers are offered by key', async () => {
		expect(await loadOptions(sandbox(), node, 'aiProviders')).toContainEqual({
			name: 'Vendor A, chat, streaming, embeddings',
			value: 'vendor_a',
		});
		expect(await loadOptions(sandbox(), node, 'vectorStoreProviders')).toEqual([
			{ name: 'Vector vendor', value: 'vector_vendor' },
		]);
	});

	test('embedding connections leave out those for generation', async () => {
		const values = async (list: string) =>
			(await searchList(sandbox(), node, list)).results.map(({ value }) => value);
		expect(await values('aiConnections')).toEqual(
			expect.arrayContaining(['aic-1', 'aic-2', 'aic-3']),
		);
		const embedding = await values('embeddingConnections');
		expect(embedding).toEqual(expect.arrayContaining(['aic-2', 'aic-3']));
		expect(embedding).not.toContain('aic-1');
	});

	const form = { resource: 'document', operation: 'get', knowledgeBaseId: byId('akb-5') };

	test('documents of the chosen base are found by their text, each once', async () => {
		const paragraph = `An ostrich. ${'It runs. '.repeat(60)}`;
		const document = { knowledgeBaseId: form.knowledgeBaseId, name: 'Birds' };
		const { id } = await one('document.add', {
			...document,
			content: `${paragraph}\n\n${paragraph}`,
		});
		const search = { knowledgeBaseId: form.knowledgeBaseId, query: 'ostrich' };
		expect(await rowsOf('knowledgeBase.search', search)).toHaveLength(2);
		sandbox().clearRequests();
		expect(await searchList(sandbox(), node, 'knowledgeBaseDocuments', form, ' ostrich ')).toEqual({
			results: [{ name: 'Birds', value: id }],
		});
		expect(bodies()).toEqual([{ query: 'ostrich', limit: 10 }]);
	});

	test('nothing is searched before something is typed', async () => {
		expect(await searchList(sandbox(), node, 'knowledgeBaseDocuments', form)).toEqual({
			results: [],
		});
		expect(sandbox().requests).toEqual([]);
	});
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
	const state = '/ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json';
	const reads = () => sent().filter((request) => request.startsWith('GET'));

	/** From the `nth` look on, the document is in a state that no document names. */
	const indexedFrom = (nth: number) =>
		sandbox().faults.add({
			kind: 'status',
			status: 200,
			path: state,
			nth: { from: nth },
			body: { status: 'embedded', index_status: 'embedded', chunks_count: 7 },
		});

	test('asks until the state is no longer queued, and gives back what it is', async () => {
		indexedFrom(2);
		const document = await one('document.ingest', { ...source, ...wait });
		expect(document).toMatchObject({
			name: 'Terms',
			status: 'embedded',
			index_status: 'embedded',
			chunks_count: 7,
		});
		expect(document.id).toEqual(expect.any(String));
		expect(reads()).toEqual(
			Array(2).fill(`GET /ai-gateway/knowledge-bases/akb-3/documents/${String(document.id)}.json`),
		);
	});

	test('asks nothing where the answer says that it is done', async () => {
		await one('document.add', {
			knowledgeBaseId: byId('akb-5'),
			name: 'Notes',
			content: 'Text',
			...wait,
		});
		expect(sent()).toEqual(['POST /ai-gateway/knowledge-bases/akb-5/documents.json']);
	});

	test('asks nothing without the option', async () => {
		expect(await one('document.ingest', source)).toMatchObject({ status: 'queued' });
		expect(reads()).toEqual([]);
	});

	test('waits for a replaced source', async () => {
		const { id } = await one('document.ingest', source);
		sandbox().clearRequests();
		indexedFrom(1);
		const { url, contentType } = source;
		expect(
			await one('document.replaceSource', {
				knowledgeBaseId,
				documentId: byId(String(id)),
				url,
				contentType,
				...wait,
			}),
		).toMatchObject({ id, source_version: 2, status: 'embedded' });
		expect(reads()).toHaveLength(1);
	});

	test('gives back a document that is still queued when the time is over, and says so', async () => {
		const { items, hints } = await run('document.ingest', {
			...source,
			...wait,
			waitTimeout: 2,
		});
		expect(items[0].json).toMatchObject({ status: 'queued' });
		expect(hints).toEqual([expect.stringMatching(/still queued after 2 seconds/)]);
	});

	test('names the document when its state cannot be read, and is not sent again', async () => {
		sandbox().faults.add({ kind: 'status', status: 403, path: state });
		const fault = await faultOf(
			'document.ingest',
			{ ...source, ...wait },
			{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 } },
		);
		expect(fault).toMatch(/^The document ado-\S+ was sent, but its state couldn't be read: /);
		expect(sent().filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	test.each([
		[1, undefined],
		[2, /^The document ado-\S+ was sent, but .*Nothing found for "ado-\S+"/],
	])('a document that is not there yet: not found %i times', async (times, says) => {
		const notFound = { kind: 'status', status: 404, path: state, times } as const;
		sandbox().faults.add({ ...notFound, body: { error: 'Document not found' } });
		indexedFrom(2);
		const { items, error } = await run('document.ingest', { ...source, ...wait });
		expect(items.map(({ json }) => json.status)).toEqual(says ? [] : ['embedded']);
		if (says) expect(`${error?.message} ${error?.description}`).toMatch(says);
		expect(reads()).toHaveLength(2);
	});

	test('asks one request at a time for each document', async () => {
		const { id } = await one('document.ingest', source);
		sandbox().clearRequests();
		indexedFrom(3);
		sandbox().faults.add({ kind: 'delay', ms: 200, path: state });
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

	test('ends long before the next look when the execution is cancelled', async () => {
		const begin = Date.now();
		await run('document.ingest', { ...source, ...wait, waitInterval: 20 }, { cancelAfter: 500 });
		expect(Date.now() - begin).toBeLessThan(5000);
	});
});

describe('Document: Add from a file', () => {
	const knowledgeBaseId = byId('akb-5');
	const file = (content: string | Buffer, fileName: string, mimeType = 'text/plain') => ({
		data: { data: Buffer.from(content).toString('base64'), fileName, mimeType },
	});
	const form = { knowledgeBaseId, contentFrom: 'file' };

	test.each([
		['text', 'Häuser & Gärten', 'houses.txt'],
		['Markdown', '# Title\n\n- one', 'guide.md'],
		['HTML', '<h1>Title</h1>', 'page.html'],
	])('%s is sent as it is, by the name of the file', async (_title, content, name) => {
		const { error } = await run('document.add', form, { files: file(content, name) });
		expect(error).toBeUndefined();
		expect(bodies()).toEqual([{ name, content }]);
	});

	test('another name and another field', async () => {
		const files = { upload: file('Text', 'a.txt').data };
		await run(
			'document.add',
			{ ...form, binaryPropertyName: 'upload', fileDocumentName: 'Handbook' },
			{ files },
		);
		expect(bodies()).toEqual([{ name: 'Handbook', content: 'Text' }]);
	});

	test.each([
		['a PDF', file('%PDF-1.7 text', 'a.pdf', 'application/pdf'), /must be a text file in UTF-8/],
		['no UTF-8', file(Buffer.from([0xff, 0xfe, 0x41]), 'a.txt'), /must be a text file in UTF-8/],
		['an empty file', file('', 'a.txt'), /"Input Data Field Name" must not be empty/],
		['no file', undefined, /must name a file of the item \(got "data"\)/],
		['no name', file('Text', ''), /"Document Name" must not be empty/],
	])('%s is refused before anything is sent', async (_title, files, message) => {
		expect(await faultOf('document.add', form, { files })).toMatch(message);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('Get one', () => {
	test.each([
		['prompt', 'promptId', 'prompts', 'aiPrompts'],
		['connection', 'connectionId', 'connections', 'aiConnections'],
		['vectorStore', 'vectorStoreId', 'stores', 'aiVectorStores'],
		['knowledgeBase', 'knowledgeBaseId', 'bases', 'aiKnowledgeBases'],
	] as const)('%s by ID and by name, from their list', async (resource, id, list, area) => {
		const state = sandbox().state[area] as unknown as Record<
			string,
			{ rows: Array<{ id: string; name: string }> }
		>;
		const wanted = state[list].rows[1];
		const names = state[list].rows.filter(({ name }) => name === wanted.name);
		expect(names).toHaveLength(1);
		const found = { id: wanted.id, name: wanted.name };
		expect(await one(`${resource}.get`, { [id]: byId(wanted.id) })).toMatchObject(found);
		expect(sandbox().requests).toHaveLength(1);
		expect(await one(`${resource}.get`, { [id]: byId(wanted.name) })).toMatchObject(found);
		expect(await faultOf(`${resource}.get`, { [id]: byId('none') })).toMatch(
			/must be the ID or name of a .* that the API lists \(got "none"\)/,
		);
	});

	test('a name that two have is not guessed', async () => {
		const { rows } = sandbox().state.aiPrompts.prompts;
		const [{ name }] = rows;
		await one('prompt.create', { name, content: 'Other' });
		expect(await faultOf('prompt.get', { promptId: byId(name) })).toMatch(
			/^"Prompt" must be an ID: 2 have the name /,
		);
	});
});
