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

const registration: Check = {
	name: 'trigger registers, knows and removes its webhooks',
	async run(bench) {
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		const events = ownOf(bench).map((webhook) => webhook.events.join());
		expectThat(events.sort().join() === [FAILED, PAID].join(), `registered: ${events.join()}`);
		expectThat(await workflow.checkExists(), 'it does not know its own webhooks');
		await workflow.publish();
		expectThat(ownOf(bench).length === 2, `${ownOf(bench).length} webhooks after publishing twice`);
		expectThat((await livingOf(bench, workflow)) === 2, 'their deliveries start nothing');
		await unpublish(bench, workflow);
		expectThat(ownOf(bench).length === 0, `${ownOf(bench).length} webhooks left behind`);
	},
};

const changed: Check = {
	name: 'trigger replaces its webhooks, and those that are left over are dead',
	async run(bench) {
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		workflow.parameters = { settings: { name: 'Renamed' } };
		for (let again = 1; again <= 3; again++) await workflow.publish();
		expectThat((await livingOf(bench, workflow)) === 2, 'there are not two living webhooks');
		const count = canDelete(bench) ? 2 : 4;
		expectThat(
			ownOf(bench).length === count,
			`${ownOf(bench).length} webhooks in place of ${count}`,
		);
		await unpublish(bench, workflow);
		expectThat(ownOf(bench).length === 0, `${ownOf(bench).length} webhooks left behind`);
	},
};

/** Two workflows that know the same webhooks: neither may take those of the other one. */
const copyCheck = (
	what: string,
	copyOf: (bench: Bench, original: TriggerWorkflow) => TriggerWorkflow,
): Check => ({
	name: `trigger ${what} leaves the webhooks of the original`,
	async run(bench) {
		const original = workflowOf(bench);
		if (!(await publish(bench, original))) return;
		const ids = ownOf(bench).map(({ id }) => id);
		const copy = copyOf(bench, original);
		copy.staticData = structuredClone(original.staticData);
		await copy.publish();
		const isLeft = () => ids.every((id) => ownOf(bench).some((each) => each.id === id));
		expectThat(isLeft() && ownOf(bench).length === 4, 'publishing the copy changed the original');
		if (!canDelete(bench)) return clear(bench);
		await unpublish(bench, copy);
		expectThat(isLeft() && ownOf(bench).length === 2, 'unpublishing the copy changed the original');
		expectThat(await original.checkExists(), 'the original does not know its webhooks any more');
		await unpublish(bench, original);
		expectThat(ownOf(bench).length === 0, `${ownOf(bench).length} webhooks left behind`);
	},
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
		const { webhooks } = bench.sandbox.state.webhooks;
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		for (const { id } of ownOf(bench)) webhooks.remove(id);
		// Under 403 it can as well be the key that is refused: then nobody may say that it is gone.
		const mayFail = bench.world.unknownStatus === '403';
		await workflow.delete().catch((error: unknown) => {
			if (!mayFail) throw error;
		});
		await workflow.publish();
		expectThat((await livingOf(bench, workflow)) === 2, 'it could not be published again');
		clear(bench);
	},
};

const memory: Check = {
	name: 'trigger finds webhooks that it forgot',
	async run(bench) {
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		const before = ownOf(bench).map(({ id }) => id);
		workflow.staticData = {};
		for (let again = 1; again <= 2; again++) await workflow.publish();
		const isLeft = hidesOwners(bench) || !canDelete(bench);
		const count = isLeft ? 4 : 2;
		expectThat(
			ownOf(bench).length === count,
			`${ownOf(bench).length} webhooks in place of ${count}`,
		);
		for (const { id } of ownOf(bench).filter((each) => before.includes(each.id))) {
			bench.sandbox.state.webhooks.webhooks.remove(id);
		}
		expectThat((await livingOf(bench, workflow)) === 2, 'there are not two living webhooks');
		await unpublish(bench, workflow);
		expectThat(ownOf(bench).length === 0, `${ownOf(bench).length} webhooks left behind`);
	},
};

const others: Check = {
	name: 'trigger leaves webhooks of another company that have the IDs it remembers',
	async run(bench) {
		const { sandbox } = bench;
		const { webhooks } = sandbox.state.webhooks;
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		const ids = ownOf(bench).map(({ id }) => id);
		for (const id of ids) webhooks.update(id, { url: 'https://other.example.com/hook' });
		const apiKey = sandbox.addKey({ scopes: ['webhooks:read', 'webhooks:write'] });
		workflow.credential = { ...workflow.credential, apiKey };
		await workflow.publish();
		expectThat(ownOf(bench).length === 2, `${ownOf(bench).length} webhooks in place of 2`);
		await unpublish(bench, workflow);
		expectThat(ownOf(bench).length === 0, `${ownOf(bench).length} webhooks left behind`);
		const left = ids.filter((id) => webhooks.get(id));
		expectThat(left.length === 2, `${left.length} of the other company's webhooks are left`);
		for (const id of ids) webhooks.remove(id);
	},
};

const missing: Check = {
	name: 'polling registeredWebhookMissing',
	async run(bench) {
		const workflow = workflowOf(bench);
		if (!(await publish(bench, workflow))) return;
		const urlStart = 'https://n8n.example.com';
		const poller = new Poller(bench.sandbox, { event: 'registeredWebhookMissing', urlStart });
		expectThat((await poller.publish()) === null, 'the first poll reports something');
		expectThat((await poller.poll()) === null, 'webhooks that are there are missed');
		expectThat(!/secret=/.test(poller.memory), 'it remembers a secret');
		const [gone] = ownOf(bench);
		bench.sandbox.state.webhooks.webhooks.remove(gone.id);
		const reported = await poller.poll();
		// What a list never shows isn't watched.
		const isWatched = bench.world.webhookList !== 'never';
		expectThat((reported ?? []).length === Number(isWatched), `${reported?.length} are missed`);
		if (isWatched) {
			const { events, url } = reported?.[0].data as IDataObject;
			expectThat([events].flat().join() === gone.events.join(), `missed: ${String(events)}`);
			expectThat(!String(url).includes('?'), `the query is shown: ${String(url)}`);
		}
		await workflow.publish();
		const living = await livingOf(bench, workflow);
		expectThat(living === 2, `${living} living webhooks after the repair`);
		const later = (await poller.poll()) ?? [];
		expectThat(later.length === 0, `${later.length} missed after the repair`);
		await unpublish(bench, workflow);
	},
};

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
