// Platform 15: An agent that cites sources, as code of n8n's workflow SDK.
const chat_model = languageModel({ type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', version: 1.2, config: { name: 'Chat model', parameters: { model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' }, options: {} }, credentials: { openAiApi: newCredential('OpenAI account', '') }, position: [320, 224] } });
const search_Help_Centre = tool({ type: 'n8n-nodes-platform-api.platformKnowledgeBaseTool', version: 1, config: { name: 'Search Help Centre', parameters: { toolDescription: 'Search the help centre of the company. Returns passages with their sources. Ask a full question.', knowledgeBaseId: { __rl: true, mode: 'id', value: 'akb-1' }, passages: 3 }, credentials: { platformApi: newCredential('Platform API', '') }, position: [544, 224] } });

const execute_workflow = trigger({
  type: 'n8n-nodes-base.manualTrigger',
  version: 1,
  config: { name: 'Execute workflow', position: [-80, 0] }
});

const question = node({
  type: 'n8n-nodes-base.set',
  version: 3.4,
  config: { name: 'Question', parameters: { assignments: { assignments: [{ id: 'field-1', name: 'question', value: 'For how long is the link to reset a password valid?', type: 'string' }] }, options: {} }, position: [144, 0] }
});

const agent = node({
  type: '@n8n/n8n-nodes-langchain.agent',
  version: 3.1,
  config: { name: 'Agent', parameters: { promptType: 'define', text: expr('{{ $json.question }}'), options: { systemMessage: 'Answer with what the tool finds, and end with its Source lines. If it finds nothing, say so.' } }, position: [368, 0], subnodes: { model: chat_model, tools: [search_Help_Centre] } }
});

const wf = workflow('', 'Platform 15: An agent that cites sources', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## An agent that cites sources
An agent answers from a knowledge base and names the sources. The knowledge base is one node: the model asks the questions.

Choose your knowledge base in **Search Help Centre**, say in its description what it is about, and set your own OpenAI credential, or use another chat model.`, [], { name: 'What this shows', width: 640, height: 208, position: [-80, -240] }))
  .add(execute_workflow)
  .to(question)
  .to(agent)
