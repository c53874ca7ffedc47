// The official client of the Model Context Protocol, connected to an n8n.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { UsableN8n } from './setting.cts';

/** The client of a published workflow's MCP Server Trigger with this path. */
export async function connectMcp(n8n: UsableN8n, path: string): Promise<Client> {
	return await connect(n8n, `/mcp/${path}`);
}

/** Switches on n8n's own MCP server, as the owner; gives back the key of its clients, the only one that holds. */
export async function openBuilder({ client }: Pick<UsableN8n, 'client'>): Promise<string> {
	await client.rest('PATCH', '/mcp/settings', { mcpAccessEnabled: true });
	const { apiKey } = await client.rest<{ apiKey: string }>('POST', '/mcp/api-key/rotate');
	return apiKey;
}

/** The client of the MCP server of the n8n for all, which the set-up has switched on. */
export async function connectToBuilder(n8n: UsableN8n): Promise<Client> {
	const authorization = `Bearer ${process.env.BUILDER_KEY}`;
	return await connect(n8n, '/mcp-server/http', { authorization });
}

async function connect({ ca, url }: UsableN8n, path: string, headers = {}): Promise<Client> {
	// A connection for each request, as N8nClient has it: n8n closes idle ones.
	const dispatcher = new Agent({ connect: { ca }, pipelining: 0 });
	const client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(
		new StreamableHTTPClientTransport(new URL(path, url), {
			requestInit: { headers },
			fetch: (async (address: string | URL, init: object = {}) =>
				await undiciFetch(address, { ...init, dispatcher })) as unknown as typeof fetch,
		}),
	);
	return client;
}

/** The text of a tool's answer. */
export async function callTool(
	client: Client,
	name: string,
	args: Record<string, unknown>,
): Promise<{ isError: boolean; text: string }> {
	const { content, isError } = await client.callTool({ name, arguments: args });
	const text = (content as Array<{ text: string }>).map((part) => part.text).join();
	return { isError: isError === true, text };
}
