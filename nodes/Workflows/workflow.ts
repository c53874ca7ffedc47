// Workflows of the service and their runs (reference: core, Endpoints, Workflows).
import { getMany, type Resource } from '../shared/operation';
import { named } from '../shared/simplify';
import { workflowId } from './fields';

export const workflow: Resource = {
	name: 'Workflow',
	value: 'workflow',
	description: 'Workflows of the Platform',
	operations: [
		getMany({
			action: 'Get many workflows',
			description: "Return workflows with name, description and whether they're active",
			route: 'GET /workflow.json',
		}),
		{
			name: 'Run',
			value: 'run',
			action: 'Run a workflow',
			description:
				'Run a workflow and return its execution ID, whether it succeeded, and its stages',
			notice:
				"If a run may have started, it's never retried, and the error tells you. A failed run doesn't fail this node: check the success field.",
			route: 'POST /workflow/{workflowId}.json',
			simplify: named,
			sequential: true,
			fields: [
				workflowId,
				{
					displayName: 'Data (JSON)',
					name: 'data',
					type: 'json',
					required: true,
					default: '{}',
					description: 'Input data of the workflow as a JSON object',
				},
			],
		},
	],
};
