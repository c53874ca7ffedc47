// A charge at the sandbox, whose end starts the workflows that wait for it.
import { request } from 'undici';
import type { Charge, ChargeOutcome, Sandbox } from '../sandbox/index.cts';

/** Creates a charge of 5 for Seats and settles it, which begins the delivery of its event. */
export async function chargeCustomer(
	sandbox: Sandbox,
	customerId: string,
	outcome: ChargeOutcome,
): Promise<Charge> {
	const { body } = await request(
		`${sandbox.baseUrl}/2026-02-01/customers/${customerId}/charges.json`,
		{
			method: 'POST',
			headers: { authorization: `Bearer ${sandbox.key}`, 'content-type': 'application/json' },
			body: JSON.stringify({
				charge: { capture: false, services: [{ name: 'Seats', amount: 5, taxProfile: 'x' }] },
			}),
		},
	);
	const { id } = (await body.json()) as { id: string };
	return sandbox.settle(id, outcome);
}
