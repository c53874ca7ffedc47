// Get for what the API only lists: the list is read, and the one with the ID or name is given back.
import type { IDataObject } from 'n8n-workflow';

import {
	FieldFault,
	get,
	recordsOf,
	short,
	type ApiRequest,
	type Operation,
	type Steps,
} from '../shared/operation';
import { nameOrIdLocator } from '../shared/pickers';
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

/** Rows by their ID, and by their name. */
interface Index {
	ids: Map<string, IDataObject>;
	names: Map<unknown, IDataObject[]>;
}

/** Many items may look something up in the same rows. */
const indexes = new WeakMap<unknown[], Index>();

function indexOf(rows: unknown[]): Index {
	const known = indexes.get(rows);
	if (known) return known;
	const index: Index = { ids: new Map(), names: new Map() };
	for (const row of recordsOf(rows)) {
		const id = String(row.id);
		if (!index.ids.has(id)) index.ids.set(id, row);
		const named = index.names.get(row.name);
		if (named) named.push(row);
		else index.names.set(row.name, [row]);
	}
	indexes.set(rows, index);
	return index;
}

/** The row with the ID, or else the only one with the name. */
function find({ noun, label }: Listed, wanted: string, rows: unknown[]): unknown {
	const { ids, names } = indexOf(rows);
	const byId = ids.get(wanted);
	if (byId) return byId;
	const [found, ...others] = names.get(wanted) ?? [];
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
	});
}
