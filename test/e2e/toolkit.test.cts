// Platform Tools in a real n8n: jobs by each kind of agent. How a person approves a
// charge, the examples 17 and 25 show.
import type { IDataObject } from 'n8n-workflow';
import { fetch } from 'undici';
import { openEditor, pictured } from '../n8n/browser.cts';
import { until } from '../n8n/until.cts';
import { startMailServer, textOf, type MailServer } from '../n8n/mailServer.cts';
import {
	agent,
	byId,
	chatModel,
	helperAgent,
	platform,
	trigger,
	webhook,
	workflowOf,
	type Part,
} from '../n8n/parts.cts';
import { formOf, givenIn, jobs, type Step } from '../table/jobs.cts';
import { aiSetting } from './aiSetting.cts';
import { exampleOf } from './examples.cts';
import { answerReview } from './review.cts';

const ai = aiSetting('toolkit');

const toolkit = (to: string, parameters: Part['parameters']): Part => ({
	...platform('Platform Tools', 'ApiTool', parameters),
	to: [to],
	as: 'ai_tool',
});

/** An AI Agent of a version. */
const agentOf = (version: number, text: string): Part => ({
	...agent(text),
	version,
	parameters: { agent: 'toolsAgent', promptType: 'define', text, options: {} },
});

/** What the model of a job calls, as the scripted model reads it. */
const scriptOf = (steps: Step[]) =>
	steps
		.map(({ after, tool, args }) => {
			const given = JSON.stringify(args);
			return `${after === undefined ? '' : `if \`${after}\` `}call ${tool} ${given}`;
		})
		.join('\n');

/** Those that need what n8n keeps. All are done on n8n's engine in test/execution, and by an MCP client in the examples. */
const few = jobs.filter(({ perExecution }) => perExecution);

describe('AI Agent 3', () => {
	test.each(few.map((job) => [job.name, job] as const))('%s', async (name, job) => {
		const { model, run, sandbox } = ai();
		const steps = job.steps(givenIn(sandbox));
		const execution = await run(name, [
			trigger('Agent'),
			agent(scriptOf(steps)),
			chatModel('Agent'),
			toolkit('Agent', formOf(job, steps)),
		]);
		expect(execution.status).toBe('success');
		expect(model.toolResults()).toHaveLength(steps.length);
		expect(model.toolResults().at(-1)?.replaceAll('\\"', '"')).toContain(job.ends);
		// Each call is one run of the node.
		expect(execution.data.resultData.runData['Platform Tools']).toHaveLength(steps.length);
	});
});

describe('each kind of agent', () => {
	const ask = [
		'call get_customer {"customer_id": "nobody"}',
		'if "Check the customer_id" call get_customer {"customer_id": "cus-100001"}',
	].join('\n');
	const form = { offer: 'chosen', operations: ['get_customer', 'list_customers'] };

	test.each([1.7, 1.9, 2.2, 3, 3.1])('AI Agent %d', async (version) => {
		const execution = await ai().run(`Agent ${version}`, [
			trigger('Agent'),
			agentOf(version, ask),
			chatModel('Agent'),
			toolkit('Agent', form),
		]);
		expect(execution.status).toBe('success');
		expect(ai().model.toolResults().at(-1)).toContain('cus-100001');
		const runs = execution.data.resultData.runData['Platform Tools'];
		expect(runs).toHaveLength(2);
		const inputs = runs.map(({ inputOverride }) => inputOverride?.ai_tool?.[0]?.[0]?.json);
		expect(inputs).toMatchObject([
			{ tool: 'get_customer', customer_id: 'nobody' },
			{ tool: 'get_customer', customer_id: 'cus-100001' },
		]);
	});

	test('AI Agent Tool', async () => {
		const execution = await ai().run('Agents', [
			trigger('Agent'),
			agent(`call Helper ${JSON.stringify({ task: ask })}`),
			chatModel('Agent', 'Helper'),
			helperAgent,
			toolkit('Helper', form),
		]);
		expect(execution.status).toBe('success');
		expect(JSON.stringify(ai().results())).toContain('cus-100001');
	});
});

pictured('the form, in the editor, and the list of its tools', async () => {
	const id = await ai().add('Tools of an agent', [
		trigger('Agent'),
		agent('Who is Elena Bianchi?'),
		chatModel('Agent'),
		toolkit('Agent', {
			offer: 'readAndChange',
			areas: ['customers'],
			limits: { maxTotal: 500 },
		} as IDataObject as Part['parameters']),
	]);
	const editor = await openEditor(ai().n8n);
	await editor.openWorkflow(id);
	await editor.openNode('Platform Tools');
	const shown = (id: string) => editor.page.getByTestId(id).first();
	await shown('node-execute-button').click();
	const list = await shown('output-panel').locator('table').innerText();
	expect(list).toMatch(/create_charge\s+true\s+customer_id, services/);
	expect(list).toContain("Max Total is set: how much it moves or sends can't be known before");
	await editor.picture('form-api-tool');
	await editor.close();
});

describe('an approval', () => {
	let mailServer: MailServer;
	beforeAll(async () => {
		mailServer = await startMailServer();
	});
	afterAll(async () => {
		await mailServer.close();
	});

	/** The example with one charge, with these values in the form of its tool. */
	async function imported(parameters: object): Promise<string> {
		const { n8n, credentials } = ai();
		const smtp = await n8n.client.createCredential('smtp', 'SMTP', mailServer.credential);
		const workflow = exampleOf('25-agent-with-reads-and-one-charge.json');
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Charge'
				? { ...node, parameters: { ...node.parameters, ...parameters } }
				: node,
		) as typeof workflow.nodes;
		const all = [...credentials, smtp];
		return (await n8n.client.importWorkflow({ ...workflow, nodes }, all)).id;
	}

	pictured('asks with the values of the charge', async () => {
		const { n8n, model } = ai();
		const id = await imported({});
		const services = [{ name: 'Setup', amount: 49.9 }];
		const toolParameters = { customer_id: 'cus-100001', services };
		model.script = `call create_charge ${JSON.stringify({ toolParameters })}`;
		const execution = await n8n.client.startWorkflow(id);
		await answerReview(n8n, mailServer, true);
		await n8n.client.waitForExecution(execution);
		model.script = '';
		const editor = await openEditor(n8n);
		await editor.page.setViewportSize({ width: 720, height: 460 });
		await editor.page.setContent(textOf(mailServer.mails[0]));
		await editor.picture('approval-mail');
		await editor.close();
	});

	test("isn't asked for several operations at once", async () => {
		const id = await imported({ operations: ['create_charge', 'get_customer'] });
		const execution = await ai().n8n.client.runWorkflow(id);
		expect(execution.status).toBe('error');
		expect(JSON.stringify(execution.data.resultData.error)).toContain(
			'must be one operation for each review node',
		);
	});
});

describe('an agent that has charged', () => {
	const call = (amount: number) => {
		const services = [{ name: 'Setup', amount }];
		return `call create_charge ${JSON.stringify({ customer_id: 'cus-100001', services })}`;
	};
	const charging = toolkit('Agent', { offer: 'chosen', operations: ['create_charge'] });
	const charges = () => ai().sandbox.requests.filter(({ method }) => method === 'POST').length;

	test("doesn't charge again when n8n runs it again", async () => {
		const { n8n, model, credentials } = ai();
		let asked = 0;
		// After the charge, the model fails once.
		model.beforeAnswer = async () => {
			if (++asked === 2) throw new Error('The model is down');
			return await Promise.resolve();
		};
		const options = { maxRetries: 0 };
		const workflow = workflowOf('Run again', [
			trigger('Agent'),
			agent(call(8)),
			{ ...chatModel('Agent'), parameters: { model: byId('test-model'), options } },
			charging,
		]);
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Agent' ? { ...node, retryOnFail: true, waitBetweenTries: 10 } : node,
		);
		const { id } = await n8n.client.importWorkflow({ ...workflow, nodes }, credentials);
		await n8n.client.runWorkflow(id);
		expect(asked).toBeGreaterThan(2);
		expect(charges()).toBe(1);
	});

	test.each([2.2, 3.1])(
		"and was cancelled charges nobody again in n8n's Retry, with AI Agent %d",
		async (version) => {
			const { model, n8n } = ai();
			const path = `cancelled-${version}`;
			const id = await ai().add(`Cancelled ${version}`, [
				{ ...webhook(path), to: ['Agent'] },
				agentOf(version, call(9)),
				chatModel('Agent'),
				charging,
			]);
			// After the charge, the model never answers.
			let goOn = () => {};
			let asked = 0;
			model.beforeAnswer = async () => {
				if (++asked === 2) await new Promise<void>((resolve) => (goOn = resolve));
			};
			await n8n.client.activate(id);
			await fetch(`${n8n.url}/webhook/${path}`, { dispatcher: n8n.client.dispatcher });
			await until('the second question', () => asked === 2);
			const [{ id: execution }] = await n8n.client.executions({ workflowId: id });
			await n8n.client.stopExecution(execution);
			goOn();
			await n8n.client.waitForExecution(execution);
			await n8n.client.retryExecution(execution);
			expect([asked, charges()]).toEqual([4, 1]);
			expect(model.toolResults().at(-1)).toContain('Sent in the execution before this one');
		},
	);
});
