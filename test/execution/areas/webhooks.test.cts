// Platform Webhooks: registrations and the events on offer.
import { told } from '../host/host.cts';
import { byId, run as runOn, sandboxFor } from '../host/run.cts';

const sandbox = sandboxFor({ customers: 20 });
const [paid, failed] = ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'];

const run = async (operation: string, parameters = {}, options = {}) =>
	await runOn(sandbox(), 'platformWebhooks', operation, parameters, options);

const registered = () => sandbox().state.webhooks.webhooks.rows;
const sent = () => sandbox().requests.map(({ body }) => body);

const ledger = { name: 'Ledger', url: 'https://receiver.example/in?x=1', events: [paid] };

test('a webhook is created with its token, read without, and deleted', async () => {
	const created = await run('webhook.create', {
		...ledger,
		events: [paid, failed],
		additionalFields: { description: 'Books charges' },
	});
	expect(sent()).toEqual([
		{ webhook: { ...ledger, events: [paid, failed], description: 'Books charges' } },
	]);
	const [{ id, token }] = registered();
	expect(created.items.map(({ json }) => json)).toEqual([
		{ id, token, ...ledger, events: [paid, failed], description: 'Books charges' },
	]);

	const read = await run('webhook.get', { webhookId: byId(id) });
	expect(read.items[0].json).toMatchObject({ id, name: 'Ledger' });
	const list = await run('webhook.getAll', { returnAll: true });
	expect(list.items.map(({ json }) => json.id)).toEqual([id]);
	expect(JSON.stringify([read.items, list.items])).not.toContain(token);

	const deleted = await run('webhook.delete', { webhookId: byId(id) });
	expect(deleted.items[0].json).toEqual({ id, deleted: true });
	expect(registered()).toEqual([]);
	const again = await run('webhook.get', { webhookId: byId(id) });
	expect(again.error?.message).toContain('Webhook not found');
	expect(told(again.error)).toContain(`Nothing found for "${id}". Check the Webhook field.`);
});

test.each([
	['an array', `={{ ["${paid}", "${failed}"] }}`, [paid, failed]],
	['comma-separated text', `=${paid}, ${failed}`, [paid, failed]],
	['one name', `=${failed}`, [failed]],
])('events can come from an expression as %s', async (_case, events, names) => {
	const { items } = await run('webhook.create', { ...ledger, events });
	expect(items[0].json.events).toEqual(names);
	expect(sent()).toEqual([{ webhook: { ...ledger, events: names } }]);
});

test.each([
	['no name', { name: '={{ "" }}' }, '"Name" must not be empty'],
	['an http address', { url: 'http://receiver.example/in' }, '"URL" must be an https:// URL'],
	['a broken address', { url: 'https://' }, '"URL" must be an https:// URL'],
	['no events', { events: '={{ [] }}' }, '"Event Names or IDs" must have at least 1'],
])('%s is refused before anything is sent', async (_case, values, message) => {
	const { error } = await run('webhook.create', { ...ledger, ...values });
	expect(error?.message).toContain(message);
	expect(sandbox().requests).toEqual([]);
});

test('an event that is not on offer: the error names those that are, nearest first', async () => {
	const events = ['RecurringPayments.charge.faild'];
	const { error } = await run('webhook.create', { ...ledger, events });
	expect(told(error)).toContain('Some events are not available');
	expect(told(error)).toContain(`Check the events. The API takes ${failed}, ${paid}.`);
	sandbox().faults.add({ kind: 'status', status: 403, path: '/webhooks/types.json' });
	const unread = await run('webhook.create', { ...ledger, events });
	expect(told(unread.error)).toContain('Choose events that Event Type → Get Many lists.');
});

test('a webhook whose creation got no answer is not created twice', async () => {
	const before = registered().length;
	sandbox().faults.add({ kind: 'reset-after', method: 'POST', times: 1 });
	const { error } = await run('webhook.create', ledger);
	expect(error?.message).toContain('may have gone through');
	expect(registered()).toHaveLength(before + 1);
});

test('an id that would name the event types is refused', async () => {
	const { error } = await run('webhook.get', { webhookId: byId('types') });
	expect(error?.message).toContain('/webhooks/types.json');
	expect(sandbox().requests).toEqual([]);
});

test('event types come as items', async () => {
	const { items } = await run('eventType.getAll', { returnAll: true });
	expect(items.map(({ json }) => json)).toEqual([{ event: paid }, { event: failed }]);
});
