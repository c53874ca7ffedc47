// The knowledge base as a tool of agents in a real n8n. How other programs and people use the tools, the examples 15, 16
// and 17 show.
import { openEditor, pictured } from '../n8n/browser.cts';
import { itemsOf } from '../n8n/client.cts';
import { aiSetting } from './aiSetting.cts';
import { agent, byId, chatModel, helperAgent, knowledgeTool, trigger } from '../n8n/parts.cts';

const ai = aiSetting('agents');

const ask = `call Search_Knowledge_Base ${JSON.stringify({ question: 'How do I reset my password?' })}`;

test('an agent within an agent gets passages and sources', async () => {
	const execution = await ai().run('Agents', [
		trigger('Agent'),
		agent(`call Helper ${JSON.stringify({ task: ask })}`),
		chatModel('Agent', 'Helper'),
		helperAgent,
		knowledgeTool('Helper'),
	]);
	expect(execution.status).toBe('success');
	expect(JSON.stringify(itemsOf(execution, 'Agent')[0].json)).toContain(
		'Source: Reset your password, page 8',
	);
});

test('the model gets an error that it can act on', async () => {
	const execution = await ai().run('Agent', [
		trigger('Agent'),
		agent(ask),
		chatModel('Agent'),
		knowledgeTool('Agent', { knowledgeBaseId: byId('akb-6') }),
	]);
	expect(execution.status).toBe('success');
	expect(ai().results()).toEqual([
		[{ error: expect.stringMatching(/^Knowledge base is not ready \(HTTP 409\)/) }],
	]);
});

pictured('an agent with sources, in the editor', async () => {
	const question = 'For how long is the link to reset a password valid?';
	const id = await ai().add('Agent with sources', [
		trigger('Agent'),
		agent(`call Search_Knowledge_Base ${JSON.stringify({ question })}`),
		chatModel('Agent'),
		knowledgeTool('Agent', { passages: 1 }),
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
