// Charges that come in while something is done to n8n, counted on both sides.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { N8nClient, StoredCredential, WorkflowJson } from '../n8n/client.cts';
import { itemsOf } from '../n8n/client.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { done, platform, rowOf, start } from '../n8n/parts.cts';
import { EVERY_TWO_SECONDS } from '../n8n/setting.cts';
import type { Sandbox } from '../sandbox/index.cts';
import { ADDED_OPERATION } from './versions.cts';

export const PACKAGE = 'n8n-nodes-platform-api';

/** So many customers are charged, the first ones; the payments of the others stay as they are. */
export const CHARGED_CUSTOMERS = 20;

/** A pause between charges, in milliseconds. */
const PAUSE_MS = 250;

const service = (operation: string) =>
	platform('Service', 'Company', { resource: 'service', operation });

/** Started by charges. */
export const charges = rowOf('Charges', platform('Charge', 'CustomersTrigger'), done);

/** Started by payments that fail. */
export const payments = rowOf(
	'Payments',
	platform('Payment', 'PollingTrigger', {
		pollTimes: EVERY_TWO_SECONDS,
		event: 'paymentStatusChanged',
		statuses: 'failed',
	}),
	done,
);

/** Runs in every version. */
export const ping = rowOf('Ping', start, service('ping'));

/** Runs in the next version only. */
export const pingAgain = rowOf('Ping again', start, service(ADDED_OPERATION));

export class Flow {
	private workflowId = '';

	constructor(
		private readonly client: N8nClient,
		private readonly sandbox: Sandbox,
		private readonly credential: StoredCredential,
	) {}

	/** Stores a workflow, with the credential; returns its id. */
	async store(workflow: WorkflowJson): Promise<string> {
		const { id } = await this.client.importWorkflow(workflow, [this.credential]);
		if (workflow === charges) this.workflowId = id;
		return id;
	}

	/** Webhooks at the service that lead to an n8n. */
	webhooks(): string[] {
		return this.sandbox.state.webhooks.webhooks.rows.map(({ id }) => id).sort();
	}

	/**
	 * Settles charges all the time while `work` runs, and twenty at least; a slow machine gets them
	 * more slowly, each after the delivery of the one before. Every one of them has to be delivered, and to start exactly one
	 * execution of the stored workflow for charges.
	 */
	async during(work: () => Promise<unknown>): Promise<void> {
		const rows = this.sandbox.state.customers.customers.rows.slice(0, CHARGED_CUSTOMERS);
		const first = this.sandbox.deliveries.length;
		const before = (await this.client.executions({ workflowId: this.workflowId })).length;
		const sent: string[] = [];
		let working = true;
		const send = async () => {
			while (working || sent.length < 20) {
				const outcome = sent.length % 2 === 0 ? 'paid' : 'failed';
				const { id } = rows[sent.length % rows.length];
				sent.push((await chargeCustomer(this.sandbox, id, outcome)).id);
				await this.sandbox.deliveriesSettled();
				await sleep(PAUSE_MS);
			}
		};
		await Promise.all([work().finally(() => (working = false)), send()]);
		const deliveries = this.sandbox.deliveries.slice(first);
		const executions = await this.client.waitForExecutions(this.workflowId, before + sent.length, {
			newest: sent.length,
		});
		expect(deliveries.filter(({ state }) => state === 'delivered')).toHaveLength(sent.length);
		expect(executions.filter(({ status }) => status === 'success')).toHaveLength(sent.length);
		const started = executions.map((execution) => {
			const [{ json }] = itemsOf(execution, 'Done');
			return String(((json.body as IDataObject).data as { charge: IDataObject }).charge.id);
		});
		expect(started.sort()).toEqual(sent.sort());
		const all = await this.client.executions({ workflowId: this.workflowId });
		expect(all).toHaveLength(before + sent.length);
	}
}
