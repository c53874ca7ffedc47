// Platform Newsletters: campaigns from draft to queue, their recipients, the suppression list.
import { areaOf, byId } from '../host/run.cts';

const { sandbox, run, sent } = areaOf('platformNewsletters', { customers: 120 });

const newsletters = () => sandbox().state.newsletters.newsletters;
const suppressions = () => sandbox().state.unsubscribes.suppressions;
const customers = () => sandbox().state.customers.customers.rows;

const isSuppressed = ({ email = '' }) => suppressions().get(email.toLowerCase()) !== undefined;
/** Ids of customers who can be written to. */
const reachable = (count: number) =>
	customers()
		.filter((customer) => !isSuppressed(customer))
		.slice(0, count)
		.map(({ id }) => id);

const content = { title: 'March', subject: 'News of March', templateId: 'monthly.html' };

const draft = async (contactIds: string[] = []) => {
	const { items } = await run('newsletter.create', {
		...content,
		...(contactIds.length > 0 && { customersAs: 'ids', contactIds: contactIds.join(',') }),
	});
	sandbox().clearRequests();
	return String(items[0].json.id);
};

test.each([
	['newsletter.queue', {}],
	['newsletter.sendTest', { testEmail: 'qa@example.com' }],
])('%s handles one item after the other', async (operation, form) => {
	const ids = [await draft(reachable(1)), await draft(reachable(1)), await draft(reachable(1))];
	sandbox().clearRequests();
	sandbox().faults.add({ kind: 'delay', ms: 20 });
	const { items } = await run(
		operation,
		{ newsletterId: byId('={{ $json.id }}'), ...form },
		{ items: ids.map((id) => ({ id })) },
	);
	expect(items.map(({ json }) => json.id)).toEqual(ids);
	expect(sandbox().requests.map(({ inFlight }) => inFlight)).toEqual([1, 1, 1]);
});

