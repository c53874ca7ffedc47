// Platform Polling Trigger in a real n8n: what n8n saves of its memory, and when, decides whether a
// change is reported once. n8n is killed, not stopped, so that nothing is saved on the way out.
import type { Execution } from '../n8n/client.cts';
import { until } from '../n8n/until.cts';
import { given, triggered } from '../n8n/parts.cts';
import { EVERY_TWO_SECONDS, LEAN, ownSetting } from '../n8n/setting.cts';

const workflow = triggered('Payments', 'PollingTrigger', {
	pollTimes: EVERY_TWO_SECONDS,
	event: 'paymentStatusChanged',
	statuses: 'failed',
});

/** @param env settings of the n8n */
export function pollsReliably(env: Record<string, string>): void {
	const running = ownSetting({ env: { ...LEAN, ...env } });
	const rows = () => running().sandbox.state.subscriptions.subscriptions;
	let workflowId: string;

	/** Sets the status of one subscription at the service. */
	function pay(index: number, status: string): string {
		const { id, recurringId } = rows().rows[index];
		rows().update(id, { last_payment_status: status });
		return recurringId;
	}

	/** The executions that polls have started, oldest first, once there are so many. */
	const executions = async (count: number): Promise<Execution[]> =>
		(await running().n8n.client.waitForExecutions(workflowId, count)).reverse();

	/** Waits until the list has been read twice more: by then the first of them has been reported. */
	async function twoPolls(): Promise<void> {
		const { requests } = running().sandbox;
		const polls = () => requests.filter(({ path }) => /[?&]page=1(&|$)/.test(path)).length;
		const wanted = polls() + 2;
		await until('two polls', () => polls() >= wanted);
	}

	beforeAll(async () => {
		for (const { id } of rows().rows) rows().update(id, { last_payment_status: 'paid' });
		const { n8n, credential } = running();
		const stored = await n8n.client.importWorkflow(workflow, [credential]);
		workflowId = stored.id;
	});

	test('a change is reported once, whenever n8n is killed', async () => {
		const { n8n, sandbox } = running();
		await n8n.client.activate(workflowId);
		expect(sandbox.requests.length).toBeGreaterThan(0);

		// After the first poll, which found nothing to report.
		await n8n.kill9();
		const first = pay(3, 'failed');
		await n8n.restart();
		const [execution] = await executions(1);
		expect(execution.status).toBe('success');
		expect(given(execution)).toEqual([
			{
				event: 'paymentStatusChanged',
				id: first,
				status: 'failed',
				previousStatus: 'paid',
				detectedAt: expect.any(String),
				data: expect.objectContaining({ id: first, last_payment_status: 'failed' }),
			},
		]);

		// While it runs.
		const second = pay(4, 'failed');
		expect(given((await executions(2))[1])).toEqual([
			expect.objectContaining({ id: second, previousStatus: 'paid' }),
		]);

		// A status that is left is remembered, with an execution in which no other node runs.
		pay(3, 'paid');
		const left = (await executions(3))[2];
		expect(left.status).toBe('success');
		expect(Object.keys(left.data.resultData.runData)).toEqual(['Trigger']);
		await n8n.kill9();
		pay(3, 'failed');
		await n8n.restart();
		expect(given((await executions(4))[3])).toEqual([
			expect.objectContaining({ id: first, previousStatus: 'paid' }),
		]);
		await twoPolls();
		expect(await executions(4)).toHaveLength(4);
	});

	test('a poll that fails is an execution with the error, and the next one reports', async () => {
		const { sandbox } = running();
		const before = (await executions(1)).length;
		// A 400 would be asked again without a size, or be the end of the list.
		const path = '/recurring-payments/subscriptions.json';
		const fault = sandbox.faults.add({ kind: 'status', status: 403, path, times: 1 });
		const id = pay(5, 'failed');
		const [failed, next] = (await executions(before + 2)).slice(before);
		expect(fault.hits).toBe(1);
		expect(failed.status).toBe('error');
		expect(failed.data.resultData.error?.message).toContain('Fault 403');
		expect(given(next)).toEqual([expect.objectContaining({ id })]);
	});
}
