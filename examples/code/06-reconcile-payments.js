// Platform 6: Reconcile payments by polling, as code of n8n's workflow SDK.
const payment_changed = trigger({
  type: 'n8n-nodes-platform-api.platformPollingTrigger',
  version: 1,
  config: { name: 'Payment changed', parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] }, event: 'paymentStatusChanged', statuses: 'paid, failed' }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, 0] }
});

const get_customer = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get customer', parameters: { resource: 'customer', operation: 'get', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.data.customer_id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const failed = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'Failed?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $(\'Payment changed\').item.json.status }}'), rightValue: 'failed', operator: { type: 'string', operation: 'equals' } }], combinator: 'and' }, options: {} }, position: [368, 0] }
});

const get_payment_link = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get payment link', parameters: { resource: 'customer', operation: 'getPaymentLink', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, -112] }
});

const open_payment = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Open payment', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'subscription', value: expr('{{ $(\'Payment changed\').item.json.data.subscription_reference }}'), type: 'string' }, { id: 'field-2', name: 'company', value: expr('{{ $(\'Get customer\').item.json.company_name }}'), type: 'string' }, { id: 'field-3', name: 'email', value: expr('{{ $(\'Get customer\').item.json.email }}'), type: 'string' }, { id: 'field-4', name: 'payment', value: expr('{{ $(\'Payment changed\').item.json.status }}'), type: 'string' }, { id: 'field-5', name: 'before', value: expr('{{ $(\'Payment changed\').item.json.previousStatus }}'), type: 'string' }, { id: 'field-6', name: 'payHere', value: expr('{{ $json.url }}'), type: 'string' }] }, options: {} }, position: [816, -112] }
});

const received_payment = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Received payment', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'subscription', value: expr('{{ $(\'Payment changed\').item.json.data.subscription_reference }}'), type: 'string' }, { id: 'field-2', name: 'company', value: expr('{{ $(\'Get customer\').item.json.company_name }}'), type: 'string' }, { id: 'field-3', name: 'email', value: expr('{{ $(\'Get customer\').item.json.email }}'), type: 'string' }, { id: 'field-4', name: 'payment', value: expr('{{ $(\'Payment changed\').item.json.status }}'), type: 'string' }, { id: 'field-5', name: 'before', value: expr('{{ $(\'Payment changed\').item.json.previousStatus }}'), type: 'string' }, { id: 'field-6', name: 'receivedOn', value: expr('{{ $now.toFormat(\'yyyy-MM-dd\') }}'), type: 'string' }] }, options: {} }, position: [816, 112] }
});

const wf = workflow('', 'Platform 6: Reconcile payments by polling', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Reconcile payments by polling
For n8n without a public HTTPS URL. Publish this workflow: the trigger polls the recurring subscriptions and starts when the last payment of one changes to **paid** or **failed**. The first poll only saves the current state.

Paid ones become a line for bookkeeping. Failed ones become a line with a payment link. *Execute workflow* shows this with a few samples, of each status if there are any.

The API reference doesn't list the payment statuses. **paid** and **failed** are those of the sandbox: check which ones your service uses.`, [], { name: 'What this shows', width: 768, height: 288, position: [-80, -432] }))
  .add(payment_changed)
  .to(get_customer)
  .to(failed.onTrue(get_payment_link
    .to(open_payment)).onFalse(received_payment))
