// Wait Until Indexed in a published workflow: nobody looks at hints there, so Fail If Not Ready starts the error workflow.
import type { IDataObject } from 'n8n-workflow';
import { request } from 'undici';
import { itemsOf } from '../n8n/client.cts';
import { byId, done, given, platform, rowOf, webhook } from '../n8n/parts.cts';
import { setting } from '../n8n/setting.cts';

const running = setting();
describe('a published workflow', () => {
	let ingest: string;
	let onError: string;

	beforeAll(async () => {
		const { n8n, credential } = running();
		const { client } = n8n;
		const errors = rowOf('Not ready', { name: 'Error', type: 'n8n-nodes-base.errorTrigger' }, done);
		({ id: onError } = await client.importWorkflow(errors));
		await client.activate(onError);
		const document = platform('Ingest', 'AiGateway', {
			resource: 'document',
			operation: 'ingest',
			knowledgeBaseId: byId('akb-3'),
			name: 'Terms',
			url: 'https://files.example.com/terms.md',
			contentType: 'text/markdown',
			...{ waitUntilIndexed: true, waitInterval: 1, waitTimeout: 3, failIfNotReady: true },
		});
		const workflow = rowOf('Ingest', webhook('ingest'), document, done);
		workflow.settings = { ...workflow.settings, errorWorkflow: onError };
		({ id: ingest } = await client.importWorkflow(workflow, [credential]));
		await client.activate(ingest);
	});

	afterAll(async () => {
		const { client } = running().n8n;
		await client.deactivate(ingest);
		await client.deactivate(onError);
	});

	test.each<[IDataObject, string | undefined]>([
		[{ status: 'stored', index_status: 'indexed' }, undefined],
		[{ status: 'READY' }, undefined],
		[{ index_status: 'embedding', indexed_in_vector_store: true }, undefined],
		[{ status: 'FAILED', index_status: 'queued' }, "isn't indexed. Its state is FAILED."],
		[{ index_status: 'settled' }, "isn't ready after 3 seconds. Its state is settled."],
		[{ status: 'queued' }, "isn't ready after 3 seconds. Its state is queued."],
	])('a document with %j: %s', async (body, fault) => {
		const { n8n, sandbox } = running();
		const { client, url } = n8n;
		const path = '/ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json';
		sandbox.faults.add({ kind: 'status', status: 200, path, body });
		sandbox.clearRequests();
		const [before, errorsBefore] = [
			await client.waitForExecutions(ingest, 0),
			await client.waitForExecutions(onError, 0),
		];
		const { body: answer } = await request(`${url}/webhook/ingest`, {
			dispatcher: client.dispatcher,
		});
		await answer.dump();
		const [execution] = await client.waitForExecutions(ingest, before.length + 1);
		expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
		if (fault === undefined) {
			expect(execution.status).toBe('success');
			expect(itemsOf(execution, 'Done').map(({ json }) => json)).toEqual([
				expect.objectContaining({ id: expect.any(String), ...body }),
			]);
			expect(await client.waitForExecutions(onError, 0)).toHaveLength(errorsBefore.length);
			return;
		}
		expect(execution.status).toBe('error');
		const [told] = await client.waitForExecutions(onError, errorsBefore.length + 1);
		const [{ execution: failed }] = given(told) as [{ execution: { error: { message: string } } }];
		expect(failed.error.message).toMatch(/^The document ado-\S+ was sent\. A document /);
		expect(failed.error.message).toContain(fault);
	});
});
