// Parts of the description that nodes share. n8n's lint wants the rest in each node's own file.
import { NodeConnectionTypes, type INodeTypeDescription } from 'n8n-workflow';

import type { ApiDefinition } from '../base/definition';
import { labelOf } from '../form/fields';
import type { Resource } from '../form/operation';
import { describe, hasLimit } from './description';
import { actionHint, builderHint } from './hints';

const LISTS = 'Lists: set returnAll or filters, never loop over pages.';

function headOf(name: string) {
	const displayName = labelOf(name);
	return {
		displayName,
		name,
		version: 1,
		defaults: { name: displayName },
	} satisfies Partial<INodeTypeDescription>;
}

/** Since 1.1, a key of what may be sent again is an option (`hasKeyField`), and money in doubt fails (`failsInDoubt`). */
const VERSIONS = [1, 1.1];

export function nodesOf<NodeName extends string>(api: ApiDefinition) {
	const { type, test } = api.credential;

	/** The head of a trigger or an AI sub-node. */
	const nodeHead = (name: NodeName, hint: string, usedWith: NodeName[], note?: string) => ({
		...headOf(name),
		builderHint: builderHint(api, { name, hint, usedWith, note }),
	});

	function actionNode(
		name: NodeName,
		resources: Resource[],
		hint: string,
		usedWith: NodeName[] = [],
	) {
		const hasLists = resources.some(({ operations }) => operations.some(hasLimit));
		const hints = [hint, hasLists && LISTS].filter(Boolean).join(' ');
		return {
			...headOf(name),
			version: VERSIONS,
			group: ['transform'],
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: type, required: true, testedBy: test }],
			builderHint: actionHint(api, resources, { name, hint: hints, usedWith }),
			properties: describe(resources),
		} satisfies Partial<INodeTypeDescription>;
	}

	return { nodeHead, actionNode };
}

type Named = Pick<Resource, 'name' | 'value'> & {
	operations: Array<Pick<Resource, 'name' | 'value'>>;
};

/** Expression for the text below a node on the canvas: `Create: Order`. */
export function subtitleOf(resources: Named[]): string {
	const words = resources.flatMap(({ name, value, operations }) =>
		operations.map((each) => [`${value}.${each.value}`, `${each.name}: ${name}`]),
	);
	const table = JSON.stringify(Object.fromEntries(words));
	return `={{ (${table})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}
