// The examples as code of n8n's workflow SDK, as a model reads and writes them: to code and back, and built by n8n.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateWorkflowCode, parseWorkflowCode, type WorkflowJSON } from '@n8n/workflow-sdk';
import type { INode } from 'n8n-workflow';
import type { StoredWorkflow, WorkflowJson } from '../n8n/client.cts';
import { builder, type Built } from './builder.cts';

const FOLDER = join(__dirname, '../../examples');

/** All examples, by the names of their files. */
const examples = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.map((file) => ({
		name: file.replace(/\.json$/, ''),
		workflow: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as WorkflowJson,
	}));

/** Nodes that are lost on the way to code: those behind a Merge that only error outputs feed. */
const lost: Record<string, string[]> = {
	'03-bill-monthly-usage': ['Row and reason', 'Save failed rows'],
};

/** A workflow as code. */
const exampleCode = (workflow: WorkflowJson): string =>
	generateWorkflowCode(workflow as unknown as WorkflowJSON);

const building = builder('examples');

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

/** What a workflow does: n8n gives its own IDs and places, and chooses credentials. */
function meaning({ nodes, connections }: Pick<WorkflowJson, 'connections' | 'nodes'>) {
	const own = nodes.map(({ name, type, typeVersion, parameters, onError, retryOnFail }: INode) => ({
		name,
		type,
		typeVersion,
		parameters,
		onError,
		retryOnFail,
	}));
	return { nodes: own.sort(byName), connections };
}

/** The same without nodes that are lost, and without what leads to them. */
function without(gone: string[], { nodes, connections }: ReturnType<typeof meaning>) {
	const kept = Object.entries(connections).filter(([from, { main = [] }]) => {
		const to = main.flat().map((each) => each?.node ?? '');
		return !gone.includes(from) && !to.some((name) => gone.includes(name));
	});
	return {
		nodes: nodes.filter(({ name }) => !gone.includes(name)),
		connections: Object.fromEntries(kept),
	};
}

test.each(examples)('$name is the same as code', async ({ name, workflow }) => {
	const { answer, ask, n8n } = building();
	const expected = without(lost[name] ?? [], meaning(workflow));
	const code = exampleCode(workflow);
	expect(meaning(parseWorkflowCode(code) as unknown as WorkflowJson)).toEqual(expected);

	expect(await answer('validate_workflow', { code })).toMatchObject({ valid: true });
	// An example makes its table itself, while n8n's server wants it before. Another file of the suite may have run the example.
	const table = workflow.nodes.find(({ parameters }) => parameters.tableName)?.parameters;
	if (table) {
		const { id: projectId } = await n8n.client.rest<{ id: string }>('GET', '/projects/personal');
		const { column } = table.columns as { column: unknown };
		await ask('create_data_table', { projectId, name: table.tableName, columns: column });
	}
	const args = { code, versionName: 'First' };
	const { workflowId } = await answer<Built>('create_workflow_from_code', args);
	const stored = await n8n.client.rest<StoredWorkflow>('GET', `/workflows/${workflowId}`);
	expect(meaning(stored)).toEqual(expected);
});
