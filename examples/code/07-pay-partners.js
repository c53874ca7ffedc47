// Platform 7: Pay partners and mail the report, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const get_partners = node({
  type: 'n8n-nodes-platform-api.platformPartners',
  version: 1,
  config: { name: 'Get partners', parameters: { resource: 'partner', operation: 'getAll', returnAll: false, limit: 10 }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const get_fees = node({
  type: 'n8n-nodes-platform-api.platformPartners',
  version: 1,
  config: { name: 'Get fees', parameters: { resource: 'fee', operation: 'getAll', partnerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, returnAll: true }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 0] }
});

const only_open_fees = node({
  type: 'n8n-nodes-base.filter',
  version: 2.2,
  config: { name: 'Only open fees', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.status }}'), rightValue: 'pending', operator: { type: 'string', operation: 'equals' } }], combinator: 'and' }, options: {} }, position: [592, 0] }
});

const fees_of_each_partner = node({
  type: 'n8n-nodes-base.summarize',
  version: 1.1,
  config: { name: 'Fees of each partner', parameters: { fieldsToSummarize: { values: [{ aggregation: 'append', field: 'id' }] }, fieldsToSplitBy: 'partner_id', options: {} }, position: [816, 0] }
});

const create_payout = node({
  type: 'n8n-nodes-platform-api.platformPartners',
  version: 1,
  config: { name: 'Create payout', parameters: { resource: 'payout', operation: 'create', partnerId: { __rl: true, mode: 'id', value: expr('{{ $json.partner_id }}') }, transactions: expr('{{ $json.appended_id }}'), invoiceNumber: expr('COMMISSION-{{ $json.partner_id }}-{{ $now.toFormat(\'yyyyMMdd\') }}'), additionalFields: {}, idempotencyKey: expr('COMMISSION-{{ $json.partner_id }}-{{ $now.toFormat(\'yyyyMMdd\') }}'), safetyLimits: { maxAmount: 100000, maxTotal: 1000000 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0], onError: 'continueErrorOutput' }
});

const not_paid = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Not paid', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'partner', value: expr('{{ $(\'Fees of each partner\').item.json.partner_id }}'), type: 'string' }, { id: 'field-2', name: 'reason', value: expr('{{ $json.error }}'), type: 'string' }] }, options: {} }, position: [1264, 224] }
});

const get_partner = node({
  type: 'n8n-nodes-platform-api.platformPartners',
  version: 1,
  config: { name: 'Get partner', parameters: { resource: 'partner', operation: 'get', partnerId: { __rl: true, mode: 'id', value: expr('{{ $(\'Fees of each partner\').item.json.partner_id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1264, 0] }
});

const download_report = node({
  type: 'n8n-nodes-platform-api.platformPartners',
  version: 1,
  config: { name: 'Download report', parameters: { resource: 'payout', operation: 'downloadReport', partnerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, payoutId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create payout\').item.json.id }}') }, downloadAs: 'stream' }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1488, 0] }
});

const send_report = node({
  type: 'n8n-nodes-base.emailSend',
  version: 2.1,
  config: {
    name: 'Send report',
    parameters: {
      fromEmail: 'billing@example.com',
      toEmail: expr('{{ $(\'Get partner\').item.json.email }}'),
      subject: expr('Your payout {{ $(\'Create payout\').item.json.id }}'),
      emailFormat: 'text',
      text: expr(`Dear {{ $('Get partner').item.json.name }},

your payout of {{ $('Create payout').item.json.total }} is on its way. The report is attached.`),
      options: { appendAttribution: false, fileAttachments: 'data' }
    },
    credentials: { smtp: newCredential('SMTP account', '') },
    position: [1712, 0]
  }
});

const mark_as_paid = node({
  type: 'n8n-nodes-platform-api.platformPartners',
  version: 1,
  config: { name: 'Mark as paid', parameters: { resource: 'payout', operation: 'updateStatus', payoutId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create payout\').item.json.id }}') }, status: 'paid', additionalFields: { metadata: expr('{{ JSON.stringify({ report_mailed_to: $(\'Get partner\').item.json.email }) }}') }, idempotencyKey: expr('{{ $(\'Create payout\').item.json.id }}'), safetyLimits: { maxAmount: 100000, maxTotal: 1000000 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1936, 0] }
});

const wf = workflow('', 'Platform 7: Pay partners and mail the report', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Pay partners and mail the report
For each partner with open commission fees: creates a payout, downloads its report as a **PDF**, emails it to the partner, and marks the payout as paid.

If a payout fails, the partner goes to the **error output** for a closer look, and the others are still paid. In the sandbox, the API refuses fees that are already in a payout. The API reference doesn't say this: check how your service behaves before you run it twice.

Raise **Limit** in *Get partners* once you've tried it. *Send report* needs your SMTP credential.`, [], { name: 'What this shows', width: 736, height: 288, position: [-80, -320] }))
  .add(execute_workflow)
  .to(get_partners)
  .to(get_fees)
  .to(only_open_fees)
  .to(fees_of_each_partner)
  .to(create_payout
  .onError(not_paid))
  .to(get_partner)
  .to(download_report)
  .to(send_report)
  .to(mark_as_paid)
