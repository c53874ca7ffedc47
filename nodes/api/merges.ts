// Updates of what the API may replace as a whole, such as tags: the record is read, merged and written as one step, unless the
// user wants otherwise.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord, isUnset, recordOf } from '../engine/base/data';
import { isPage, isPerhapsAbsent } from '../engine/client/http/exchange';
import type { Steps } from '../engine/client/steps';
import { labelOf, type Field } from '../engine/form/fields';
import type { Route } from './endpoints';
import { sendUnchanged, type ChangedList } from './updates';
import {
	differences,
	isNone,
	shownChanges,
	shownFor,
	type Changes as Difference,
} from './differences';
import { checkApproved } from './plan';
import { inner } from './recordByKey';

/** A part of a record that has to be known before it's written. */
interface Merge {
	key: string;
	/** Label of the field that decides about the part. */
	label: string;
	/** The way to send only what the form has, such as `turn off Keep Rest of Address`. */
	otherwise: string;
	/** The part as it's sent, undefined if the record lacks it in a known form. `isWhole`: read by its ID, which it shows. */
	with: (record: IDataObject, isWhole: boolean) => unknown;
	/** The part as the record shows it, default by its key. */
	shown?: (record: IDataObject) => unknown;
}

/** The record that Create or Update has found for a write. */
export interface FoundRecord {
	/** A record that has to be read by its ID is undefined. */
	record?: IDataObject;
	/** The moment before the record was read (`moment` of the steps). */
	moment: number;
	/** A dry run made the record like this: what it doesn't show is empty. */
	isWhole?: boolean;
	/** Tells if the record with the ID is still the one that was looked for. */
	isStill?: (record: IDataObject) => boolean;
}

/** The record with the ID isn't the one that was looked for any more. */
export class Moved extends Error {
	constructor() {
		super('The record has changed since the list was read, so nothing was done. Run it again.');
	}
}

/** A record as a write changes it. */
interface Changes {
	changes: IDataObject;
	settings: IDataObject;
	/** True for a key that comes from JSON alone. It's sent as it is, unless the user sets the switch, too. */
	isAsIs: (key: string) => boolean;
}

/** A write that sends what the form has needs no merge. */
export type Part = (write: Changes) => Merge | undefined;

/** Anything but texts and numbers in a list, or null, isn't known, so it's undefined. */
function changed(known: unknown, given: unknown[], removes: boolean): unknown[] | undefined {
	const listed: unknown = known === null ? [] : known;
	if (!Array.isArray(listed) || listed.some((each) => typeof each === 'object')) return undefined;
	// Entries are compared as text, since a form has texts where the record may have numbers.
	const entries = new Map(listed.map((each: unknown) => [String(each), each]));
	for (const each of given) {
		const name = String(each);
		if (removes) entries.delete(name);
		else if (!entries.has(name)) entries.set(name, each);
	}
	return [...entries.values()];
}

/** A list to which the user adds entries, or from which they are removed. */
export const list =
	({ setting, things, sent, known, standard }: ChangedList): Part =>
	({ changes, settings, isAsIs }) => {
		const change = settings[setting] ?? (isAsIs(sent) ? 'replace' : standard);
		// Without a list there's nothing to merge. Null in JSON is sent as it is.
		if (change === 'replace' || isUnset(changes[sent])) return undefined;
		const given = [changes[sent]].flat();
		const label = labelOf(setting);
		const otherwise = `set ${label} to Replace`;
		if (given.length === 0) {
			const fault = `must not be empty. To remove all ${things}, ${otherwise}`;
			throw new FieldFault(labelOf(things), fault);
		}
		const merge = (record: IDataObject) => changed(record[known], given, change === 'remove');
		const shown = (record: IDataObject) => record[known];
		return { key: sent, label, otherwise, with: merge, shown };
	};

/**
 * An object of which a write replaces some keys and keeps the others. The reference doesn't show all keys, so it's never
 * whole.
 * @param toggle the user's choice. By default it's on, except for an object that comes from JSON.
 * @param isLeftOut a whole record may leave the object out if it's empty
 */
