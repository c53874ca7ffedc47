// Platform 17: A person approves each charge, as code of n8n's workflow SDK.
const chat_model = languageModel({ type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', version: 1.2, config: { name: 'Chat model', parameters: { model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' }, options: {} }, credentials: { openAiApi: newCredential('OpenAI account', '') }, position: [320, 224] } });
const get_Customer = tool({ type: 'n8n-nodes-platform-api.platformCustomersTool', version: 1, config: { name: 'Get Customer', parameters: { resource: 'customer', operation: 'get', customerId: { __rl: true, mode: 'id', value: expr('{{ $fromAI(\'customer_id\', \'ID of the customer\', \'string\') }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [544, 224] } });
const charge_Customer = tool({ type: 'n8n-nodes-platform-api.platformCustomersTool', version: 1, config: { name: 'Charge Customer', parameters: { resource: 'charge', operation: 'create', customerId: { __rl: true, mode: 'id', value: expr('{{ $fromAI(\'customer_id\', \'ID of the customer\', \'string\') }}') }, services: { service: [{ name: expr('{{ $fromAI(\'service\', \'What is charged for\', \'string\') }}'), amount: expr('{{ $fromAI(\'amount\', \'Price of the service\', \'number\') }}') }] }, idempotencyKey: expr('{{ $execution.id }} {{ $fromAI(\'customer_id\', \'ID of the customer\', \'string\') }}'), safetyLimits: { maxAmount: 500, maxTotal: 1000 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [736, 416] } });
const approval = tool({ type: 'n8n-nodes-base.emailSendHitlTool', version: 2.1, config: { name: 'Approval', parameters: {
  fromEmail: 'n8n@example.com',
  toEmail: 'manager@example.com',
  subject: 'Please approve a charge',
  message: expr(`Charge a customer with these values?
{{ JSON.stringify($json.toolParameters, null, 2).replace(/[<>&]/g, '') }}`),
  approvalOptions: { values: { approvalType: 'double' } }
}, credentials: { smtp: newCredential('SMTP account', '') }, position: [736, 224], webhookId: 'b1000000-0000-4000-8000-000000000907', subnodes: { tools: [charge_Customer] } } });

const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const question = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Question', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'task', value: 'Charge customer cus-100001 with 5 for the setup', type: 'string' }] }, options: {} }, position: [144, 0] }
});

const agent = node({
  type: '@n8n/n8n-nodes-langchain.agent',
  version: 3.1,
  config: { name: 'Agent', parameters: { promptType: 'define', text: expr('{{ $json.task }}'), options: { systemMessage: 'Look up the customer before you charge. Charge once only. If a charge is refused, don\'t try again.' } }, position: [368, 0], subnodes: { model: chat_model, tools: [get_Customer, approval] } }
});

const wf = workflow('', 'Platform 17: A person approves each charge', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## A person approves each charge
An agent may look up customers freely, but each charge waits until a manager approves it by email. A refused charge isn't made. The **message** shows the values of the charge: n8n's own doesn't, and the model can change what that one says. In the demo of \`npm start\`, the links of the email are shown where you started it.

Set the addresses in **Approval**, your SMTP and OpenAI credentials, and the task in **Question**.`, [], { name: 'What this shows', width: 640, height: 240, position: [-80, -272] }))
  .add(execute_workflow)
  .to(question)
  .to(agent)
