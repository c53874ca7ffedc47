// Platform 28: A failed charge tells Slack, as code of n8n's workflow SDK.
const charge_failed = trigger({
  type: 'n8n-nodes-platform-api.platformCustomersTrigger',
  version: 1,
  config: { name: 'Charge failed', parameters: { events: ['RecurringPayments.charge.failed'], settings: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, 0] }
});

const get_customer = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get customer', parameters: { resource: 'customer', operation: 'get', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.body.data.charge.customer_id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const tell_Slack = node({
  type: 'n8n-nodes-base.slack',
  version: 2.3,
  config: { name: 'Tell Slack', parameters: { resource: 'message', operation: 'post', select: 'channel', channelId: { __rl: true, mode: 'name', value: '#billing' }, messageType: 'text', text: expr('A charge of {{ $json.company_name || $json.email }} failed: {{ $(\'Charge failed\').item.json.body.data.charge.services.map(({ name, amount }) => `${name} ${amount}`).join(\', \') }}'), otherOptions: {} }, credentials: { slackApi: newCredential('Slack account', '') }, position: [368, 0] }
});

const wf = workflow('', 'Platform 28: A failed charge tells Slack', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## A failed charge tells Slack
Publish this workflow, with your credential and channel in **Tell Slack**. When a charge fails, the channel gets the customer, the services and the amounts.

*Execute workflow* uses the sample pinned to **Charge failed**. The API reference doesn't show the content of a delivery: \`body.data.charge\` is what the sandbox sends. Check a delivery of your service.`, [], { name: 'What this shows', width: 576, height: 240, position: [-80, -272] }))
  .add(charge_failed)
  .to(get_customer)
  .to(tell_Slack)
