// Platform 23: Paid charges, none missed, as code of n8n's workflow SDK.
const charge_paid = trigger({
  type: 'n8n-nodes-platform-api.platformCustomersTrigger',
  version: 1,
  config: { name: 'Charge paid', parameters: { events: ['RecurringPayments.charge.paid'], settings: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, -96] }
});

const subscriptions = node({
  type: 'n8n-nodes-platform-api.platformRecurringPayments',
  version: 1,
  config: { name: 'Subscriptions', parameters: { resource: 'subscription', operation: 'getAll', returnAll: true }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, -96], executeOnce: true }
});

const paid_by_this_customer = node({
  type: 'n8n-nodes-base.filter',
  version: 2.2,
  config: { name: 'Paid by this customer', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.last_payment_status === \'paid\' && $(\'Charge paid\').all().some(({ json }) => json.body.data.charge.customer_id === $json.customer_id) }}'), rightValue: '', operator: { type: 'boolean', operation: 'true', singleValue: true } }], combinator: 'and' }, options: {} }, position: [368, -96] }
});

const each_payment_once = node({
  type: 'n8n-nodes-platform-api.platformWebhooks',
  version: 1,
  config: { name: 'Each payment once', parameters: { resource: 'delivery', operation: 'keepNew', key: expr('{{ $json.id + \' \' + $json.next_renew }}'), options: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const handle_payment = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Handle payment', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'subscription', value: expr('{{ $json.id }}'), type: 'string' }, { id: 'field-2', name: 'customer', value: expr('{{ $json.customer_id }}'), type: 'string' }, { id: 'field-3', name: 'renewal', value: expr('{{ $json.next_renew }}'), type: 'string' }] }, options: {} }, position: [816, 0] }
});

const payment_is_paid = trigger({
  type: 'n8n-nodes-platform-api.platformPollingTrigger',
  version: 1,
  config: { name: 'Payment is paid', parameters: { pollTimes: { item: [{ mode: 'everyX', value: 15, unit: 'minutes' }] }, event: 'paymentStatusChanged', statuses: 'paid' }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 144] }
});

const subscription = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Subscription', parameters: { mode: 'raw', jsonOutput: expr('{{ $json.data }}'), options: {} }, position: [368, 144] }
});

const wf = workflow('', 'Platform 23: Paid charges, none missed', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Paid charges, none missed
Publish this workflow. **Charge paid** starts it as soon as the API reports a charge. **Payment is paid** finds those whose delivery was lost, such as while n8n was down. **Each payment once** passes each of them once, whichever came first.

The API lists no charges, so both look at the recurring subscription: a payment is known by its subscription and next renewal date. Two payments in one period count as one. A poll only sees a subscription whose payment wasn't paid before, such as pending or failed. The first poll takes what is paid by then as known: of a charge that is paid while you publish, only the delivery tells.

*Execute workflow* uses the sample pinned to **Charge paid**. The API reference doesn't show the content of a delivery. **Paid by this customer** reads \`body.data.charge\`, as the sandbox sends it. Check which payment statuses your service uses.

Replace **Handle payment** with what shall happen.`, [], { name: 'What this shows', width: 1216, height: 320, position: [-80, -464] }))
  .add(charge_paid)
  .to(subscriptions)
  .to(paid_by_this_customer)
  .to(each_payment_once)
  .to(handle_payment)
  .add(payment_is_paid)
  .to(subscription)
  .to(each_payment_once)
