// Values of items in another form than the field has: arrays with blank entries, true as text, a field with a taken
// name.
import { serveWatched } from './host/listService.cts';
import { Poller } from './host/poller.cts';
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

const bodies = () => service.sent('PUT').map(({ body }) => body);

const customers = Array.from({ length: 120 }, (_each, n) => ({ id: `c${n}` }));

const serveCustomers = () =>
	service.behave(({ path }) => {
		const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);
		const elements = customers.slice((page - 1) * 100, page * 100);
		return { body: { count: customers.length, per_page: 100, elements } };
	});

describe('a list of texts from an expression', () => {
	test('IDs are sent as from the same text', async () => {
		service.behave(() => ({ body: { newsletter_id: 'nwl-1', saved_recipients: 0 } }));
		await run(service, 'platformNewsletters', 'recipient.set', {
			newsletterId: byId('nwl-1'),
			customersAs: 'ids',
			contactIds: "={{ 'cus-1, cus-2,'.split(',') }}",
		});
		expect(bodies()).toEqual([{ newsletter: { contact_ids: ['cus-1', 'cus-2'] } }]);
	});

	test('no empty tag is added, and none a second time with a space', async () => {
		service.behave(({ method }) => ({
			body: method === 'GET' ? { id: 'cus-1', tags: ['vip'] } : { customer: { id: 'cus-1' } },
		}));
		await run(service, 'platformCustomers', 'customer.update', {
			customerId: byId('cus-1'),
			updateFields: { tags: "={{ 'new, vip,'.split(',') }}" },
		});
		expect(bodies()).toEqual([{ customer: { tags: ['vip', 'new'] } }]);
	});

	test('the second of two statuses starts the workflow, too', async () => {
		const row = (last_payment_status: string) => ({ id: 'sub-1', last_payment_status });
		const list = serveWatched(service, { rows: [row('paid')] });
		const statuses = "={{ 'refused, failed'.split(',') }}";
		const poller = new Poller(service, { event: 'paymentStatusChanged', statuses });
		await poller.publish();
		list.rows = [row('failed')];
		expect(await poller.poll()).toEqual([expect.objectContaining({ id: 'sub-1' })]);
	});
});

describe('a toggle whose expression gives true as text, as of a query or a spreadsheet', () => {
	test('Return All returns all', async () => {
		serveCustomers();
		const form = { returnAll: '={{ $json.all }}' };
		const options = { items: [{ all: 'true' }] };
		const found = await run(service, 'platformCustomers', 'customer.getAll', form, options);
		expect([found.items.length, found.hints]).toEqual([120, []]);
	});

	test('Return All that is off by an expression has the usual Limit, not that of a tool', async () => {
		serveCustomers();
		const form = { returnAll: '={{ false }}' };
		const { items } = await run(service, 'platformCustomers', 'customer.getAll', form);
		expect(items).toHaveLength(50);
	});

	test('Include Envelope gives the whole response', async () => {
		const body = { status: 'fetch', count: 1, range: { start: 'a' }, events: [{ id: 'evt-1' }] };
		service.behave(() => ({ body }));
		const { items } = await run(service, 'platformScheduler', 'event.getAll', {
			start: '2026-03-01',
			end: '2026-03-02',
			options: { includeEnvelope: '={{ "true" }}' },
		});
		expect(items.map(({ json }) => json)).toEqual([body]);
	});
});

test('an entry that is read, changed and mapped back keeps a field that is named as one of its own', async () => {
	const entry = {
		id: 'cnt-1',
		type_id: 'typ-1',
		title: 'Entry',
		data: { title: 'Own', text: 'A' },
	};
	service.behave(({ method }) => ({ body: method === 'GET' ? entry : { id: 'cnt-1' } }));
	const node = 'platformContentBox';
	const contentId = byId('cnt-1');
	const { items } = await run(service, node, 'content.get', { contentId });
	const column = (id: string) => ({ id, displayName: id, type: 'string' });
	const data = {
		mappingMode: 'autoMapInputData',
		value: null,
		schema: [column('title'), column('text')],
	};
	const changed = items.map(({ json }) => ({ ...json, text: 'B' }));
	await run(service, node, 'content.update', { contentId, data }, { items: changed });
	expect(bodies()).toEqual([{ content: { data: { title: 'Own', text: 'B' } } }]);
});
