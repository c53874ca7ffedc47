// Charges each customer with the ID as the Idempotency Key, and how often each one was charged.
import type { Execution, N8nClient } from './client.cts';
import { byId, platform, rowOf, start } from './parts.cts';
import { until } from './until.cts';
import type { Sandbox } from '../sandbox/index.cts';

export const chargeAll = rowOf(
	'Charge all',
	start,
	platform('Customers', 'Customers', {
		resource: 'customer',
		operation: 'getAll',
		returnAll: true,
	}),
	platform('Charge', 'Customers', {
		resource: 'charge',
		operation: 'create',
		customerId: byId('={{ $json.id }}'),
		services: { service: [{ name: 'Setup', amount: 10 }] },
		idempotencyKey: '={{ $json.id }}',
	}),
);

/** How many charges of each customer came. */
export function chargesByCustomer(sandbox: Sandbox): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { method, path } of sandbox.requests) {
		const [, customer] = /customers\/([^/]+)\/charges\.json/.exec(path) ?? [];
		if (method === 'POST' && customer) counts.set(customer, (counts.get(customer) ?? 0) + 1);
	}
	return counts;
}

/** Waits until a charge in the middle gets no response. */
export async function untilUnderWay(sandbox: Sandbox): Promise<void> {
	const path = '/customers/{customerId}/charges.json';
	const held = sandbox.faults.add({ kind: 'stall', applied: true, method: 'POST', path, nth: 100 });
	await until('100 charges', () => held.hits > 0);
	held.remove();
}

/**
 * Looks up what an execution asks for that was refused, and enters it in the option Release Key of its workflow, as a person does.
 * @returns the number of items in doubt
 */
export async function releaseCharges(
	client: N8nClient,
	sandbox: Sandbox,
	{ workflowId, data }: Execution,
): Promise<number> {
	const { error, runData } = data.resultData;
	const [, code, first, last = first] =
		/enter (run-[\w-]{12}) (\d+)(?:-(\d+))? in the option Release Key/.exec(error?.message ?? '') ??
		[];
	// n8n notes the nodes of an execution that has crashed, without their data.
	const rows = runData.Customers.at(-1)?.data?.main[0] ?? [];
	const asked = rows.map((_row, at) => at).slice(Number(first), Number(last) + 1);
	const charged = chargesByCustomer(sandbox);
	const isCharged = (at: number) => charged.has(String(rows[at].json.id));
	const unsent = asked.filter((at) => !isCharged(at)).join(' ');
	const releaseKey = `${code} ${unsent} sent ${asked.filter(isCharged).join(' ')}`;
	const { nodes } = await client.workflow(workflowId);
	await client.updateWorkflow(workflowId, {
		nodes: nodes.map((node) =>
			node.name === 'Charge'
				? { ...node, parameters: { ...node.parameters, options: { releaseKey } } }
				: node,
		),
	});
	return asked.length;
}
