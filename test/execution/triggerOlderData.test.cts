// Platform Trigger after n8n has replaced the workflow's data by older data, as a polling trigger beside it makes n8n
// do: no delivery is lost, none is forged, and the next publishing finds what was forgotten.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { hashOf } from '../../dist/nodes/engine/base/data.js';
import { TriggerWorkflow } from './host/trigger.cts';
import { WebhookService } from './host/webhookService.cts';

const PAID = 'RecurringPayments.charge.paid';
const body = '{"charge": {"id": "chg-1"}}';

let service: WebhookService;
beforeEach(async () => {
	service = await new WebhookService().start();
});
afterEach(async () => await service.close());

const statusOf = async (workflow: TriggerWorkflow, url: string, headers = {}) =>
	(await workflow.deliver({ url, body, headers })).status;

/** Publishes, changes the trigger and publishes again. Then n8n has the data of the first time. */
async function withOlderData(settings: INodeParameters = {}) {
	const workflow = new TriggerWorkflow(service.credential, { events: [PAID], settings });
	await workflow.publish();
	const [first] = service.rows;
	const older = structuredClone(workflow.staticData);
	await workflow.delete();
	workflow.parameters = { events: [PAID], settings: { ...settings, name: 'Renamed' } };
	await workflow.publish();
	const newer = workflow.staticData;
	const [{ url, token }] = service.rows;
	expect(await statusOf(workflow, url, { 'x-token': token })).toBe(200);
	workflow.staticData = older;
	return { workflow, first, url, token, newer };
}

const lists = () => service.sent('GET').filter(({ path }) => path.includes('/webhooks.json'));

describe.each(['in the same process', 'after a restart'])('%s', (when) => {
	const prepared = async (settings = {}) => {
		const data = await withOlderData(settings);
		if (when === 'after a restart') data.workflow.restart();
		service.received = [];
		return data;
	};

	test('a delivery starts the workflow, without a request, and forged ones are refused', async () => {
		const { workflow, url, first, newer } = await prepared();
		const { status, items } = await workflow.deliver({ url, body });
		expect([status, items.map(({ json }) => json.event)]).toEqual([200, [PAID]]);
		expect(service.received).toEqual([]);
		const forgeries = {
			end: url.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
			time: url.replace(/secret=\w{8}/, 'secret=ffffffff'),
			event: url.replace('charge.paid', 'charge.failed'),
		};
		for (const [changed, forged] of Object.entries(forgeries)) {
			expect([changed, await statusOf(workflow, forged)]).toEqual([changed, 401]);
		}
		// The secret of the removed webhook, as soon as n8n has the newer data again.
		if (when === 'in the same process') expect(await statusOf(workflow, first.url)).toBe(401);
		workflow.staticData = newer;
		expect(await statusOf(workflow, first.url)).toBe(401);
		expect(await statusOf(workflow, url)).toBe(200);
	});

	test('one of an event that is new to the workflow, and kept in lower case, starts it too', async () => {
		const { workflow } = await prepared();
		workflow.parameters = { events: ['other', PAID], otherEvents: ['Other.event'] };
		service.habits = { keeps: ({ url }) => ({ url: url.toLowerCase() }) };
		const older = structuredClone(workflow.staticData);
		await workflow.publish();
		workflow.staticData = older;
		if (when === 'after a restart') workflow.restart();
		const delivered = await Promise.all(
			service.rows.map(async ({ url }) => await workflow.deliver({ url, body })),
		);
		const events = delivered.flatMap(({ items }) => items.map(({ json }) => json.event));
		expect(events.sort()).toEqual(['Other.event', PAID]);
	});

	test('the next publishing removes what was forgotten, and so does unpublishing', async () => {
		const { workflow, url } = await prepared();
		await workflow.publish();
		expect(service.rows.map(({ name }) => name)).toEqual(['Renamed']);
		expect(service.rows[0].url).not.toBe(url);
		expect(await statusOf(workflow, service.rows[0].url)).toBe(200);
		expect(await statusOf(workflow, url)).toBe(401);
		service.rows = [];
		const again = await prepared();
		await again.workflow.delete();
		expect(service.rows).toEqual([]);
	});

	test('a token is checked as long as it is known, and nothing is accepted without', async () => {
		const settings = { tokenCheck: 'header', headerName: 'x-token' };
		const { workflow, url, token } = await prepared(settings);
		const isKnown = when === 'in the same process';
		// Until n8n has saved a registration for certain, nothing is known to be lost.
		expect(await statusOf(workflow, url, { 'x-token': token })).toBe(isKnown ? 200 : 503);
		expect(workflow.warnings).toEqual([]);
		const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 121_000);
		expect(await statusOf(workflow, url, { 'x-token': token })).toBe(isKnown ? 200 : 503);
		expect(await statusOf(workflow, url, { 'x-token': 'wrong' })).toBe(isKnown ? 401 : 503);
		now.mockRestore();
		const told = expect.stringMatching(/can't check the token.*Unpublish the workflow, then/);
		expect(workflow.warnings).toEqual(isKnown ? [] : [told, told]);
	});

	test('listening in the editor makes no difference', async () => {
		const { workflow, url } = await prepared();
		const production = workflow.staticData;
		Object.assign(workflow, { isTest: true, staticData: {} });
		await workflow.publish();
		await workflow.delete();
		Object.assign(workflow, { isTest: false, staticData: production });
		expect(await statusOf(workflow, url)).toBe(200);
	});
});

