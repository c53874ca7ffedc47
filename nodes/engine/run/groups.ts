// Input items that are sent in one request: a field of the form may gather its value from all of them, or from all that have the
// same value in another field.
import type { IExecuteFunctions } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { KEY_FIELD, rowName } from '../base/itemName';
import type { Field } from '../form/fields';
import type { Operation } from '../form/operation';
import { keyIn } from '../form/safety';
import { unwrapLocator } from '../form/values';
import { parametersOf } from './parameters';
import { firstDiffering } from './sameForAll';

const gathererOf = ({ send }: Field) => (send ? send.gathers : undefined);

function isShown(context: IExecuteFunctions, { displayOptions }: Field): boolean {
	const rules = Object.entries(displayOptions?.show ?? {}) as Array<[string, unknown[]]>;
	return rules.every(([name, shown]) => shown.includes(context.getNodeParameter(name, 0)));
}

/** The choice that sends one request for each value of a field. Empty if there's none. */
function wayApart(fields: Field[], name: string): string {
	const apart = fields.find((field) => gathererOf(field) === name);
	const [rule] = Object.entries(apart?.displayOptions?.show ?? {});
	if (!rule) return '';
	const [choice, [value] = []] = rule;
	const field = fields.find((each) => each.name === choice);
	if (field?.type !== 'options') return '';
	const option = field.options?.find((each) => each.value === value);
	return option ? `. Or set ${field.displayName} to ${option.name}` : '';
}

/** @throws FieldFault for a field that isn't the same for items that are sent together */
function checkGroup(context: IExecuteFunctions, fields: Field[], group: number[]): void {
	const fault = (label: string, index: number, way = '') =>
		new FieldFault(
			label,
			`must be the same for all input items that are sent together, and ${rowName(index)} has another value${way}`,
		);
	const found = firstDiffering(context, fields, group);
	if (found) {
		const { field, index } = found;
		throw fault(field.displayName, index, wayApart(fields, field.name));
	}
	const constants = new Map<string, unknown>();
	const keyAt = (index: number) => keyIn(parametersOf(context, constants, index));
	const first = keyAt(group[0]);
	const other = group.find((index) => keyAt(index) !== first);
	if (other !== undefined) throw fault(KEY_FIELD, other);
}

/** The items that are sent in one request each. Undefined if each is sent by itself. Throws FieldFault if values differ. */
export function groupsOf(
	context: IExecuteFunctions,
	{ fields = [] }: Operation,
): number[][] | undefined {
	const items = context.getInputData();
	const gatherer = fields.find((field) => gathererOf(field) && isShown(context, field));
	if (!gatherer) return undefined;
	const by = gathererOf(gatherer);
	const groups = new Map<string, number[]>();
	for (const index of items.keys()) {
		const value =
			typeof by === 'string' ? unwrapLocator(context.getNodeParameter(by, index, '')) : undefined;
		const key = String(value);
		groups.set(key, [...(groups.get(key) ?? []), index]);
	}
	for (const group of groups.values()) checkGroup(context, fields, group);
	return [...groups.values()];
}
