// Platform 16: Offer tools over MCP, as code of n8n's workflow SDK.
const get_Customer = tool({ type: 'n8n-nodes-platform-api.platformCustomersTool', version: 1, config: { name: 'Get Customer', parameters: { resource: 'customer', operation: 'get', customerId: { __rl: true, mode: 'id', value: expr('{{ $fromAI(\'customer_id\', \'ID of the customer\', \'string\') }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, 224] } });
const create_Customer = tool({ type: 'n8n-nodes-platform-api.platformCustomersTool', version: 1, config: { name: 'Create Customer', parameters: { resource: 'customer', operation: 'create', email: expr('{{ $fromAI(\'email\', \'Email address\', \'string\') }}'), companyName: expr('{{ $fromAI(\'company\', \'Name of the company\', \'string\') }}') }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 224] } });
const search_Help_Centre = tool({ type: 'n8n-nodes-platform-api.platformKnowledgeBaseTool', version: 1, config: { name: 'Search Help Centre', parameters: { toolDescription: 'Search the help centre of the company. Returns passages with their sources. Ask a full question.', knowledgeBaseId: { __rl: true, mode: 'id', value: 'akb-1' }, passages: 3 }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 224] } });

const platform_tools = trigger({
  type: '@n8n/n8n-nodes-langchain.mcpTrigger',
  version: 2,
  config: { name: 'Platform tools', parameters: { path: 'platform-tools' }, position: [-80, 0], webhookId: 'b0000000-0000-4000-8000-000000000902', subnodes: { tools: [get_Customer, create_Customer, search_Help_Centre] } }
});

const wf = workflow('', 'Platform 16: Offer tools over MCP', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Offer tools over MCP
Other programs call these tools through n8n's MCP Server Trigger: a customer by ID, a new customer, and a knowledge base.

Set an authentication in the trigger. Publish this workflow, and give the URL of the trigger to the MCP client. *Execute workflow* listens at the test URL.`, [], { name: 'What this shows', width: 640, height: 256, position: [-80, -288] }))
  .add(platform_tools)
