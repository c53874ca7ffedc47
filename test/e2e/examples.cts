// The workflows of examples/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowJson } from '../n8n/client.cts';
import { EVERY_TWO_SECONDS } from '../n8n/setting.cts';

export const EXAMPLES = join(__dirname, '../../examples');

export const exampleOf = (file: string) =>
	JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowJson;

/** The same, polling every two seconds. */
export const polledFast = <W extends Pick<WorkflowJson, 'nodes'>>(workflow: W): W => ({
	...workflow,
	nodes: workflow.nodes.map((node) =>
		'pollTimes' in node.parameters
			? { ...node, parameters: { ...node.parameters, pollTimes: EVERY_TWO_SECONDS } }
			: node,
	),
});
