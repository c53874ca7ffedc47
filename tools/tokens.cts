// What models read of the nodes, in tokens: the types that AI builders get, which are those of a whole node each time, and the
// tools of an agent, which each request to its model has.
import { generateNodeTypeFile } from '@n8n/workflow-sdk';
import type { INodeProperties } from 'n8n-workflow';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { describedTool } from '../dist/nodes/ApiTool/words.js';
import type { Offer } from '../dist/nodes/ApiTool/catalog.js';
import { signatureFor } from '../dist/nodes/ApiTool/toolkit.js';
import type { PackageNode, TableEntry } from '../test/table/operations.cts';
import { toldOf } from '../test/table/tools.cts';

/** Characters of a token, roughly, as English text has them. */
const CHARACTERS_PER_TOKEN = 4;

/** Tokens of a text, roughly. */
export const tokensOfText = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** Tokens of an operation as a tool whose required fields are all filled in by the model. */
export function tokensOfOperation(entry: TableEntry): number {
	const { operation } = entry;
	const required = (operation.fields ?? []).filter((field) => field.required);
	const properties = required.map(({ name, type, description = '' }) => {
		const isPlain = type === 'number' || type === 'boolean';
		return [name, { type: isPlain ? type : 'string', description }] as const;
	});
	const tool = {
		// n8n names the tool after its node: action and name of the node.
		name: `${operation.action} in ${entry.displayName}`.replace(/\W+/g, '_'),
		description: toldOf(entry),
		parameters: {
			type: 'object',
			properties: Object.fromEntries(properties),
			required: properties.map(([name]) => name),
		},
	};
	return tokensOfText(JSON.stringify({ type: 'function', function: tool }));
}

/** Tokens of a tool of Platform Tools as a model is told of it. */
export function tokensOfOffer(offer: Offer): number {
	const { $schema, ...parameters } = zodToJsonSchema(signatureFor(offer).schema as never) as Record<
		string,
		unknown
	>;
	const tool = { name: offer.name, description: describedTool(offer.operation), parameters };
	return $schema === undefined
		? 0
		: tokensOfText(JSON.stringify({ type: 'function', function: tool }));
}

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
