// Dry Run in the credential: which executions are dry. Decided by n8n's own record of how they began.
import type { IRun, WorkflowExecuteMode } from 'n8n-workflow';
import { ownNode, runNode, runWorkflow, sourceOf } from './host/host.cts';
import { Executions } from './host/executions.cts';
import { byId } from './host/run.cts';
import { Service } from './host/service.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { useTools } from './host/tool.cts';
import { WebhookService } from './host/webhookService.cts';
import { nodeOf } from './host/workflow.cts';
import { testCredential } from './host/credentialTest.cts';

const service = Service.forFile();

let runs = 0;

const credential = (dryRun: unknown) => ({
	baseUrl: service.baseUrl,
	apiKey: `key-of-run-${++runs}`,
	dryRun: dryRun as string,
});

const form = {
	resource: 'charge',
	operation: 'create',
	customerId: byId('cus-1'),
	services: { service: [{ name: 'Setup', amount: 5 }] },
};

const charge = () => nodeOf('platformCustomers', form as never);

const REFUSED =
	'"Dry Run" is "Only in Manual Executions" in the credential, but n8n doesn\'t tell the node how this execution began, so this isn\'t sent: POST /customers/{customerId}/charges.json. Set Dry Run to Off or On';

/** `dry`, `sent` or the error. */
function outcomeOf({ data }: IRun, name: string): string {
	const { error, runData } = data.resultData;
	if (error) return error.message;
	const [item] = runData[name][0].data?.main[0] ?? [];
	const { reason } = Object(item?.json.dryRun) as { reason?: string };
	const what = item?.json.dryRun === undefined ? 'sent' : 'dry';
	expect(reason).toBe(what === 'dry' ? 'manual execution' : undefined);
	expect(service.sent('POST').length).toBe(what === 'sent' ? 1 : 0);
	const hints = runData[name][0].hints ?? [];
	const hint = 'Dry run (manual execution), nothing was sent: "Create a charge"';
	if (name === 'Node') {
		expect(hints.map(({ message }) => message)).toEqual(
			what === 'sent' ? [] : [expect.stringContaining(hint)],
		);
	}
	return what;
}

beforeEach(() => service.behave(() => ({ body: { id: 'chg-1' } })));

const modes: Array<[WorkflowExecuteMode, string]> = [
	['manual', 'dry'],
	['chat', 'dry'],
	['evaluation', 'dry'],
	['trigger', 'sent'],
	['webhook', 'sent'],
	['error', 'sent'],
	['cli', 'sent'],
	['internal', 'refused'],
	['agent', 'refused'],
	['integrated', 'refused'],
	['retry', 'refused'],
];

describe('only in manual executions', () => {
	const begun = modes.filter(([mode]) => !['integrated', 'retry'].includes(mode));
	const deep = begun.filter(([mode]) => ['manual', 'trigger', 'internal'].includes(mode));

	test.each([
		...modes.map((each) => [0, ...each] as const),
		...begun.map((each) => [1, ...each] as const),
		...deep.map((each) => [4, ...each] as const),
	])('%d workflows below one in mode %s: %s', async (depth, mode, expected) => {
		const run = await new Executions(charge(), credential('manual')).run(mode, depth);
		const outcome = outcomeOf(run, depth === 0 ? 'Node' : 'Caller');
		if (expected !== 'refused') return expect(outcome).toBe(expected);
		expect(outcome).toContain(REFUSED);
		expect(service.sent()).toEqual([]);
	});

	test.each([1, 2])(
		'%d workflows below one that does not say who it is: refused',
		async (depth) => {
			for (const mode of ['manual', 'trigger'] as const) {
				const run = await new Executions(charge(), credential('manual'), false).run(mode, depth);
				expect(outcomeOf(run, 'Caller')).toContain(REFUSED);
			}
			expect(service.sent()).toEqual([]);
		},
	);

	test.each([
		['manual', 'dry'],
		['webhook', 'sent'],
	] as const)('a Retry of an execution in mode %s follows it', async (mode, expected) => {
		const broken = {
			...charge(),
			parameters: { ...charge().parameters, customerId: '={{ boom }}' },
		};
		const failed = await new Executions(broken as never, credential('manual')).run(mode);
		expect(failed.data.resultData.error).toBeDefined();
		const retried = await new Executions(charge(), credential('manual')).retry(withNode(failed));
		expect(outcomeOf(retried, 'Node')).toBe(expected);
		service.behave(() => ({ body: { id: 'chg-1' } }));
		// The same Retry once more would charge twice, whatever the credential says.
		const again = await new Executions(charge(), credential('manual')).retry(withNode(failed));
		const [item] = again.data.resultData.runData.Node[0].data?.main[0] ?? [];
		expect(item?.json.skipped).toBe(expected === 'sent' ? true : undefined);
		expect(service.sent('POST')).toEqual([]);
	});

	/** The workflow was mended before. */
	function withNode(failed: IRun): IRun {
		for (const each of failed.data.executionData?.nodeExecutionStack ?? []) each.node = charge();
		return failed;
	}

	test('a read is real, however the execution began', async () => {
		service.behave(() => ({ body: { id: 'cus-1', email: 'a@b.example' } }));
		const get = { resource: 'customer', operation: 'get', customerId: byId('cus-1') };
		for (const mode of ['manual', 'internal', 'trigger'] as const) {
			const node = nodeOf('platformCustomers', get as never);
			const run = await new Executions(node, credential('manual')).run(mode);
			const [item] = run.data.resultData.runData.Node[0].data?.main[0] ?? [];
			expect(item?.json).toEqual({ id: 'cus-1', email: 'a@b.example' });
		}
		expect(service.sent('GET')).toHaveLength(3);
	});

	test('a tool of an agent in the editor is dry, one behind a webhook is real', async () => {
		const tools = [{ node: 'platformCustomers', parameters: form as never }];
		const answers: string[] = [];
		for (const isWebhook of [false, true]) {
			const use = async ({
				Tool_1: tool,
			}: Record<string, { invoke(args: object): Promise<string> }>) => {
				answers.push(await tool.invoke({}));
			};
			await useTools(tools, credential('manual'), use as never, { isWebhook });
			expect(service.sent('POST')).toHaveLength(isWebhook ? 1 : 0);
		}
		expect(answers.map((answer) => answer.includes('dryRun'))).toEqual([true, false]);
	});

	test('a trigger is published for real, and does not listen in the editor', async () => {
		const book = await new WebhookService().start();
		const settings = { ...credential('manual'), baseUrl: book.baseUrl };
		const workflow = new TriggerWorkflow(settings);
		await workflow.publish();
		expect(book.rows).toHaveLength(2);
		await workflow.delete();
		expect(book.rows).toEqual([]);
		const listening = new TriggerWorkflow(settings);
		listening.isTest = true;
		await expect(listening.publish()).rejects.toThrow(
			"and listening in the editor is one, so this isn't sent: POST /webhooks.json. Publish the workflow, or set Dry Run to Off",
		);
		expect(book.rows).toEqual([]);
		await book.close();
	});
});

