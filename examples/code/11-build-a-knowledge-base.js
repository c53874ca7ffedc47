// Platform 11: Build a knowledge base, as code of n8n's workflow SDK.
const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const create_knowledge_base = node({
  type: 'n8n-nodes-platform-api.platformAiGateway',
  version: 1,
  config: { name: 'Create knowledge base', parameters: { resource: 'knowledgeBase', operation: 'create', name: expr('Handbook {{ $now.toFormat(\'yyyy-MM-dd HH:mm:ss\') }}'), retrievalMode: 'vector', vectorStoreId: { __rl: true, mode: 'id', value: 'avs-1' }, embeddingConnectionId: { __rl: true, mode: 'id', value: 'aic-2' }, additionalFields: { description: 'House rules for everyone' } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const documents = node({
  type: 'n8n-nodes-base.code',
  version: 2,
  config: {
    name: 'Documents',
    parameters: {
      jsCode: `return [
  { name: 'Travel', section: 'Money', content: 'Hotels are booked by the travel desk. Train tickets in second class are refunded in full within two weeks.' },
  { name: 'Holidays', section: 'Time', content: 'Everyone has thirty days of holiday each year. Ask your lead for holiday four weeks ahead.' },
  { name: 'Laptops', section: 'Equipment', content: 'Laptops are replaced after four years. A stolen laptop must be reported to security on the same day.' },
].map((document) => ({ json: document }));`
    },
    position: [368, 0]
  }
});

const add_document = node({
  type: 'n8n-nodes-platform-api.platformAiGateway',
  version: 1,
  config: { name: 'Add document', parameters: { resource: 'document', operation: 'add', knowledgeBaseId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create knowledge base\').first().json.id }}') }, name: expr('{{ $json.name }}'), content: expr('{{ $json.content }}'), additionalFields: { section: expr('{{ $json.section }}'), language: 'en' } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [592, 0] }
});

const search = node({
  type: 'n8n-nodes-platform-api.platformAiGateway',
  version: 1,
  config: { name: 'Search', parameters: { resource: 'knowledgeBase', operation: 'search', knowledgeBaseId: { __rl: true, mode: 'id', value: expr('{{ $(\'Create knowledge base\').first().json.id }}') }, query: 'How many weeks ahead must I ask for holiday?', output: 'answer', additionalFields: { passages: 3 } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0], executeOnce: true }
});

const embed = node({
  type: 'n8n-nodes-platform-api.platformAiGateway',
  version: 1,
  config: { name: 'Embed', parameters: { resource: 'embedding', operation: 'create', connectionId: { __rl: true, mode: 'id', value: 'aic-2' }, passages: expr('{{ [\'How many weeks ahead must I ask for holiday?\', ...$json.results.map((passage) => passage.content)] }}'), additionalFields: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [1040, 0] }
});

const compare = node({
  type: 'n8n-nodes-base.code',
  version: 2,
  config: {
    name: 'Compare',
    parameters: {
      jsCode: `// The cosine of question and passage: 1 means the same, 0 nothing in common.
const [question, ...vectors] = $input.all().map(({ json }) => json.embedding);
const dot = (a, b) => a.reduce((sum, value, index) => sum + value * b[index], 0);
const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
return $('Search').first().json.results.map(({ document_name, content }, index) => ({
  json: { document: document_name, likeness: cosine(question, vectors[index]), content },
}));`
    },
    position: [1264, 0]
  }
});

const wf = workflow('', 'Platform 11: Build a knowledge base', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Build a knowledge base
Creates a knowledge base that finds passages by meaning, adds documents, searches it, and then compares the query and the passages with **embeddings**.

It uses the sandbox's vector store and embedding connection. Choose your own in *Create knowledge base* and *Embed*. Documents, searches and embeddings may cost tokens.`, [], { name: 'What this shows', width: 704, height: 192, position: [-80, -224] }))
  .add(execute_workflow)
  .to(create_knowledge_base)
  .to(documents)
  .to(add_document)
  .to(search)
  .to(embed)
  .to(compare)
