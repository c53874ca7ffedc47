// Workflows of the service and their runs (reference: core, Endpoints, Workflows).
import type { Resource } from '../shared/operation';
import { workflowId } from './fields';

export const workflow: Resource = {
	name: 'Workflow',
	value: 'workflow',
	operations: [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many workflows',
			description: 'Return all workflows or the first ones, with whether each is active',
			route: 'GET /workflow.json',
		},
		{
			name: 'Run',
			value: 'run',
			action: 'Run a workflow',
			description:
				'Run a workflow with data and return its execution ID, whether it succeeded, and its stages',
			notice:
				'A run is never started a second time when it may have been started: the error says so then. A run that fails is a result, not an error: look at success.',
			route: 'POST /workflow/{workflowId}.json',
			sequential: true,
			fields: [
				workflowId,
				{
					displayName: 'Data (JSON)',
					name: 'data',
					type: 'json',
					required: true,
					default: '{}',
					description: 'What the workflow starts with, as a JSON object',
				},
			],
		},
	],
};
