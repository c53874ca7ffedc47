// Wrong parameters that a model wrote, and what it reads when it runs them through n8n's own MCP server.
import { builder } from './builder.cts';
import { wrong } from './wrong.cts';

const building = builder('errors', { sandbox: { customers: 5 } });

test.each(wrong)('$what: the model reads what to change', async ({ node, parameters, says }) => {
	const { build, run, sandbox, n8n } = building();
	const isTrigger = node.endsWith('Trigger');
	const kind = isTrigger ? 'trigger' : 'node';
	const id = await build({ type: `platform${node}`, parameters, kind });
	sandbox.clearRequests();
	// n8n's MCP server runs no polling trigger: a person does, in the editor.
	const text = isTrigger ? JSON.stringify(await n8n.client.runWorkflow(id)) : await run(id);
	expect(text).toContain('"status":"error"');
	expect(text).toContain(JSON.stringify(says).slice(1, -1));
	expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
