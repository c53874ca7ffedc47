// An n8n that installs, updates, downgrades, loses and uninstalls the package itself, while triggers
// are published and events come in. Counted at the service: webhooks, deliveries; and in n8n:
// executions. Nothing may be lost, and nothing doubled.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openEditor } from '../n8n/browser.cts';
import { itemsOf } from '../n8n/client.cts';
import type { N8nInstance } from '../n8n/instance.cts';
import { until } from '../n8n/until.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { PATIENT, startPublicN8n } from '../n8n/setting.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { CHARGED_CUSTOMERS, charges, Flow, PACKAGE, payments, ping, pingAgain } from './flow.cts';
import { startRegistry, type Registry } from './registry.cts';
import { ADDED_OPERATION, versionsOf } from './versions.cts';
import manifest from '../../package.json';

const { present, next } = versionsOf(String(process.env.PACKED_PACKAGE));

const NODES = manifest.n8n.nodes.length;

let registry: Registry;
let n8n: N8nInstance;
let sandbox: Sandbox;
let flow: Flow;
let ids: Record<'charges' | 'payments' | 'ping' | 'pingAgain', string>;

beforeAll(async () => {
	registry = await startRegistry();
	await registry.publish(present.tarball);
	n8n = await startPublicN8n({ packageUnderTest: 'none', env: registry.env });
	sandbox = await startSandbox({ customers: 100, deliveries: { ca: n8n.ca, ...PATIENT } });
	const { rows, update } = subscriptions();
	for (const { id } of rows) update(id, 'paid');
});

afterAll(async () => {
	await n8n?.stop();
	await sandbox?.close();
	await registry?.stop();
});

afterEach(() => expect(sandbox.problems.splice(0)).toEqual([]));

function subscriptions() {
	const store = sandbox.state.subscriptions.subscriptions;
	return {
		rows: store.rows,
		update: (id: string, status: string) => store.update(id, { last_payment_status: status }),
	};
}

const installed = async () =>
	(await n8n.client.installedPackages()).map(
		({ packageName, installedVersion, installedNodes }) => [
			packageName,
			installedVersion,
			installedNodes.length,
		],
	);

/** What a version says of an operation that only the next one has. */
const UNKNOWN_OPERATION = {
	status: 'error',
	items: 0,
	error: expect.stringMatching(
		`^This node doesn't have the operation "service\\.${ADDED_OPERATION}" .* newer than version ${present.version} of this package, update the package\\.$`,
	) as string,
};

/** Runs a workflow; what its last node gave. */
async function run(id: string) {
	const execution = await n8n.client.runWorkflow(id);
	return {
		status: execution.status,
		error: execution.data.resultData.error?.message,
		items: itemsOf(execution, 'Service').length,
	};
}

/** What n8n answers to each try to deliver one event. */
async function statusesOfOneDelivery(): Promise<unknown[]> {
	const first = sandbox.deliveries.length;
	await chargeCustomer(sandbox, sandbox.state.customers.customers.rows[0].id, 'paid');
	await sandbox.deliveriesSettled();
	return sandbox.deliveries
		.slice(first)
		.flatMap(({ attempts }) => attempts.map(({ status, error }) => status ?? error));
}

/** IDs of the payments whose failure has been polled, once for each time that it was reported. */
async function polled(): Promise<unknown[]> {
	const all = await n8n.client.executions({ workflowId: ids.payments });
	const executions = await Promise.all(all.map(async ({ id }) => await n8n.client.execution(id)));
	return executions.flatMap((each) => itemsOf(each, 'Done').map(({ json }) => json.id));
}

const failed: string[] = [];

/** Lets the payment of a customer who is not charged fail, and waits until a poll has seen it. */
async function paymentFails(): Promise<void> {
	const charged = sandbox.state.customers.customers.rows.slice(0, CHARGED_CUSTOMERS);
	const { id, recurringId } = subscriptions().rows.find(
		(row) =>
			!failed.includes(row.recurringId) && charged.every((each) => each.id !== row.customerId),
	)!;
	failed.push(recurringId);
	subscriptions().update(id, 'failed');
	await until('the poll of the failed payment', async () => (await polled()).includes(recurringId));
}

test('the page for community nodes installs the package with all of its nodes', async () => {
	const editor = await openEditor(n8n);
	try {
		const { page } = editor;
		await page.goto(`${n8n.url}/settings/community-nodes`);
		await page
			.getByRole('button', { name: /install/i })
			.first()
			.click();
		await page
			.getByTestId('package-name-input')
			.locator('input')
			.or(page.locator('input[name="packageNameInput"]'))
			.first()
			.fill(PACKAGE);
		await page.getByTestId('user-agreement-checkbox').first().click();
		await page.getByTestId('install-community-package-button').first().click();
		await page.getByTestId('community-package-card').getByText(PACKAGE).first().waitFor();
	} finally {
		await editor.close();
	}
	expect(await installed()).toEqual([[PACKAGE, present.version, NODES]]);
	expect(registry.refused.filter((host) => !host.includes('n8n.io'))).toEqual([]);
});

