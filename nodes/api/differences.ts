// The difference between a record and what is to be sent: only values that the record shows, and shows equal, needn't be sent.
import type { IDataObject } from 'n8n-workflow';

import { hashOf, isRecord, sortedJson } from '../engine/base/data';
import { isSecretName } from '../engine/client/http/dryRecords';

/** A value that is changed: what the record shows, and what is sent. Without `from`, the record doesn't show it. */
type Change = { from?: unknown; to?: unknown };

export type Changes = Record<string, Change>;

/** Names of one value (core, Customer, and Partner, fee, payout): the reference has one in lists and the other elsewhere. */
const SAME_VALUE = [
	['external_id', 'externalId'],
	['partner_code', 'code'],
];

/** Returns what a record shows for a key that is sent. Undefined if it doesn't show it. */
export function shownFor(record: IDataObject, key: string): unknown {
	if (Object.hasOwn(record, key)) return record[key];
	const others = SAME_VALUE.find((names) => names.includes(key)) ?? [];
	const name = others.find((each) => Object.hasOwn(record, each));
	return name === undefined ? undefined : record[name];
}

/** Deeply equal, with lists in the same order. */
const isEqual = (one: unknown, other: unknown) =>
	one === other || (typeof one === typeof other && sortedJson(one) === sortedJson(other));

/**
 * Compares what is sent with what a record shows.
 * @param shown returns the record's value for a key, undefined if it isn't shown
 * @param merged keys of objects that the API merges: what isn't sent of them stays
 * @returns the values that aren't equal, by their dotted names
 */
export function differences(
	shown: (key: string) => unknown,
	sent: IDataObject,
	merged: string[] = [],
): Changes {
	const changes: Changes = {};
	const add = (name: string, from: unknown, to: unknown) => {
		if (isEqual(from, to)) return;
		changes[name] = {
			...(from !== undefined && { from }),
			...(to !== undefined && { to }),
		};
	};
	for (const [key, to] of Object.entries(sent)) {
		const from = shown(key);
		const areParts = isRecord(to) && (isRecord(from) || from === undefined);
		const known = isRecord(from) ? from : {};
		if (!areParts || (from === undefined && Object.keys(to).length === 0)) {
			add(key, from, to);
			continue;
		}
		const parts = merged.includes(key) ? Object.keys(to) : Object.keys({ ...known, ...to });
		for (const part of parts) {
			const own = Object.hasOwn(known, part) ? known[part] : undefined;
			add(`${key}.${part}`, own, to[part]);
		}
	}
	return changes;
}

export const isNone = (changes: Changes): boolean => Object.keys(changes).length === 0;

/** Max characters of a value as it's shown. */
const SHOWN = 120;

/** A value that is long, cut. Its hash still tells it from others. */
function cut(value: unknown): unknown {
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	if (text === undefined || text.length <= SHOWN) return value;
	return `${text.slice(0, SHOWN)}… (${text.length} characters, ${hashOf(text).slice(0, 12)})`;
}

/** The changes as an item shows them: long values are cut, and those whose name says that they're secret are hidden. */
export function shownChanges(changes: Changes): IDataObject {
	const entries = Object.entries(changes).map(([name, change]) => {
		const shown = isSecretName(name) ? () => '***' : cut;
		const values = Object.entries(change).map(([side, value]) => [side, shown(value)]);
		return [name, Object.fromEntries(values)];
	});
	return Object.fromEntries(entries) as IDataObject;
}
