// What the tools of an agent cost in each request to its model: the table of docs/contributing/builders.md.
import type { Field } from '../nodes/engine/form/fields.ts';
import { nodes, table, type TableEntry } from '../test/table/operations.cts';
import { toldOf } from '../test/table/tools.cts';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { signatureFor } from '../dist/nodes/ApiTool/toolkit.js';
import { describedTool } from '../dist/nodes/ApiTool/words.js';
import type { Offer } from '../dist/nodes/ApiTool/catalog.js';

/** Characters of a token, roughly, as English text has them. */
const CHARACTERS_PER_TOKEN = 4;

/** Tokens of a text, roughly. */
export const tokensOfText = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

interface ToolField {
	name: string;
	type: string;
	description: string;
}

const toolField = ({ name, type, description = '' }: Field): ToolField => ({
	name,
	type: type === 'number' || type === 'boolean' ? type : 'string',
	description,
});

/** Tokens of a tool as a model is told of it. */
function tokensOf(name: string, description: string, fields: ToolField[]): number {
	const properties = fields.map(({ name: key, ...schema }) => [key, schema] as const);
	const required = fields.map((field) => field.name);
	const parameters = {
		type: 'object',
		properties: Object.fromEntries(properties),
		required,
	};
	const tool = { type: 'function', function: { name, description, parameters } };
	return tokensOfText(JSON.stringify(tool));
}

/** Tokens of an operation as a tool whose required fields are all filled in by the model. */
function tokensOfOperation(entry: TableEntry): number {
	const { operation } = entry;
	const required = (operation.fields ?? []).filter((field) => field.required);
	// n8n names the tool after its node: action and name of the node.
	const name = `${operation.action} in ${entry.displayName}`.replace(/\W+/g, '_');
	return tokensOf(name, toldOf(entry), required.map(toolField));
}

/** The table of tokens by node. */
export function toolTokensTable(): string {
	const rows = nodes.flatMap(({ name, displayName, description }) => {
		const entries = table.filter(({ node }) => node === name).map(tokensOfOperation);
		if (entries.length > 0) {
			return [[displayName, entries.length, `${Math.min(...entries)} to ${Math.max(...entries)}`]];
		}
		const told = description.properties.find((each) => each.name === 'toolDescription');
		if (told === undefined) return [];
		const question = {
			name: 'question',
			type: 'string',
			description: 'The question to search for, as a full sentence',
		};
		return [
			[
				displayName,
				1,
				tokensOf(description.defaults.name ?? name, String(told.default), [question]),
			],
		];
	});
	const line = (cells: unknown[]) => `| ${cells.join(' | ')} |`;
	return [['Node', 'Tools', 'Tokens of one'], ['---', '---', '---'], ...rows].map(line).join('\n');
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
