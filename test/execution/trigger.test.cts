// Platform Trigger on n8n-core's contexts: what its hooks leave at the service, and which requests
// to its webhook start a workflow. The end-to-end tests do the same in a running n8n.
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { TriggerWorkflow } from './host/trigger.cts';
import { credentialOf, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 5 });

const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';

const book = () => sandbox().state.webhooks.webhooks;
const rows = () => book().rows;
const eventsOf = () => rows().flatMap(({ events }) => events);
const writes = () => sandbox().requests.filter(({ method }) => method !== 'GET');
const trigger = (parameters = {}) => new TriggerWorkflow(credentialOf(sandbox()), parameters);

/** Webhooks of others: under the same host, with the same name, with an address that begins alike. */
const foreign = () => [
	{ id: 'whk-f1', url: 'https://n8n.example.com/webhook/a1b2c3/webhook2?event=x' },
	{ id: 'whk-f2', url: 'https://n8n.example.com/webhook/a1b2c3' },
	{ id: 'whk-f3', url: 'https://other.example.com/webhook/a1b2c3/webhook' },
];

beforeEach(() => {
	for (const { id } of [...rows()]) book().remove(id);
	for (const { id, url } of foreign()) {
		book().add({
			id,
			url,
			name: 'n8n: Dunning',
			description: '',
			events: [PAID],
			token: 'a-token-of-somebody-else',
		});
	}
});

afterEach(() => {
	const ids = rows().map(({ id }) => id);
	expect(ids).toEqual(expect.arrayContaining(foreign().map(({ id }) => id)));
	for (const { id } of foreign()) book().remove(id);
});

const own = () => rows().filter(({ id }) => !id.startsWith('whk-f'));

describe('publishing', () => {
	test('registers one webhook per event, with event and secret, and knows them again', async () => {
		const workflow = trigger();
		expect(await workflow.checkExists()).toBe(false);
		await workflow.create();
		expect(own().map(({ events }) => events)).toEqual([[PAID], [FAILED]]);
		for (const { url, events, name } of own()) {
			const address = new URL(url);
			expect(address.pathname).toBe('/webhook/a1b2c3/webhook');
			expect(address.searchParams.get('event')).toBe(events[0]);
			expect(address.searchParams.get('secret')).toMatch(/^[0-9a-f]{48}$/);
			expect(name).toBe('n8n: Dunning');
		}
		expect(await workflow.checkExists()).toBe(true);
		const sent = writes().length;
		await workflow.publish();
		expect(writes()).toHaveLength(sent);
	});

	test('makes a new secret each time', async () => {
		const secrets = new Set<string | null>();
		for (let times = 0; times < 3; times++) {
			const workflow = trigger();
			await workflow.create();
			secrets.add(new URL(own()[0].url).searchParams.get('secret'));
			await workflow.delete();
		}
		expect(secrets.size).toBe(3);
	});

	test('is looked for on all pages', async () => {
		const workflow = trigger();
		await workflow.create();
		for (let n = 1; n <= 150; n++) {
			book().add({ ...rows()[0], id: `whk-n${n}`, url: `https://x.example.com/${n}` }, 'front');
		}
		expect(await workflow.checkExists()).toBe(true);
		await workflow.delete();
		expect(own().every(({ id }) => id.startsWith('whk-n'))).toBe(true);
	});

	test.each([
		['one is gone', () => book().remove(own()[0].id)],
		['one has another name', () => book().update(own()[0].id, { name: 'Changed' })],
		['one has another event', () => book().update(own()[0].id, { events: [FAILED] })],
		['one has one event more', () => book().update(own()[0].id, { events: [PAID, FAILED] })],
		[
			'one has another secret',
			() => book().update(own()[0].id, { url: `${own()[0].url.slice(0, -1)}x` }),
		],
		['there is one too many', () => book().add({ ...own()[0], id: 'whk-more' })],
	])('%s: that is seen, and mended', async (_what, change) => {
		const workflow = trigger();
		await workflow.create();
		change();
		expect(await workflow.checkExists()).toBe(false);
		await workflow.create();
		expect(await workflow.checkExists()).toBe(true);
		expect(
			own()
				.map(({ events }) => events.join())
				.sort(),
		).toEqual([FAILED, PAID]);
	});

	test('other events: what is no longer wanted goes', async () => {
		const workflow = trigger();
		await workflow.create();
		workflow.parameters = { events: [FAILED] };
		expect(await workflow.checkExists()).toBe(false);
		await workflow.create();
		expect(own().map(({ events }) => events)).toEqual([[FAILED]]);
	});

	test('a registration whose memory was lost is replaced, not doubled', async () => {
		const workflow = trigger();
		await workflow.create();
		const old = own().map(({ id }) => id);
		workflow.staticData = {};
		expect(await workflow.checkExists()).toBe(false);
		await workflow.create();
		expect(own()).toHaveLength(2);
		expect(own().map(({ id }) => id)).not.toEqual(expect.arrayContaining(old));
	});

	test.each([
		['is refused', { kind: 'status', status: 500 }],
		['is applied, its answer lost', { kind: 'reset-after' }],
	] as const)('the second registration %s: an error, and nothing is left', async (_how, fault) => {
		sandbox().faults.add({ ...fault, method: 'POST', nth: 2 });
		const workflow = trigger();
		await expect(workflow.create()).rejects.toThrow(/HTTP 500|connection/);
		expect(own()).toEqual([]);
		await workflow.publish();
		expect(own()).toHaveLength(2);
	});

	test('a registration that cannot be undone is remembered and cleaned up later', async () => {
		sandbox().faults.add({ kind: 'status', status: 500, method: 'POST', nth: 2 });
		const down = sandbox().faults.add({ kind: 'status', status: 500, method: 'DELETE' });
		const workflow = trigger();
		await expect(workflow.create()).rejects.toThrow('HTTP 500');
		expect(own()).toHaveLength(1);
		expect(JSON.stringify(workflow.staticData)).toContain(own()[0].id);
		down.remove();
		await workflow.publish();
		expect(own()).toHaveLength(2);
	});

	test.each([401, 403, 429, 500])('a %i is an error, not an absence', async (status) => {
		const workflow = trigger();
		await workflow.create();
		sandbox().faults.add({ kind: 'status', status, retryAfter: 60 });
		await expect(workflow.checkExists()).rejects.toThrow(`HTTP ${status}`);
		await expect(workflow.create()).rejects.toThrow(`HTTP ${status}`);
		sandbox().faults.clear();
		expect(eventsOf()).toEqual(expect.arrayContaining([PAID, FAILED]));
	});

	test.each([
		'http://n8n.example.com/webhook',
		'https://localhost:5678/webhook',
		'https://127.0.0.1',
	])('at %s: an error that names the setting, and no request', async (address) => {
		const workflow = new TriggerWorkflow(credentialOf(sandbox()), {}, address);
		await expect(workflow.checkExists()).rejects.toThrow('WEBHOOK_URL');
		await expect(workflow.create()).rejects.toThrow('WEBHOOK_URL');
		expect(sandbox().requests).toEqual([]);
	});

	test('no event chosen is an error', async () => {
		await expect(trigger({ events: [] }).create()).rejects.toThrow('"Events" must not be empty');
	});
});

