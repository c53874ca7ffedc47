// Platform 4: Dunning on a failed charge, as code of n8n's workflow SDK.
const charge_failed = trigger({
  type: 'n8n-nodes-platform-api.platformCustomersTrigger',
  version: 1,
  config: { name: 'Charge failed', parameters: { events: ['RecurringPayments.charge.failed'], settings: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, 0] }
});

const each_delivery_once = node({
  type: 'n8n-nodes-platform-api.platformWebhooks',
  version: 1,
  config: { name: 'Each delivery once', parameters: { resource: 'delivery', operation: 'keepNew', key: expr('{{ $json.deliveryId }}'), options: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const charge = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Charge', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'customerId', value: expr('{{ $json.body.data.charge.customer_id }}'), type: 'string' }, { id: 'field-2', name: 'chargeId', value: expr('{{ $json.body.data.charge.id }}'), type: 'string' }, { id: 'field-3', name: 'service', value: expr('{{ $json.body.data.charge.services[0].name }}'), type: 'string' }, { id: 'field-4', name: 'amount', value: expr('{{ $json.body.data.charge.services[0].amount }}'), type: 'string' }] }, options: {} }, position: [368, 0] }
});

const get_customer = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get customer', parameters: { resource: 'customer', operation: 'get', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.customerId }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const get_payment_link = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get payment link', parameters: { resource: 'customer', operation: 'getPaymentLink', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0] }
});

const send_reminder = node({
  type: 'n8n-nodes-base.emailSend',
  version: 2.1,
  config: {
    name: 'Send reminder',
    parameters: {
      fromEmail: 'billing@example.com',
      toEmail: expr('{{ $(\'Get customer\').item.json.email }}'),
      subject: expr('Your payment for {{ $(\'Charge\').item.json.service }} failed'),
      emailFormat: 'text',
      text: expr(`Dear {{ $('Get customer').item.json.first_name }},

we could not collect {{ $('Charge').item.json.amount }} for {{ $('Charge').item.json.service }}.
Please pay here: {{ $('Get payment link').item.json.url }}

Your billing team`),
      options: { appendAttribution: false }
    },
    credentials: { smtp: newCredential('SMTP account', '') },
    position: [1040, 0]
  }
});

const plan_a_call = node({
  type: 'n8n-nodes-platform-api.platformScheduler',
  version: 1,
  config: { name: 'Plan a call', parameters: { resource: 'event', operation: 'create', eventType: { __rl: true, mode: 'list', value: 'appointment' }, title: expr('Call {{ $(\'Get customer\').item.json.company_name }} about a failed charge'), scheduleDate: expr('{{ $now.plus(3, \'days\').toISO() }}'), additionalFields: {}, idempotencyKey: expr('{{ $(\'Get customer\').item.json.id }} {{ $now.toISODate() }}'), safetyLimits: { maxItems: 20 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1264, 0] }
});

const wf = workflow('', 'Platform 4: Dunning on a failed charge', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Dunning on a failed charge
Publish this workflow. When a charge fails, the customer gets a reminder with a payment link, and a call is added to the calendar three days later.

*Execute workflow* uses the sample pinned to **Charge failed**. The API may deliver an event twice: **Each delivery once** removes duplicates, and so the sample too when you execute it again.

The API reference doesn't show the content of a delivery. **Charge** reads \`body.data.charge\`, as the sandbox sends it. Check a delivery of your service, and change **Charge** if needed.

In the sandbox, a charge fails if the name of its service contains *decline*.`, [], { name: 'What this shows', width: 768, height: 288, position: [-80, -320] }))
  .add(charge_failed)
  .to(each_delivery_once)
  .to(charge)
  .to(get_customer)
  .to(get_payment_link)
  .to(send_reminder)
  .to(plan_a_call)
