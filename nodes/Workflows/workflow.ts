// Platform workflows (reference: core, Endpoints, Workflows).
import { getMany, locator, operation } from '../api';
import { named } from '../api/simplify';
import { json } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';

export const workflowId = locator('workflows', {
	name: 'workflowId',
	required: true,
	placeholder: 'e.g. wfl-1',
});

export const workflow = resource('workflow', {
	description: 'Workflows of the Platform',
	operations: [
		getMany({
			action: 'Get many workflows',
			description: "Return workflows with name, description and whether they're active",
			route: 'GET /workflow.json',
			...filteredBy('workflows', {
				active: {
					isToggle: true,
					description: "Whether to return only active workflows. If off, only those that aren't.",
				},
				name: { displayName: 'Name Contains', contains: true },
			}),
		}),
		operation('run', {
			action: 'Run a workflow',
			description:
				'Run a workflow and return its execution ID, stages and success, which is false if the run failed',
			notice: 'This starts the workflow in the Platform',
			route: 'POST /workflow/{workflowId}.json',
			simplify: named,
			sequential: true,
			fields: [
				workflowId,
				json({
					name: 'data',
					required: true,
					description: 'Input of the workflow as a JSON object',
				}),
			],
		}),
	],
});
