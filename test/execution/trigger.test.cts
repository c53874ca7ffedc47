// Platform Trigger on n8n-core's contexts: what its hooks leave at the service, and which requests
// to its webhook start a workflow. The end-to-end tests do the same in a running n8n.
import { createHmac } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { constants } from '../constants.cts';
import type { FaultRule } from '../sandbox/index.cts';
import { shareOf } from '../share.cts';
import { maskedUrls } from '../table/masks.cts';
import { wait } from '../wait.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { WebhookService, type Habits } from './host/webhookService.cts';

const sandbox = sandboxFor({ customers: 5 });

const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';

const book = () => sandbox().state.webhooks.webhooks;
const rows = () => book().rows;
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
	const more = { name: 'n8n: Dunning', description: '', events: [PAID], token: 'of somebody else' };
	for (const each of foreign()) book().add({ ...each, ...more });
});

afterEach(() => {
	const ids = rows().map(({ id }) => id);
	expect(ids).toEqual(expect.arrayContaining(foreign().map(({ id }) => id)));
	for (const { id } of foreign()) book().remove(id);
});

const own = () => rows().filter(({ id }) => !id.startsWith('whk-f'));

const changed = (url: string, change: (address: URL) => void) => {
	const address = new URL(url);
	change(address);
	return address.toString();
};

/** As n8n's server has it: a name that comes twice has an array. */
const parsedQuery = (url: string) => {
	const { searchParams } = new URL(url);
	const valueOf = (name: string) => {
		const values = searchParams.getAll(name);
		return values.length > 1 ? values : values[0];
	};
	return Object.fromEntries([...searchParams.keys()].map((name) => [name, valueOf(name)]));
};

