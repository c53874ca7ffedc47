// Wait Until Indexed in a published workflow: nobody looks at hints there, so Fail If Not Ready starts the error workflow.
import type { IDataObject } from 'n8n-workflow';
import { request } from 'undici';
import { itemsOf } from '../n8n/client.cts';
import { byId, done, given, platform, rowOf, webhook } from '../n8n/parts.cts';
import { setting } from '../n8n/setting.cts';

const running = setting();

test('a published workflow waits, and starts the error workflow for a document that is not ready', async () => {
	const { n8n, sandbox, credential } = running();
	const { client, url } = n8n;
	const errors = rowOf('Not ready', { name: 'Error', type: 'n8n-nodes-base.errorTrigger' }, done);
	const { id: onError } = await client.importWorkflow(errors);
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
	const { id: ingest } = await client.importWorkflow(workflow, [credential]);
	await client.activate(ingest);
	const path = '/ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json';

	/** The execution of a document in this state. */
	const executionOf = async (body: IDataObject, number: number) => {
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'status', status: 200, path, body });
		sandbox.clearRequests();
		const { dispatcher } = client;
		const { body: response } = await request(`${url}/webhook/ingest`, { dispatcher });
		await response.dump();
		const [execution] = await client.waitForExecutions(ingest, number);
		expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
		return execution;
	};

	const indexed = { status: 'stored', index_status: 'indexed' };
	const execution = await executionOf(indexed, 1);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'Done').map(({ json }) => json)).toEqual([
		expect.objectContaining({ id: expect.any(String), ...indexed }),
	]);
	expect(await client.waitForExecutions(onError, 0)).toEqual([]);

	expect((await executionOf({ status: 'queued' }, 2)).status).toBe('error');
	const [told] = await client.waitForExecutions(onError, 1);
	const [{ execution: failed }] = given(told) as [{ execution: { error: { message: string } } }];
	expect(failed.error.message).toMatch(
		/^The document ado-\S+ was sent\. A document isn't ready after 3 seconds\. Its state is queued\./,
	);
	await client.deactivate(ingest);
	await client.deactivate(onError);
});
