// Filters for a list that the API can't filter: the node reads the list, and keeps the rows that match.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { getAt, recordOf } from '../base/data';
import type { Wanted } from '../client/steps';
import { filters, labelOf, snake, text, toggle, type Field } from './fields';
import type { Operation, Reading } from './operation';
import { isBlank, toText } from './values';

/** A row matches if its value, or one of its list of values, equals what the user enters, in upper or lower case. */
interface FilterRule {
	displayName?: string;
	description?: string;
	placeholder?: string;
	/** Dotted place of the value in a row, `''` with `textsOf`. Default: the name in snake case. */
	at?: string;
	/** The value only has to contain what the user enters. */
	contains?: true;
	/** The value identifies one row, so hints don't name it. */
	identifies?: true;
	isToggle?: true;
	/** Texts to compare, in lower case, if they aren't one value of the row. */
	textsOf?: (row: IDataObject) => string[];
}

type Filter = FilterRule & {
	name: string;
	at: string;
	field: Field;
	textsOf: (row: IDataObject) => string[];
};

/** An object or nothing gives empty text. */
export const lower = (value: unknown): string =>
	typeof value === 'object' ? '' : String(value ?? '').toLowerCase();

function filterOf([name, about]: [string, FilterRule]): Filter {
	const { displayName = labelOf(name), at = snake(name), isToggle } = about;
	const { description, placeholder } = about;
	const field = { displayName, name, send: false, description } as const;
	const textsOf = (row: IDataObject) => [getAt(row, at)].flat().map(lower);
	const own = isToggle ? toggle(field) : text({ ...field, placeholder });
	return { textsOf, ...about, name, at, field: own };
}

/** All filters must match. An exact one lets items look rows up in an index (`Wanted`). */
function wantedBy(set: Array<Filter & { wanted: string }>): Wanted {
	const exact = set.find(({ contains }) => !contains);
	return {
		matches: (row) =>
			set.every(({ wanted, contains, textsOf }) =>
				textsOf(row).some((each) => (contains ? each.includes(wanted) : each === wanted)),
			),
		exact: exact && { name: exact.name, text: exact.wanted, textsOf: exact.textsOf },
	};
}

export const withValue = (name: string, value: string): Wanted =>
	wantedBy([{ ...filterOf([name, {}]), wanted: lower(value).trim() }]);

/** The filters of a list for its form, and what they do. `all` are in alphabetical order of their labels. */
export function filteredBy(
	rows: string,
	all: Record<string, FilterRule>,
): Required<Pick<Operation, 'fields' | 'reading'>> {
	const known = Object.entries(all).map(filterOf);

	const textOf = (field: Field, value: unknown) => (isBlank(value) ? '' : toText(field, value));

	/** @throws FieldFault for an empty filter, which would match all rows, and for one that is no text */
	function reading(value: (name: string) => unknown): Reading | undefined {
		const given = recordOf(value('filters'));
		const set = known
			.filter(({ name }) => Object.hasOwn(given, name))
			.map((filter) => ({
				...filter,
				wanted: lower(textOf(filter.field, given[filter.name])).trim(),
			}));
		const empty = set.find(({ wanted }) => wanted === '');
		if (empty) throw new FieldFault(empty.field.displayName, 'must not be empty');
		if (set.length === 0) return undefined;
		const needs = set.map(({ at, field, contains, identifies }) => ({
			field: at,
			label: field.displayName,
			isNamed: !contains && !identifies,
		}));
		// A filter of several values (`textsOf`) has no field that rows could lack.
		return { wanted: wantedBy(set), noun: rows, needs: needs.filter(({ field }) => field !== '') };
	}

	const field: Field = {
		...filters(known.map((each) => each.field)),
		send: false,
		description: 'The node reads the list and keeps what matches all filters',
	};
	return { fields: [field], reading };
}
