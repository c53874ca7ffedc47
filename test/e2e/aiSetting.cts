// What the end-to-end tests of AI share: beside n8n and a sandbox a chat model, and workflows that use both.
import type { Execution, StoredCredential } from '../n8n/client.cts';
import { startChatModel, type ChatModel } from '../n8n/chatModel.cts';
import { workflowOf, type Part } from '../n8n/parts.cts';
import type { N8nOptions } from '../n8n/instance.cts';
import { ownSetting, setting, type Setting } from '../n8n/setting.cts';

export interface AiSetting extends Setting {
	model: ChatModel;
	/** The credentials of the parts of a workflow; a test may add its own. */
	credentials: StoredCredential[];
	/** Imports a workflow and gives back its ID. */
	add(name: string, parts: Part[]): Promise<string>;
	/** Imports a workflow and runs it to its end. */
	run(name: string, parts: Part[]): Promise<Execution>;
	/** What the tools gave to the model, each a list of items. */
	results(): unknown[];
}

/**
 * The n8n for all files, a sandbox and a chat model for the tests of this one.
 * @param of tells the credentials of this file from those of others in the same n8n
 * @param own for an n8n of these tests' own
 */
export function aiSetting(of: string, own?: N8nOptions): () => AiSetting {
	const options = { sandbox: { customers: 50 }, credentialName: `Platform API of ${of}` };
	const running = own ? ownSetting(own, options) : setting(options);
	let model: ChatModel;
	let shared: AiSetting;

	beforeAll(async () => {
		const { client } = running().n8n;
		model = await startChatModel();
		const openAi = { apiKey: 'none', url: model.url };
		const credentials = [
			running().credential,
			await client.createCredential('openAiApi', `Chat Model of ${of}`, openAi),
		];
		const add = async (name: string, parts: Part[]) =>
			(await client.importWorkflow(workflowOf(name, parts), credentials)).id;
		shared = {
			...running(),
			model,
			credentials,
			add,
			run: async (name, parts) => await client.runWorkflow(await add(name, parts)),
			results: () => model.toolResults().map((text) => JSON.parse(text) as unknown),
		};
	});

	afterAll(async () => {
		await model?.close();
	});

	beforeEach(() => {
		shared.sandbox.clearRequests();
	});

	afterEach(() => {
		model.beforeAnswer = undefined;
	});

	return () => shared;
}
