// Form and credential of the trigger -> what to watch.
import type { IPollFunctions } from 'n8n-workflow';

import { endpointOf, openApi } from '../api';
import { FieldFault } from '../engine/base/apiRequest';
import type { Field } from '../engine/form/fields';
import { checkedValue, isBlank, refuseNothing, requestOf } from '../engine/node/trigger';
import { events, type PolledEvent } from './events';
import { shownName } from './fieldHashes';
import { eventField, fields, filterNames, namedField } from './fields';
import type { Watch } from './reading';

/** Milliseconds to wait for one response, and to retry a failed request. The form has no Retry Time. */
const RETRY = { timeout: 30_000, budget: 60_000, hasFixedBudget: true };

/** Milliseconds that n8n reports for a poll outside of its scheduler. */
const UNSCHEDULED = 300_000;

/** Milliseconds for the first poll. n8n may run it several times, and gives up publishing after 84 s. */
const FIRST_POLL = 30_000;

/** Contexts that have polled before. The first poll of a context may be part of publishing. */
const polledContexts = new WeakSet<object>();

/** Milliseconds for the poll, from n8n 2.40 on, which drops the result of a longer one. None for a manual execution. */
function timeFor(context: IPollFunctions): number | undefined {
	const { getPollBudgetMs }: Partial<IPollFunctions> = context;
	if (getPollBudgetMs === undefined || context.getMode() === 'manual') return undefined;
	const budget = getPollBudgetMs();
	const isFirst = !polledContexts.has(context);
	polledContexts.add(context);
	return isFirst && budget >= UNSCHEDULED ? FIRST_POLL : budget;
}

const RECORD = 'documentId';

/** Field for one of the IDs in `namedField`, which gets into the path of its own request. */
const recordField: Field = { ...namedField, name: RECORD, send: {} };

/** @throws FieldFault for an invalid value in the form or credential */
export async function watchOf(context: IPollFunctions): Promise<Watch> {
	const node = context.getNode();
	const chosen = checkedValue(eventField, context.getNodeParameter('event'));
	if (chosen === undefined) refuseNothing(eventField, node.parameters.event);
	const event = events.find(({ value }) => value === chosen) as PolledEvent;

	const parameter = (name: string) => {
		const value = context.getNodeParameter(name, null);
		return typeof value === 'string' ? value.trim() : value;
	};
	const timezone = context.getTimezone();
	const { narrowed } = event;
	const isNarrowed = narrowed && !isBlank(parameter(narrowed.by.name));
	const endpoint = endpointOf(isNarrowed ? narrowed.route : event.route);
	// A saved event is checked by all fields, whatever the version of the node.
	const others = fields.filter(({ name }) => name !== eventField.name);
	const all = [eventField, ...others, recordField];
	const operation = { ...event, action: event.name, endpoint, fields: all };
	const requestFor = (id?: string) =>
		requestOf(operation, (name) => (name === RECORD ? id : parameter(name)), timezone, {
			parameters: node.parameters,
		});
	const watched = event.readsById && checkedValue(namedField, parameter(namedField.name), timezone);
	if (Array.isArray(watched) && watched.length === 0) {
		throw new FieldFault(namedField.displayName, 'must not be empty');
	}
	const byId = Array.isArray(watched)
		? [...new Set(watched.map(String))].map((id) => requestFor(id))
		: undefined;
	const [request] = byId ?? [requestFor()];
	const { settings = {}, ids } = request;
	const textsIn = (value: unknown) => [value ?? []].flat().map(String);
	// Each event has one of these fields, or none.
	const statuses = textsIn(settings.statuses ?? settings.payoutStatuses);
	const named = textsIn(settings.watchedFields ?? settings.subscriptionFields);
	// A field that isn't chosen from a list.
	const typed = filterNames.filter((name) => typeof node.parameters[name] === 'string');
	const watchedFields = named.map(shownName).sort();
	const time = timeFor(context);
	const deadline = time === undefined ? undefined : AbortSignal.timeout(time);
	const retry = { ...RETRY, budget: Math.min(RETRY.budget, time ?? Infinity) };
	const door = await openApi(context, { max: 5, retry });
	const api = door.api({ cancel: deadline ? [deadline] : undefined, action: event.name });
	// With other IDs of documents the state stays: the added ones are new records of the knowledge base.
	const place = byId ? ids.knowledgeBaseId : request.path;
	const urlStart = event.isLoss && String(settings.urlStart);
	return {
		...{ node, event, door, api, request, byId, urlStart, deadline },
		statuses: new Set(statuses.map((status) => status.toLowerCase())),
		fields: new Set(watchedFields),
		typed: typed.flatMap((name) => textsIn(settings[name])),
		watching: [chosen, place, urlStart, ...watchedFields].filter(Boolean).join(' '),
		isSimple: settings.simplify === true,
		includeExisting: settings.includeExisting === true,
	};
}
