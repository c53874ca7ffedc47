// Charges each customer with the ID as the Idempotency Key, and how often each one was charged.
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
