// Platform 8: Send a newsletter to those who want it, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const create_draft = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Create draft', parameters: { resource: 'newsletter', operation: 'create', title: expr('Product update {{ $now.toFormat(\'LLLL yyyy\') }}'), subject: expr('What is new in {{ $now.toFormat(\'LLLL\') }}'), templateId: 'product-update.html' }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const get_customers = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Get customers', parameters: { resource: 'recipient', operation: 'getAll', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, output: 'customers', returnAll: true, filters: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 0] }
});

const those_who_want_it = node({
  type: 'n8n-nodes-base.filter',
  version: 2.2,
  config: { name: 'Those who want it', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'consent', leftValue: expr('{{ $json.has_consent }}'), rightValue: '', operator: { type: 'boolean', operation: 'true', singleValue: true } }, { id: 'suppressed', leftValue: expr('{{ $json.is_suppressed }}'), rightValue: '', operator: { type: 'boolean', operation: 'false', singleValue: true } }], combinator: 'and' }, options: {} }, position: [592, 0] }
});

const set_recipients = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Set recipients', parameters: { resource: 'recipient', operation: 'set', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create draft\').item.json.id }}') }, customersAs: 'items' }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0] }
});

const queue = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Queue', parameters: { resource: 'newsletter', operation: 'queue', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create draft\').item.json.id }}') }, idempotencyKey: expr('{{ $(\'Create draft\').item.json.id }}'), safetyLimits: { maxItems: 1, maxTotal: 1000 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0] }
});

const get_stats = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Get stats', parameters: { resource: 'newsletter', operation: 'getStats', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create draft\').item.json.id }}') }, filters: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1264, 0] }
});

const queue_again = node({
  type: 'n8n-nodes-platform-api.platformNewsletters',
  version: 1,
  config: { name: 'Queue again', parameters: { resource: 'newsletter', operation: 'queue', newsletterId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create draft\').item.json.id }}') }, idempotencyKey: expr('{{ $(\'Create draft\').item.json.id }}'), safetyLimits: { maxItems: 1, maxTotal: 1000 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1488, 0], onError: 'continueErrorOutput' }
});

const refusal = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Refusal', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'newsletter', value: expr('{{ $(\'Create draft\').item.json.id }}'), type: 'string' }, { id: 'field-2', name: 'reason', value: expr('{{ $json.error }}'), type: 'string' }] }, options: {} }, position: [1712, 112] }
});

const wf = workflow('', 'Platform 8: Send a newsletter to those who want it', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Send a newsletter to those who want it
Creates a draft, reads all customers with their consent, sets those who gave it and aren't suppressed as recipients, queues the newsletter, and gets its stats.

The API skips suppressed email addresses anyway. The API reference doesn't say that it looks at **has_consent**, so the filter does. A newsletter can't be queued twice: *Queue again* tries it, and the error goes to its **error output**. Delete that node for real use.

Queueing sends email to real people.`, [], { name: 'What this shows', width: 720, height: 256, position: [-80, -400] }))
  .add(execute_workflow)
  .to(create_draft)
  .to(get_customers)
  .to(those_who_want_it)
  .to(set_recipients)
  .to(queue)
  .to(get_stats)
  .to(queue_again
  .onError(refusal))
