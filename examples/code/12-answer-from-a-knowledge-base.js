// Platform 12: Answer from a knowledge base, as code of n8n's workflow SDK.
const chat_model = languageModel({ type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', version: 1.2, config: { name: 'Chat model', parameters: { model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' }, options: {} }, credentials: { openAiApi: newCredential('OpenAI account', '') }, position: [320, 240] } });
const help_centre = retriever({ type: 'n8n-nodes-platform-api.platformKnowledgeBaseRetriever', version: 1, config: { name: 'Help centre', parameters: { knowledgeBaseId: { __rl: true, mode: 'id', value: 'akb-1' }, passages: 3, options: {} }, credentials: { platformApi: newCredential('Platform API', '') }, position: [544, 240] } });

const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const question = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Question', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'question', value: 'How many days do I have to ask for a refund of a first payment?', type: 'string' }] }, options: {} }, position: [144, 0] }
});

const answer = node({
  type: '@n8n/n8n-nodes-langchain.chainRetrievalQa',
  version: 1.5,
  config: { name: 'Answer', parameters: { promptType: 'define', text: expr('{{ $json.question }}'), options: {} }, position: [368, 0], subnodes: { model: chat_model, retriever: help_centre } }
});

const wf = workflow('', 'Platform 12: Answer from a knowledge base', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Answer from a knowledge base
Answers a question from a knowledge base: the retriever gets passages for n8n's **Question and Answer Chain**, and the chat model writes the answer.

Choose your knowledge base in the retriever, and set your own OpenAI credential, or use another chat model.`, [], { name: 'What this shows', width: 640, height: 192, position: [-80, -224] }))
  .add(execute_workflow)
  .to(question)
  .to(answer)
