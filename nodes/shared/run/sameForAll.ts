// Fields of sub-nodes and tools that must not differ between input items: n8n's chains, and agents that call
// their tools themselves, have them read for the first item, whichever item they work on.
import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

import { FieldFault, recordOf, type Operation } from '../operation';
import type { Field } from '../fields';
import { parametersOf } from './parameters';

type Context = Pick<IExecuteFunctions | ISupplyDataFunctions, 'getNodeParameter' | 'getNode'>;

/** Items that were compared, and the nodes that they were compared for: a chain opens one for each item. */
const compared = new WeakMap<object, Set<string>>();

/** A field: as it was entered, for the first item, and for another. */
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
	// What the model fills in is there once.
	if (JSON.stringify(entered)?.includes('$fromAI')) return;
	throw new FieldFault(
		field.displayName,
		`must be the same for all input items (item ${index} has another value). n8n only reads it for the first one. Use Loop Over Items to send them one by one`,
	);
}

/**
 * Refuses a field whose expression gives input items different values: the question of one would be asked
 * with the principals of another.
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
