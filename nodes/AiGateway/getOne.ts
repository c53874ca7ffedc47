// Get for what the API only lists: the list is read, and the one with the ID or name is given back.
import type { IDataObject } from 'n8n-workflow';

import {
	FieldFault,
	get,
	isUnset,
	recordsOf,
	short,
	type ApiRequest,
	type Operation,
	type Steps,
} from '../shared/operation';
import { locator } from '../shared/pickers';
import { pickerLists, type PickerListName } from '../shared/pickerLists';

/** What is got, and from which list. */
interface Listed {
	/** As people say it: `prompt`. */
	noun: string;
	/** As the form says it: `Prompt`. */
	label: string;
	/** Name of the field. */
	field: string;
	list: PickerListName;
	description: string;
	placeholder: string;
}

/** The row with the ID, or else the only one with the name. The list is read once for all items. */
async function find(
	{ noun, label, field }: Listed,
	request: ApiRequest,
	steps: Steps,
): Promise<IDataObject> {
	const wanted = String(request.settings?.[field]);
	const textsOf = ({ id, name }: IDataObject) =>
		[id, name].filter((each) => !isUnset(each)).map(String);
	const matches = (row: IDataObject) => textsOf(row).includes(wanted);
	const exact = { name: 'ID or name', text: wanted, textsOf };
	const rows = recordsOf(await steps.find(request, { matches, exact }));
	const byId = rows.find(({ id }) => String(id) === wanted);
	if (byId) return byId;
	const [found, ...others] = rows;
	if (found && others.length === 0) return found;
	const fault = found
		? `must be an ID: ${others.length + 1} have the name "${short(wanted)}"`
		: `must be the ID or name of a ${noun} that the API lists (got "${short(wanted)}")`;
	throw new FieldFault(label, fault);
}

/** An operation that gets one of a list. */
export function getOne(listed: Listed): Operation {
	const { noun, label, field, list, description, placeholder } = listed;
	return get({
		action: `Get a ${noun}`,
		description,
		route: pickerLists[list].route,
		shape: { kind: 'one' },
		run: async (request, steps) => await find(listed, request, steps),
		fields: [
			locator(
				list,
				{
					displayName: label,
					name: field,
					required: true,
					send: { setting: true },
					description: `The ${noun} to get`,
					placeholder,
				},
				'nameOrId',
			),
		],
	});
}
