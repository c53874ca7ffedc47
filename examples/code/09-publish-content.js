// Platform 9: Publish content, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const create_content_type = node({
  type: 'n8n-nodes-platform-api.platformContentBox',
  version: 1,
  config: { name: 'Create content type', parameters: { resource: 'contentType', operation: 'create', title: 'Release note', fieldsInput: 'fields', fields: { field: [{ key: 'version', label: 'Version', type: { __rl: true, mode: 'list', value: 'string' } }, { key: 'summary', label: 'Summary', type: { __rl: true, mode: 'list', value: 'string' } }, { key: 'details', label: 'Details', type: { __rl: true, mode: 'list', value: 'url' } }, { key: 'breaking', label: 'Needs action', type: { __rl: true, mode: 'list', value: 'checkbox' } }] }, additionalFields: { description: 'What is new in each version' } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const release_notes = node({
  type: 'n8n-nodes-base.code',
  version: 2,
  config: {
    name: 'Release notes',
    parameters: {
      jsCode: `return [
  { version: '4.2', summary: 'Invoices in four languages', details: 'https://www.example.com/4.2', breaking: false },
  { version: '4.1', summary: 'Faster reports', details: 'https://www.example.com/4.1', breaking: false },
  { version: '4.0', summary: 'A new sign-in page', details: 'https://www.example.com/4.0', breaking: true },
].map((note) => ({ json: note }));`
    },
    position: [368, 0]
  }
});

const create_entry = node({
  type: 'n8n-nodes-platform-api.platformContentBox',
  version: 1,
  config: { name: 'Create entry', parameters: { resource: 'content', operation: 'create', typeId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create content type\').first().json.id }}') }, title: expr('Version {{ $json.version }}'), dataInput: 'fields', data: { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema: [{ id: 'version', displayName: 'Version', type: 'string', required: false, defaultMatch: false, canBeUsedToMatch: false, display: true }, { id: 'summary', displayName: 'Summary', type: 'string', required: false, defaultMatch: false, canBeUsedToMatch: false, display: true }, { id: 'details', displayName: 'Details', type: 'string', required: false, defaultMatch: false, canBeUsedToMatch: false, display: true }, { id: 'breaking', displayName: 'Needs action', type: 'boolean', required: false, defaultMatch: false, canBeUsedToMatch: false, display: true }] }, additionalFields: { state: { __rl: true, mode: 'list', value: 'draft' } } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const publish_entry = node({
  type: 'n8n-nodes-platform-api.platformContentBox',
  version: 1,
  config: { name: 'Publish entry', parameters: { resource: 'content', operation: 'update', contentId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, dataInput: 'fields', data: { mappingMode: 'defineBelow', value: null }, updateFields: { state: { __rl: true, mode: 'list', value: 'public' } } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0] }
});

const get_published_entries = node({
  type: 'n8n-nodes-platform-api.platformContentBox',
  version: 1,
  config: { name: 'Get published entries', parameters: { resource: 'content', operation: 'getAll', returnAll: true, filters: { typeId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create content type\').first().json.id }}') }, state: { __rl: true, mode: 'list', value: 'public' } } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0], executeOnce: true }
});

const wf = workflow('', 'Platform 9: Publish content', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Publish content
Creates a content type, creates entries from items with the same field names (**Data** maps them automatically), and publishes all entries once they exist.

Each run creates another content type. To create entries of an existing type, choose it from the list in *Create entry*. The form then shows its fields.`, [], { name: 'What this shows', width: 656, height: 192, position: [-80, -224] }))
  .add(execute_workflow)
  .to(create_content_type)
  .to(release_notes)
  .to(create_entry)
  .to(publish_entry)
  .to(get_published_entries)
