// The form and the credential of the trigger -> what to watch.
import type { IPollFunctions } from 'n8n-workflow';

import { checkedValue } from '../shared/checkedValue';
import { FieldFault } from '../shared/operation';
import { openForTrigger, pathParameters, requestTo } from '../shared/trigger';
import { events, type PolledEvent } from './events';
import { statusFields, targetFields } from './fields';
import type { Source } from './reading';

/** A poll has no cancel signal: a request is given up after two minutes at most. */
const MANNER = { parallel: 5, patience: { timeout: 30_000, budget: 60_000 } };

/** What is watched, ready to be read. */
export interface Watch extends Source {
	event: PolledEvent;
	/** Statuses to report; all if empty. */
	statuses: Set<string>;
	/** Names event, list and account: with another one, polling starts over. */
	watching: string;
}

const labelOf = (name: string) =>
	targetFields.find((field) => field.name === name)?.displayName ?? name;

/** The statuses that the form names, none for an event without. */
function statusesOf(context: IPollFunctions, { statuses }: PolledEvent): string[] {
	const field = statusFields.find(({ name }) => name === statuses);
	if (field === undefined) return [];
	const given = context.getNodeParameter(field.name, field.default);
	const chosen = checkedValue(field, given, context.getTimezone());
	return Array.isArray(chosen) ? chosen.map(String) : [];
}

/**
 * What the form and the credential ask for.
 * @throws FieldFault for a value that cannot be used
 */
export async function watchOf(context: IPollFunctions): Promise<Watch> {
	const node = context.getNode();
	const chosen = String(context.getNodeParameter('event'));
	const event = events.find(({ value }) => value === chosen);
	if (event === undefined) throw new FieldFault('Event', `has no option ${chosen}`);

	const parameter = (name: string) =>
		String(context.getNodeParameter(name, '', { extractValue: true }) ?? '').trim();
	const { narrowed } = event;
	const route = narrowed && parameter(narrowed.by) !== '' ? narrowed.route : event.route;
	const ids = Object.fromEntries(pathParameters(route).map((name) => [name, parameter(name)]));
	const statuses = new Set(statusesOf(context, event));
	const door = await openForTrigger(context, MANNER);
	const api = door.api({
		action: event.name,
		ids: Object.entries(ids).map(([name, value]) => ({ field: labelOf(name), value })),
	});
	const request = requestTo(route, ids, {}, labelOf);
	const { statusField } = event;
	const watching = [chosen, request.path, door.account].join(' ');
	return { event, node, statuses, statusField, request, watching, api };
}
