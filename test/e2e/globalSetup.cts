// Packs the package and starts the n8n that all files use, with its MCP server and its Agents; ends with it.
import { openBuilder } from '../n8n/mcp.cts';
import pack from '../n8n/pack.cts';
import { startSharedN8n } from '../n8n/setting.cts';

declare global {
	/** Ends the n8n for all; jest runs set-up and teardown in one process. */
	var stopSharedN8n: (() => Promise<void>) | undefined;
}

const env = {
	N8N_DISABLED_MODULES: 'chat-hub,instance-ai,mcp-registry',
	// Each query is a request of its own, more than n8n takes of one client in five minutes.
	N8N_MCP_SERVER_RATE_LIMIT: '10000',
};

export default async function setUp(): Promise<void> {
	pack();
	const n8n = await startSharedN8n({ env });
	globalThis.stopSharedN8n = n8n.stop;
	process.env.BUILDER_KEY = await openBuilder(n8n);
}
