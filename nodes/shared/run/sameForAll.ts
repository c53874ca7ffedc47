// Refuses fields of sub-nodes and tools that differ between input items. n8n's chains, and agents that call
// their tools themselves, read the fields for the first item, even when they work on another one.
import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

import { FieldFault, recordOf, type Operation } from '../operation';
import type { Field } from '../fields';
import { parametersOf } from './parameters';

type Context = Pick<IExecuteFunctions | ISupplyDataFunctions, 'getNodeParameter' | 'getNode'>;

/** Nodes that were already checked for a list of input items: a chain opens a sub-node for each item. */
const compared = new WeakMap<object, Set<string>>();

/** Values of a field: raw, for the first item, and for another item. */
type Values = [entered: unknown, first: unknown, own: unknown];

function checkField(field: Field, [entered, first, own]: Values, index: number): void {
	if (JSON.stringify(first) === JSON.stringify(own)) return;
	if (field.type === 'collection') {
		for (const each of field.options) {
			const at = (value: unknown): unknown => recordOf(value)[each.name];
			checkField(each, [at(entered), at(first), at(own)], index);
		}
		return;
	}
	// The model fills in one value for all items.
	if (JSON.stringify(entered)?.includes('$fromAI')) return;
	throw new FieldFault(
		field.displayName,
		`must be the same for all input items (item ${index} has another value). n8n only reads it for the first one. Use Loop Over Items to send them one by one`,
	);
}

/**
 * Refuses a field whose expression has different values for input items: otherwise, the question of one item
 * would be asked with the principals of another.
 * @param items the input items of the root node
 * @throws FieldFault for the first such field
 */
export function checkSame(context: Context, { fields = [] }: Operation, items: object[]): void {
	const nodes = compared.get(items) ?? new Set();
	const { id } = context.getNode();
	if (nodes.has(id)) return;
	const constants = new Map<string, unknown>();
	const first = parametersOf(context, constants, 0);
	const raw = (name: string): unknown =>
		context.getNodeParameter(name, 0, null, { rawExpressions: true });
	for (const index of items.keys()) {
		const own = parametersOf(context, constants, index);
		for (const field of fields) {
			const { name } = field;
			if (first(name) !== own(name)) checkField(field, [raw(name), first(name), own(name)], index);
		}
	}
	compared.set(items, nodes.add(id));
}