describe('unpublishing', () => {
	test('leaves none behind and forgets them', async () => {
		const workflow = trigger();
		await workflow.create();
		await workflow.delete();
		expect(own()).toEqual([]);
		expect(JSON.stringify(workflow.staticData)).not.toContain('secret');
	});

	test('what is gone already is done', async () => {
		const workflow = trigger();
		await workflow.create();
		book().remove(own()[0].id);
		await workflow.delete();
		expect(own()).toEqual([]);
	});

	test('what cannot be removed is reported, its id kept, and removed the next time', async () => {
		const workflow = trigger();
		await workflow.create();
		const [{ id }] = own();
		const down = sandbox().faults.add({
			kind: 'status',
			status: 500,
			method: 'DELETE',
			path: `/webhooks/${id}.json`,
		});
		await expect(workflow.delete()).rejects.toThrow('HTTP 500');
		expect(own().map((each) => each.id)).toEqual([id]);
		expect(JSON.stringify(workflow.staticData)).toContain(id);
		down.remove();
		await workflow.delete();
		expect(own()).toEqual([]);
	});

	test('what lost its memory is found by its address', async () => {
		const workflow = trigger();
		await workflow.create();
		workflow.staticData = {};
		await workflow.delete();
		expect(own()).toEqual([]);
	});
});

