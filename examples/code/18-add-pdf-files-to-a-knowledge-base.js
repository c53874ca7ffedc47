// Platform 18: Add PDF files to a knowledge base, as code of n8n's workflow SDK.
const upload = trigger({
  type: 'n8n-nodes-base.formTrigger',
  version: 2.2,
  config: { name: 'Upload', parameters: { formTitle: 'Add a document', formFields: { values: [{ fieldLabel: 'File', fieldType: 'file', multipleFiles: false, acceptFileTypes: '.pdf', requiredField: true }] }, options: {} }, position: [-80, 0], webhookId: 'b2000000-0000-4000-8000-000000000902' }
});

const extract_text = node({
  type: 'n8n-nodes-base.extractFromFile',
  version: 1,
  config: { name: 'Extract text', parameters: { operation: 'pdf', binaryPropertyName: 'File', options: {} }, position: [144, 0] }
});

const add_document = node({
  type: 'n8n-nodes-platform-api.platformAiGateway',
  version: 1,
  config: { name: 'Add document', parameters: { resource: 'document', operation: 'add', knowledgeBaseId: { __rl: true, mode: 'id', value: 'akb-5' }, name: expr('{{ $(\'Upload\').item.json.File.filename }}'), content: expr('{{ $json.text }}') }, credentials: { platformApi: newCredential('Platform API', '') }, position: [368, 0] }
});

const wf = workflow('', 'Platform 18: Add PDF files to a knowledge base', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Add PDF files to a knowledge base
Takes PDF files from a form, extracts their text with n8n's own node, and adds it to a knowledge base under the name of the file.

Publish this workflow to offer the form to others. *Execute workflow* opens it for a test.

Choose your knowledge base in **Add document**. Text, Markdown and HTML need no extraction: set **Content From** to **File** there.`, [], { name: 'What this shows', width: 640, height: 256, position: [-80, -288] }))
  .add(upload)
  .to(extract_text)
  .to(add_document)
