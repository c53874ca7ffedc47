// Platform Trigger while n8n publishes: from the moment that a webhook is registered its deliveries are taken,
// though n8n saves what was registered only when all triggers of the workflow are up.
import type { IDataObject } from 'n8n-workflow';
import { TriggerWorkflow } from './host/trigger.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { WebhookService } from './host/webhookService.cts';

const sandbox = sandboxFor({ customers: 5, latencyMs: 1 });
const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';
const book = () => sandbox().state.webhooks.webhooks;
const body = '{"charge": {"id": "chg-1"}}';

/** A workflow of which n8n has saved nothing since this moment. */
function publishing(parameters = {}): TriggerWorkflow {
	const workflow = new TriggerWorkflow(credentialOf(sandbox()), parameters);
	workflow.saved = {};
	return workflow;
}

const rowOf = (event: string) => book().rows.find(({ events }) => events.includes(event))!;

const stateOf = ({ staticData }: TriggerWorkflow) => staticData['node:Trigger'] as IDataObject;

afterEach(() => {
	for (const { id } of [...book().rows]) book().remove(id);
});

test('a delivery before n8n has saved the registration starts the workflow, but not with a wrong secret', async () => {
	const workflow = publishing();
	await workflow.publish();
	for (const event of [PAID, FAILED]) {
		const { status, items } = await workflow.deliver({ url: rowOf(event).url, body });
		expect([status, items.map(({ json }) => json.event)]).toEqual([200, [event]]);
	}
	const { url } = rowOf(PAID);
	const wrong = url.replace(/secret=./, 'secret=x');
	expect((await workflow.deliver({ url: wrong, body })).status).toBe(401);
	workflow.saved = undefined;
	expect((await workflow.deliver({ url: wrong, body })).status).toBe(401);
	expect((await workflow.deliver({ url, body })).items).toHaveLength(1);
	await workflow.delete();
});

test.each([
	['by the secret', {}, 1],
	['and by its token, which is not there yet', { tokenCheck: 'hmac', headerName: 'x' }, 0],
])(
	'a service that checks the URL while it registers is answered %s',
	async (_how, settings, items) => {
		const service = await new WebhookService().start();
		const workflow = new TriggerWorkflow(service.credential, { events: [PAID], settings });
		workflow.saved = {};
		const answers: Array<Promise<unknown>> = [];
		service.habits = {
			keeps: ({ url }) => {
				answers.push(workflow.deliver({ url, body }));
				return {};
			},
		};
		await workflow.publish();
		await service.close();
		const [status, headers] = items === 1 ? [200, {}] : [503, { 'Retry-After': '10' }];
		expect(await Promise.all(answers)).toMatchObject([{ status, headers }]);
	},
);

test('another process, which knows of no registration, recognizes the secret', async () => {
	const workflow = publishing();
	await workflow.publish();
	const { url } = rowOf(PAID);
	workflow.restart();
	const requests = sandbox().requests.length;
	expect((await workflow.deliver({ url, body })).items).toHaveLength(1);
	expect(sandbox().requests).toHaveLength(requests);
	workflow.restart();
	const later = { status: 503, headers: { 'Retry-After': '10' }, items: [] };
	for (const forged of [
		url.replace(/secret=.{8}/, 'secret=ffffffff'),
		url.replace('node=', 'n='),
	]) {
		expect(await workflow.deliver({ url: forged, body })).toMatchObject(later);
	}
	await workflow.delete();
});

test('what another process has registered since then counts', async () => {
	const workflow = publishing();
	await workflow.publish();
	const { url } = rowOf(PAID);
	const other = new TriggerWorkflow(credentialOf(sandbox()), {});
	other.workflowId = 'in another process';
	await other.publish();
	workflow.saved = other.staticData;
	expect((await workflow.deliver({ url, body })).status).toBe(401);
	await other.delete();
	await workflow.delete();
});

test.each(['unpublished', 'failed'])('%s: the secret is dead', async (how) => {
	const workflow = publishing();
	let url = '';
	if (how === 'failed') {
		sandbox().faults.add({ kind: 'status', status: 500, method: 'POST', nth: 2 });
		sandbox().faults.add({ kind: 'status', status: 500, method: 'DELETE', times: 1 });
		await expect(workflow.publish()).rejects.toThrow('HTTP 500');
		[{ url }] = book().rows;
		sandbox().faults.clear();
	} else {
		await workflow.publish();
		({ url } = rowOf(PAID));
		await workflow.delete();
	}
	expect(await workflow.deliver({ url, body })).toMatchObject({ status: 503, items: [] });
});

test('events are registered side by side', async () => {
	sandbox().faults.add({ kind: 'delay', ms: 300, method: 'POST' });
	const workflow = publishing();
	await workflow.publish();
	const posts = sandbox().requests.filter(({ method }) => method === 'POST');
	expect(posts.map(({ inFlight }) => inFlight)).toEqual([1, 2]);
	const registered = stateOf(workflow).registrations as IDataObject[];
	expect(registered.map(({ event }) => event)).toEqual([PAID, FAILED]);
	await workflow.delete();
});

test('two events that differ in capitals only are told apart, also where URLs are kept in lower case', async () => {
	const service = await new WebhookService().start();
	service.habits = { keeps: ({ url }) => ({ url: url.toLowerCase() }) };
	const otherEvents = ['A.b', 'a.B'];
	const workflow = new TriggerWorkflow(service.credential, { events: ['other'], otherEvents });
	await workflow.publish();
	const events = await Promise.all(
		service.rows.map(async ({ url }) => (await workflow.deliver({ url })).items[0].json.event),
	);
	await service.close();
	expect(events).toEqual(service.rows.map((row) => row.events[0]));
	expect([...events].sort()).toEqual(otherEvents);
});

test.each([
	['none', { tokenCheck: 'none' }],
	['header', { tokenCheck: 'header', headerName: 'x-token' }],
	['hmac', { tokenCheck: 'hmac', headerName: 'x-token' }],
])(
	'what n8n shows of a workflow has no secret, and a token only where signatures need it: %s',
	async (scheme, settings) => {
		const workflow = publishing({ settings });
		await workflow.publish();
		const shown = JSON.stringify(workflow.staticData);
		for (const { url, token } of book().rows) {
			expect(shown).not.toContain(String(new URL(url).searchParams.get('secret')));
			expect(shown.includes(token)).toBe(scheme === 'hmac');
		}
		expect(await workflow.checkExists()).toBe(true);
		workflow.parameters = { settings: {} };
		expect(await workflow.checkExists()).toBe(true);
		expect(JSON.stringify(workflow.staticData)).not.toContain('"token"');
		await workflow.delete();
	},
);
