// Parts of n8n that its MCP server and its builders are made of, from the n8n under test.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

const load = createRequire(join(__dirname, '../n8n/node_modules/n8n/package.json'));

/** The search for nodes, and the types that the licensed AI builder reads. */
export const catalog = load('@n8n/ai-utilities/node-catalog') as {
	NodeTypeParser: new (types: INodeTypeDescription[]) => object;
	searchCodeBuilderNodes(parser: object, queries: string[]): { results: string };
	getNodeTypes(ids: string[], options: { nodeDefinitionDirs: string[] }): string;
};

/** Folders of the types of n8n's own nodes. */
export const { resolveBuiltinNodeDefinitionDirs } = load(
	'./dist/utils/node-definition-dirs.js',
) as { resolveBuiltinNodeDefinitionDirs(): string[] };

/** The types of a community node. */
export const { synthesizeNodeTypeDef } = load(
	'./dist/modules/mcp-registry/synthesize-type-def.js',
) as { synthesizeNodeTypeDef(description: Partial<INodeTypeDescription>): string };
