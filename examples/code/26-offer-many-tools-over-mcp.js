// Platform 26: Offer many tools over MCP, as code of n8n's workflow SDK.
const read = tool({ type: 'n8n-nodes-platform-api.platformApiTool', version: 1, config: { name: 'Read', parameters: { areas: ['customers', 'partners', 'recurringPayments'] }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, 224] } });

const mCP_clients = trigger({
  type: '@n8n/n8n-nodes-langchain.mcpTrigger',
  version: 2,
  config: { name: 'MCP clients', parameters: { path: 'many-platform-tools' }, position: [-80, 0], webhookId: 'ba000000-0000-4000-8000-000000000916', subnodes: { tools: [read] } }
});

const wf = workflow('', 'Platform 26: Offer many tools over MCP', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Offer many tools over MCP
Other programs call these tools through n8n's MCP Server Trigger: all reads of customers, recurring payments and partners, from one **Platform Tools** node. A list gives 10 rows and says how to go on.

Set an authentication in the trigger. Publish this workflow, and give the URL of the trigger to the MCP client. *Execute workflow* listens at the test URL.`, [], { name: 'What this shows', width: 640, height: 256, position: [-80, -288] }))
  .add(mCP_clients)
