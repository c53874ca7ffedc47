// A crash in the middle of many charges with an Idempotency Key: run again, each customer is charged once.
import { itemsOf } from '../n8n/client.cts';
import { chargeAll, chargesByCustomer, untilUnderWay } from '../n8n/chargeAll.cts';
import { LEAN, localSetting } from '../n8n/setting.cts';

const CUSTOMERS = 300;

const running = localSetting({ env: LEAN }, { sandbox: { customers: CUSTOMERS } });

test('killed in the middle, started again, run again', async () => {
	const { n8n, sandbox, credential } = running();
	const { id } = await n8n.client.importWorkflow(chargeAll, [credential]);
	await n8n.client.startWorkflow(id);
	await untilUnderWay(sandbox);
	await n8n.kill9();
	const before = chargesByCustomer(sandbox).size;
	expect(before).toBeLessThan(CUSTOMERS);
	await n8n.restart();
	const again = await n8n.client.runWorkflow(id);
	expect(again.status).toBe('success');

	const items = itemsOf(again, 'Charge').map(({ json }) => json);
	const charges = chargesByCustomer(sandbox);
	expect(items).toHaveLength(CUSTOMERS);
	expect([...charges.values()].filter((count) => count > 1)).toEqual([]);
	// The one on its way, those recorded ahead, and those that were not settled yet.
	const inDoubt = items.filter((item) => item.inDoubt === true);
	expect(inDoubt.length).toBeLessThanOrEqual(51);
	const named = new Set([...charges.keys(), ...inDoubt.map((item) => String(item.idempotencyKey))]);
	expect(named.size).toBe(CUSTOMERS);
	expect(items.filter((item) => item.skipped === true).length).toBeGreaterThanOrEqual(before - 1);
	console.log(`Killed after ${before} charges: ${inDoubt.length} in doubt`);
});
