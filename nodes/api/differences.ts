// The difference between a record and what is to be sent: only values that the record shows, and shows equal, needn't be sent.
import type { IDataObject } from 'n8n-workflow';

import { hashOf, isRecord, sortedJson } from '../engine/base/data';
import { isSecretName } from '../engine/client/http/dryRecords';

/** A changed value. Without `from`, the record doesn't show it. */
type Change = { from?: unknown; to?: unknown };

export type Changes = Record<string, Change>;

/** Names of one value (core, Customer, and Partner, fee, payout): the reference has one in lists and the other elsewhere. */
const SAME_VALUE = [
	['external_id', 'externalId'],
	['partner_code', 'code'],
];

/** Undefined if the record doesn't show a value for the key. */
export function shownFor(record: IDataObject, key: string): unknown {
	if (Object.hasOwn(record, key)) return record[key];
	const others = SAME_VALUE.find((names) => names.includes(key)) ?? [];
	const name = others.find((each) => Object.hasOwn(record, each));
	return name === undefined ? undefined : record[name];
}

/** Lists are only equal in the same order. */
const isEqual = (one: unknown, other: unknown) =>
	one === other || (typeof one === typeof other && sortedJson(one) === sortedJson(other));

/** Values that aren't equal, by dotted names. Of objects that the API merges (`merged`), parts that aren't sent stay. */
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

const SHOWN = 120;

/** The hash of a long value still tells it from others. */
function cut(value: unknown): unknown {
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	if (text === undefined || text.length <= SHOWN) return value;
	return `${text.slice(0, SHOWN)}… (${text.length} characters, ${hashOf(text).slice(0, 12)})`;
}

/** Long values are cut, and values whose name says that they're secret are hidden. */
export function shownChanges(changes: Changes): IDataObject {
	const entries = Object.entries(changes).map(([name, change]) => {
		const shown = isSecretName(name) ? () => '***' : cut;
		const values = Object.entries(change).map(([side, value]) => [side, shown(value)]);
		return [name, Object.fromEntries(values)];
	});
	return Object.fromEntries(entries) as IDataObject;
}