describe('publishing', () => {
	test('registers one webhook per event, with event and secret, and knows them again', async () => {
		const workflow = trigger();
		expect(await workflow.checkExists()).toBe(false);
		await workflow.create();
		expect(own().map(({ events }) => events)).toEqual([[PAID], [FAILED]]);
		for (const { url, events, name, description } of own()) {
			const address = new URL(url);
			expect(address.pathname).toBe('/webhook/a1b2c3/webhook');
			expect(address.searchParams.get('event')).toBe(events[0]);
			expect(address.searchParams.get('secret')).toMatch(/^[0-9a-f]{48}$/);
			// A service may take each name once.
			expect(name).toBe(`n8n: Dunning (${events[0]})`);
			expect(description).toMatch(
				`n8n.example.com for the workflow "Dunning" (ID ${workflow.workflowId})`,
			);
		}
		expect(await workflow.checkExists()).toBe(true);
		const sent = writes().length;
		await workflow.publish();
		expect(writes()).toHaveLength(sent);
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

	const set = (parameters: INodeParameters) => (workflow: TriggerWorkflow) => {
		workflow.parameters = parameters;
	};

	test.each<[string, (workflow: TriggerWorkflow) => void, object[]]>([
		['one is gone', () => book().remove(own()[0].id), [{ events: [FAILED] }, { events: [PAID] }]],
		[
			'one too many',
			() => book().add({ ...own()[0], id: 'more' }),
			[{ events: [PAID] }, { events: [FAILED] }],
		],
		['other events', set({ events: [FAILED] }), [{ events: [FAILED] }]],
		['another name', set({ settings: { name: 'Paid' } }), [{ name: 'Paid' }, { name: 'Paid' }]],
		[
			'another description',
			set({ settings: { description: 'Ask' } }),
			[{ description: 'Ask' }, { description: 'Ask' }],
		],
	])('%s: that is seen, and mended', async (_what, change, expected) => {
		const workflow = trigger();
		await workflow.create();
		change(workflow);
		expect(await workflow.checkExists()).toBe(false);
		await workflow.create();
		expect(own()).toEqual(expected.map((each) => expect.objectContaining(each)));
		expect(await workflow.checkExists()).toBe(true);
	});

	describe('at another address of n8n', () => {
		const hosts = () => own().map(({ url }) => new URL(url).host);
		const first = Array<string>(2).fill('n8n.example.com');
		const second = Array<string>(2).fill('hooks.example.com');

		const moved = async (settings = {}) => {
			const workflow = trigger();
			await workflow.publish();
			workflow.baseUrl = 'https://hooks.example.com/webhook';
			workflow.parameters = { settings };
			return workflow;
		};

		test('the new webhook is registered once, the earlier one is left and named in the log', async () => {
			const workflow = await moved();
			await workflow.publish();
			await workflow.publish();
			expect(hosts()).toEqual([...first, ...second]);
			expect(workflow.warnings).toEqual([
				expect.stringMatching(
					/left webhooks registered at n8n\.example\.com \(IDs .+\).*Earlier URLs/,
				),
				expect.anything(),
				expect.anything(),
			]);
			const body = '{}';
			for (const { url } of own().slice(2)) {
				expect((await workflow.deliver({ url, body })).items).toHaveLength(1);
			}
			await workflow.delete();
			expect(hosts()).toEqual(first);
			workflow.baseUrl = 'https://n8n.example.com/webhook';
			await workflow.delete();
			expect(hosts()).toEqual([]);
			expect(workflow.staticData).toEqual({ 'node:Trigger': {} });
		});

		test('nothing is removed when it is unpublished, also where the address is a local one', async () => {
			const workflow = await moved();
			await workflow.delete();
			workflow.baseUrl = 'http://localhost:5678/webhook';
			await workflow.delete();
			expect(hosts()).toEqual(first);
		});

		test.each(['publish', 'delete'] as const)(
			'%s with Remove Webhooks at Earlier URLs removes them',
			async (hook) => {
				const workflow = await moved({ removeEarlier: true });
				await workflow[hook]();
				expect(hosts()).toEqual(hook === 'publish' ? second : []);
				expect(await workflow.checkExists()).toBe(hook === 'publish');
			},
		);
	});

	test.each([
		['as text', `={{ '${PAID}' }}`, [PAID]],
		['as text with blanks', ` ${PAID} `, [PAID]],
		['twice', [PAID, PAID], [PAID]],
	])('an event given %s is one', async (_how, events, expected) => {
		const workflow = trigger({ events });
		await workflow.create();
		expect(own().map((each) => each.events)).toEqual([expected]);
		expect(await workflow.checkExists()).toBe(true);
	});

	test('other events are those of the list, while they are chosen', async () => {
		const otherEvents = [FAILED, PAID];
		const workflow = trigger({ events: ['other', PAID], otherEvents });
		await workflow.create();
		expect(own().map((each) => each.events)).toEqual([[PAID], [FAILED]]);
		await workflow.delete();
		const none = trigger({ events: ['other'], otherEvents: [] });
		await expect(none.create()).rejects.toThrow('"Other Event Names or IDs" must not be empty');
	});

	describe('IDs that belong to other webhooks by now', () => {
		const keyOf = (scopes?: string[]) => ({
			baseUrl: sandbox().baseUrl,
			apiKey: sandbox().addKey({ scopes }),
		});
		const noCompany = ['webhooks:read', 'webhooks:write'];

		test.each<[string, string[] | undefined | null]>([
			['the same key', null],
			['a renewed key', undefined],
			['a key that may not read its company', noCompany],
		])('with %s: they stay, whatever is published and unpublished', async (_how, scopes) => {
			const workflow = trigger();
			await workflow.create();
			const ids = own().map(({ id }) => id);
			// As another company, or a service restored from a backup, has them.
			for (const id of ids) book().update(id, { url: 'https://elsewhere.example.com/hook' });
			if (scopes !== null) workflow.credential = keyOf(scopes);
			expect(await workflow.checkExists()).toBe(false);
			await workflow.publish();
			expect(own().map(({ id }) => id)).toEqual([...ids, expect.anything(), expect.anything()]);
			expect(await workflow.checkExists()).toBe(true);
			await workflow.delete();
			expect(own().map(({ id }) => id)).toEqual(ids);
		});

		test.each<[string, string[] | undefined, number]>([
			['that may read the company is known', undefined, 0],
			['that may not is another company, for all that can be told', noCompany, 1],
		])('a renewed key %s', async (_what, scopes, warnings) => {
			const workflow = trigger();
			await workflow.create();
			const before = own();
			workflow.credential = keyOf(scopes);
			await workflow.publish();
			const isKept = own().every(({ id }) => before.some((each) => each.id === id));
			expect([own().length, isKept]).toEqual([2, warnings === 0]);
			expect(workflow.warnings).toHaveLength(warnings);
		});

		test.each([
			['429', { status: 429, retryAfter: 3600 }],
			['401, as to a wrong key', { status: 401, body: { error: 'Invalid token' } }],
		])('a renewed key whose company is answered %s: nothing is given up', async (_what, fault) => {
			const workflow = trigger();
			await workflow.create();
			const before = own();
			workflow.credential = keyOf();
			sandbox().faults.add({ kind: 'status', path: '/company.json', ...fault });
			await expect(workflow.publish()).rejects.toThrow(`HTTP ${fault.status}`);
			sandbox().faults.clear();
			await workflow.publish();
			expect(own()).toEqual(before);
			expect(workflow.warnings).toEqual([]);
		});

		test('what is remembered contains no key, and differs for each workflow', async () => {
			const states = await Promise.all(
				[trigger(), trigger()].map(async (workflow) => {
					await workflow.create();
					return (workflow.staticData['node:Trigger'] as IDataObject).account as IDataObject;
				}),
			);
			expect(states[0].key).not.toBe(states[1].key);
			expect(states[0].company).not.toBe(states[1].company);
			expect(JSON.stringify(states)).not.toContain(sandbox().key);
		});
	});

	/** Publishes, publishes what was changed, and unpublishes: with the number of webhooks that are there then. */
	const life: Array<[(workflow: TriggerWorkflow) => Promise<unknown>, number]> = [
		[async (workflow) => await workflow.publish(), 2],
		[
			async (workflow) => {
				workflow.parameters = { settings: { name: 'Renamed' } };
				await workflow.publish();
			},
			2,
		],
		[async (workflow) => await workflow.delete(), 0],
	];

	/** Plays it, with a key of its own: who has the same one would wait too. */
	async function lived(rule?: FaultRule): Promise<void> {
		const workflow = trigger();
		workflow.credential = { ...credentialOf(sandbox()), apiKey: sandbox().addKey() };
		const fault = rule && sandbox().faults.add({ ...rule, times: 1 });
		for (const [step, count] of life) {
			const [before, hits] = [own(), fault?.hits];
			const failed = await step(workflow).then(
				() => undefined,
				({ message }: Error) => message,
			);
			if (failed !== undefined) {
				expect(failed).toMatch(/HTTP \d{3}|connection|empty response/);
				// A trigger has no such option.
				expect(failed).not.toMatch(/Retry Time|Options/);
				if (count > 0) expect(own()).toEqual(before);
				else expect(before).toEqual(expect.arrayContaining(own()));
				const memory = JSON.stringify(workflow.staticData);
				for (const { id } of own()) expect(memory).toContain(id);
				await wait(61_000);
			}
			// As n8n or a person tries again.
			if (fault?.hits !== hits) await step(workflow);
			expect(own()).toHaveLength(count);
			for (const { url, events } of own()) {
				const { items } = await workflow.deliver({ url, body: '{}' });
				expect(items.map(({ json }) => json.event)).toEqual(events);
			}
		}
		expect(fault?.hits).not.toBe(0);
		fault?.remove();
	}

	const faults: Array<[string, FaultRule]> = [
		...[401, 403, 429, 500].map((status): [string, FaultRule] => [
			`a ${status}`,
			{ kind: 'status', status, retryAfter: 60 },
		]),
		['a lost response', { kind: 'reset-after' }],
		['an empty response', { kind: 'empty' }],
	];

	let played: Promise<string[]> | undefined;

	test.each(faults.map(([what, rule], row) => [what, rule, row] as const))(
		'a registration that fails leaves those that were right, and nothing else: %s to any request',
		async (_what, rule, row) => {
			played ??= lived().then(() => sandbox().requests.map(({ method }) => method));
			const methods = await played;
			const all = methods.map((_method, index) => index + 1);
			// The second registration always: the first one has to go then, and its own may be there.
			const second = methods.indexOf('POST', methods.indexOf('POST') + 1) + 1;
			for (const nth of new Set([second, ...shareOf(all, 6, row)])) await lived({ ...rule, nth });
		},
	);

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

	test.each([
		'http://n8n.example.com/webhook',
		'https://localhost:5678/webhook',
		'https://127.0.0.1/webhook',
	])('at %s: an error that names the setting, and no request', async (address) => {
		const workflow = new TriggerWorkflow(credentialOf(sandbox()), {}, address);
		const { origin } = new URL(address);
		const says = (what: string, older: string) =>
			`the ${what} starts with ${origin}. Set n8n's environment variable N8N_WEBHOOK_URL (in older n8n ${older}`;
		for (const hook of [workflow.checkExists, workflow.create]) {
			await expect(hook()).rejects.toThrow(says('webhook URL', 'WEBHOOK_URL)'));
		}
		workflow.isTest = true;
		await expect(workflow.create()).rejects.toThrow(
			says('test webhook URL', 'N8N_EDITOR_BASE_URL,'),
		);
		expect(sandbox().requests).toEqual([]);
	});

	test('an event that the API does not offer: the error says where those that it does stand', async () => {
		const unknown = trigger({ events: ['RecurringPayments.charge.faild'] });
		await expect(unknown.create()).rejects.toThrow(
			'Choose events that Event Type → Get Many lists.',
		);
		expect(own()).toEqual([]);
	});
});

describe('a service that keeps webhooks in a form of its own', () => {
	let service: WebhookService;

	beforeEach(async () => {
		service = await new WebhookService().start();
		for (const { url: similar } of foreign()) {
			const url = similar.replace('.com/', '.com/N8N/');
			service.rows.push({ id: -service.rows.length, name: 'x', url, events: [PAID], token: 'x' });
		}
	});

	afterEach(async () => {
		expect(service.rows.filter(({ id }) => id <= 0)).toHaveLength(foreign().length);
		await service.close();
	});

	const made = () => service.rows.filter(({ id }) => id > 0);
	const posts = () => service.sent('POST').length;
	const address = 'https://n8n.example.com/N8N/webhook';
	const here = (parameters = {}) => new TriggerWorkflow(service.credential, parameters, address);
	const secretOf = ({ url }: { url: string }) => new URL(url).searchParams.get('secret');

	const slash = (url: string) =>
		changed(url, (address) => {
			address.pathname += '/';
		});
	const reversed = (url: string) =>
		changed(url, (address) => {
			address.search = new URLSearchParams([...address.searchParams].reverse()).toString();
		});
	const listed = (how: (url: string) => string): Habits => ({
		lists: ({ url }) => ({ url: how(url) }),
	});

	/** What happens to webhooks of which n8n has forgotten that they're its own, if they aren't removed. */
	type Left = 'left' | 'left and told';

	// Where the path or the mark of the node is hidden, nothing shows that a webhook isn't of a copy of the workflow.
	const habits: Array<[string, Habits, Left?]> = [
		['a slash after the path', { keeps: ({ url }) => ({ url: slash(url) }) }],
		['a slash after the address', { keeps: ({ url }) => ({ url: `${url}/` }) }],
		[
			'lower case',
			{ keeps: ({ url, name }) => ({ url: url.toLowerCase(), name: name.toLowerCase() }) },
		],
		[
			'a host in capitals',
			{ keeps: ({ url }) => ({ url: url.replace('n8n.example.com', 'N8N.Example.com') }) },
		],
		['another order of the query', { keeps: ({ url }) => ({ url: reversed(url) }) }],
		['the port', { keeps: ({ url }) => ({ url: url.replace('.com/', '.com:443/') }) }],
		['a cut name', { keeps: ({ name }) => ({ name: name.slice(0, 6) }) }],
		['no description', { keeps: () => ({ description: '' }) }],
		['no query', listed((url) => url.split('?')[0]), 'left and told'],
		['no address', listed(() => '***'), 'left'],
		['http:', listed((url) => url.replace('https:', 'http:'))],
		['no scheme', listed((url) => url.replace('https:', ''))],
		['two slashes', listed((url) => url.replace('/webhook?', '//webhook//?'))],
		['a percent-encoded letter', listed((url) => url.replace('/webhook?', '/%77ebhook?'))],
		['a dot behind the host', listed((url) => url.replace('.com', '.com.'))],
		[
			'all of it encoded',
			listed((url) => url.replace('?', '/?').replaceAll('=', '%3D')),
			'left and told',
		],
		['a proxy', listed((url) => `https://hooks.example.com/${encodeURIComponent(url)}`), 'left'],
		...maskedUrls.map(([part, mask, masked]): [string, Habits, Left?] => [
			`a ${part} as ${mask}`,
			listed(masked),
			part === 'secret' ? undefined : 'left and told',
		]),
		['its events as text', { lists: ({ events }) => ({ events: events.join() }) }],
		['its id as text', { lists: ({ id }) => ({ id: String(id) }) }],
		['its id as text after creation', { answers: (row) => ({ ...row, id: String(row.id) }) }],
		['an answer that is wrapped', { answers: (webhook) => ({ webhook }) }],
		['an answer without an id', { answers: ({ token }) => ({ token }) }],
	];

	test.each(habits)('%s: its life from the first start to the last', async (_what, habit, end) => {
		service.habits = habit;
		const settings = { tokenCheck: 'header', headerName: 'x-token' };
		const workflow = here({ settings });
		await workflow.publish();
		const first = made();
		expect(first.map(({ events }) => events)).toEqual([[PAID], [FAILED]]);
		const { staticData } = workflow;
		await workflow.publish();
		expect(made()).toEqual(first);
		expect(workflow.staticData).toEqual(staticData);
		expect(posts()).toBe(2);

		for (const { url, token, events } of first) {
			const { status, items } = await workflow.deliver({ url, headers: { 'x-token': token } });
			expect([status, items.map(({ json }) => json.event)]).toEqual([200, events]);
		}

		workflow.staticData = {};
		await workflow.publish();
		const left = end ? first : [];
		expect(made().slice(0, -2)).toEqual(left);
		const isTold = workflow.warnings.some((each) => each.includes('(IDs 1, 2)'));
		expect(isTold).toBe(end === 'left and told');
		expect(new Set([...first, ...made()].map(secretOf)).size).toBe(4);
		await workflow.delete();
		expect(made()).toEqual(left);
		if (end) return;
		await workflow.publish();
		workflow.staticData = {};
		await workflow.delete();
		expect(made()).toEqual([]);
	});

	test('names are taken once: a workflow is published, listens for a test event, and is published anew', async () => {
		const isTaken = { status: 422, body: { error: 'Name has already been taken.' } };
		service.habits = {
			refuses: (sent, rows) =>
				(rows.some(({ name }) => name === sent.name) && isTaken) || undefined,
		};
		const workflow = here();
		await workflow.publish();
		const production = made();
		const test = here();
		test.isTest = true;
		await test.publish();
		expect(made()).toHaveLength(4);
		await test.delete();
		expect(made()).toEqual(production);
		expect(await workflow.checkExists()).toBe(true);
		// n8n removes what was registered first.
		await workflow.delete();
		await workflow.publish();
		expect(made().map(({ events }) => events)).toEqual([[PAID], [FAILED]]);
		await workflow.delete();
		expect(made()).toEqual([]);
	});

	test('a webhook without a token stays, until tokens are checked', async () => {
		service.habits = { answers: ({ id }) => ({ id }) };
		const workflow = here();
		for (let start = 1; start <= 2; start++) await workflow.publish();
		expect(posts()).toBe(2);
		service.habits = {};
		workflow.parameters = { settings: { tokenCheck: 'header', headerName: 'x-token' } };
		await workflow.publish();
		expect(posts()).toBe(4);
		expect(made()).toHaveLength(2);
	});

	test.each<[string, Habits, object, string]>([
		[
			'no id, not even in the list',
			{ answers: () => ({ ok: 'yes' }), lists: ({ id }) => (id > 1 ? { id: undefined } : {}) },
			{},
			'returned no ID',
		],
		[
			'no token where it is to be checked',
			{ answers: ({ id }) => ({ id }) },
			{ settings: { tokenCheck: 'hmac', headerName: 'x-signature' } },
			'"Check Token" needs the token',
		],
	])('%s: an error', async (_what, habit, parameters, says) => {
		service.habits = habit;
		await expect(here(parameters).create()).rejects.toThrow(says);
		// What has no id cannot be removed by anybody.
		expect(made().filter(({ id }) => id !== 2 || habit.lists === undefined)).toEqual([]);
	});
});

describe('a delivery', () => {
	const published = async (parameters = {}) => {
		const workflow = trigger({ events: [PAID], ...parameters });
		await workflow.create();
		return { workflow, url: own()[0].url, token: own()[0].token };
	};
	const json = { 'content-type': 'application/json' };
	const form = { 'content-type': 'application/x-www-form-urlencoded' };
	const body = '{"charge": {"id": "chg-1"}}';

	test('becomes an item with event, body and a stable id', async () => {
		const { workflow, url } = await published({ events: [PAID, FAILED] });
		const first = await workflow.deliver({ url, headers: json, body });
		expect(first.status).toBe(200);
		expect(first.items.map(({ json: item }) => item)).toEqual([
			{
				event: PAID,
				body: { charge: { id: 'chg-1' } },
				deliveredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
				deliveryId: expect.stringMatching(/^[0-9a-f]{64}$/),
			},
		]);
		expect(Object.keys(first.items[0].json).slice(0, 2)).toEqual(['event', 'body']);
		const { deliveryId } = first.items[0].json;
		const idOf = async (delivery: { url: string; body: string }) =>
			(await workflow.deliver({ headers: json, ...delivery })).items[0].json.deliveryId;
		expect(await idOf({ url, body })).toBe(deliveryId);
		expect(await idOf({ url, body: '{}' })).not.toBe(deliveryId);
		expect(await idOf({ url: own()[1].url, body })).not.toBe(deliveryId);
	});

	test('has its raw body when asked for, and headers without its token, its secret and credentials', async () => {
		const { workflow, url, token } = await published({ settings: { includeRaw: true } });
		const { pathname, search, searchParams } = new URL(url);
		const credentials = Object.fromEntries(
			['authorization', 'x-api-key', 'x-auth-token', 'set-cookie', 'cookie', 'apikey'].map(
				(name) => [name, 'x'],
			),
		);
		const connection = { host: 'n8n.example.com', connection: 'close' };
		const repeated = {
			'x-hook': token,
			'x-webhook-sign': `Bearer ${token}`,
			'x-original-url': pathname + search,
		};
		const shown = { ...json, 'x-delivery': '7', 'x-signature': '8' };
		const headers = { ...shown, ...credentials, ...connection, ...repeated };
		const long = '{"charge": {"id": 9007199254740993}}';
		const { items } = await workflow.deliver({ url, headers, body: long });
		expect(items[0].json.rawBody).toBe(long);
		// As the page says: n8n itself has no longer integers.
		expect(items[0].json.body).toEqual({ charge: { id: 9007199254740992 } });
		expect(items[0].json.headers).toEqual(shown);
		expect(JSON.stringify(items)).not.toContain(String(searchParams.get('secret')));
	});

	/** One for all bodies: its deliveries need nothing of the service. */
	let forBodies: ReturnType<typeof published> | undefined;

	test.each([
		['broken JSON', json, '{"a":', '{"a":'],
		['an array', json, '[1]', [1]],
		['nothing', {}, '', {}],
		['a form', form, 'a=1&b=%20', { a: '1', b: ' ' }],
		['bytes that begin with a mark', json, '\uFEFF{"a":1}', { a: 1 }],
		['JSON that is called a form', form, '{"a": "1&b=2", "c": [3]}', { a: '1&b=2', c: [3] }],
		['a form that is a number', form, '7', { 7: '' }],
		['a form whose value has signs of its own', form, 'a=b=c==&d', { a: 'b=c==', d: '' }],
		['a form with repeated names', form, 'a=1&b=2&a=3&a=', { a: ['1', '3', ''], b: '2' }],
		['a form in Latin-1', form, 'caf%E9=%E0+la', { 'caf\u00e9': '\u00e0 la' }],
		['a form in UTF-8', form, 'caf%C3%A9=1', { 'caf\u00e9': '1' }],
		['text in Latin-1', {}, Buffer.from('caf\u00e9', 'latin1'), 'caf\u00e9'],
		[
			'JSON in a named character set',
			{ 'content-type': 'application/json; charset=windows-1251' },
			Buffer.from([0x22, 0xc4, 0xe0, 0x22]),
			'\u0414\u0430',
		],
	])('of %s is passed on', async (_what, headers, sent, expected) => {
		const { workflow, url } = await (forBodies ??= published());
		const { items } = await workflow.deliver({ url, headers, body: sent });
		expect(items[0].json.body).toEqual(expected);
	});

	test.each<[string, (address: URL) => void, number]>([
		['without its query', (address) => void (address.search = ''), 2],
		['without its secret', ({ searchParams }) => searchParams.delete('secret'), 2],
		[
			'with its query twice',
			(address) => void (address.search += address.search.replace('?', '&')),
			2,
		],
		// A secret that is only wrong may come from anybody.
		['with a wrong secret', ({ searchParams }) => searchParams.set('secret', 'ab'.repeat(24)), 0],
	])('sent %s: the log says so, once an hour, without the secret', async (_what, change, times) => {
		const { workflow, url } = await published();
		const sent = changed(url, change);
		const start = Date.now();
		const now = jest.spyOn(Date, 'now');
		const hour = Number(constants.get('Trigger/delivery TELL_EVERY'));
		for (const after of [0, hour - 1, hour, hour + 1]) {
			now.mockReturnValue(start + after);
			expect((await workflow.deliver({ url: sent, query: parsedQuery(sent) })).status).toBe(401);
		}
		now.mockRestore();
		expect(workflow.warnings).toHaveLength(times);
		for (const told of workflow.warnings) {
			expect(told).toMatch(/"Trigger" refuses deliveries.*without the registered query/);
			expect(told).not.toContain(new URL(url).searchParams.get('secret'));
		}
	});

	test('to a workflow that has no registration starts nothing, and may come again', async () => {
		const { workflow, url } = await published();
		await workflow.delete();
		for (const secret of ['', 'undefined', String(new URL(url).searchParams.get('secret'))]) {
			const forged = changed(url, ({ searchParams }) => searchParams.set('secret', secret));
			const delivered = await workflow.deliver({ url: forged, headers: json, body });
			const headers = { 'Retry-After': '10' };
			expect(delivered).toEqual({ status: 503, headers, isRead: false, items: [] });
		}
	});

	const hmac = (token: string, encoding: 'hex' | 'base64') =>
		createHmac('sha256', token).update(body).digest(encoding);

	const prefixes = ['', 'sha256=', 'SHA256=', 'Sha256='];

	test.each<[string, string, (token: string) => string, number]>([
		['the token in the header', 'header', (token) => token, 200],
		['the token as a bearer', 'header', (token) => `Bearer ${token}`, 200],
		['another token', 'header', (token) => `${token}x`, 401],
		['no token', 'header', () => '', 401],
		...prefixes.flatMap((name): Array<[string, string, (token: string) => string, number]> => [
			[`${name}hex`, 'hmac', (token) => `${name}${hmac(token, 'hex')}`, 200],
			[`${name}HEX`, 'hmac', (token) => `${name}${hmac(token, 'hex').toUpperCase()}`, 200],
			[`${name}Base64`, 'hmac', (token) => `${name}${hmac(token, 'base64')}`, 200],
			[`${name}hex of another token`, 'hmac', () => `${name}${hmac('o', 'hex')}`, 401],
		]),
		['Base64 in capitals', 'hmac', (token) => hmac(token, 'base64').toUpperCase(), 401],
		['the token in place of a signature', 'hmac', (token) => token, 401],
	])('checked by its token: %s', async (_what, tokenCheck, value, status) => {
		const settings = { tokenCheck, headerName: 'X-Signature' };
		const { workflow, url, token } = await published({ settings });
		const headers = { ...json, 'x-signature': value(token) };
		const delivered = await workflow.deliver({ url, headers, body });
		expect(delivered.status).toBe(status);
		expect(JSON.stringify(delivered.items)).not.toContain(token);
	});

	test('a signature of nothing is refused while only the hash of the token is kept', async () => {
		const { workflow, url } = await published({
			settings: { tokenCheck: 'header', headerName: 'x-signature' },
		});
		workflow.parameters.settings = { tokenCheck: 'hmac', headerName: 'x-signature' };
		const headers = { ...json, 'x-signature': hmac('', 'hex') };
		expect((await workflow.deliver({ url, headers, body })).status).toBe(401);
	});

	test('checked by a header that has no name is refused, and not published', async () => {
		const settings = { tokenCheck: 'header' };
		await expect(trigger({ settings }).publish()).rejects.toThrow('set "Token Header" in Options');
		const { workflow, url, token } = await published();
		workflow.parameters = { ...workflow.parameters, settings };
		const delivered = await workflow.deliver({ url, headers: { '': token }, body });
		expect(delivered.status).toBe(401);
	});
});