test('its nodes run at once, without a restart', async () => {
	const credential = await n8n.client.createCredential('platformApi', 'Platform API', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
	});
	expect(await n8n.client.testCredential(credential.id)).toMatchObject({ status: 'OK' });
	flow = new Flow(n8n.client, sandbox, credential);
	ids = {
		charges: await flow.store(charges),
		payments: await flow.store(payments),
		ping: await flow.store(ping),
		pingAgain: await flow.store(pingAgain),
	};
	expect(await run(ids.ping)).toEqual({ status: 'success', items: 1 });
	expect(await run(ids.pingAgain)).toEqual(UNKNOWN_OPERATION);
	await n8n.client.activate(ids.payments);
	await n8n.client.activate(ids.charges);
	expect(flow.webhooks()).toHaveLength(2);
	await flow.during(async () => await paymentFails());
});

test('an update under load loses and doubles nothing', async () => {
	await registry.publish(next.tarball);
	const [{ updateAvailable }] = await n8n.client.installedPackages();
	expect(updateAvailable).toBe(next.version);
	const before = flow.webhooks();
	await flow.during(async () => await n8n.client.updatePackage(PACKAGE));
	expect(await installed()).toEqual([[PACKAGE, next.version, NODES]]);
	expect(flow.webhooks()).toEqual(before);
	expect(await run(ids.pingAgain)).toEqual({ status: 'success', items: 1 });
	await paymentFails();
});

test('neither does a downgrade; an operation that is gone fails', async () => {
	const before = flow.webhooks();
	await flow.during(async () => {
		await n8n.client.updatePackage(PACKAGE, present.version);
	});
	expect(await installed()).toEqual([[PACKAGE, present.version, NODES]]);
	expect(flow.webhooks()).toEqual(before);
	expect(await run(ids.ping)).toEqual({ status: 'success', items: 1 });
	expect(await run(ids.pingAgain)).toEqual(UNKNOWN_OPERATION);
	await paymentFails();
});

test('a package that is missing at the start is brought back when n8n is told to', async () => {
	const before = flow.webhooks();
	await n8n.kill9();
	await rm(join(n8n.userFolder, '.n8n', 'nodes', 'node_modules'), { recursive: true });
	await n8n.restart({
		packageUnderTest: 'installed',
		env: { N8N_REINSTALL_MISSING_PACKAGES: 'true' },
	});
	expect(await installed()).toEqual([[PACKAGE, present.version, NODES]]);
	expect(flow.webhooks()).toEqual(before);
	await flow.during(async () => await paymentFails());
});

test('no poll has reported a payment twice', async () => {
	const all = await polled();
	expect(failed).toHaveLength(4);
	for (const id of failed) expect(all.filter((each) => each === id)).toEqual([id]);
});

test('uninstalled after unpublishing: no webhook stays', async () => {
	await n8n.client.deactivate(ids.charges);
	await n8n.client.deactivate(ids.payments);
	expect(flow.webhooks()).toEqual([]);
	await n8n.client.uninstallPackage(PACKAGE);
	expect(await n8n.client.installedPackages()).toEqual([]);
	await expect(run(ids.ping)).rejects.toThrow('Unrecognized node type');
});

test('installed again: everything works as before', async () => {
	await n8n.client.installPackage(PACKAGE, present.version);
	await n8n.client.activate(ids.charges);
	await n8n.client.activate(ids.payments);
	await flow.during(async () => await paymentFails());
	expect(flow.webhooks()).toHaveLength(2);
});

test('uninstalled while published: webhooks stay until the workflow is published again', async () => {
	const orphans = flow.webhooks();
	await n8n.client.uninstallPackage(PACKAGE);
	expect(new Set(await statusesOfOneDelivery())).toEqual(new Set([400]));
	await n8n.client.deactivate(ids.charges).catch(() => undefined);
	// n8n cannot call a trigger that it no longer has.
	expect(flow.webhooks()).toEqual(orphans);
	await n8n.client.installPackage(PACKAGE, present.version);
	await n8n.client.activate(ids.charges);
	await flow.during(async () => undefined);
	expect(flow.webhooks()).toHaveLength(2);
	await n8n.client.deactivate(ids.charges);
	expect(flow.webhooks()).toEqual([]);
});
