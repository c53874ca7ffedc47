// Platform 27: A billing agent that only reads, as code of n8n's workflow SDK.
const chat_model = languageModel({ type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', version: 1.2, config: { name: 'Chat model', parameters: { model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' }, options: {} }, credentials: { openAiApi: newCredential('OpenAI account', '') }, position: [96, 224] } });
const read = tool({ type: 'n8n-nodes-platform-api.platformApiTool', version: 1, config: { name: 'Read', credentials: { platformApi: newCredential('Platform API', '') }, position: [320, 224] } });

const chat = trigger({
  type: '@n8n/n8n-nodes-langchain.chatTrigger',
  version: 1.4,
  config: { name: 'Chat', parameters: { options: {} }, position: [-80, 0], webhookId: 'bb000000-0000-4000-8000-000000000917' }
});

const agent = node({
  type: '@n8n/n8n-nodes-langchain.agent',
  version: 3.1,
  config: { name: 'Agent', parameters: { options: { systemMessage: 'You help a billing team. Look things up before you answer. If a list is long, use its filters and fields.' } }, position: [144, 0], subnodes: { model: chat_model, tools: [read] } }
});

const wf = workflow('', 'Platform 27: A billing agent that only reads', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## A billing agent that only reads
*Open chat*, and ask who is late with a payment, what a customer has booked, or when something renews. **Platform Tools** is as it lies on the canvas: all reads of customers and of recurring payments, and nothing that changes data.

Choose your OpenAI credential. *Execute step* in **Read** lists the tools. Publish this workflow, and make the chat available in **Chat**, to offer it to your team.`, [], { name: 'What this shows', width: 640, height: 224, position: [-80, -256] }))
  .add(chat)
  .to(agent)
