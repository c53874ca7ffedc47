// The part of n8n that its MCP server searches with, from the n8n under test.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

const load = createRequire(join(__dirname, '../n8n/node_modules/n8n/package.json'));

/** The search for nodes. */
export const catalog = load('@n8n/ai-utilities/node-catalog') as {
	NodeTypeParser: new (types: INodeTypeDescription[]) => object;
	searchCodeBuilderNodes(parser: object, queries: string[]): { results: string };
};
