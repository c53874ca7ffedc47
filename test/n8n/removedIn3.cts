// What n8n 3.0 removes from workflows, as https://docs.n8n.io/changelog/v30-breaking-changes/ lists it.
import type { INode } from 'n8n-workflow';

const REMOVED_NODES = [
	'n8n-nodes-base.function',
	'n8n-nodes-base.functionItem',
	'n8n-nodes-base.itemLists',
	'n8n-nodes-base.aiTransform',
	'@n8n/n8n-nodes-langchain.code',
];

const REMOVED_HELPERS = /\$(getPairedItem|evaluateExpression)\b/;

/** The names of the nodes that n8n 3.0 doesn't run. */
export const removedIn3 = (nodes: INode[]): string[] =>
	nodes.filter(isRemoved).map(({ name }) => name);

function isRemoved({ type, typeVersion, parameters }: INode): boolean {
	return (
		REMOVED_NODES.includes(type) ||
		(type === '@n8n/n8n-nodes-langchain.agent' && typeVersion < 2) ||
		(type === 'n8n-nodes-base.executeWorkflow' && parameters.mode === 'each') ||
		REMOVED_HELPERS.test(JSON.stringify(parameters))
	);
}
