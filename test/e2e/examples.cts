// The workflows of examples/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowJson } from '../n8n/client.cts';
import { EVERY_TWO_SECONDS } from '../n8n/setting.cts';

export const EXAMPLES = join(__dirname, '../../examples');

export const exampleOf = (file: string) =>
	JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowJson;

/** The same with an Edit Fields node in place of Slack, which no test reaches. It has the text of the message. */
export const withoutSlack = <W extends Pick<WorkflowJson, 'nodes'>>(workflow: W): W => ({
	...workflow,
	nodes: workflow.nodes.map((node) => {
		if (node.type !== 'n8n-nodes-base.slack') return node;
		const assignments = [{ id: 'text', name: 'text', value: node.parameters.text, type: 'string' }];
		const parameters = { assignments: { assignments }, options: {} };
		return { ...node, type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters, credentials: {} };
	}),
});

/** The same, polling every two seconds, or at other times. */
export const polledFast = <W extends Pick<WorkflowJson, 'nodes'>>(
	workflow: W,
	pollTimes = EVERY_TWO_SECONDS,
): W => ({
	...workflow,
	nodes: workflow.nodes.map((node) =>
		'pollTimes' in node.parameters
			? { ...node, parameters: { ...node.parameters, pollTimes } }
			: node,
	),
});
