// The form and the credential of the trigger -> what to watch.
import type { IPollFunctions } from 'n8n-workflow';

import { Api } from '../shared/api';
import { connect } from '../shared/connection';
import { toWire } from '../shared/containers';
import type { Route } from '../shared/endpoints';
import { Gate } from '../shared/gate';
import { FieldFault } from '../shared/operation';
import { fillPath, pathParameters } from '../shared/path';
import { Transport } from '../shared/transport';
import { events, type PolledEvent } from './events';
import { statusFields, targetFields } from './fields';
import { PARALLEL, type Source } from './reading';

/** A poll has no cancel signal: a request is given up after two minutes at most. */
const PATIENCE = { timeout: 30_000, budget: 60_000 };

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
	const wire = toWire(field, given, { timezone: context.getTimezone(), item: {} });
	return (wire ?? []) as string[];
}

/**
 * What the form and the credential ask for.
 * @throws FieldFault for a value that cannot be used
 */
export async function watchOf(context: IPollFunctions): Promise<Watch> {
	const node = context.getNode();
	const chosen = context.getNodeParameter('event') as string;
	const event = events.find(({ value }) => value === chosen);
	if (event === undefined) throw new FieldFault('Event', `has no choice ${chosen}`);

	const parameter = (name: string) =>
		String(context.getNodeParameter(name, '', { extractValue: true }) ?? '').trim();
	const { narrowed } = event;
	const template = narrowed && parameter(narrowed.by) !== '' ? narrowed.path : event.path;
	const ids = Object.fromEntries(pathParameters(template).map((name) => [name, parameter(name)]));
	const path = fillPath(template, ids, labelOf);

	const statuses = new Set(statusesOf(context, event));
	const connection = await connect(context);
	const transport = new Transport(context, connection, new Gate(PARALLEL), PATIENCE);
	return {
		event,
		node,
		statuses,
		statusField: event.statusField,
		request: { route: `GET ${template}` as Route, path },
		// The credential rather than its key, which may be renewed.
		watching: [chosen, path, connection.url, node.credentials?.platformApi?.id].join(' '),
		api: new Api(transport, new Map(), 0, {
			node,
			operation: { action: event.name },
			ids: Object.entries(ids).map(([name, id]) => `${labelOf(name)} "${id}"`),
			secrets: connection.secrets,
		}),
	};
}
