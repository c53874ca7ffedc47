// Platform 20: Wait until a charge is paid, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const time_limit = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Time limit', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'until', value: expr('{{ $now.plus(2, "minutes").toISO() }}'), type: 'string' }] }, options: {} }, position: [144, 0] }
});

const listen = node({
  type: 'n8n-nodes-platform-api.platformWebhooks',
  version: 1,
  config: { name: 'Listen', parameters: { operation: 'create', name: expr('n8n: wait in execution {{ $execution.id }}'), url: expr('{{ $execution.resumeUrl }}'), events: ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'], additionalFields: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 0] }
});

const create_charge = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Create charge', parameters: { resource: 'charge', operation: 'create', customerId: { __rl: true, mode: 'id', value: 'cus-100001' }, services: { service: [{ name: 'Seats', amount: 5, taxProfile: 'standard' }] }, idempotencyKey: expr('{{ $execution.id }}'), safetyLimits: { maxItems: 1, maxTotal: 10 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const wait_for_the_outcome = node({
  type: 'n8n-nodes-base.wait',
  version: 1.1,
  config: { name: 'Wait for the outcome', parameters: { resume: 'webhook', httpMethod: 'POST', limitWaitTime: true, limitType: 'atSpecifiedTime', maxDateAndTime: expr('{{ $(\'Time limit\').first().json.until }}'), options: {} }, position: [816, 0] }
});

const its_outcome_or_too_late = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'Its outcome, or too late?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.body?.data?.charge?.id === $(\'Create charge\').first().json.id || $now.toISO() >= $(\'Time limit\').first().json.until }}'), rightValue: '', operator: { type: 'boolean', operation: 'true', singleValue: true } }], combinator: 'and' }, options: {}, looseTypeValidation: true }, position: [1040, 0] }
});

const stop_listening = node({
  type: 'n8n-nodes-platform-api.platformWebhooks',
  version: 1,
  config: { name: 'Stop listening', parameters: { operation: 'delete', webhookId: { __rl: true, mode: 'id', value: expr('{{ $(\'Listen\').first().json.id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1264, 0] }
});

const paid = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'Paid?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $(\'Its outcome, or too late?\').first().json.body?.data?.charge?.status }}'), rightValue: 'paid', operator: { type: 'string', operation: 'equals' } }], combinator: 'and' }, options: {}, looseTypeValidation: true }, position: [1488, 0] }
});

const paid1 = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Paid', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'charge', value: expr('{{ $(\'Create charge\').first().json.id }}'), type: 'string' }, { id: 'field-2', name: 'outcome', value: 'paid', type: 'string' }] }, options: {} }, position: [1712, -112] }
});

const not_paid = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Not paid', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'charge', value: expr('{{ $(\'Create charge\').first().json.id }}'), type: 'string' }, { id: 'field-2', name: 'outcome', value: expr('{{ $(\'Its outcome, or too late?\').first().json.body?.data?.charge?.status ?? \'still open after two minutes\' }}'), type: 'string' }] }, options: {} }, position: [1712, 112] }
});

const wf = workflow('', 'Platform 20: Wait until a charge is paid', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Wait until a charge is paid
Creates a charge and waits for its outcome, two minutes at most. **Listen** registers a webhook that leads to this execution, **Wait for the outcome** waits for it, and **Stop listening** removes the webhook.

It doesn't need to be published: *Execute workflow* works, if n8n has a public HTTPS URL. In the sandbox, a charge settles after some seconds. To see a failed one, use the word *decline* in the name of its service.

The API reference doesn't show the content of a delivery. **Its outcome, or too late?** reads \`body.data.charge\`, as the sandbox sends it. Events of other charges are ignored.`, [], { name: 'What this shows', width: 800, height: 288, position: [-80, -432] }))
  .add(execute_workflow)
  .to(time_limit)
  .to(listen)
  .to(create_charge)
  .to(wait_for_the_outcome)
  .to(its_outcome_or_too_late.onTrue(stop_listening
    .to(paid.onTrue(paid1).onFalse(not_paid))).onFalse(wait_for_the_outcome))
