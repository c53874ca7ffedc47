// What people ask an AI for, step by step at n8n's MCP server: search, types, pickers, code, execution.
import { builder, PACKAGE, type Builder, type Step } from './builder.cts';
import { prompts, type PromptStep } from './prompts.cts';

const building = builder('prompts', { sandbox: { customers: 5 } });

/** The step with the first entries of its pickers, asked for in the order of the fields. */
async function filled(
	{ explore }: Builder,
	{ node, parameters, pickers = {} }: PromptStep,
): Promise<Step> {
	const type = `platform${node}`;
	const values: Record<string, unknown> = { ...parameters };
	for (const [field, methodName] of Object.entries(pickers)) {
		const { results } = await explore(type, methodName, values);
		const [{ name, value }] = results;
		values[field] = { __rl: true, mode: 'list', value, cachedResultName: name };
	}
	return { type, parameters: values, kind: node.endsWith('Trigger') ? 'trigger' : 'node' };
}

test.each(prompts)('$says', async ({ steps, sends }) => {
	const at = building();
	const all: Step[] = [];
	for (const step of steps) {
		const nodeId = `${PACKAGE}.platform${step.node}`;
		const shown = await at.ask('search_nodes', { queries: [step.query] });
		expect(shown).toContain(`- ${nodeId}`);
		const types = await at.ask('get_node_types', { nodeIds: [{ nodeId }] });
		for (const name of Object.keys({ ...step.parameters, ...step.pickers })) {
			expect(types).toContain(name);
		}
		all.push(await filled(at, step));
	}
	const workflowId = await at.build(...all);
	at.sandbox.clearRequests();
	const isStarted = all[0].kind === 'trigger';
	const told = isStarted
		? await at.ask('test_workflow', {
				workflowId,
				pinData: { 'Step 0': [{ json: { event: 'an event' } }] },
			})
		: await at.run(workflowId);
	expect(told).toContain('"status":"success"');
	const paths = at.sandbox.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
	expect(paths).toHaveLength(sends.length);
	sends.forEach((sent, index) => {
		const pattern = sent.replaceAll('.', '\\.').replaceAll('*', '[^/]+');
		expect(paths[index]).toMatch(new RegExp(`^${pattern}$`));
	});
});
