// Both triggers: what they leave at the service and take from it, and that each change starts one
// run.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { Poller } from '../execution/host/poller.cts';
import { credentialOf } from '../execution/host/run.cts';
import { TriggerWorkflow } from '../execution/host/trigger.cts';
import { messageOf } from '../sandbox/deliveries.cts';
import { newsOf, watchedLists } from '../table/watched.cts';
import { type Bench, type Check, expectThat } from './bench.cts';

const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';

let serial = 0;

/** A workflow of its own, with an address that only an exact comparison tells from others. */
function workflowOf(
	{ sandbox }: Bench,
	parameters: INodeParameters = {},
	host = 'N8N.example.com:443',
): TriggerWorkflow {
	serial += 1;
	const address = `https://${host}/web%68ook-${serial}`;
	return new TriggerWorkflow(credentialOf(sandbox), parameters, address);
}

const ownOf = ({ sandbox }: Bench) =>
	sandbox.state.webhooks.webhooks.rows.filter(({ url }) => /\/webhook2?\?|a1b2c3/.test(url));

const isCut = ({ world }: Bench) => world.webhookUrls === 'cut after 120 characters';

/** The list hides which node a webhook belongs to, or that there is one. */
const hidesOwners = ({ world }: Bench) =>
	world.webhookUrls === 'shown with a masked query' || world.webhookList === 'never';

const canDelete = ({ world }: Bench) => world.webhookDeletion !== 'never';

const clear = (bench: Bench) => {
	for (const { id } of ownOf(bench)) bench.sandbox.state.webhooks.webhooks.remove(id);
};

/** Publishes. Returns false where nothing can be, which must be told. */
async function publish(bench: Bench, workflow: TriggerWorkflow): Promise<boolean> {
	if (!isCut(bench)) {
		await workflow.publish();
		return true;
	}
	const said = await workflow.publish().then(
		() => 'it was published',
		(error: Error) => error.message,
	);
	expectThat(/only the first 120 characters/.test(said), `of a cut URL is said: ${said}`);
	clear(bench);
	return false;
}

/** Unpublishes as n8n does: three times, while it fails. What the service keeps must not be forgotten. */
async function unpublish(bench: Bench, workflow: TriggerWorkflow): Promise<void> {
	let failure: unknown;
	for (let attempt = 1; attempt <= 3; attempt++) {
		failure = await workflow.delete().catch((error: unknown) => error);
		if (typeof failure === 'boolean') return;
	}
	if (canDelete(bench)) throw failure;
	const left = JSON.stringify(workflow.staticData);
	expectThat(/"id"/.test(left), 'webhooks that are left are forgotten');
	clear(bench);
	workflow.staticData = {};
}

/** Webhooks whose deliveries start the workflow. */
async function livingOf(bench: Bench, workflow: TriggerWorkflow): Promise<number> {
	const delivered = await Promise.all(
		ownOf(bench).map(async ({ url }) => await workflow.deliver({ url })),
	);
	return delivered.filter(({ items }) => items.length > 0).length;
}

/** The list has so many webhooks of this n8n. */
const expectCount = (bench: Bench, count: number) =>
	expectThat(ownOf(bench).length === count, `${ownOf(bench).length} webhooks in place of ${count}`);

async function expectLiving(bench: Bench, workflow: TriggerWorkflow): Promise<void> {
	const living = await livingOf(bench, workflow);
	expectThat(living === 2, `${living} living webhooks in place of 2`);
}

/** What holds for a published trigger. Then it's unpublished, and leaves nothing behind. */
const published = (
	name: string,
	holds: (bench: Bench, workflow: TriggerWorkflow) => Promise<void>,
): Check => ({
	name,
	async run(bench) {
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		await holds(bench, workflow);
		await unpublish(bench, workflow);
		expectCount(bench, 0);
	},
});

const registration = published(
	'trigger registers, knows and removes its webhooks',
	async (bench, workflow) => {
		const events = ownOf(bench).map((webhook) => webhook.events.join());
		expectThat(events.sort().join() === [FAILED, PAID].join(), `registered: ${events.join()}`);
		expectThat(await workflow.checkExists(), 'it does not know its own webhooks');
		await workflow.publish();
		expectCount(bench, 2);
		await expectLiving(bench, workflow);
	},
);

const changed = published(
	'trigger replaces its webhooks, and those that are left over are dead',
	async (bench, workflow) => {
		workflow.parameters = { settings: { name: 'Renamed' } };
		for (let again = 1; again <= 3; again++) await workflow.publish();
		await expectLiving(bench, workflow);
		expectCount(bench, canDelete(bench) ? 2 : 4);
	},
);

/** Two workflows that know the same webhooks: neither may take those of the other one. */
const copyCheck = (
	what: string,
	copyOf: (bench: Bench, original: TriggerWorkflow) => TriggerWorkflow,
): Check =>
	published(`trigger ${what} leaves the webhooks of the original`, async (bench, original) => {
		const ids = ownOf(bench).map(({ id }) => id);
		const copy = copyOf(bench, original);
		copy.staticData = structuredClone(original.staticData);
		await copy.publish();
		const expectLeft = (count: number, what: string) => {
			const isLeft = ids.every((id) => ownOf(bench).some((each) => each.id === id));
			expectThat(isLeft && ownOf(bench).length === count, `${what} the copy changed the original`);
		};
		expectLeft(4, 'publishing');
		if (!canDelete(bench)) return;
		await unpublish(bench, copy);
		expectLeft(2, 'unpublishing');
		expectThat(await original.checkExists(), 'the original does not know its webhooks any more');
	});

