// Platform 14: Read a long list in slices, as code of n8n's workflow SDK.
const when_clicking_Execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'When clicking \'Execute workflow\'', position: [-80, 0] }
});

const first_slice = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'First slice', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'skip', value: 0, type: 'number' }, { id: 'field-2', name: 'size', value: 100, type: 'number' }] }, options: {} }, position: [144, 0] }
});

const read_one_slice = node({
  type: 'n8n-nodes-base.executeWorkflow',
  version: 1.2,
  config: { name: 'Read one slice', parameters: { workflowId: { __rl: true, mode: 'id', value: expr('{{ $workflow.id }}') }, mode: 'once', options: { waitForSubWorkflow: true } }, position: [352, 0] }
});

const round = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Round', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'leftOut', value: expr('{{ $json.skip }}'), type: 'number' }, { id: 'field-2', name: 'read', value: expr('{{ $json.read }}'), type: 'number' }, { id: 'field-3', name: 'readSoFar', value: expr('{{ $json.skip + $json.read }}'), type: 'number' }, { id: 'field-4', name: 'size', value: expr('{{ $json.size }}'), type: 'number' }] }, options: {} }, position: [576, 0] }
});

const was_the_slice_full = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'Was the slice full?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.read }}'), rightValue: expr('{{ $json.size }}'), operator: { type: 'number', operation: 'equals' } }], combinator: 'and' }, options: {} }, position: [800, 0] }
});

const next_slice = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Next slice', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'skip', value: expr('{{ $json.readSoFar }}'), type: 'number' }, { id: 'field-2', name: 'size', value: expr('{{ $json.size }}'), type: 'number' }] }, options: {} }, position: [1024, -96] }
});

const done = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Done', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'rows', value: expr('{{ $json.readSoFar }}'), type: 'number' }] }, options: {} }, position: [1024, 96] }
});

const when_a_slice_is_wanted = trigger({
  type: 'n8n-nodes-base.executeWorkflowTrigger',
  version: 1.1,
  config: { name: 'When a slice is wanted', parameters: { inputSource: 'passthrough' }, position: [-80, 320] }
});

const get_customers = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get customers', parameters: { resource: 'customer', operation: 'getAll', limit: expr('{{ $json.size }}'), options: { skip: expr('{{ $json.skip }}'), outputFields: 'id, email' } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 320], alwaysOutputData: true }
});

const count = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Count', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'skip', value: expr('{{ $(\'When a slice is wanted\').first().json.skip }}'), type: 'number' }, { id: 'field-2', name: 'size', value: expr('{{ $(\'When a slice is wanted\').first().json.size }}'), type: 'number' }, { id: 'field-3', name: 'read', value: expr('{{ $(\'Get customers\').all().filter((item) => item.json.id !== undefined).length }}'), type: 'number' }] }, options: {} }, position: [352, 320], executeOnce: true }
});

const wf = workflow('', 'Platform 14: Read a long list in slices', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Read a long list in slices
n8n keeps all items of an execution in memory. Here, each slice runs in its own execution: the workflow calls itself, and only a count comes back. So a million rows take no more memory than one slice.

The upper row is the loop. **Skip** is the number of rows to leave out at the start. Each round shows how many rows it left out and how many it read. The lower row reads one slice. Add what you want to do with the rows there.

In this example, a slice has 100 rows. In your workflow, use 10,000. **Output Fields** keeps only the fields that you need. Save the workflow before you execute it, because it calls itself.`, [], { name: 'What this shows', width: 1120, height: 288, position: [-80, -416] }))
  .add(when_clicking_Execute_workflow)
  .to(first_slice)
  .to(read_one_slice)
  .to(round)
  .to(was_the_slice_full.onTrue(next_slice
    .to(read_one_slice)).onFalse(done))
  .add(when_a_slice_is_wanted)
  .to(get_customers)
  .to(count)
