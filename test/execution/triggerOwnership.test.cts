// Which webhooks Platform Trigger takes for its own, when the list of them is old, cut or rewritten, and what it
// does with those that can't be removed.
import fc from 'fast-check';
import { tries } from '../share.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { WebhookService, type Habits, type Kept } from './host/webhookService.cts';
import type { Reply } from './host/service.cts';

const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';

let service: WebhookService;
beforeEach(async () => {
	service = await new WebhookService().start();
});
afterEach(async () => await service.close());

const trigger = (parameters = {}) => new TriggerWorkflow(service.credential, parameters);
const ids = () => service.rows.map(({ id }) => id);
const isPublished = async (workflow: TriggerWorkflow) =>
	(await workflow.checkExists()) && service.rows.length === 2;

const deliveredTo = async (workflow: TriggerWorkflow) =>
	await Promise.all(
		service.rows.map(async ({ url }) => (await workflow.deliver({ url, body: '{}' })).status),
	);

test.each([
	['workflow', 'without its data'],
	['workflow', 'with its data'],
	['node', 'without its data'],
	['node', 'with its data'],
] as const)(
	'a second %s with the same webhookId, %s, leaves the webhooks of the first one',
	async (what, how) => {
		const original = trigger();
		await original.publish();
		const before = [...service.rows];
		const copy = trigger();
		if (what === 'node') Object.assign(copy, { nodeId: '2', workflowId: original.workflowId });
		if (how === 'with its data') copy.staticData = structuredClone(original.staticData);
		await copy.publish();
		expect(service.rows.slice(0, 2)).toEqual(before);
		expect(service.rows).toHaveLength(4);
		expect(await original.checkExists()).toBe(true);
		await copy.delete();
		expect(service.rows).toEqual(before);
		await original.delete();
		expect(service.rows).toEqual([]);
	},
);

test('two workflows with the same webhookId: each has its own webhooks while it is published, and none afterwards', async () => {
	const steps = ['publish', 'unpublish', 'loses one'] as const;
	const step = fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(...steps));
	const rowsOf = ({ workflowId }: TriggerWorkflow) =>
		service.rows.filter(({ description }) => description?.includes(`(ID ${workflowId})`));
	const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (life) => {
		service.rows = [];
		const workflows = [trigger(), trigger()];
		for (const [index, kind] of life) {
			const workflow = workflows[index];
			const other = workflows[1 - index];
			const before = rowsOf(other);
			if (kind === 'loses one') {
				const [lost] = rowsOf(workflow);
				service.rows = service.rows.filter((row) => row !== lost);
			} else {
				await (kind === 'publish' ? workflow.publish() : workflow.delete());
				const events = rowsOf(workflow).map((row) => row.events.join());
				expect(events.sort()).toEqual(kind === 'publish' ? [FAILED, PAID] : []);
			}
			expect(rowsOf(other)).toEqual(before);
		}
	});
	await fc.assert(property, { numRuns: tries(20, 200), seed: 1 });
});