describe('the setting', () => {
	test.each([undefined, null, '', 'yes', 0, {}])('%j is refused', async (value) => {
		const { error } = await runNode({
			node: 'platformCustomers',
			credential: credential(value),
			parameters: form,
		});
		expect(error?.message).toContain('"Dry Run" in the credential must be off, on or manual (got');
		expect(service.sent()).toEqual([]);
		const tested = await testCredential(credential(value));
		expect(tested.message).toContain('must be off, on or manual');
	});

	test.each([
		['off', 'sent'],
		[false, 'sent'],
		['false', 'sent'],
		['on', 'dry'],
		[true, 'dry'],
		['true', 'dry'],
	])('%j: %s', async (value, expected) => {
		const { items } = await runNode({
			node: 'platformCustomers',
			credential: credential(value),
			parameters: form,
		});
		expect(items[0].json.dryRun === undefined).toBe(expected === 'sent');
		expect(service.sent('POST')).toHaveLength(expected === 'sent' ? 1 : 0);
	});

	test('a setting that was never saved is off', async () => {
		const { dryRun: _none, ...without } = credential('off');
		await runNode({ node: 'platformCustomers', credential: without, parameters: form });
		expect(service.sent('POST')).toHaveLength(1);
	});
});

describe('a node that is not from this package', () => {
	/** Sends a request with the credential, as HTTP Request does. */
	async function request(dryRun: unknown, method: string | undefined): Promise<string> {
		service.behave(() => ({ body: { id: 'x' } }));
		const foreign = ownNode('foreign', async function () {
			const url = `${service.baseUrl}/2026-02-01/customers.json`;
			const options = { method: method as 'POST', url, json: true };
			const helper = this.helpers.httpRequestWithAuthentication;
			return [[{ json: (await helper.call(this, 'platformApi', options)) as object as never }]];
		});
		foreign.description.credentials = [{ name: 'platformApi', required: true }];
		const run = await runWorkflow({
			nodes: [
				nodeOf('source', {}, { name: 'Source' }),
				nodeOf('foreign', {}, { name: 'Foreign', id: '2' }),
			],
			connections: { Source: { main: [[{ node: 'Foreign', type: 'main', index: 0 }]] } },
			types: { source: sourceOf([{ json: {} }]), foreign },
			credential: credential(dryRun),
			start: 'Source',
			mode: 'trigger',
		});
		return run.data.resultData.error?.message ?? `${service.sent().length} sent`;
	}

	test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'post'])('does not send %s', async (method) => {
		expect(await request('on', method)).toContain(
			`is on in the credential, so ${method} isn't sent`,
		);
		expect(await request('manual', method)).toContain(
			`is "Only in Manual Executions" in the credential, which only the Platform nodes can tell from others, so ${method} isn't sent. Use a credential with Dry Run off`,
		);
		expect(service.sent()).toEqual([]);
		expect(await request('off', method)).toBe('1 sent');
		expect(await request(undefined, method)).toContain('must be off, on or manual');
	});

	test.each(['GET', 'HEAD', 'OPTIONS', undefined])('sends %s', async (method) => {
		for (const dryRun of ['off', 'on', 'manual'])
			expect(await request(dryRun, method)).toBe('1 sent');
	});
});
