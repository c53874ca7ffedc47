// Traces of workflow runs (reference: core, Endpoints, Workflows).
import { get, getMany, locator } from '../api';
import { named } from '../api/simplify';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { workflowId } from './workflow';

export const trace = resource('trace', {
	description: 'Runs of Platform workflows',
	ids: [workflowId],
	operations: [
		get({
			action: 'Get a trace of a workflow',
			description: 'Return the full trace of a run, with input, result and stages',
			route: 'GET /workflow/{workflowId}/traces/{traceId}.json',
			simplify: named,
			fields: [
				locator('workflowTraces', {
					name: 'traceId',
					required: true,
					placeholder: 'e.g. trc-1-1',
				}),
			],
		}),
		getMany({
			action: 'Get many traces of a workflow',
			description: 'Return the runs of a workflow with date and status',
			route: 'GET /workflow/{workflowId}/traces.json',
			...filteredBy('runs', { status: {} }),
		}),
	],
});
