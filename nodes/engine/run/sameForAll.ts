// Refuses fields of sub-nodes and tools that differ between input items. n8n's chains, and agents that call
// their tools themselves, read the fields for the first item, even when they work on another one.
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type ISupplyDataFunctions,
} from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { isRecord } from '../base/data';
import { columnsIn, expressionsIn, isOfModel } from '../base/expressions';
import { rowName } from '../base/itemName';
import type { Field } from '../form/fields';
import { parametersOf } from './parameters';

type Context = Pick<IExecuteFunctions | ISupplyDataFunctions, 'getNodeParameter' | 'getNode'>;

/** Nodes that were already checked for a list of input items: a chain opens a sub-node for each item. */
const compared = new WeakMap<object, Set<string>>();

/** Values of a field: raw, for the first item, and for another item. */
type Values = [entered: unknown, first: unknown, other: unknown];

/** The field whose value differs, in a collection the field inside. Only the raw value shows which part is an expression. */
function differing(field: Field, [entered, first, other]: Values): Field | undefined {
	if (JSON.stringify(first) === JSON.stringify(other)) return undefined;
	if (typeof entered !== 'object' || entered === null) {
		return isOfModel(entered) ? undefined : field;
	}
	for (const [key, inside] of Object.entries(entered)) {
		// A value that is no object is compared as a whole.
		const valueIn = (value: unknown): unknown =>
			typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : value;
		const options = field.type === 'collection' ? field.options : [];
		const fieldInside = options.find(({ name }) => name === key) ?? field;
		const found = differing(fieldInside, [inside, valueIn(first), valueIn(other)]);
		if (found) return found;
	}
	return undefined;
}

/** The first field that differs between these items, and an item that has another value than the first. */
export function firstDiffering(
	context: Context,
	fields: Field[],
	indexes: number[],
): { field: Field; index: number } | undefined {
	const constants = new Map<string, unknown>();
	const first = parametersOf(context, constants, indexes[0]);
	const raw = (name: string): unknown =>
		context.getNodeParameter(name, indexes[0], null, { rawExpressions: true });
	for (const index of indexes) {
		const other = parametersOf(context, constants, index);
		for (const each of fields) {
			const { name } = each;
			if (first(name) === other(name)) continue;
			const field = differing(each, [raw(name), first(name), other(name)]);
			if (field) return { field, index };
		}
	}
	return undefined;
}

/** Refuses a field that differs between items: a question would be asked with another item's rights. Throws FieldFault. */
export function checkSame(
	context: Context,
	{ fields = [] }: { fields?: Field[] },
	items: object[],
): void {
	const checked = compared.get(items) ?? new Set();
	const { id } = context.getNode();
	if (checked.has(id)) return;
	const found = firstDiffering(context, fields, [...items.keys()]);
	if (found) {
		throw new FieldFault(
			found.field.displayName,
			`must be the same for all input items, and ${rowName(found.index)} has another value. n8n only reads it for the first one. Use Loop Over Items to send them one by one`,
		);
	}
	compared.set(items, checked.add(id));
}

const namesIn = (text: string, pattern: RegExp): string[] =>
	[...text.matchAll(pattern)].map((found) => found.slice(1).find(Boolean) ?? '');

/** Nodes whose item an expression takes, by the pairing of items. */
const PAIRED = /\$\(\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`)\s*\)\s*\??\.\s*(?:item|pairedItem)\b/g;
const NODE = /\$node(?:\.(\w+)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])/g;

interface Proxy {
	all(output?: number, run?: number): unknown[];
}

/**
 * Refuses fields of a tool that n8n's engine runs, as AI Agent 3 has it. Such a run has one item: that of the agent, with the
 * arguments of the model written over it. Its pairing always leads to the first item.
 */
function checkPairing(context: IExecuteFunctions, fields: Field[]): void {
	const [item] = context.getInputData();
	const pairing = item?.pairedItem;
	const source = isRecord(pairing) ? (pairing.sourceOverwrite as SourceOfAgent) : undefined;
	if (!source) return;
	const { $: nodeOf } = context.getWorkflowDataProxy(0) as { $: (name: string) => Proxy };
	const { previousNode, previousNodeOutput, previousNodeRun } = source;
	// In a later run of the agent, as in a Retry after a crash, n8n names the agent itself as the previous node. Then the agent
	// may have had several items.
	const asTools = { connectionType: NodeConnectionTypes.AiTool };
	const isLost = context
		.getParentNodes(previousNode, asTools)
		.some(({ name }) => name === context.getNode().name);
	// In a later run of the previous node there were items before, too, and the pairing may lead to one of those.
	const hasSeveral =
		isLost ||
		(previousNodeRun ?? 0) > 0 ||
		nodeOf(previousNode).all(previousNodeOutput, previousNodeRun).length > 1;
	for (const { name, displayName } of fields) {
		const raw = context.getNodeParameter(name, 0, null, { rawExpressions: true });
		for (const text of expressionsIn(raw)) {
			const paired = [...namesIn(text, PAIRED), ...namesIn(text, NODE)];
			const other = hasSeveral && paired.find((each) => nodeOf(each).all().length > 1);
			if (other) {
				throw new FieldFault(
					displayName,
					`takes its value from the item of "${other}", which is the first one for every item of the agent. Use Loop Over Items to send them one by one, and $json in the field`,
				);
			}
			const ofAgent = columnsIn(text).filter(({ node }) => node === undefined);
			const given = ofAgent.map(({ path: [key] }) => key).find((key) => isFromModel(context, key));
			if (given !== undefined) {
				throw new FieldFault(
					displayName,
					`takes "${given}" from the item of the agent, but the model has given a value with this name. Rename the field of the item`,
				);
			}
		}
	}
}

interface SourceOfAgent {
	previousNode: string;
	previousNodeOutput?: number;
	previousNodeRun?: number;
}

const isFromModel = (context: IExecuteFunctions, name: string): boolean =>
	/^[\w-]{1,64}$/.test(name) &&
	context.evaluateExpression(`{{ $fromAI('${name}') }}`, 0) !== undefined;

/** Refuses fields of a tool that can't be right for the item that the agent works on. Throws FieldFault for the first one. */
export function checkTool(
	context: IExecuteFunctions | ISupplyDataFunctions,
	fields: Field[],
): void {
	const own = fields.filter(({ name, type }) => name !== 'toolDescription' && type !== 'notice');
	// An agent that calls its tools itself shares its items with them. AI Agent 3 has n8n's engine run them.
	if (!context.isToolExecution()) return checkPairing(context as IExecuteFunctions, own);
	const { $input } = context.getWorkflowDataProxy(0) as { $input: Proxy };
	checkSame(context, { fields: own }, $input.all() as object[]);
}
