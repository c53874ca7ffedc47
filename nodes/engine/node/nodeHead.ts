// Parts of the description that nodes share. n8n's lint wants the rest in each node's own file.
import { NodeConnectionTypes, type INodeTypeDescription } from 'n8n-workflow';

import { describe, hasLimit } from './description';
import { labelOf } from '../form/fields';
import { actionHint, builderHint, type NodeName } from '../../api/hints';
import type { Resource } from '../form/operation';

/** Hint for nodes with lists. */
const LISTS = 'Lists: set returnAll or filters, never loop over pages.';

function headOf(name: NodeName) {
	const displayName = labelOf(name);
	return {
		displayName,
		name,
		version: 1,
		defaults: { name: displayName },
	} satisfies Partial<INodeTypeDescription>;
}

/**
 * Returns the head of a trigger or an AI sub-node.
 * @param note more about the items of a trigger
 */
export const nodeHead = (name: NodeName, hint: string, usedWith: NodeName[], note?: string) => ({
	...headOf(name),
	builderHint: builderHint(name, hint, usedWith, note),
});

/**
 * Returns the head and the properties of an action node.
 * @param hint for AI builders
 * @param usedWith nodes that are often used together with it
 */
export function actionNode(
	name: NodeName,
	resources: Resource[],
	hint: string,
	usedWith: NodeName[] = [],
) {
	const hasLists = resources.some(({ operations }) => operations.some(hasLimit));
	const hints = [hint, hasLists && LISTS].filter(Boolean).join(' ');
	return {
		...headOf(name),
		group: ['transform'],
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		builderHint: actionHint(name, resources, hints, usedWith),
		properties: describe(resources),
	} satisfies Partial<INodeTypeDescription>;
}

/** A resource as far as its pickers show it. */
type Named = Pick<Resource, 'name' | 'value'> & {
	operations: Array<Pick<Resource, 'name' | 'value'>>;
};

/** Returns the expression for the text below a node on the canvas: `Create: Charge`. */
export function subtitleOf(resources: Named[]): string {
	const words = resources.flatMap(({ name, value, operations }) =>
		operations.map((each) => [`${value}.${each.value}`, `${each.name}: ${name}`]),
	);
	const table = JSON.stringify(Object.fromEntries(words));
	return `={{ (${table})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}
