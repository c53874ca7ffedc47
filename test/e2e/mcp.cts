// The official client of the Model Context Protocol, connected to n8n's MCP Server Trigger.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { UsableN8n } from './setting.cts';

/** The client of a published workflow's trigger with this path. */
export async function connectMcp({ ca, url }: UsableN8n, path: string): Promise<Client> {
	const dispatcher = new Agent({ connect: { ca } });
	const client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(
		new StreamableHTTPClientTransport(new URL(`/mcp/${path}`, url), {
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
