// Platform 13: Find webhooks that lead nowhere, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const published_workflows = node({
  type: 'n8n-nodes-base.n8n',
  version: 1,
  config: { name: 'Published workflows', parameters: { resource: 'workflow', operation: 'getAll', returnAll: true, filters: { activeWorkflows: true } }, credentials: { n8nApi: newCredential('n8n account', '') }, position: [144, 0], alwaysOutputData: true }
});

const webhooks = node({
  type: 'n8n-nodes-platform-api.platformWebhooks',
  version: 1,
  config: { name: 'Webhooks', parameters: { resource: 'webhook', operation: 'getAll', returnAll: true }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 0], executeOnce: true }
});

const lead_nowhere = node({
  type: 'n8n-nodes-base.filter',
  version: 2.2,
  config: { name: 'Lead nowhere', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.url }}'), rightValue: expr('{{ $execution.resumeUrl.split(\'webhook-waiting\')[0] + \'webhook/\' }}'), operator: { type: 'string', operation: 'startsWith' } }, { id: 'condition-2', leftValue: expr('{{ $(\'Published workflows\').all().some(({ json }) => (json.nodes || []).some(({ webhookId }) => webhookId && $json.url.includes(\'/\' + webhookId + \'/\'))) }}'), rightValue: '', operator: { type: 'boolean', operation: 'false', singleValue: true } }], combinator: 'and' }, options: {} }, position: [592, 0] }
});

const delete_node = node({
  type: 'n8n-nodes-platform-api.platformWebhooks',
  version: 1,
  config: { name: 'Delete', parameters: { resource: 'webhook', operation: 'delete', webhookId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0], disabled: true }
});

const wf = workflow('', 'Platform 13: Find webhooks that lead nowhere', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Find webhooks that lead nowhere
When the package is uninstalled while a workflow with **Platform Trigger** is published, n8n can't remove the webhooks of that workflow: the service goes on delivering to an address that answers 400.

This lists the webhooks whose address leads to this n8n and belongs to no published workflow. Workflows that n8n still shows as published, but whose trigger is gone, have to be unpublished first. Webhooks of other systems are never listed.

Look at *Lead nowhere* first, then enable *Delete*.

*Published workflows* needs a credential for n8n's own API, with a key that may list workflows (**Settings → n8n API**).`, [], { name: 'What this shows', width: 768, height: 320, position: [-80, -352] }))
  .add(execute_workflow)
  .to(published_workflows)
  .to(webhooks)
  .to(lead_nowhere)
  .to(delete_node)
