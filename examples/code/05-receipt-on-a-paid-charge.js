// Platform 5: Receipt on a paid charge, as code of n8n's workflow SDK.
const charge_paid = trigger({
  type: 'n8n-nodes-platform-api.platformCustomersTrigger',
  version: 1,
  config: { name: 'Charge paid', parameters: { events: ['RecurringPayments.charge.paid'], settings: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, 0] }
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

const send_receipt = node({
  type: 'n8n-nodes-base.emailSend',
  version: 2.1,
  config: {
    name: 'Send receipt',
    parameters: {
      fromEmail: 'billing@example.com',
      toEmail: expr('{{ $json.email }}'),
      subject: expr('Receipt for {{ $(\'Charge\').item.json.service }}'),
      emailFormat: 'text',
      text: expr(`Dear {{ $json.first_name }},

we have received {{ $('Charge').item.json.amount }} for {{ $('Charge').item.json.service }}.
The number of this payment is {{ $('Charge').item.json.chargeId }}.

Thank you!`),
      options: { appendAttribution: false }
    },
    credentials: { smtp: newCredential('SMTP account', '') },
    position: [816, 0]
  }
});

const remember_the_payment = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Remember the payment', parameters: { resource: 'property', operation: 'update', customerId: { __rl: true, mode: 'id', value: expr('{{ $(\'Charge\').item.json.customerId }}') }, keepOthers: true, properties: { property: [{ name: { __rl: true, mode: 'name', value: 'last_paid_on' }, value: expr('{{ $now.toFormat(\'yyyy-MM-dd\') }}') }] } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0] }
});

const wf = workflow('', 'Platform 5: Receipt on a paid charge', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Receipt on a paid charge
Publish this workflow. When a charge is paid, the customer gets a receipt by email, and the payment date is saved as a customer property.

*Execute workflow* uses the sample pinned to **Charge paid**. The API may deliver an event twice: **Each delivery once** removes duplicates, and so the sample too when you execute it again.

The API reference doesn't show the content of a delivery. **Charge** reads \`body.data.charge\`, as the sandbox sends it. Check a delivery of your service, and change **Charge** if needed.

To try it in the demo, run *Bill a new customer*.`, [], { name: 'What this shows', width: 768, height: 288, position: [-80, -320] }))
  .add(charge_paid)
  .to(each_delivery_once)
  .to(charge)
  .to(get_customer)
  .to(send_receipt)
  .to(remember_the_payment)