export const object =
	(key: string, toggle: Field, isLeftOut = false): Part =>
	({ changes, settings, isAsIs }) => {
		const given = changes[key];
		const isOn = settings[toggle.name] ?? !isAsIs(key);
		if (!isRecord(given) || isOn === false) return undefined;
		const merge = (record: IDataObject, isWhole: boolean) => {
			const known: unknown = record[key];
			// An object without any key may come as null or as an empty list, or not at all.
			const isAbsent = known === undefined && isWhole && isLeftOut;
			const isEmpty = known === null || (Array.isArray(known) && known.length === 0) || isAbsent;
			return isEmpty || isRecord(known) ? { ...recordOf(known), ...given } : undefined;
		};
		const { displayName: label } = toggle;
		return { key, label, otherwise: `turn off ${label}`, with: merge };
	};

/** The error for a key that may not read the record tells how to do without (`otherwise`). */
async function readFirst(
	read: ApiRequest,
	steps: Steps,
	otherwise: string,
	isStill?: FoundRecord['isStill'],
): Promise<unknown> {
	const response = await steps.ask(read);
	const { status, body, endpoint } = response;
	if (isStill && response.says === 'absent') throw new Moved();
	// A 403 can also come from a proxy, or be about a missing record.
	const isForbidden = status === 403 && !isPage(body) && !isPerhapsAbsent(response);
	const without = otherwise === '' ? '' : ` To do without, ${otherwise}.`;
	const advice = `Reading the record first needs the scope ${endpoint.scope}.${without}`;
	return steps.accept(response, isForbidden ? advice : undefined);
}

export interface RecordWrite {
	/**
	 * Sends the write, unless the record shows all of it. Items and executions with the same record take turns.
	 * @returns the response, and if the record was read, `action` and `changes`
	 * @throws Moved, FieldFault if a part of the record isn't known or the changes aren't those that were approved
	 */
	run: (request: ApiRequest, steps: Steps, found?: FoundRecord) => Promise<IDataObject>;
	/** The result if a record from a list shows all that would be sent. Undefined if not, or if the write is sent anyway. */
	unchanged: (request: ApiRequest, record: IDataObject) => IDataObject | undefined;
	also: Route[];
	check: (request: ApiRequest) => void;
	/** Keys of the record that are merged with what it has. */
	merged: (request: ApiRequest) => string[];
}

interface Known {
	merges: Merge[];
	found?: FoundRecord;
	isFirstSince: (moment: number) => boolean;
}

interface MergedRecord {
	/** Key of the record in the body and in responses, '' if the record is the whole body. */
	root: string;
	read: Route;
	/** Path parameter of both endpoints. */
	id: string;
	/** Keys of objects that the API merges. */
	mergedByApi?: string[];
	/** The write is also sent if nothing differs, because its response says more than that. */
	always?: true;
}

