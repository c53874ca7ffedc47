// Who may read what: which passages a search may return (reference: AI Gateway, search). Nodes of version 1 have Principals as an
// option, and search without them. From version 1.1 on, the form asks, and a new node only finds what is public.
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord } from '../engine/base/data';
import { choice, text, type Field } from '../engine/form/fields';
import { toData, toJson, toList, toText } from '../engine/form/values';

/** Shows a field in nodes that have Access, or only in older ones. */
const withAccess = { '@version': [{ _cnd: { gte: 1.1 } }] };
export const withoutAccess = { '@version': [1] };

/** True for what can't name a person or group: null, false, 0, blank text, `{}`. */
const isEmpty = (value: unknown) =>
	!value ||
	(typeof value === 'string' && value.trim() === '') ||
	(isRecord(value) && Object.keys(value).length === 0);

/** True for the blank name of a person or group, alone or in a list. An empty list has none: it names no one on purpose. */
export const hasEmptyName = (value: unknown): boolean => [value].flat().some(isEmpty);

/** Entries of an array or a JSON array as they are: the reference doesn't show their type. Other text is a list of names. */
function principalsIn(field: Field, value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) {
		// Null is kept for `accessCheck`, which says that an entry is empty. `toData` would say that it isn't JSON.
		return value.map((each) => (each === null ? null : toData(field, each)));
	}
	const given = toText(field, value).trim();
	return given.startsWith('[')
		? principalsIn(field, toJson(field, given, 'any'))
		: toList(field, given);
}

/** The option of older nodes. */
export const principalsOption = text({
	name: 'principals',
	placeholder: 'e.g. group:finance, user:ada',
	displayOptions: { show: withoutAccess },
	send: { type: 'list', convert: principalsIn, empty: 'refused', emptyList: true },
	description:
		'Who is searching, the same for all items. Only public passages and theirs are returned.',
});

export const access = choice({
	name: 'access',
	default: 'publicOnly',
	required: true,
	displayOptions: { show: withAccess },
	send: { setting: true },
	options: [
		{
			name: 'All',
			value: 'all',
			description:
				"Sends no principals. The API reference doesn't say that restricted passages are then left out.",
		},
		{
			name: 'Principals',
			value: 'principals',
			description: 'Public passages, and those that the named people or groups may see',
		},
		{ name: 'Public Only', value: 'publicOnly', description: 'Passages that everyone may see' },
	],
});

export const principals = text({
	displayName: 'Principals',
	name: 'accessPrincipals',
	required: true,
	placeholder: 'e.g. group:finance, user:ada',
	displayOptions: { show: { ...withAccess, access: ['principals'] } },
	send: {
		as: 'principals',
		type: 'list',
		convert: principalsIn,
		empty: 'refused',
		emptyList: true,
	},
	description: 'The people or groups who are asking, such as an expression of the chat user',
});

/**
 * Returns a check that has Public Only send an empty list, and refuses blank principals, such as from an expression that found
 * no one. `label` is that of the principals of older nodes.
 */
export const accessCheck =
	(label: string) =>
	(request: ApiRequest): void => {
		const given = request.settings?.access;
		if (given === 'publicOnly') request.body = { ...request.body, principals: [] };
		const names = request.body?.principals;
		if (given === 'principals' && Array.isArray(names) && names.length === 0) {
			const fault =
				'must name who is asking. To find public passages only, set Access to Public Only';
			throw new FieldFault(principals.displayName, fault);
		}
		if (names !== undefined && hasEmptyName(names)) {
			throw new FieldFault(
				given === undefined ? label : principals.displayName,
				'must not have empty entries',
			);
		}
	};