describe('the list is only a hint', () => {
	test.each([
		['empty', { shows: () => [] }],
		['a count without rows', { shows: () => [], counts: 2 }],
		['one of two', { shows: ([first]: Kept[]) => [first] }],
	])('%s, at once or later: unpublishing removes all', async (_what, habits) => {
		for (const first of [{}, habits]) {
			const workflow = trigger();
			service.habits = first;
			await workflow.publish();
			service.habits = habits;
			expect(await isPublished(workflow)).toBe(true);
			await workflow.delete();
			expect(ids()).toEqual([]);
			expect(workflow.staticData).toEqual({ 'node:Trigger': {} });
		}
	});

	test.each<[string, Reply]>([
		['500', { status: 500, body: { error: 'Down' } }],
		['429', { status: 429, body: { error: 'Slow' }, headers: { 'retry-after': '60' } }],
		['403', { status: 403, body: { error: 'Webhook not found.' } }],
	])(
		'only "not found" is gone: a look-up that is answered %s keeps the ID',
		async (_what, misses) => {
			const workflow = trigger();
			await workflow.publish();
			const [{ id }] = service.rows.splice(0, 1);
			service.habits = { misses };
			await expect(workflow.delete()).rejects.toThrow(/HTTP|not found/);
			expect(JSON.stringify(workflow.staticData)).toContain(`"id":"${id}"`);
			service.habits = {};
		},
	);

	test('publishing goes on where the API refuses to tell, and says so', async () => {
		const workflow = trigger();
		await workflow.publish();
		service.rows.splice(0, 1);
		service.habits = { misses: { status: 403, body: { error: 'Webhook not found.' } } };
		await workflow.publish();
		expect(service.rows.map(({ events }) => events[0]).sort()).toEqual([FAILED, PAID]);
		expect(workflow.warnings[0]).toMatch(/\(IDs 1\), because the API doesn't list them/);
		expect(await deliveredTo(workflow)).toEqual([200, 200]);
		service.habits = {};
		await workflow.delete();
		expect(ids()).toEqual([]);
	});
});

test.each([409, 403, 500])(
	'a webhook whose removal is answered %i is told and blocks nothing',
	async (status) => {
		const workflow = trigger();
		await workflow.publish();
		workflow.parameters = { settings: { name: 'Renamed' } };
		service.habits = { removes: () => ({ status, body: { error: 'Not now' } }) };
		await workflow.publish();
		expect(service.rows.map(({ name }) => name)).toEqual([
			...[PAID, FAILED].map((event) => `n8n: Dunning (${event})`),
			...['Renamed', 'Renamed'],
		]);
		expect(workflow.warnings).toEqual([expect.stringMatching(/\(IDs 1, 2\).*couldn't be removed/)]);
		// Its secret is dead.
		expect(await deliveredTo(workflow)).toEqual([401, 401, 200, 200]);
		await workflow.publish();
		expect(ids()).toEqual([1, 2, 3, 4]);
		service.habits = {};
		await workflow.publish();
		expect(ids()).toEqual([3, 4]);
		expect(await deliveredTo(workflow)).toEqual([200, 200]);
		await workflow.delete();
		expect(ids()).toEqual([]);
	},
);

describe('what the list shows is compared', () => {
	const cutAfter = (length: number) => (row: { url: string }) => ({
		url: row.url.slice(0, length),
	});

	test.each<[string, Habits, number]>([
		...[70, 100, 120, 130, 155].map((length): [string, Habits, number] => [
			'kept',
			{ keeps: cutAfter(length) },
			length,
		]),
		['only listed', { lists: cutAfter(120) }, 120],
	])('a URL that is %s cut is refused', async (_how, habits, length) => {
		service.habits = habits;
		const says = `only the first ${length} characters of a webhook's URL`;
		await expect(trigger().publish()).rejects.toThrow(says);
		expect(ids()).toEqual([]);
	});

	test('one that is cut later is registered again', async () => {
		const workflow = trigger();
		await workflow.publish();
		service.rows[0].url = service.rows[0].url.slice(0, 120);
		expect(await workflow.checkExists()).toBe(false);
		await workflow.publish();
		expect(ids()).toEqual([2, 3]);
		expect(await deliveredTo(workflow)).toEqual([200, 200]);
	});

	test.each<[string[], string]>([
		[['Other.event'], '"other.event"'],
		// What a webhook without events receives isn't known.
		[[], 'no events'],
	])('other events, %j, are refused, and seen later', async (events, told) => {
		service.habits = { keeps: () => ({ events }) };
		const workflow = trigger({ events: [PAID] });
		await expect(workflow.publish()).rejects.toThrow(
			`registered a webhook for ${told} instead of "${PAID}"`,
		);
		expect(ids()).toEqual([]);
		service.habits = {};
		await workflow.publish();
		service.rows[0].events = events;
		expect(await workflow.checkExists()).toBe(false);
		await workflow.publish();
		expect(service.rows.map((row) => row.events)).toEqual([[PAID]]);
	});

	test('events that the list does not show are no fault', async () => {
		service.habits = { lists: () => ({ events: null }) };
		const workflow = trigger();
		await workflow.publish();
		expect(await isPublished(workflow)).toBe(true);
	});
});
