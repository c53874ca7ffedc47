// Get for records that the API only lists: reads the list and returns the record with the ID or name.
import type { IDataObject } from 'n8n-workflow';

import { get, locator } from '../api';
import { pickerLists, type PickerListName } from '../api/pickerLists';
import { onceEach } from '../api/recordByKey';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isUnset, recordsOf, short } from '../engine/base/data';
import type { Steps } from '../engine/client/steps';
import { recordLabel } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';

/** A list whose records can't be read one by one. */
interface SearchedList {
	/** Name of the form field, such as `connectionId`. */
	field: string;
	list: PickerListName;
	description: string;
	placeholder: string;
}

/**
 * Returns the row with the ID, or else the only row with the name. The list is read once for all items. Throws FieldFault if
 * none or several match, and Error if none matches but the list may lack records that the API has.
 */
async function findByIdOrName(
	field: string,
	request: ApiRequest,
	steps: Steps,
): Promise<IDataObject> {
	const label = recordLabel(field);
	const wanted = String(request.settings?.[field]);
	const dryRecord = steps.dryRecord(request, wanted);
	if (dryRecord) return dryRecord;
	const textsOf = ({ id, name }: IDataObject) =>
		[id, name].filter((each) => !isUnset(each)).map(String);
	const matches = (row: IDataObject) => textsOf(row).includes(wanted);
	const exact = { name: 'ID or name', text: wanted, textsOf };
	const { rows: found, missing } = await steps.find(request, { matches, exact });
	const rows = onceEach(recordsOf(found));
	const byId = rows.find(({ id }) => String(id) === wanted);
	if (byId) return byId;
	if (rows.length === 1) return rows[0];
	if (rows.length === 0 && missing !== undefined) {
		throw new Error(
			`It isn't known whether there is a ${label.toLowerCase()} "${short(wanted)}": ${missing}`,
		);
	}
	const fault =
		rows.length > 1
			? `must be an ID: ${rows.length} have the name "${short(wanted)}"`
			: `must be the ID or name of a ${label.toLowerCase()} that the API lists (got "${short(wanted)}")`;
	throw new FieldFault(label, fault);
}

/** Makes the operation Get for a list. Its field takes an ID or a name. */
export function getOne({ field, list, description, placeholder }: SearchedList): Operation {
	const noun = recordLabel(field).toLowerCase();
	return get({
		action: `Get a ${noun}`,
		description,
		route: pickerLists[list].route,
		shape: { kind: 'one' },
		run: async (request, steps) => await findByIdOrName(field, request, steps),
		fields: [
			locator(
				list,
				{
					name: field,
					required: true,
					send: { setting: true },
					placeholder,
				},
				'nameOrId',
			),
		],
	});
}
