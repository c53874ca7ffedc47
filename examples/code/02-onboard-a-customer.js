// Platform 2: Onboard a customer, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const new_signup = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'New signup', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'externalId', value: 'signup-2001', type: 'string' }, { id: 'field-2', name: 'email', value: 'grace.hopper@example.com', type: 'string' }, { id: 'field-3', name: 'company', value: 'Hopper Compilers', type: 'string' }, { id: 'field-4', name: 'firstName', value: 'Grace', type: 'string' }, { id: 'field-5', name: 'lastName', value: 'Hopper', type: 'string' }, { id: 'field-6', name: 'country', value: 'US', type: 'string' }, { id: 'field-7', name: 'segment', value: 'enterprise', type: 'string' }, { id: 'field-8', name: 'language', value: 'en', type: 'string' }] }, options: {} }, position: [144, 0] }
});

const create_or_update_customer = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Create or update customer', parameters: { resource: 'customer', operation: 'upsert', externalId: expr('{{ $json.externalId }}'), email: expr('{{ $json.email }}'), fields: { companyName: expr('{{ $json.company }}'), firstName: expr('{{ $json.firstName }}'), lastName: expr('{{ $json.lastName }}'), address: { country: expr('{{ $json.country }}') } } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 0] }
});

const set_properties = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Set properties', parameters: { resource: 'property', operation: 'update', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, properties: { property: [{ name: { __rl: true, mode: 'name', value: 'segment' }, value: expr('{{ $(\'New signup\').item.json.segment }}') }, { name: { __rl: true, mode: 'name', value: 'language' }, value: expr('{{ $(\'New signup\').item.json.language }}') }] } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const new_customer = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'New customer?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $(\'Create or update customer\').item.json.action }}'), rightValue: 'created', operator: { type: 'string', operation: 'equals' } }], combinator: 'and' }, options: {} }, position: [816, 0] }
});

const create_subscription = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Create subscription', parameters: { resource: 'subscription', operation: 'create', customerId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create or update customer\').item.json.id }}') }, plan: 'plan-team', additionalFields: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, -112] }
});

const get_payment_link = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get payment link', parameters: { resource: 'customer', operation: 'getPaymentLink', customerId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create or update customer\').item.json.id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1264, 0] }
});

const wf = workflow('', 'Platform 2: Onboard a customer', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Onboard a customer
Turns a signup into a customer who can pay: **creates or updates** the customer by your own ID, sets properties, subscribes a new customer to a plan, and gets the payment link.

Run it twice: the second run updates the customer and doesn't create another subscription. Replace **New signup** with your form, CRM or shop.`, [], { name: 'What this shows', width: 640, height: 224, position: [-80, -368] }))
  .add(execute_workflow)
  .to(new_signup)
  .to(create_or_update_customer)
  .to(set_properties)
  .to(new_customer.onTrue(create_subscription
    .to(get_payment_link)).onFalse(get_payment_link))
