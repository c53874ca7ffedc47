// The form and the credential of the trigger -> what to watch.
import type { IPollFunctions } from 'n8n-workflow';

import type { Field } from '../shared/fields';
import { checkedValue, openApi, requestOf } from '../shared/trigger';
import { events, type PolledEvent } from './events';
import { eventField, fields, namedField } from './fields';
import type { Watch } from './reading';

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

/** The parameter of a path that names one record. */
const RECORD = 'documentId';

/** The field that has one of the names in the form. */
const recordField: Field = { ...namedField, name: RECORD, send: {} };

/**
 * What the form and the credential ask for.
 * @throws FieldFault for a value that cannot be used
 */
export async function watchOf(context: IPollFunctions): Promise<Watch> {
	const node = context.getNode();
	const chosen = checkedValue(eventField, context.getNodeParameter('event'));
	const event = events.find(({ value }) => value === chosen) as PolledEvent;

	const parameter = (name: string) => {
		const value = context.getNodeParameter(name, null);
		return typeof value === 'string' ? value.trim() : value;
	};
	const timezone = context.getTimezone();
	const { narrowed } = event;
	const isNarrowed =
		narrowed && checkedValue(narrowed.by, parameter(narrowed.by.name)) !== undefined;
	const route = isNarrowed ? narrowed.route : event.route;
	const operation = {
		...event,
		action: event.name,
		route,
		fields: [...fields, ...(event.named ? [recordField] : [])],
	};
	const requestFor = (name?: string) =>
		requestOf(operation, (each) => (each === RECORD ? name : parameter(each)), timezone);
	const names = event.named && checkedValue(namedField, parameter(event.named), timezone);
	const named = Array.isArray(names)
		? [...new Set(names.map(String))].map((name) => requestFor(name))
		: undefined;
	const [request] = named ?? [requestFor()];
	const { settings = {}, ids } = request;
	const statuses = [settings.statuses ?? settings.payoutStatuses ?? []].flat().map(String);
	const time = timeFor(context);
	const deadline = time === undefined ? undefined : AbortSignal.timeout(time);
	const retry = { ...RETRY, budget: Math.min(RETRY.budget, time ?? Infinity) };
	const door = await openApi(context, { max: 5, retry });
	const api = door.api({ cancel: deadline ? [deadline] : undefined, action: event.name });
	// Another document is a new record of the same knowledge base.
	const place = named ? ids.knowledgeBaseId : request.path;
	const urlStart = event.isLoss && String(settings.urlStart);
	return {
		...{ node, event, door, api, request, named, urlStart, deadline },
		statuses: new Set(statuses),
		watching: [chosen, place, urlStart].filter(Boolean).join(' '),
		isSimple: settings.simplify === true,
		includeExisting: settings.includeExisting === true,
	};
}
