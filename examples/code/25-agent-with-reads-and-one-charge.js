// Platform 25: An agent with reads and one charge, as code of n8n's workflow SDK.
const chat_model = languageModel({ type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', version: 1.2, config: { name: 'Chat model', parameters: { model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' }, options: {} }, credentials: { openAiApi: newCredential('OpenAI account', '') }, position: [320, 224] } });
const charge = tool({ type: 'n8n-nodes-platform-api.platformApiTool', version: 1, config: { name: 'Charge', parameters: { offer: 'chosen', operations: ['create_charge'], limits: { maxAmount: 500, maxTotal: 1000 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [736, 416] } });
const approval = tool({ type: 'n8n-nodes-base.emailSendHitlTool', version: 2.1, config: { name: 'Approval', parameters: {
  fromEmail: 'n8n@example.com',
  toEmail: 'manager@example.com',
  subject: 'Please approve a charge',
  message: expr(`Charge a customer with these values?
{{ JSON.stringify($json.toolParameters, null, 2).replace(/[<>&]/g, '') }}`),
  approvalOptions: { values: { approvalType: 'double' } }
}, credentials: { smtp: newCredential('SMTP account', '') }, position: [736, 224], webhookId: 'b9000000-0000-4000-8000-000000000915', subnodes: { tools: [charge] } } });
const read = tool({ type: 'n8n-nodes-platform-api.platformApiTool', version: 1, config: { name: 'Read', credentials: { platformApi: newCredential('Platform API', '') }, position: [544, 224] } });

const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const question = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Question', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'task', value: 'Find the customer elena.bianchi.1@zenith-studios.example and charge her 5 for the setup', type: 'string' }] }, options: {} }, position: [144, 0] }
});

const agent = node({
  type: '@n8n/n8n-nodes-langchain.agent',
  version: 3.1,
  config: { name: 'Agent', parameters: { promptType: 'define', text: expr('{{ $json.task }}'), options: { systemMessage: 'Look up the customer before you charge. Charge once only. If a charge is refused, don\'t try again.' } }, position: [368, 0], subnodes: { model: chat_model, tools: [approval, read] } }
});

const wf = workflow('', 'Platform 25: An agent with reads and one charge', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## An agent with reads and one charge
One **Platform Tools** node gives the agent all reads of customers and recurring payments. A second one has a single operation, Create a charge, behind a review: a manager approves each charge by email, and its message shows the values.

The same charge goes out once. Set a limit in **Charge**, the addresses in **Approval**, your SMTP and OpenAI credentials, and the task in **Question**.`, [], { name: 'What this shows', width: 640, height: 240, position: [-80, -272] }))
  .add(execute_workflow)
  .to(question)
  .to(agent)
