// Platform 22: Register missing webhooks again, as code of n8n's workflow SDK.
const webhook_missing = trigger({
  type: 'n8n-nodes-platform-api.platformPollingTrigger',
  version: 1,
  config: { name: 'Webhook missing', parameters: { pollTimes: { item: [{ mode: 'everyX', value: 15, unit: 'minutes' }] }, event: 'registeredWebhookMissing' }, credentials: { platformApi: newCredential('Platform API', '') }, position: [-80, 0] }
});

const published_workflows = node({
  type: 'n8n-nodes-base.n8n',
  version: 1,
  config: { name: 'Published workflows', parameters: { resource: 'workflow', operation: 'getAll', returnAll: true, filters: { activeWorkflows: true } }, credentials: { n8nApi: newCredential('n8n account', '') }, position: [144, 0], executeOnce: true }
});

const its_workflow = node({
  type: 'n8n-nodes-base.filter',
  version: 2.2,
  config: { name: 'Its workflow', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ ($json.nodes || []).some(({ type, webhookId }) => type.endsWith(\'.platformCustomersTrigger\') && $(\'Webhook missing\').all().some(({ json }) => json.data.url.includes(\'/\' + webhookId + \'/\'))) }}'), rightValue: '', operator: { type: 'boolean', operation: 'true', singleValue: true } }], combinator: 'and' }, options: {} }, position: [368, 0] }
});

const unpublish = node({
  type: 'n8n-nodes-base.n8n',
  version: 1,
  config: { name: 'Unpublish', parameters: { resource: 'workflow', operation: 'deactivate', workflowId: { __rl: true, mode: 'id', value: expr('{{ $(\'Its workflow\').item.json.id }}') } }, credentials: { n8nApi: newCredential('n8n account', '') }, position: [592, 0] }
});

const publish = node({
  type: 'n8n-nodes-base.n8n',
  version: 1,
  config: { name: 'Publish', parameters: { resource: 'workflow', operation: 'activate', workflowId: { __rl: true, mode: 'id', value: expr('{{ $(\'Its workflow\').item.json.id }}') } }, credentials: { n8nApi: newCredential('n8n account', '') }, position: [816, 0] }
});

const wf = workflow('', 'Platform 22: Register missing webhooks again', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Register missing webhooks again
If somebody deletes or changes a webhook of **Platform Trigger** at the service, its workflow gets no more events, and n8n doesn't notice. Publish this workflow: it polls the webhooks that lead to this n8n. When one is missing, it unpublishes and publishes the workflow that the webhook belongs to, which registers exactly one webhook for each event.

Workflows that are unpublished stay so. *Execute workflow* shows this with a few webhooks that aren't missing: their workflows are published anew too. Without any webhook of this n8n, it says that there is no sample: publish example 4 first.

*Published workflows*, *Unpublish* and *Publish* need a credential for n8n's own API, with a key that may list, activate and deactivate workflows (**Settings → n8n API**).

A webhook that you registered for a node **Webhook** has no such workflow. Register it again with **Platform Webhooks → Create**, from the name, URL and events in \`data\`.`, [], { name: 'What this shows', width: 992, height: 320, position: [-80, -400] }))
  .add(webhook_missing)
  .to(published_workflows)
  .to(its_workflow)
  .to(unpublish)
  .to(publish)
