// Get for what the API only lists: the list is read, and the one with the ID or name is given back.
import type { Route } from '../shared/endpoints';
import {
	FieldFault,
	recordsOf,
	short,
	type ApiRequest,
	type Operation,
	type Steps,
} from '../shared/operation';
import { nameOrIdLocator } from '../shared/pickers';
import type { PickerListName } from '../shared/pickerLists';

/** What is got, and from which list. */
interface Listed {
	/** As people say it: `prompt`. */
	noun: string;
	/** As the form says it: `Prompt`. */
	label: string;
	/** Name of the field. */
	field: string;
	route: Route;
	list: PickerListName;
	description: string;
	placeholder: string;
}

/** The row with the ID, or else the only one with the name. */
function find({ noun, label }: Listed, wanted: string, rows: unknown[]): unknown {
	const records = recordsOf(rows);
	const byId = records.find(({ id }) => String(id) === wanted);
	if (byId) return byId;
	const [found, ...others] = records.filter(({ name }) => name === wanted);
	if (found && others.length === 0) return found;
	const fault = found
		? `must be an ID: ${others.length + 1} have the name "${short(wanted)}"`
		: `must be the ID or name of a ${noun} that the API lists (got "${short(wanted)}")`;
	throw new FieldFault(label, fault);
}

/** An operation that gets one of a list. */
export function getOne(listed: Listed): Operation {
	const { noun, label, field, route, list, description, placeholder } = listed;
	return {
		name: 'Get',
		value: 'get',
		action: `Get a ${noun}`,
		description,
		route,
		shape: { kind: 'one' },
		run: async (request: ApiRequest, steps: Steps) => {
			const { rows } = await steps.list(request, { onPage: (page) => page });
			return find(listed, String(request.settings?.[field]), rows);
		},
		fields: [
			nameOrIdLocator(list, {
				displayName: label,
				name: field,
				required: true,
				send: { setting: true },
				description: `The ${noun} to get`,
				placeholder,
			}),
		],
	};
}
