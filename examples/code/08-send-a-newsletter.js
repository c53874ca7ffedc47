// Platform 8: Send a newsletter to those who want it, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const leave_out_suppressed = merge({
  version: 3,
  config: { name: 'Leave out suppressed', parameters: { mode: 'combine', advanced: false, fieldsToMatchString: 'email', joinMode: 'keepNonMatches', outputDataFrom: 'input1', options: {} }, position: [368, 0] }
});

const get_customers = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get customers', parameters: { resource: 'customer', operation: 'getAll', returnAll: false, limit: 50 }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, -112] }
});

const get_suppression_list = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Get suppression list', parameters: { resource: 'suppression', operation: 'getAll', returnAll: true }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 112], alwaysOutputData: true }
});

const recipients = node({
  type: 'n8n-nodes-base.aggregate',
  version: 1,
  config: { name: 'Recipients', parameters: { aggregate: 'aggregateIndividualFields', fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'id', renameField: true, outputFieldName: 'customerIds' }] }, options: {} }, position: [592, 0] }
});

const create_draft = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Create draft', parameters: { resource: 'newsletter', operation: 'create', title: expr('Product update {{ $now.toFormat(\'LLLL yyyy\') }}'), subject: expr('What is new in {{ $now.toFormat(\'LLLL\') }}'), templateId: 'product-update.html', customersAs: 'ids', contactIds: expr('{{ $json.customerIds }}') }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0] }
});

const queue = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Queue', parameters: { resource: 'newsletter', operation: 'queue', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0] }
});

const get_stats = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Get stats', parameters: { resource: 'newsletter', operation: 'getStats', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create draft\').item.json.id }}') }, filters: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1264, 0] }
});

const queue_again = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Queue again', parameters: { resource: 'newsletter', operation: 'queue', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create draft\').item.json.id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1488, 0], onError: 'continueErrorOutput' }
});

const refusal = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Refusal', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'newsletter', value: expr('{{ $(\'Create draft\').item.json.id }}'), type: 'string' }, { id: 'field-2', name: 'reason', value: expr('{{ $json.error }}'), type: 'string' }] }, options: {} }, position: [1712, 112] }
});

const wf = workflow('', 'Platform 8: Send a newsletter to those who want it', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Send a newsletter to those who want it
Compares customers with the **suppression list**, creates a draft for the others, queues it, and gets its stats.

The API skips suppressed email addresses anyway. The comparison shows you who is left out. A newsletter can't be queued twice: *Queue again* tries it, and the error goes to its **error output**. Delete that node for real use.

Queueing sends email to real people.`, [], { name: 'What this shows', width: 720, height: 256, position: [-80, -400] }))
  .add(execute_workflow
  .to([
    get_customers,
    get_suppression_list]))
  .add(get_customers.to(leave_out_suppressed.input(0)))
  .add(get_suppression_list.to(leave_out_suppressed.input(1)))
  .add(leave_out_suppressed)
  .to(recipients
  .to(create_draft)
  .to(queue)
  .to(get_stats)
  .to(queue_again
  .onError(refusal)))