/** The steps of a write that can depend on its record. */
export function readingFirst(
	{ root, read, id, mergedByApi = [], always }: MergedRecord,
	...parts: Part[]
): RecordWrite {
	const changesOf = ({ body }: ApiRequest) => recordOf(root === '' ? body : body?.[root]);
	/** The merges that a write needs, none if it sends only what the form has. Throws FieldFault of a part. */
	const mergesOf = (request: ApiRequest): Merge[] => {
		const { settings = {}, asIs = [] } = request;
		const write = {
			changes: changesOf(request),
			settings,
			isAsIs: (key: string) => asIs.includes(key),
		};
		return parts.map((part) => part(write)).filter((merge) => merge !== undefined);
	};
	/** @throws FieldFault if a part has an unknown form, since a write could lose the rest of it */
	const sentWith = (
		request: ApiRequest,
		merges: Merge[],
		record: IDataObject,
		isWhole: boolean,
	): IDataObject => {
		const entries = merges.map((merge) => {
			const part = merge.with(record, isWhole);
			if (part !== undefined) return [merge.key, part];
			const fault = `needs what the record has, but the API didn't return that in a known form. To send only what the form has, ${merge.otherwise}`;
			throw new FieldFault(merge.label, fault);
		});
		return { ...changesOf(request), ...Object.fromEntries(entries) };
	};
	const changesIn = (record: IDataObject, sent: IDataObject, merges: Merge[]): Difference => {
		const shown = (key: string) => {
			const merge = merges.find((each) => each.key === key);
			return merge?.shown ? merge.shown(record) : shownFor(record, key);
		};
		return differences(shown, sent, mergedByApi);
	};
	const has = (record: IDataObject, merges: Merge[], isWhole: boolean) =>
		merges.every((merge) => merge.with(record, isWhole) !== undefined);
	const isSentAnyway = ({ settings = {} }: ApiRequest) => settings[sendUnchanged.name] === true;
	const asItIs = (request: ApiRequest, sent: IDataObject): IDataObject => ({
		...(root !== '' && { id: request.ids[id] }),
		...sent,
		action: 'unchanged',
	});

	/**
	 * The record as it is now. A record that Create or Update has found isn't read again, unless another task had the lock
	 * since, or the record lacks a part.
	 */
	const recordOfWrite = async (
		request: ApiRequest,
		steps: Steps,
		{ merges, found, isFirstSince }: Known,
	): Promise<{ record: IDataObject; isWhole: boolean }> => {
		// A dry run sends nothing, so only the run knows what it has changed.
		const left = steps.known.get(request.path);
		if (left) return { record: left, isWhole: true };
		const { record: known, moment = 0, isWhole = false, isStill } = found ?? {};
		if (known && isFirstSince(moment) && has(known, merges, isWhole)) {
			return { record: known, isWhole };
		}
		const current = steps.request(read, { [id]: request.ids[id] });
		const otherwise = merges.map((each) => each.otherwise).join(' and ');
		const record = inner(await readFirst(current, steps, otherwise, isStill), root);
		if (isStill?.(record) === false) throw new Moved();
		return { record, isWhole: String(record.id) === request.ids[id] };
	};

	const run = async (
		request: ApiRequest,
		steps: Steps,
		found?: FoundRecord,
	): Promise<IDataObject> =>
		await steps.withLock(request.path, async (isFirstSince) => {
			const merges = mergesOf(request);
			if (merges.length === 0 && !found) return inner(await steps.send(request), root);
			const { record, isWhole } = await recordOfWrite(request, steps, {
				merges,
				found,
				isFirstSince,
			});
			const sent = sentWith(request, merges, record, isWhole);
			const write = { ...request, body: root === '' ? sent : { [root]: sent } };
			if (always) return inner(await steps.send(write), root);
			const changes = changesIn(record, sent, merges);
			if (isNone(changes) && !isSentAnyway(request)) return asItIs(request, sent);
			const result = { action: 'updated', changes: shownChanges(changes) };
			checkApproved(request, result);
			const response = await steps.ask(write);
			const written = inner(steps.accept(response), root);
			if (response.attempts === 0)
				steps.known.set(request.path, withChanges(record, sent, mergedByApi));
			return { ...written, ...result };
		});

	const unchanged = (request: ApiRequest, record: IDataObject): IDataObject | undefined => {
		if (isSentAnyway(request)) return undefined;
		const merges = mergesOf(request);
		if (!has(record, merges, false)) return undefined;
		const sent = sentWith(request, merges, record, false);
		return isNone(changesIn(record, sent, merges)) ? asItIs(request, sent) : undefined;
	};

	const merged = (request: ApiRequest) => mergesOf(request).map(({ key }) => key);
	const check = (request: ApiRequest) => void mergesOf(request);
	return { run, unchanged, also: [read], check, merged };
}

function withChanges(record: IDataObject, sent: IDataObject, merged: string[]): IDataObject {
	const entries = Object.entries(sent).map(([key, value]) => {
		const isMerged = merged.includes(key) && isRecord(value);
		return [key, isMerged ? { ...recordOf(record[key]), ...value } : value];
	});
	return { ...record, ...Object.fromEntries(entries) };
}