describe('a secret that the key of the credential has not signed', () => {
	/** As after the key was renewed, or as an earlier version of the package made it. */
	const unsigned: Array<[string, (workflow: TriggerWorkflow) => void]> = [
		[
			'since the key was renewed',
			(workflow) => {
				workflow.credential = { ...workflow.credential, apiKey: 'renewed' };
			},
		],
		[
			'since an earlier version made it',
			() => {
				const [row] = service.rows;
				row.url = row.url.replace(/secret=.*/, `secret=${'ab'.repeat(24)}`);
			},
		],
	];

	test.each(unsigned)('%s: the list is asked for it, once', async (_why, change) => {
		const { workflow } = await withOlderData();
		workflow.restart();
		change(workflow);
		service.received = [];
		const [{ url }] = service.rows;
		const forged = url.replace(/.$/, (last) => (last === 'a' ? 'c' : 'a'));
		expect(await statusOf(workflow, forged)).toBe(401);
		for (let n = 0; n < 3; n++) expect(await statusOf(workflow, url)).toBe(200);
		expect(await statusOf(workflow, url.replace('charge.paid', 'charge.failed'))).toBe(401);
		expect(lists()).toHaveLength(1);
		expect(service.received).toHaveLength(1);
	});

	test.each(unsigned)('%s: it is known as long as n8n has it', async (_why, change) => {
		const { workflow, newer } = await withOlderData();
		workflow.staticData = newer;
		workflow.restart();
		change(workflow);
		const [{ url }] = service.rows;
		const secret = String(new URL(url).searchParams.get('secret'));
		const state = newer['node:Trigger'] as { registrations: IDataObject[] };
		state.registrations[0].secret = hashOf(secret);
		service.received = [];
		expect(await statusOf(workflow, url)).toBe(200);
		expect(service.received).toEqual([]);
	});

	test.each([
		['the API fails', () => service.behave(() => ({ status: 500, body: { error: 'Down' } }))],
		['the credential is wrong', () => undefined],
	])('while %s, it may come again, and the log says why', async (why, fail) => {
		const { workflow, url } = await withOlderData();
		workflow.restart();
		const apiKey = why === 'the credential is wrong' ? '' : 'renewed';
		workflow.credential = { ...workflow.credential, apiKey };
		fail();
		expect(await statusOf(workflow, url)).toBe(503);
		expect(workflow.warnings).toEqual([expect.stringMatching(/can't check a delivery now: /)]);
		const secret = String(new URL(url).searchParams.get('secret'));
		expect(workflow.warnings.join()).not.toContain(secret);
	});
});

test('the newest registration counts, also after the clock was set back', async () => {
	const workflow = new TriggerWorkflow(service.credential, { events: [PAID] });
	await workflow.publish();
	const older = structuredClone(workflow.staticData);
	const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
	workflow.parameters = { events: [PAID], settings: { name: 'Renamed' } };
	await workflow.publish();
	now.mockRestore();
	workflow.staticData = older;
	workflow.restart();
	expect(await statusOf(workflow, service.rows[0].url)).toBe(200);
});
