// Action nodes as n8n offers them to agents, and what a model is told of each operation.
import {
	NodeConnectionTypes,
	NodeHelpers,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { newestVersion, nodes, type TableEntry } from './operations.cts';

/** The field that n8n adds to a node which doesn't bring its own. */
const describedByHand: INodeProperties = {
	displayName: 'Description',
	name: 'toolDescription',
	type: 'string',
	default: '',
};

/** What n8n makes of the description of an action node for the Tool input of agents. */
export function asTool(description: INodeTypeDescription): INodeTypeDescription {
	const { properties } = description;
	const hasOwn = properties.some(({ name }) => name === describedByHand.name);
	return {
		...description,
		name: `${description.name}Tool`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		properties: hasOwn ? properties : [describedByHand, ...properties],
	};
}

const tools = new Map(nodes.map(({ name, description }) => [name, asTool(description)]));

/** What a model is told of an operation as a tool, as long as nobody changes it: n8n's own way to it. */
export function toldOf({ node, resource, operation }: TableEntry): string {
	const description = tools.get(node);
	if (!description) throw new Error(`No node ${node}`);
	const form = { resource: resource.value, operation: operation.value };
	const { properties } = description;
	const typeVersion = newestVersion(description);
	const of = { typeVersion };
	const all = NodeHelpers.getNodeParameters(properties, form, true, false, of, description);
	const tool = {
		id: '1',
		name: 'Tool',
		type: description.name,
		typeVersion,
		position: [0, 0] as [number, number],
		parameters: all ?? form,
	};
	return NodeHelpers.getToolDescriptionForNode(tool, { description });
}
