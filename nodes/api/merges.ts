// Updates of what the API may replace as a whole, such as tags: the record is read, merged and written as one step, unless
// the user wants otherwise.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord, isUnset, recordOf } from '../engine/base/data';
import { isPage, isPerhapsAbsent } from '../engine/client/http/exchange';
import type { Steps } from '../engine/client/steps';
import { labelOf, type Field } from '../engine/form/fields';
import type { Route } from './endpoints';
import type { ChangedList } from './updates';
import { inner } from './recordByKey';
import type { Found } from './upsert';

/** A part of a record that has to be known before it's written. */
interface Merge {
	/** Key of the part in the write. */
	key: string;
	/** Label of the field that decides about it. */
	label: string;
	/** The way to send only what the form has, such as `turn off Keep Rest of Address`. */
	otherwise: string;
	/**
	 * Returns the part as it's sent. Undefined if the record doesn't have it in a form that is known.
	 * @param isWhole the record was read by its ID, and shows that
	 */
	with: (record: IDataObject, isWhole: boolean) => unknown;
}

/** A record as a write changes it. */
interface Changes {
	changes: IDataObject;
	settings: IDataObject;
	/** True for a key that comes from JSON alone. It's sent as it is, unless the user sets the switch, too. */
	isAsIs: (key: string) => boolean;
}

/** Returns the merge of one part of a write. Undefined if it sends what the form has. */
export type Part = (write: Changes) => Merge | undefined;

/** Adds entries to a list of a record, or removes them. Undefined for anything but texts and numbers in a list, or null. */
function changed(known: unknown, given: unknown[], removes: boolean): unknown[] | undefined {
	const listed: unknown = known === null ? [] : known;
	if (!Array.isArray(listed) || listed.some((each) => typeof each === 'object')) return undefined;
	// By text, since a form has texts where the record may have numbers.
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
		return { key: sent, label, otherwise, with: merge };
	};

/**
 * An object of which a write replaces some keys and keeps the others. The reference doesn't show all keys, so it's never whole.
 * @param toggle the user's choice. By default it's on, except for an object that comes from JSON.
 * @param isLeftOut a whole record may leave it out if it's empty
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

/** Reads a record before a write. The error for a key that may not read it tells how to do without (`otherwise`). */
async function readFirst(read: ApiRequest, steps: Steps, otherwise: string): Promise<unknown> {
	const response = await steps.ask(read);
	const { status, body, endpoint } = response;
	// A 403 can also come from a proxy, or be about a missing record.
	const isForbidden = status === 403 && !isPage(body) && !isPerhapsAbsent(response);
	const advice = `Reading the record first needs the scope ${endpoint.scope}. To do without, ${otherwise}.`;
	return steps.accept(response, isForbidden ? advice : undefined);
}

/**
 * Returns the steps of a write that can depend on its record. Items and executions with the same record take turns.
 * @param root key of the record in the body and in responses, '' if the record is the whole body
 * @param read endpoint of the record
 * @param id path parameter of both endpoints
 * @returns `run`, `also`, `check` and `merged` of an operation. `found` of `run` is the record if Create or Update has read it already.
 */
export function readingFirst(root: string, read: Route, id: string, ...parts: Part[]) {
	/** The fields of the record that the write sends. */
	const changesOf = ({ body }: ApiRequest) => recordOf(root === '' ? body : body?.[root]);
	/**
	 * The merges that a write needs, none if it sends only what the form has.
	 * @throws FieldFault of a part
	 */
	const mergesOf = (request: ApiRequest): Merge[] => {
		const { settings = {}, asIs = [] } = request;
		const write = {
			changes: changesOf(request),
			settings,
			isAsIs: (key: string) => asIs.includes(key),
		};
		return parts.map((part) => part(write)).filter((merge) => merge !== undefined);
	};
	/** Pairs of key and merged part. Throws a FieldFault if a part has an unknown form, since a write could lose the rest of it. */
	const mergedWith = (record: IDataObject, isWhole: boolean, merges: Merge[]) =>
		merges.map((merge) => {
			const part = merge.with(record, isWhole);
			if (part !== undefined) return [merge.key, part];
			const fault = `needs what the record has, but the API didn't return that in a known form. To send only what the form has, ${merge.otherwise}`;
			throw new FieldFault(merge.label, fault);
		});
	const run = async (request: ApiRequest, steps: Steps, found?: Found): Promise<IDataObject> =>
		await steps.withLock(request.path, async (isFirstSince) => {
			const merges = mergesOf(request);
			if (merges.length === 0) return inner(await steps.send(request), root);
			// What Create or Update has found isn't read again, unless another task had the lock since, or it lacks a part.
			const isKnown =
				found !== undefined &&
				isFirstSince(found.moment) &&
				merges.every((merge) => merge.with(found.record, false) !== undefined);
			const current = steps.request(read, { [id]: request.ids[id] });
			const otherwise = merges.map((each) => each.otherwise).join(' and ');
			const record = isKnown
				? found.record
				: inner(await readFirst(current, steps, otherwise), root);
			const isWhole = !isKnown && String(record.id) === request.ids[id];
			const merged = Object.fromEntries(mergedWith(record, isWhole, merges));
			const changes = { ...changesOf(request), ...merged };
			const body = root === '' ? changes : { [root]: changes };
			return inner(await steps.send({ ...request, body }), root);
		});
	const merged = (request: ApiRequest) => mergesOf(request).map(({ key }) => key);
	return { run, also: [read], check: (request: ApiRequest) => void mergesOf(request), merged };
}
