// Platform 1: Bill a new customer, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const create_customer = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Create customer', parameters: { resource: 'customer', operation: 'create', email: expr('ada.{{ $now.toMillis() }}@example.com'), companyName: 'Lovelace Analytics', additionalFields: { firstName: 'Ada', lastName: 'Lovelace', address: { city: 'London', country: 'GB' }, tags: 'demo, analytics' } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const create_subscription = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Create subscription', parameters: { resource: 'subscription', operation: 'create', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, plan: 'plan-team', additionalFields: {}, safetyLimits: { maxItems: 1 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 0] }
});

const record_usage = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Record usage', parameters: { resource: 'usage', operation: 'record', customerId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create customer\').item.json.id }}') }, subscriptionId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, externalId: expr('usage-{{ $now.toMillis() }}'), additionalFields: { value: 42, valueType: 'api_calls' } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const create_charge = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Create charge', parameters: { resource: 'charge', operation: 'create', customerId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create customer\').item.json.id }}') }, services: { service: [{ name: 'Onboarding', amount: 99.5, taxProfile: 'standard' }] }, idempotencyKey: expr('{{ $(\'Create customer\').item.json.id }} onboarding'), safetyLimits: { maxItems: 1, maxTotal: 100 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0] }
});

const get_all_customers = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get all customers', parameters: { resource: 'customer', operation: 'getAll', returnAll: true }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0] }
});

const wf = workflow('', 'Platform 1: Bill a new customer', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Bill a new customer
Creates a customer, subscribes it to a plan, records usage and creates a charge. Then it reads **all** customers, with several pages at a time.

Each run creates another customer. A charge moves money, so it's never retried if it may have gone through.`, [], { name: 'What this shows', width: 560, height: 192, position: [-80, -224] }))
  .add(execute_workflow)
  .to(create_customer)
  .to(create_subscription)
  .to(record_usage)
  .to(create_charge)
  .to(get_all_customers)
