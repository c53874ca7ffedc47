// Platform 24: Bill orders from a spreadsheet, once, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const orders = node({
  type: 'n8n-nodes-base.code',
  version: 2,
  config: {
    name: 'Orders',
    parameters: {
      jsCode: `// Stands for your orders.
return [
  { order: 'A-1001', customer: 'crm-1', service: 'Setup', price: 120 },
  { order: 'A-1002', customer: 'crm-2', service: 'Training', price: 480.5 },
  { order: 'A-1003', customer: 'crm-3', service: 'Support', price: 75 },
].map((json) => ({ json }));`
    },
    position: [144, 0]
  }
});

const make_a_spreadsheet = node({
  type: 'n8n-nodes-base.convertToFile',
  version: 1.1,
  config: { name: 'Make a spreadsheet', parameters: { operation: 'xlsx', options: { fileName: 'orders.xlsx' } }, position: [368, 0] }
});

const read_rows = node({
  type: 'n8n-nodes-base.extractFromFile',
  version: 1,
  config: { name: 'Read rows', parameters: { operation: 'xlsx', options: {} }, position: [592, 0] }
});

const find_customer = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Find customer', parameters: { resource: 'customer', operation: 'getByExternalId', externalId: expr('{{ $json.customer }}') }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0] }
});

const charge_customer = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Charge customer', parameters: { resource: 'charge', operation: 'create', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, services: { service: [{ name: expr('{{ $(\'Read rows\').item.json.service }}'), amount: expr('{{ $(\'Read rows\').item.json.price }}') }] }, safetyLimits: { maxAmount: 1000, maxItems: 100, maxTotal: 5000 }, idempotencyKey: expr('{{ $(\'Read rows\').item.json.order }}') }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0] }
});

const skipped = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'Skipped?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.skipped }}'), rightValue: '', operator: { type: 'boolean', operation: 'true', singleValue: true } }], combinator: 'and' }, options: {}, looseTypeValidation: true }, position: [1264, 0] }
});

const in_doubt = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'In doubt?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.inDoubt }}'), rightValue: '', operator: { type: 'boolean', operation: 'true', singleValue: true } }], combinator: 'and' }, options: {}, looseTypeValidation: true }, position: [1488, -112] }
});

const please_check = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Please check', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'order', value: expr('{{ $json.idempotencyKey }}'), type: 'string' }, { id: 'field-2', name: 'reason', value: expr('{{ $json.reason }}'), type: 'string' }] }, options: {} }, position: [1712, -224] }
});

const charged_before = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Charged before', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'order', value: expr('{{ $json.idempotencyKey }}'), type: 'string' }] }, options: {} }, position: [1712, 0] }
});

const charged_now = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Charged now', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'order', value: expr('{{ $(\'Read rows\').item.json.order }}'), type: 'string' }, { id: 'field-2', name: 'charge', value: expr('{{ $json.id }}'), type: 'string' }] }, options: {} }, position: [1488, 112] }
});

const wf = workflow('', 'Platform 24: Bill orders from a spreadsheet, once', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Bill orders from a spreadsheet, once
Charges the customer of each order. All rows are checked before the first one is charged, and **Safety Limits** stop a wrong formula.

The **Idempotency Key** is the order, so each order is charged once: run it again, also after a crash, and only new orders are charged. An order that may have gone through ends up in **Please check**.

**Try it without a charge:** create a second credential with **Dry Run** on, choose it in both Platform nodes, and execute. *Charge customer* shows what it would send, and the total. Then choose the first credential again.

Replace **Orders** and **Make a spreadsheet** with a node that gets your file.`, [], { name: 'What this shows', width: 800, height: 336, position: [-80, -368] }))
  .add(execute_workflow)
  .to(orders)
  .to(make_a_spreadsheet)
  .to(read_rows)
  .to(find_customer)
  .to(charge_customer)
  .to(skipped.onTrue(in_doubt.onTrue(please_check).onFalse(charged_before)).onFalse(charged_now))
