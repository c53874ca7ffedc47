// Whatever shape the API gives to an error, its text is what the user reads.
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

test.each<[string, unknown]>([
	['text', 'Why'],
	['an object with a message', { code: 7, message: 'Why' }],
	['an object without one', { reason: 'Why' }],
	['a list', ['Why']],
	['a list of objects', [{ detail: { text: 'Why' } }]],
])('an error of the API as %s is told as its text', async (_what, error) => {
	service.behave(() => ({ status: 400, body: { error } }));
	const form = { customerId: byId('cus-1') };
	const { error: told } = await run(service, 'platformCustomers', 'customer.get', form);
	expect(told?.message).toMatch(/^(7, )?Why \(HTTP 400\)/);
});
