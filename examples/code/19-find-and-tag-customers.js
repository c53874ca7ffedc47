// Platform 19: Find and tag customers, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const get_all_customers = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Get all customers', parameters: { returnAll: true }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const in_Germany_not_tagged = node({
  type: 'n8n-nodes-base.filter',
  version: 2.2,
  config: { name: 'In Germany, not tagged', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.country }}'), rightValue: 'DE', operator: { type: 'string', operation: 'equals' } }, { id: 'condition-2', leftValue: expr('{{ ($json.tags ?? []).includes("dach") }}'), rightValue: '', operator: { type: 'boolean', operation: 'false', singleValue: true } }], combinator: 'and' }, options: {}, looseTypeValidation: true }, position: [368, 0] }
});

const tag = node({
  type: 'n8n-nodes-platform-api.platformCustomers',
  version: 1,
  config: { name: 'Tag', parameters: { operation: 'update', customerId: { __rl: true, mode: 'id', value: expr('{{ $json.id }}') }, updateFields: { tags: 'dach', changeTags: 'add' }, returnWholeRecord: true }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const wf = workflow('', 'Platform 19: Find and tag customers', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Find and tag customers
Reads all customers, keeps those in Germany that don't have the tag **dach** yet, and adds the tag to the ones they have. **Tag** returns the whole customer, with one more request for each.

Run it twice: the second run finds nobody. The first one can tag thousands, which takes a minute or two. Change the condition in **In Germany, not tagged** to find others.`, [], { name: 'What this shows', width: 720, height: 224, position: [-80, -256] }))
  .add(execute_workflow)
  .to(get_all_customers)
  .to(in_Germany_not_tagged)
  .to(tag)
