// Rules of Simplify. A row of an undocumented shape is returned unchanged.
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../base/data';
import { toggle, type Field } from './fields';
import { tellsSent, type Operation, type Simplify } from './operation';

export const simplifyField = toggle({
	name: 'simplify',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

const wholeRecordField = toggle({
	name: 'returnWholeRecord',
	description: 'Whether to return the whole record, with one more request',
});

/** The form has Simplify by a rule of the operation, or to leave out what was sent. */
export const offersSimplify = (operation: Operation): boolean =>
	operation.simplify !== undefined || tellsSent(operation);

/** Writes have these toggles in Options since 1.1. Without a rule, Simplify only adds what was sent, which an agent knows. */
export function outputToggles(operation: Operation, place: 'form' | 'options'): Field[] {
	const { simplify, whole, endpoint } = operation;
	if (place === 'options' && endpoint.onlyReads) return [];
	const since = place === 'form' ? 1 : { _cnd: { gte: 1.1 } };
	const ofVersion = endpoint.onlyReads ? {} : { '@version': [since as never] };
	const addsSent = tellsSent(operation);
	const shown = (field: Field, conditions = {}): Field => {
		const show = { ...ofVersion, ...conditions };
		return Object.keys(show).length > 0 ? { ...field, displayOptions: { show } } : field;
	};
	const conditions = {
		...(!simplify && { '@tool': [false] }),
		// Without the whole record, the response has few fields, and is simplified without asking. But where the toggle also adds
		// what was sent, the user has the choice.
		...(whole && !addsSent && { returnWholeRecord: [true] }),
	};
	return [
		...(whole ? [shown(wholeRecordField)] : []),
		...(offersSimplify(operation) ? [shown(simplifyField, conditions)] : []),
	];
}

export function eachRecord(rule: (row: IDataObject) => IDataObject): Simplify {
	return (rows) => rows.map((row) => (isRecord(row) ? rule(row) : row));
}

/** Moves the fields of an inner object to the row. A field whose name the row or the object has stays in the object. */
export function lifted(name: string): Simplify {
	return eachRecord(({ [name]: inner, ...row }) => {
		if (inner === undefined) return row;
		if (!isRecord(inner)) return { ...row, [name]: inner };
		const isTaken = ([key]: [string, unknown]) => key in row || key === name;
		const taken = Object.entries(inner).filter(isTaken);
		const free = Object.entries(inner).filter((each) => !isTaken(each));
		const rest = taken.length > 0 ? { [name]: Object.fromEntries(taken) } : {};
		return { ...row, ...Object.fromEntries(free), ...rest };
	});
}

const MAX_SECONDS = 8_640_000_000_000;

/** Unix times in seconds -> ISO 8601 in UTC, also in nested records. */
export function isoTimes(...names: string[]): Simplify {
	const converted = (row: IDataObject): IDataObject =>
		Object.fromEntries(
			Object.entries(row).map(([name, value]) => {
				if (isRecord(value)) return [name, converted(value)];
				const isTime = typeof value === 'number' && Math.abs(value) <= MAX_SECONDS;
				if (!isTime || !names.includes(name)) return [name, value];
				return [name, new Date(value * 1000).toISOString()];
			}),
		);
	return eachRecord(converted);
}