describe('recipients', () => {
	const customersOf = async (changeRecipients: string, ids: string[]) => {
		const id = await draft(reachable(2));
		const form = { newsletterId: byId(id), customersAs: 'ids', contactIds: ids.join(',') };
		const { error } = await run('recipient.set', { ...form, changeRecipients });
		expect(error).toBeUndefined();
		const reads = sent().filter((call) => call.startsWith('GET')).length;
		return { recipients: newsletters().get(id)?.recipients, reads };
	};

	test('are replaced, or added and removed after a look at those that are there', async () => {
		const [one, two, three] = reachable(3);
		expect(await customersOf('replace', [three])).toEqual({ recipients: [three], reads: 0 });
		expect(await customersOf('add', [two, three])).toEqual({
			recipients: [one, two, three],
			reads: 1,
		});
		expect(await customersOf('remove', [one, three])).toEqual({ recipients: [two], reads: 1 });
	});

	const fromItems = { customersAs: 'items', customerField: 'customer.id' };

	test('come from all input items in one request, each once', async () => {
		const ids = reachable(40);
		const id = await draft();
		const items = [...ids, ids[0]].map((each) => ({ customer: { id: each }, title: 'From items' }));
		const set = await run('recipient.set', { newsletterId: byId(id), ...fromItems }, { items });
		expect(set.error).toBeUndefined();
		expect(sent()).toEqual([`PUT /newsletters/${id}/recipients.json`]);
		expect(newsletters().get(id)?.recipients).toEqual(ids);
		expect(set.items).toHaveLength(1);
		expect(set.items[0].pairedItem).toEqual(items.map((_item, item) => ({ item })));
		const form = { ...content, title: '={{ $json.title }}', ...fromItems };
		const created = await run('newsletter.create', form, { items });
		expect(created.items).toHaveLength(1);
		const made = newsletters().get(String(created.items[0].json.id));
		expect(made).toMatchObject({ title: 'From items', recipients: ids });
	});

	test('of items are refused where one has no ID, or the newsletter differs', async () => {
		const [one, two] = reachable(2);
		const id = await draft();
		const lacks = [{ customer: { id: one } }, { customer: {} }];
		const form = { newsletterId: byId(id), ...fromItems };
		const missing = await run('recipient.set', form, { items: lacks });
		expect(missing.error?.message).toContain(
			`"Customer ID Field" is "customer.id", which row 2 (item 1) doesn't have`,
		);
		const items = [one, two].map((each, index) => ({ customer: { id: each }, of: `n${index}` }));
		const differ = { ...form, newsletterId: byId('={{ $json.of }}') };
		const several = await run('recipient.set', differ, { items });
		expect(several.error?.message).toContain('"Newsletter" must be the same for all input items');
		expect(sent()).toEqual([]);
	});

	test('come as items, and nobody else', async () => {
		const ids = reachable(60).slice(-4);
		const newsletterId = byId(await draft(ids));
		const { items, hints } = await run('recipient.getAll', { newsletterId, returnAll: true });
		expect(items.map(({ json }) => json.id)).toEqual(ids);
		for (const { json } of items) {
			expect(json).toMatchObject({ is_selected: true, newsletter_status: 'draft' });
		}
		expect(hints).toEqual([]);
		expect(sent()).toEqual([`GET /newsletters/${newsletterId.value}/recipients.json`]);
		const few = await run('recipient.getAll', { newsletterId, limit: 3 });
		expect(few.items).toEqual(items.slice(0, 3));
		expect(few.hints).toEqual([]);
	});

	test('the customers to choose from say which are selected', async () => {
		const selected = reachable(2);
		const newsletterId = byId(await draft(selected));
		const form = { newsletterId, output: 'customers' };
		const { items } = await run('recipient.getAll', { ...form, returnAll: true });
		expect(items.map(({ json }) => json.id)).toEqual(customers().map(({ id }) => id));
		expect(
			items.filter(({ json }) => json.is_selected === true).map(({ json }) => json.id),
		).toEqual(selected);
		expect(items[0].json).toMatchObject({
			newsletter_status: 'draft',
			is_suppressed: isSuppressed(customers()[0]),
			has_consent: expect.any(Boolean) as boolean,
		});
	});

	test('ids that are a number in one place and a text in the other are the same', async () => {
		sandbox().faults.add({
			kind: 'status',
			status: 200,
			times: 1,
			body: {
				newsletter_status: 'queued',
				selected_ids: [7, '9'],
				all_customers: [{ id: '7' }, { id: '8' }, { id: 9 }],
			},
		});
		const { items } = await run('recipient.getAll', { newsletterId: byId('nwl-130') });
		expect(items.map(({ json }) => json)).toEqual([
			{ id: '7', is_selected: true, newsletter_status: 'queued', newsletter_id: 'nwl-130' },
			{ id: 9, is_selected: true, newsletter_status: 'queued', newsletter_id: 'nwl-130' },
		]);
	});

	test('the snapshot is one item and keeps what was selected', async () => {
		const id = await draft(reachable(2));
		const { items } = await run('recipient.getAll', {
			newsletterId: byId(id),
			output: 'snapshot',
			filters: { search: 'e' },
		});
		expect(items).toHaveLength(1);
		expect(items[0].json).toMatchObject({
			newsletter_status: 'draft',
			selected_ids: reachable(2),
		});
		expect(sent()).toEqual([`GET /newsletters/${id}/recipients.json?search=e`]);
	});

	test('Max Recipients counts those of the newsletter, before it is queued', async () => {
		const id = await draft(reachable(3));
		const queue = { newsletterId: byId(id), safetyLimits: { maxTotal: 2 } };
		const { error } = await run('newsletter.queue', queue);
		expect(error?.message).toBe(
			'This newsletter has 3 recipients, Max Recipients is 2 (Safety Limits). Nothing was sent.',
		);
		expect(newsletters().get(id)?.status).toBe('draft');
	});

	test('nothing in place of the recipients changes nothing', async () => {
		const id = await draft(reachable(1));
		const set = async (contactIds: string) =>
			await run('recipient.set', { newsletterId: byId(id), customersAs: 'ids', contactIds });
		const found = [];
		for (const value of ['""', '"".split(",")', '[]', 'null']) {
			found.push((await set(`={{ ${value} }}`)).error?.message);
		}
		expect(found).toEqual([
			expect.stringContaining('"Customer IDs" must not be empty'),
			expect.stringContaining('"Customer IDs" must'),
			expect.stringContaining('"Customer IDs" must not be empty'),
			expect.stringContaining('"Customer IDs" must not be empty'),
		]);
		expect(newsletters().get(id)?.recipients).toEqual(reachable(1));
	});
});
