// What the types of a node cost an AI builder, which gets the whole node each time: the table of docs/contributing/builders.md.
import { generateNodeTypeFile } from '@n8n/workflow-sdk';
import type { INodeProperties } from 'n8n-workflow';
import { nodes, type PackageNode } from '../test/table/operations.cts';
import { tokensOfText } from './toolTokens.cts';

/** Tokens that the types of one node, and those of all nodes, are meant to have at most. */
export const TYPE_BOUNDS = { node: 7000, all: 38_000 };

/** What n8n adds where the credential can be used by its HTTP Request node. */
const CUSTOM_API_CALL = { name: 'Custom API Call', value: '__CUSTOM_API_CALL__' };

function withCustomApiCall(property: INodeProperties): INodeProperties {
	const isPicker = property.name === 'resource' || property.name === 'operation';
	if (!isPicker || property.type !== 'options') return property;
	return { ...property, options: [...(property.options ?? []), CUSTOM_API_CALL] };
}

/** The types as n8n writes them for a community node (`synthesizeNodeTypeDef`). */
export function typesOf({ name, description }: PackageNode): string {
	return generateNodeTypeFile({
		...description,
		name: `n8n-nodes-platform-api.${name}`,
		properties: description.properties
			.filter(({ type }) => type !== 'hidden')
			.map(withCustomApiCall),
	} as Parameters<typeof generateNodeTypeFile>[0]);
}

/** The table of tokens by node. */
export function typeTokensTable(): string {
	const rows = nodes.map((node) => [node.displayName, tokensOfText(typesOf(node))] as const);
	const all = rows.reduce((sum, [, tokens]) => sum + tokens, 0);
	const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
	return [['Node', 'Tokens of its types'], ['---', '---'], ...rows, ['All', all]]
		.map(line)
		.join('\n');
}
