// The knowledge base as a tool of agents in a real n8n. How other programs and people use the tools, the examples 15, 16
// and 17 show.
import { fetch } from 'undici';
import { openEditor, pictured } from '../n8n/browser.cts';
import { itemsOf } from '../n8n/client.cts';
import { aiSetting } from './aiSetting.cts';
import {
	agent,
	byId,
	chatModel,
	knowledgeTool,
	LANGCHAIN,
	platform,
	trigger,
	type Part,
} from '../n8n/parts.cts';

const ai = aiSetting('agents');

// Base 4 has documents for everyone, and others for certain groups.
describe('a public chat and a staff chat over one knowledge base', () => {
	const base = { knowledgeBaseId: byId('akb-4') };
	const question = 'How are salary bands reviewed?';

	const chat = (to: string): Part => ({
		name: 'Chat',
		type: `${LANGCHAIN}.chatTrigger`,
		version: 1.1,
		parameters: { public: true, mode: 'webhook', options: { responseMode: 'lastNode' } },
		to: [to],
	});

	/** What stands behind each chat, with the fields that say who is asking. The nodes are new ones: of version 1.1. */
	const behind: Array<
		[title: string, parts: (form: object) => Part[], input: string, groups: string]
	> = [
		[
			'tool',
			(form) => [
				agent('={{ $json.chatInput }}'),
				chatModel('Agent'),
				{ ...knowledgeTool('Agent', { ...base, ...form }), version: 1.1 },
			],
			`call Search_Knowledge_Base ${JSON.stringify({ question })}`,
			"={{ $('Chat').item.json.metadata.groups }}",
		],
		[
			'toolkit',
			(form) => [
				agent('={{ $json.chatInput }}'),
				chatModel('Agent'),
				{
					...platform('Platform Tools', 'ApiTool', { areas: ['aiGateway'], ...form }),
					...{ version: 1.1, to: ['Agent'], as: 'ai_tool' },
				},
			],
			`call search_knowledge_base ${JSON.stringify({ knowledge_base_id: 'akb-4', question })}`,
			'={{ $json.metadata.groups }}',
		],
	];

	test.each(behind)('%s', async (title, partsFor, chatInput, accessPrincipals) => {
		const { n8n, sandbox, add } = ai();
		const say = async (name: string, metadata: object) => {
			const response = await fetch(`${n8n.url}/webhook/${name}-chat/chat`, {
				dispatcher: n8n.client.dispatcher,
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ action: 'sendMessage', sessionId: name, chatInput, metadata }),
			});
			return await response.text();
		};
		const published = async (kind: string, form: object) => {
			const [root, ...rest] = partsFor(form);
			const name = `${kind}-${title}`;
			const id = await add(name, [chat(root.name), root, ...rest]);
			await n8n.client.activate(id);
			return name;
		};
		const open = await published('public', {});
		const staff = await published('staff', { access: 'principals', accessPrincipals });
		const secret = 'reviewed every March';
		expect(await say(open, { groups: ['group:people'] })).not.toContain(secret);
		expect(await say(staff, { groups: ['group:people'] })).toContain(secret);
		expect(await say(staff, { groups: ['group:support'] })).not.toContain(secret);
		const asked = () =>
			sandbox.requests
				.filter(({ path }) => path.endsWith('/search.json'))
				.map(({ body }) => (body as { principals?: unknown }).principals);
		expect(asked()).toEqual([[], ['group:people'], ['group:support']]);
		// Somebody whose groups aren't known.
		expect(await say(staff, {})).not.toContain(secret);
		expect(asked()).toHaveLength(3);
	});
});

pictured('an agent with sources, in the editor', async () => {
	const question = 'For how long is the link to reset a password valid?';
	const id = await ai().add('Agent with sources', [
		trigger('Agent'),
		agent(`call Search_Knowledge_Base ${JSON.stringify({ question })}`),
		chatModel('Agent'),
		{ ...knowledgeTool('Agent', { passages: 1 }), version: 1.1 },
	]);
	const editor = await openEditor(ai().n8n);
	await editor.openWorkflow(id);
	const execution = await editor.executeWorkflow();
	expect(execution.status).toBe('success');
	expect(String(itemsOf(execution, 'Agent')[0].json.output)).toContain('page 8');
	const [described] = (ai().model.requests.at(-1)?.tools ?? []).map(({ function: each }) => each);
	expect(described).toMatchObject({
		name: 'Search_Knowledge_Base',
		description: expect.stringMatching(/^Search a knowledge base/),
		parameters: { type: 'object', properties: { question: { type: 'string' } } },
	});
	await editor.picture('agent-with-sources');
	await editor.openNode('Search Knowledge Base');
	await editor.picture('form-knowledge-base-tool');
	await editor.close();
});
