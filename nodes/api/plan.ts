// The plan of Create or Update: what it would do, counted before the first write, and the changes that a person has approved.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { sortedJson } from '../engine/base/data';
import type { ApiResponse, Steps } from '../engine/client/steps';
import { text } from '../engine/form/fields';
import type { Measure } from '../engine/form/operation';

/** Changes of a plan, as an item of its dry run has them. */
export const approvedChanges = text({
	name: 'approvedChanges',
	placeholder: 'e.g. {{ $json.changes }}',
	send: { type: 'any', setting: true, empty: 'refused' },
	description: 'From a dry run',
});

/** @throws FieldFault if the write would change something else than was approved */
export function checkApproved(
	{ settings = {} }: ApiRequest,
	{ changes }: { changes: IDataObject },
): void {
	const approved = settings[approvedChanges.name];
	if (approved === undefined || sortedJson(approved) === sortedJson(changes)) return;
	throw new FieldFault(
		approvedChanges.displayName,
		`are other ones by now, so nothing was sent for this item. Now it would change ${Object.keys(changes).join(', ')}. Make the plan again`,
	);
}

/** Records that the plan of a run would leave, by the records of the run. */
const plans = new WeakMap<Steps['known'], Steps['known']>();

/** Steps that read, and hold back all writes as a dry run does. */
function planning(steps: Steps): Steps {
	const known = plans.get(steps.known) ?? new Map<string, IDataObject>();
	plans.set(steps.known, known);
	const held = ({ endpoint }: ApiRequest) =>
		({ endpoint, says: 'success', status: 200, body: {}, attempts: 0 }) as unknown as ApiResponse;
	const ask: Steps['ask'] = async (request) =>
		request.endpoint.onlyReads ? await steps.ask(request) : held(request);
	return Object.create(steps, {
		ask: { value: ask },
		known: { value: known },
		made: { value: new Map() },
	}) as Steps;
}

/** Counts the records that a run would create or update, for Max Changes. */
export const changesMeasure = (
	run: (request: ApiRequest, steps: Steps) => Promise<IDataObject>,
): Measure => ({
	noun: 'changes',
	counts: 'what is created or updated',
	of: async (request, steps) => [
		(await run(request, planning(steps))).action === 'unchanged' ? 0 : 1,
	],
});