const copied = copyCheck('of a copied workflow', (bench, { baseUrl }) =>
	Object.assign(workflowOf(bench), { baseUrl }),
);

const staging = copyCheck('in a copy of n8n', (bench, { workflowId }) =>
	Object.assign(workflowOf(bench, {}, 'staging.example.com'), { workflowId }),
);

const lost: Check = {
	name: 'trigger can be unpublished when the service has lost its webhooks',
	async run(bench) {
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		clear(bench);
		// Under 403 it can as well be the key that is refused: then nobody may say that it is gone.
		const mayFail = bench.world.unknownStatus === '403';
		await workflow.delete().catch((error: unknown) => {
			if (!mayFail) throw error;
		});
		await workflow.publish();
		await expectLiving(bench, workflow);
		clear(bench);
	},
};

const memory = published('trigger finds webhooks that it forgot', async (bench, workflow) => {
	const before = ownOf(bench).map(({ id }) => id);
	workflow.staticData = {};
	for (let again = 1; again <= 2; again++) await workflow.publish();
	expectCount(bench, hidesOwners(bench) || !canDelete(bench) ? 4 : 2);
	for (const id of before) bench.sandbox.state.webhooks.webhooks.remove(id);
	await expectLiving(bench, workflow);
});

const others = published(
	'trigger leaves webhooks of another company that have the IDs it remembers',
	async (bench, workflow) => {
		const { sandbox } = bench;
		const { webhooks } = sandbox.state.webhooks;
		const ids = ownOf(bench).map(({ id }) => id);
		for (const id of ids) webhooks.update(id, { url: 'https://other.example.com/hook' });
		const apiKey = sandbox.addKey({ scopes: ['webhooks:read', 'webhooks:write'] });
		workflow.credential = { ...workflow.credential, apiKey };
		await workflow.publish();
		expectCount(bench, 2);
		await unpublish(bench, workflow);
		const left = ids.filter((id) => webhooks.get(id));
		expectThat(left.length === 2, `${left.length} of the other company's webhooks are left`);
		for (const id of ids) webhooks.remove(id);
	},
);

const missing = published('polling registeredWebhookMissing', async (bench, workflow) => {
	const urlStart = 'https://n8n.example.com';
	const poller = new Poller(bench.sandbox, { event: 'registeredWebhookMissing', urlStart });
	expectThat((await poller.publish()) === null, 'the first poll reports something');
	expectThat((await poller.poll()) === null, 'webhooks that are there are missed');
	expectThat(!/secret=/.test(poller.memory), 'it remembers a secret');
	const [gone] = ownOf(bench);
	bench.sandbox.state.webhooks.webhooks.remove(gone.id);
	const reported = (await poller.poll()) ?? [];
	// What a list never shows isn't watched.
	const isWatched = bench.world.webhookList !== 'never';
	expectThat(reported.length === Number(isWatched), `${reported.length} are missed`);
	if (isWatched) {
		const { events, url } = reported[0].data as IDataObject;
		expectThat([events].flat().join() === gone.events.join(), `missed: ${String(events)}`);
		expectThat(!String(url).includes('?'), `the query is shown: ${String(url)}`);
	}
	await workflow.publish();
	await expectLiving(bench, workflow);
	const later = (await poller.poll()) ?? [];
	expectThat(later.length === 0, `${later.length} missed after the repair`);
});

const deliveries: Check = {
	name: 'a delivery starts one run with its body',
	async run(bench) {
		const settings = { includeRaw: true };
		const workflow = workflowOf(bench, { events: [PAID], settings });
		if (!(await publish(bench, workflow))) return;
		const [{ url, token }] = ownOf(bench);
		const send = async (id: string) => {
			const payload = { id, event: PAID, data: { charge: { id: `charge-of-${id}` } } };
			const message = messageOf(bench.world, { id, event: PAID, payload }, token);
			return { message, ...(await workflow.deliver({ url, ...message })) };
		};
		const first = await send('delivery-1');
		const again = await send('delivery-1');
		const other = await send('delivery-2');
		await unpublish(bench, workflow);
		for (const { status, items, message } of [first, again, other]) {
			expectThat(status === 200 && items.length === 1, `status ${status}, ${items.length} items`);
			const { event, rawBody } = items[0].json;
			expectThat(event === PAID, `the event is ${String(event)}`);
			expectThat(rawBody === message.body, 'the body is another one');
		}
		const [id, idAgain, idOther] = [first, again, other].map(
			({ items }) => items[0].json.deliveryId,
		);
		expectThat(id === idAgain, 'a repeated delivery has another deliveryId');
		const areTold = first.message.body !== other.message.body;
		expectThat(!areTold || id !== idOther, 'two deliveries have the same deliveryId');
	},
};

const idsOf = (items: IDataObject[] | null) => (items ?? []).map(({ id }) => String(id)).join();

const polls = watchedLists.map((list): Check => ({
	name: `polling ${list.event}`,
	async run({ sandbox }) {
		const { event, parameters = {}, change = newsOf(list) } = list;
		const poller = new Poller(sandbox, sandbox.shown({ event, ...parameters }));
		expectThat((await poller.publish()) === null, 'the first poll reports something');
		const id = sandbox.shown(change(sandbox).id);
		const reported = idsOf(await poller.poll());
		expectThat(reported === id, `reported "${reported}" in place of "${id}"`);
		const later = idsOf(await poller.poll());
		expectThat(later === '', `reported again: ${later}`);
	},
}));

export const triggerChecks: Check[] = [
	registration,
	changed,
	copied,
	memory,
	lost,
	staging,
	others,
	missing,
	deliveries,
	...polls,
];