describe('a delivery', () => {
	const published = async (parameters = {}) => {
		const workflow = trigger({ events: [PAID], ...parameters });
		await workflow.create();
		return { workflow, url: own()[0].url, token: own()[0].token };
	};
	const json = { 'content-type': 'application/json' };
	const body = '{"charge": {"id": "chg-1"}}';

	test('becomes an item with event, body, raw body and a stable id', async () => {
		const { workflow, url } = await published();
		const headers = { ...json, authorization: 'Bearer x', 'x-delivery': '7' };
		const first = await workflow.deliver({ url, headers, body });
		expect(first.status).toBe(200);
		expect(first.items.map(({ json: item }) => item)).toEqual([
			{
				event: PAID,
				deliveredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
				deliveryId: expect.stringMatching(/^[0-9a-f]{64}$/),
				body: { charge: { id: 'chg-1' } },
				rawBody: body,
				headers: { ...json, 'x-delivery': '7' },
			},
		]);
		const again = await workflow.deliver({ url, headers: json, body });
		expect(again.items[0].json.deliveryId).toBe(first.items[0].json.deliveryId);
		const other = await workflow.deliver({ url, headers: json, body: '{}' });
		expect(other.items[0].json.deliveryId).not.toBe(first.items[0].json.deliveryId);
	});

	test.each([
		['broken JSON', json, '{"a":', '{"a":'],
		['an array', json, '[1]', [1]],
		['nothing', {}, '', {}],
		[
			'a form',
			{ 'content-type': 'application/x-www-form-urlencoded' },
			'a=1&b=%20',
			{ a: '1', b: ' ' },
		],
		['bytes that begin with a mark', json, '\uFEFF{"a":1}', { a: 1 }],
	])('of %s is passed on', async (_what, headers, sent, expected) => {
		const { workflow, url } = await published();
		const { items } = await workflow.deliver({ url, headers, body: sent });
		expect(items[0].json.body).toEqual(expected);
	});

	const changed = (url: string, change: (query: URLSearchParams) => void) => {
		const address = new URL(url);
		change(address.searchParams);
		return address.toString();
	};

	test.each<[string, (query: URLSearchParams) => void]>([
		['a wrong secret', (query) => query.set('secret', 'f'.repeat(48))],
		[
			'a part of the secret',
			(query) => query.set('secret', String(query.get('secret')).slice(0, -1)),
		],
		['no secret', (query) => query.delete('secret')],
		['an empty secret', (query) => query.set('secret', '')],
		['an event that is not registered', (query) => query.set('event', FAILED)],
		['no event', (query) => query.delete('event')],
	])('with %s is answered 401 and starts nothing', async (_what, change) => {
		const { workflow, url } = await published();
		const delivered = await workflow.deliver({ url: changed(url, change), headers: json, body });
		expect(delivered).toEqual({ status: 401, items: [] });
	});

	test('to a workflow that has no registration is answered 401', async () => {
		const { workflow, url } = await published();
		workflow.staticData = {};
		for (const secret of ['', 'undefined', String(new URL(url).searchParams.get('secret'))]) {
			const forged = changed(url, (query) => query.set('secret', secret));
			expect((await workflow.deliver({ url: forged, headers: json, body })).status).toBe(401);
		}
	});

	test('to a workflow that lost its secret is answered 401', async () => {
		const { workflow, url } = await published();
		for (const state of Object.values(workflow.staticData)) delete (state as IDataObject).secret;
		const forged = changed(url, (query) => query.set('secret', ''));
		expect((await workflow.deliver({ url: forged, headers: json, body })).status).toBe(401);
	});

	const hmac = (token: string, encoding: 'hex' | 'base64') =>
		createHmac('sha256', token).update(body).digest(encoding);

	test.each<[string, object, (token: string) => string, number]>([
		['the token in the header', { tokenCheck: 'header' }, (token) => token, 200],
		['the token as a bearer', { tokenCheck: 'header' }, (token) => `Bearer ${token}`, 200],
		['another token', { tokenCheck: 'header' }, (token) => `${token}x`, 401],
		['no token', { tokenCheck: 'header' }, () => '', 401],
		['the signature', { tokenCheck: 'hmac' }, (token) => hmac(token, 'hex'), 200],
		['the named signature', { tokenCheck: 'hmac' }, (token) => `sha256=${hmac(token, 'hex')}`, 200],
		[
			'the signature in Base64',
			{ tokenCheck: 'hmac', signatureEncoding: 'base64' },
			(token) => hmac(token, 'base64'),
			200,
		],
		['the signature with another token', { tokenCheck: 'hmac' }, () => hmac('other', 'hex'), 401],
		['the token in place of a signature', { tokenCheck: 'hmac' }, (token) => token, 401],
	])('checked by its token: %s', async (_what, check, value, status) => {
		const { workflow, url, token } = await published({ ...check, headerName: 'X-Signature' });
		const headers = { ...json, 'x-signature': value(token) };
		const delivered = await workflow.deliver({ url, headers, body });
		expect(delivered.status).toBe(status);
		expect(JSON.stringify(delivered.items)).not.toContain(token);
	});

	test('checked by a header that has no name is refused', async () => {
		const { workflow, url, token } = await published({ tokenCheck: 'header', headerName: '' });
		const delivered = await workflow.deliver({ url, headers: { '': token }, body });
		expect(delivered.status).toBe(401);
	});
});
