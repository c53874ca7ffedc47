// Charges in several runs of one node: where the error output leads back to it, and in a loop.
import {
	createRunExecutionData,
	type INodeExecutionData,
	type IRun,
	type ITaskData,
} from 'n8n-workflow';
import { answerCharges, customersCharged } from './charges.cts';
import { ownNode, runWorkflow, sourceOf, type RunOptions } from './host.cts';
import { packageNodes } from './package.cts';
import { byId, run as runWith } from './run.cts';
import type { Reply, Service } from './service.cts';
import { nodeOf } from './workflow.cts';

export type Workflow = Parameters<typeof runWorkflow>[0];

export const services = (amount: unknown = 10, name = 'Setup') => ({ service: [{ name, amount }] });

export const refused: Reply = { status: 422, body: { error: 'Card declined' } };

export const unclear: Reply = { status: 504, body: 'Gateway timeout' };

export const firstRefused = (id: string) => {
	let tries = 0;
	return () => (++tries === 1 ? refused : { body: { id } });
};

export const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };

export const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];

export interface Options extends Partial<Workflow> {
	parameters?: object;
	settings?: object;
	rounds?: number;
	/** What the node between does with an item that comes back. */
	back?: (item: INodeExecutionData) => INodeExecutionData;
}

function outputsOf(run: IRun) {
	const tasks = run.data.resultData.runData.Node ?? [];
	return {
		run,
		error: (tasks.at(-1)?.error ?? run.data.resultData.error)?.message,
		outputs: tasks.map((task) =>
			task.data?.main.map((items) =>
				items?.map(({ json }) => json.error ?? json.id ?? json.skipped ?? json),
			),
		),
	};
}

export const formOf = (parameters: object) =>
	({
		resource: 'charge',
		operation: 'create',
		services: services(),
		customerId: byId('={{ $json.customer }}'),
		...parameters,
	}) as never;

export interface LoopOptions extends Options {
	/** JSON of the items that come to the node, if they aren't the customers. */
	item?: (customer: string) => object;
	/** Is called after the charge, and may fail. Returns what comes to the loop once more. */
	after?: (round: number, output: INodeExecutionData[]) => string[] | void;
	/** What comes once more comes next. */
	isNext?: boolean;
}

/** An execution that has begun, at a time that its Retries know. */
export const begun = (runData?: Record<string, ITaskData[]>): IRun =>
	({
		data: createRunExecutionData({
			executionData: {
				nodeExecutionStack: [
					{
						node: {
							id: 'source',
							name: 'Source',
							type: 'source',
							typeVersion: 1,
							position: [0, 0],
							parameters: {},
						},
						data: { main: [[{ json: {} }]] },
						source: null,
					},
				],
				runtimeData: { version: 1, establishedAt: 5, source: 'webhook' },
			},
			resultData: runData && { runData },
		}),
	}) as unknown as IRun;

export const orders = (count: number) =>
	[...new Array(count).keys()].map((index) => ({ customer: `cus-${index}` }));

let runs = 0;

/** What the tests of a file do with a service that charges. */
export function chargesOf(service: Service) {
	const sent = () => customersCharged(service);

	const behave = (odd?: Parameters<typeof answerCharges>[1]) => answerCharges(service, odd);

	/** With a key of its own for each run: a pause that one was asked for must not hold up the next. */
	const credential = () => ({ ...service.credential, apiKey: `key-of-run-${++runs}` });

	/** A credential that n8n can't read the nth time. */
	function credentialFailing(at: number) {
		let reads = 0;
		const apiKey = `key-of-run-${++runs}`;
		return {
			...service.credential,
			get apiKey() {
				if (++reads === at) throw new Error('database is locked');
				return apiKey;
			},
		};
	}

	/** Source -> a charge, whose error output leads back to it. */
	async function led(
		customers: string[],
		{ parameters = {}, settings = {}, rounds = 3, back = (item) => item, ...more }: Options = {},
	) {
		let count = 0;
		const again = ownNode('again', async function () {
			return await Promise.resolve([++count < rounds ? this.getInputData().map(back) : []]);
		});
		const run = await runWorkflow({
			nodes: [
				{ ...common, id: 'source', name: 'Source', type: 'source' },
				{ ...common, id: 'again', name: 'again', type: 'again' },
				nodeOf('platformCustomers', formOf(parameters), {
					id: 'charge',
					onError: 'continueErrorOutput',
					...settings,
				}),
			],
			connections: {
				Source: { main: [to('Node')] },
				Node: { main: [[], to('again')] },
				again: { main: [to('Node')] },
			},
			types: {
				...packageNodes(),
				source: sourceOf(customers.map((customer) => ({ json: { customer } }))),
				again,
			},
			credential: credential(),
			start: 'Source',
			...more,
		});
		return outputsOf(run);
	}

	/** Source -> loop -> round -> charge with Continue -> after -> loop: one customer in each round. */
	async function looped(
		customers: string[],
		{ parameters = {}, settings = {}, item, after = () => {}, isNext, ...more }: LoopOptions = {},
	) {
		const all = customers.map((customer) => ({ json: { customer } }));
		let rounds = 0;
		const loop = ownNode('loop', async () => await Promise.resolve([all.splice(0, 1)]));
		const round = ownNode('round', async function () {
			const items = this.getInputData().map(({ json }, at) => ({
				json: (item ? item(String(json.customer)) : json) as never,
				pairedItem: { item: at },
			}));
			return await Promise.resolve([items]);
		});
		const later = ownNode('later', async function () {
			const again = after(++rounds, this.getInputData()) ?? [];
			all.splice(isNext ? 0 : all.length, 0, ...again.map((customer) => ({ json: { customer } })));
			return await Promise.resolve([this.getInputData()]);
		});
		const run = await runWorkflow({
			nodes: [
				{ ...common, id: 'source', name: 'Source', type: 'source' },
				{ ...common, id: 'loop', name: 'loop', type: 'loop' },
				{ ...common, id: 'round', name: 'round', type: 'round' },
				{ ...common, id: 'later', name: 'later', type: 'later' },
				nodeOf('platformCustomers', formOf(parameters), {
					id: 'charge',
					onError: 'continueRegularOutput',
					...settings,
				}),
			],
			connections: {
				Source: { main: [to('loop')] },
				loop: { main: [to('round')] },
				round: { main: [to('Node')] },
				Node: { main: [to('later')] },
				later: { main: [to('loop')] },
			},
			types: { ...packageNodes(), source: sourceOf([{ json: {} }]), loop, round, later },
			credential: credential(),
			start: 'Source',
			...more,
		});
		return outputsOf(run);
	}

	/** A charge for each item. */
	async function charged(
		items: Array<{ customer: string }>,
		more: Partial<RunOptions> = {},
		parameters = {},
	) {
		const { baseUrl, apiKey: key } = credential();
		const form = {
			customerId: byId('={{ $json.customer }}'),
			services: services(),
			...parameters,
		};
		const api = { baseUrl, key };
		return await runWith(api, 'platformCustomers', 'charge.create', form, { items, ...more });
	}

	return { sent, behave, charged, credential, credentialFailing, led, looped };
}
