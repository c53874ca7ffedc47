// A copy of a published workflow with the same webhookId, published by n8n's command line. n8n refuses its webhook
// path, but runs the hook that removes webhooks: the old activation at once, the publication service when the
// copy is unpublished.
import { chargeCustomer } from '../n8n/charge.cts';
import type { N8nInstance } from '../n8n/instance.cts';
import { triggered } from '../n8n/parts.cts';
import { LEAN, ownSetting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';
import { wayToN8n } from '../n8n/ways.cts';

/** Publishes without asking whether the path is taken. It takes effect at the next start of n8n. */
async function publishByCommand({ userFolder }: N8nInstance, id: string): Promise<void> {
	const way = await wayToN8n();
	const program = way.start(['publish:workflow', `--id=${id}`], {
		env: { N8N_USER_FOLDER: userFolder },
		folder: userFolder,
	});
	expect([await program.ended, program.output()]).toEqual([0, expect.stringContaining(id)]);
}

/** Waits until n8n has refused to publish the copy. With the publication service, it's unpublished then. */
const refused = {
	old: async ({ logs }: N8nInstance) => {
		const tried = /initial workflow activation try of "Copy"/;
		await until('the refused activation', () => tried.test(logs()));
	},
	service: async ({ client }: N8nInstance, id: string) => {
		const isFailed = async () => (await client.publicationStatus(id)).status === 'failed';
		await until('the refused publication', isFailed);
		await client.deactivate(id);
	},
};

describe.each(['old', 'service'] as const)('activation: %s', (activation) => {
	const isService = String(activation === 'service');
	const running = ownSetting(
		{
			env: {
				...LEAN,
				N8N_USE_WORKFLOW_PUBLICATION_SERVICE: isService,
			},
		},
		{ sandbox: { customers: 5, deliveries: { backoffMs: 50 } } },
	);

	test('the webhooks of the original stay, and their deliveries arrive', async () => {
		const { n8n, sandbox, credential } = running();
		const { client } = n8n;
		const { webhooks } = sandbox.state.webhooks;
		for (const { id } of [...webhooks.rows]) webhooks.remove(id);
		const ids = () => webhooks.rows.map(({ id }) => id);
		const workflow = triggered('Charges', 'CustomersTrigger', {});
		const original = await client.importWorkflow(workflow, [credential]);
		await client.activate(original.id);
		const registered = ids();
		expect(registered).toHaveLength(2);

		const copy = await client.importWorkflow({ ...workflow, name: 'Copy' }, [credential]);
		expect(copy.nodes[0].webhookId).toBe(original.nodes[0].webhookId);
		await expect(client.activate(copy.id)).rejects.toThrow(/409/);
		await n8n.kill9();
		await publishByCommand(n8n, copy.id);
		sandbox.clearRequests();
		await n8n.restart();
		await refused[activation](n8n, copy.id);

		// The hook has looked for webhooks of the copy.
		expect(sandbox.requests.map(({ path }) => path)).toContain('/webhooks.json?size=100&page=1');
		expect(ids()).toEqual(registered);
		await chargeCustomer(sandbox, sandbox.state.customers.customers.rows[0].id, 'paid');
		await sandbox.deliveriesSettled();
		const [{ status }] = await client.waitForExecutions(original.id, 1);
		expect(status).toBe('success');
		await client.deactivate(original.id);
		expect(ids()).toEqual([]);
	});
});
