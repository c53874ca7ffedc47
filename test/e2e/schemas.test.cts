// Output schema previews in a real n8n: served for every operation, and shown by the editor before
// a node has run.
import { fetch } from 'undici';
import { openEditor } from '../n8n/browser.cts';
import { byId, platform, rowOf, start } from '../n8n/parts.cts';
import { table } from '../table/operations.cts';
import { previewOf } from '../../tools/previews.cts';
import { setting } from '../n8n/setting.cts';

const running = setting({ sandbox: { customers: 20 } });

const workflow = rowOf(
	'Preview',
	start,
	platform('Get customer', 'Customers', {
		resource: 'customer',
		operation: 'get',
		customerId: byId('cus-100001'),
	}),
	{ name: 'Edit Fields', type: 'n8n-nodes-base.set', version: 3.4 },
);

test('every preview is served as the editor asks for it', async () => {
	const { n8n } = running();
	for (const entry of table) {
		const { node, resource, operation, title } = entry;
		const type = `n8n-nodes-platform-api.${node}`;
		const response = await fetch(
			`${n8n.url}/schemas/${type}/1.0.0/${resource.value}/${operation.value}.json`,
			{ dispatcher: n8n.client.dispatcher },
		);
		const expected = previewOf(entry);
		const served = response.ok ? await response.json() : undefined;
		expect({ title, status: response.status, served }).toEqual({
			title,
			status: expected ? 200 : 404,
			served: expected,
		});
	}
});

test('the editor shows what a node will give before it has run', async () => {
	const { n8n, sandbox, credential } = running();
	const { id } = await n8n.client.importWorkflow(workflow, [credential]);
	const editor = await openEditor(n8n);
	try {
		await editor.openWorkflow(id);
		await editor.openNode('Edit Fields');
		const names = editor.page.getByTestId('run-data-schema-node-name');
		await editor.page.getByTestId('schema-preview-warning').waitFor();
		// The editor places the rows by their coordinates: their order in the page says nothing.
		const expected = [
			'id',
			'external_id',
			'company_name',
			'first_name',
			'last_name',
			'email',
			'address',
			'city',
			'country',
			'tags',
			'tags[0]',
		];
		expect((await names.allInnerTexts()).sort()).toEqual(expected.sort());
		await editor.picture('schema-preview');
		expect(sandbox.requests).toEqual([]);
	} finally {
		await editor.close();
	}
});
