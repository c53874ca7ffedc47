// Charges each customer with the ID as the Idempotency Key, and how often each one was charged.
import type { WorkflowJson } from './client.cts';
import type { Sandbox } from '../sandbox/index.cts';

const node = (name: string, type: string, parameters: object) => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	position: [0, 0] as [number, number],
	parameters,
	...(type.includes('platform') && {
		credentials: { platformApi: { id: '', name: 'Platform API' } },
	}),
});

const to = (name: string) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });

export const chargeAll = {
	name: 'Charge all',
	nodes: [
		node('Start', 'n8n-nodes-base.manualTrigger', {}),
		node('Customers', 'n8n-nodes-platform-api.platformCustomers', {
			resource: 'customer',
			operation: 'getAll',
			returnAll: true,
		}),
		node('Charge', 'n8n-nodes-platform-api.platformCustomers', {
			resource: 'charge',
			operation: 'create',
			customerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			services: { service: [{ name: 'Setup', amount: 10 }] },
			idempotencyKey: '={{ $json.id }}',
		}),
	],
	connections: { Start: to('Customers'), Customers: to('Charge') },
	settings: {},
} as unknown as WorkflowJson;

/** How many charges of each customer came. */
export function chargesByCustomer(sandbox: Sandbox): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { method, path } of sandbox.requests) {
		const [, customer] = /customers\/([^/]+)\/charges\.json/.exec(path) ?? [];
		if (method === 'POST' && customer) counts.set(customer, (counts.get(customer) ?? 0) + 1);
	}
	return counts;
}
