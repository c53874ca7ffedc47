// A value that is gathered from input items.
import { FieldFault } from '../base/apiRequest';
import { getAt, short } from '../base/data';
import { rowName } from '../base/itemName';
import type { Field, FormContext } from './fields';
import { toText } from './values';

/** IDs in one field, maybe dotted, of the items of a request, without duplicates. Throws FieldFault for an item without one. */
export function idsOfItems(
	field: Field,
	value: unknown,
	{ item, items = () => [{ index: 0, json: item }] }: FormContext,
): string[] {
	const name = toText(field, value).trim();
	const ids = items().map(({ index, json }) => {
		const id = getAt(json, name);
		if (typeof id === 'number' || (typeof id === 'string' && id !== '')) return String(id);
		throw new FieldFault(
			field.displayName,
			`is "${short(name)}", which ${rowName(index)} doesn't have`,
		);
	});
	return [...new Set(ids)];
}
