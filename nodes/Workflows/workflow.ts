// Platform workflows (reference: core, Endpoints, Workflows).
import { getMany, locator, operation } from '../api';
import { named } from '../api/simplify';
import { json } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';

export const workflowId = locator('workflows', {
	name: 'workflowId',
	required: true,
	description: 'The Platform workflow to work with',
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
				'Run a workflow and return its execution ID, whether it succeeded, and its stages',
			notice:
				"If a run may have started, it's never retried, and the error tells you. A failed run doesn't fail this node: check the success field.",
			route: 'POST /workflow/{workflowId}.json',
			simplify: named,
			sequential: true,
			fields: [
				workflowId,
				json({
					name: 'data',
					required: true,
					description: 'Input data of the workflow as a JSON object',
				}),
			],
		}),
	],
});
