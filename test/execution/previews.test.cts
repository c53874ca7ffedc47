// Output schema previews against what really comes out: operations run against the sandbox, each
// item compared with the preview.
import Ajv from 'ajv/dist/2020';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { existingForm, inOrder, keyOf } from '../table/existing.cts';
import { table } from '../table/operations.cts';
import { previewOf, triggerPreviews } from '../../tools/previews.cts';
import { Poller } from './host/poller.cts';
import { credentialOf, run, sandboxFor } from './host/run.cts';
import { TriggerWorkflow } from './host/trigger.cts';

const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });

/** What the sandbox answers beyond what the reference shows, and no preview may promise. */
const ownToTheSandbox: Record<string, string[]> = {
	'platformCustomers.customer.get': ['partner'],
	'platformCustomers.customer.getByEmail': ['partner'],
	'platformCustomers.customer.getByExternalId': ['partner'],
	'platformCustomers.customer.getAll': ['partner'],
	'platformNewsletters.newsletter.getStats': ['newsletter'],
	'platformNewsletters.recipient.getAll': ['email'],
};

const tried = inOrder(table.filter((entry) => previewOf(entry)));

const sandbox = sandboxFor({ customers: 20 });

test.each(tried.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
	const { node, resource, operation } = entry;
	const preview = previewOf(entry);
	const form = existingForm(sandbox(), entry);
	const name = `${resource.value}.${operation.value}`;
	const { items, error } = await run(sandbox(), node, name, form as Record<string, object>);
	expect(error?.message).toBeUndefined();
	expect(items.length).toBeGreaterThan(0);
	const promised = Object.keys(preview?.properties ?? {});
	// Fields of an entry are those of its content type, lifted out of `data`.
	const ofTypes = sandbox().state.contentBox.types.rows.flatMap(({ fields }) =>
		Object.keys(fields),
	);
	const own = name.startsWith('content.get') ? ofTypes : (ownToTheSandbox[keyOf(entry)] ?? []);
	for (const { json } of items) {
		ajv.validate(preview as object, json);
		expect(ajv.errors ?? []).toEqual([]);
		const more = Object.keys(json).filter((key) => !promised.includes(key));
		expect(new Set(more)).toEqual(new Set(own.filter((key) => key in json)));
	}
});

/** An item of each trigger, against a sandbox of its own. */
const triggered: Record<string, (own: Sandbox) => Promise<object | undefined>> = {
	platformCustomersTrigger: async (own) => {
		const workflow = new TriggerWorkflow(credentialOf(own));
		await workflow.create();
		const [{ url }] = own.state.webhooks.webhooks.rows.slice(-1);
		const { items } = await workflow.deliver({ url, body: '{"charge":{}}' });
		return items[0].json;
	},
	platformPollingTrigger: async (own) => {
		const items = await new Poller(own, { event: 'paymentStatusChanged' }).poll('manual');
		return items?.[0];
	},
};

/** What an item of a trigger holds in some cases only. */
const atTimes: Record<string, string[]> = { platformPollingTrigger: ['status', 'previousStatus'] };

test.each(Object.entries(triggered))('%s', async (node, itemOf) => {
	const own = await startSandbox({ customers: 5 });
	const item = await itemOf(own);
	await own.close();
	const preview = triggerPreviews[node];
	ajv.validate(preview, item);
	expect(ajv.errors ?? []).toEqual([]);
	expect(Object.keys(item ?? {}).sort()).toEqual(
		[...Object.keys(preview.properties ?? {}), ...(atTimes[node] ?? [])].sort(),
	);
});
