// The form and the credential of the trigger -> what to watch.
import type { IPollFunctions } from 'n8n-workflow';

import { checkedValue } from '../shared/checkedValue';
import type { Route } from '../shared/endpoints';
import type { ApiRequest } from '../shared/operation';
import { openForTrigger, pathParameters, requestTo, type Door } from '../shared/trigger';
import { events, type PolledEvent } from './events';
import { eventField, namedField, statusFields, targetFields, urlField } from './fields';
import type { Source } from './reading';

/** Milliseconds for which a poll waits for one response, and tries a request that fails. */
const RETRY = { timeout: 30_000, budget: 60_000, isFixed: true };

/** What n8n tells of a poll that isn't one of its scheduler's. */
const UNSCHEDULED = 300_000;

/** n8n gives up a publication after 84 s, however often it has tried the first poll by then. */
const FIRST_POLL = 30_000;

/** Contexts of polls so far: the first poll of one can be that of a publication. */
const known = new WeakSet<object>();

/**
 * For how long the poll may read, as n8n 2.40 and newer tell it: one that takes longer counts for
 * nothing. A manual execution can be stopped.
 */
function timeFor(context: IPollFunctions): number | undefined {
	const { getPollBudgetMs }: Partial<IPollFunctions> = context;
	if (getPollBudgetMs === undefined || context.getMode() === 'manual') return undefined;
	const budget = getPollBudgetMs();
	const isFirst = !known.has(context);
	known.add(context);
	return isFirst && budget >= UNSCHEDULED ? FIRST_POLL : budget;
}

/** What is watched, ready to be read. */
export interface Watch extends Source {
	event: PolledEvent;
	/** Statuses to report; all if empty. */
	statuses: Set<string>;
	door: Door;
	/** Whether rows are given as Simplify makes them. */
	isSimple: boolean;
	/** Whether the first poll reports what is there. */
	includeExisting: boolean;
	/** Names event and list: with another one, polling starts over. */
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

/** The parameter of a path that names one record. */
const RECORD = 'documentId';

/** The records that the form names, each once. */
function namesOf(context: IPollFunctions): string[] {
	const given = context.getNodeParameter(namedField.name, namedField.default);
	const names = checkedValue(namedField, given, context.getTimezone());
	return Array.isArray(names) ? [...new Set(names.map(String))] : [];
}

/** A request to a list, or to a record that the form names. */
function requestFor(
	route: Route,
	ids: Record<string, string>,
	name: string | undefined,
): ApiRequest {
	const label = (each: string) => (each === RECORD ? namedField.displayName : labelOf(each));
	const request = requestTo(route, ids, {}, label);
	const field = namedField.displayName;
	return name === undefined ? request : { ...request, lookupKeys: [{ field, value: name }] };
}

/**
 * What the form and the credential ask for.
 * @throws FieldFault for a value that cannot be used
 */
export async function watchOf(context: IPollFunctions): Promise<Watch> {
	const node = context.getNode();
	const chosen = checkedValue(eventField, context.getNodeParameter('event'));
	const event = events.find(({ value }) => value === chosen) as PolledEvent;

	const parameter = (name: string) =>
		String(context.getNodeParameter(name, '', { extractValue: true }) ?? '').trim();
	const { narrowed } = event;
	const route = narrowed && parameter(narrowed.by) !== '' ? narrowed.route : event.route;
	const names = event.named === undefined ? [undefined] : namesOf(context);
	const idsFor = (name: string | undefined) =>
		Object.fromEntries(
			pathParameters(route).map((each) => [
				each,
				each === RECORD && name !== undefined ? name : parameter(each),
			]),
		);
	const ids = idsFor(names[0]);
	const statuses = new Set(statusesOf(context, event));
	const time = timeFor(context);
	const deadline = time === undefined ? undefined : AbortSignal.timeout(time);
	const retry = { ...RETRY, budget: Math.min(RETRY.budget, time ?? Infinity) };
	const door = await openForTrigger(context, { max: 5, retry });
	const { parallel } = door;
	const api = door.api({
		cancel: deadline ? [deadline] : undefined,
		action: event.name,
		lookupKeys: Object.entries(ids).map(([name, value]) => ({ field: labelOf(name), value })),
	});
	const [request, ...others] = names.map((name) => requestFor(route, idsFor(name), name));
	const { statusField } = event;
	// Another document is a new record of the same knowledge base.
	const place = event.named === undefined ? request.path : parameter('knowledgeBaseId');
	const urlStart = event.isLoss && parameter(urlField.name);
	const watching = [chosen, place, urlStart].filter(Boolean).join(' ');
	const named = event.named === undefined ? undefined : [request, ...others];
	const source = { node, statusField, urlStart, request, named, api, parallel, deadline };
	const includeExisting = context.getNodeParameter('includeExisting', false) === true;
	const isSimple = context.getNodeParameter('simplify', true) === true;
	return { ...source, event, statuses, watching, door, isSimple, includeExisting };
}
