/** What of the sandbox goes by the clock: one-time codes, and charges that settle by themselves. */
import { base32, stepOf, totp } from '../../sandbox/totp.cts';
import { open } from './client.cts';

test.each([
	[59, '287082'],
	[1_111_111_109, '081804'],
	[1_111_111_111, '050471'],
	[1_234_567_890, '005924'],
	[2_000_000_000, '279037'],
	[20_000_000_000, '353130'],
])('a code holds to the test vector of RFC 6238 at second %i', (second, code) => {
	const secret = base32(Buffer.from('12345678901234567890'));
	expect(totp(secret, stepOf(new Date(second * 1000)))).toBe(code);
});

test('a charge settles by the name of its service, unless it is not captured', async () => {
	const { sandbox, send, close } = await open({ customers: 1, settleAfterMs: 20 });
	const path = `/customers/${sandbox.state.customers.customers.rows[0].id}/charges.json`;
	const made = [];
	for (const [name, capture] of [['Setup'], ['Card declined'], ['Setup', false]] as const) {
		const services = [{ name, amount: 12.5, taxProfile: 'standard' }];
		made.push(await send<{ id: string }>('POST', path, { charge: { capture, services } }));
	}
	await new Promise((resolve) => setTimeout(resolve, 200));
	const statuses = made.map(({ body }) => sandbox.state.charges.charges.get(body.id)?.status);
	expect(statuses).toEqual(['paid', 'failed', 'pending']);
	await close();
});
