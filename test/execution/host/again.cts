// Executions that charge customers and are run again, in a world that is drawn: workflows with loops and error outputs, a
// service with faults, n8n that is cancelled or killed, its Retry, and a person who follows the advice of each refusal.
import {
	createRunExecutionData,
	type IConnections,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IRun,
	type IRunExecutionData,
} from 'n8n-workflow';
import { parse, stringify } from 'flatted';
import { byId } from './run.cts';
import { clearStore, crashPoint, store } from './keyStore.cts';
import { ownNode, runWorkflow } from './host.cts';
import { packageNodes } from './package.cts';
import { retryOnFail } from './tool.cts';
import { nodeOf } from './workflow.cts';
import type { Reply, Service } from './service.cts';

/** What the service does with the first request for a customer. Later ones are applied. */
export type Fate = 'applied' | 'declined' | 'lost, applied' | 'lost, not applied' | 'stalls';

export type Shape =
	| 'a loop'
	| 'an error output that leads back'
	| 'an error output that leads back without error'
	| 'one run'
	| 'two runs';

/** The form of the node when the execution is started again. */
export type Change = 'amount' | 'key' | 'no key' | 'none' | 'other key' | 'other operation';

export interface Again {
	/** The execution whose Retry it is. */
	of: 'first' | 'last';
	change: Change;
	/** The node before gives another list. */
	list: 'one more first' | 'same' | 'turned round';
	/** Two Retries at the same time. */
	isTwice: boolean;
	/** n8n is killed when a node after the charges runs. */
	isKilledLater: boolean;
}

export interface Scene {
	shape: Shape;
	/** The customer of each item. One may have several orders. */
	customers: number[];
	fates: Fate[];
	/** Each request differs, as with `$now`. */
	isNow: boolean;
	isKeyed: boolean;
	/** Items of a customer are equal. */
	isAlike: boolean;
	onError: 'continueErrorOutput' | 'continueRegularOutput' | 'stopWorkflow';
	isTriedAgain: boolean;
	/** What a request that stalls ends with. */
	cut: 'cancelled' | 'killed';
	/** n8n saves the data of the execution after each node. */
	savesProgress: boolean;
	isKilledLater: boolean;
	/** n8n's store fails from this call of the first execution on, or loses its response once. */
	fault?: { at: number; isLost: boolean };
	again: Again[];
}

interface Item {
	customer: string;
	order?: string;
}

/** One execution, as far as n8n has kept it. */
export interface Ended {
	run: IRun;
	/** Message of the error that stopped it. */
	error?: string;
	/** n8n was killed, or the execution cancelled: its data is that of the last node that n8n saved, if any. */
	isCut: boolean;
	saved?: IRun;
	/** The list that the node before gave. */
	items: Item[];
	/** What came to the node and what came out, by its runs. No output of one that failed. */
	runs: Array<{ input: Item[]; output?: IDataObject[] }>;
}

/** The form that differs from that of the scene. */
interface Form {
	amount?: number;
	key?: string;
	isOtherOperation?: boolean;
	releaseKey?: string;
	onError?: Scene['onError'];
	/** Further values, such as limits. */
	more?: object;
	/** ID of the credential. */
	credential?: string;
}

const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };

const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];

let worlds = 0;

/** When n8n began an execution. */
let begunAt = 1;

export class World {
	/** How often each customer was charged. */
	readonly applied = new Map<string, number>();

	private readonly asked = new Map<string, number>();

	private readonly key = `key-of-world-${++worlds}`;

	private cut = () => {};

	constructor(
		private readonly service: Service,
		readonly scene: Scene,
	) {
		clearStore();
		service.behave(async ({ path }) => await this.reply(path.split('/')[2], path));
	}

	private async reply(customer: string, path: string): Promise<Reply | undefined> {
		if (!path.includes('/charges')) {
			this.applied.set(`${customer} otherwise`, 1);
			return { body: { id: 'sub', status: 'active' } };
		}
		const count = this.asked.get(customer) ?? 0;
		this.asked.set(customer, count + 1);
		const fate =
			count === 0 ? (this.scene.fates[Number(customer.slice(4))] ?? 'applied') : 'applied';
		if (fate === 'declined') return { status: 422, body: { error: 'Declined' } };
		if (fate === 'lost, not applied') return { status: 502, body: 'Bad gateway' };
		this.applied.set(customer, (this.applied.get(customer) ?? 0) + 1);
		if (fate === 'lost, applied') return undefined;
		if (fate === 'applied') return { body: { id: `ch-${customer}-${count}` } };
		this.cut();
		return await new Promise(() => {});
	}

	/** The items of the list. */
	items(list: Again['list'] = 'same'): Item[] {
		const { customers, isAlike } = this.scene;
		const items = customers.map((customer, at) => ({
			customer: `cus-${customer}`,
			...(!isAlike && { order: `order-${at}` }),
		}));
		if (list === 'one more first') {
			return [{ customer: 'cus-9', ...(!isAlike && { order: 'order-9' }) }, ...items];
		}
		return list === 'turned round' ? items.reverse() : items;
	}

	private nodes(form: Form): INode[] {
		const { amount = 10, key, isOtherOperation, releaseKey, onError, more, credential } = form;
		const { scene } = this;
		const operation = isOtherOperation
			? { resource: 'subscription', operation: 'create', plan: byId('plan') }
			: {
					resource: 'charge',
					operation: 'create',
					services: {
						service: [{ name: scene.isNow ? "={{ 'Setup ' + Math.random() }}" : 'Setup', amount }],
					},
				};
		const parameters = {
			...operation,
			customerId: byId('={{ $json.customer }}'),
			options: {
				...(releaseKey && { releaseKey }),
				...(isOtherOperation && key && { idempotencyKey: key }),
			},
			...(!isOtherOperation && key && { idempotencyKey: key }),
			...more,
		};
		return [
			...['Source', 'Loop', 'Between', 'Again', 'Later'].map((name) => ({
				...common,
				id: name,
				name,
				type: name === 'Source' ? 'source' : name,
			})),
			nodeOf('platformCustomers', parameters as never, {
				id: 'charge',
				...(credential && { credentials: { platformApi: { id: credential, name: 'Other' } } }),
				onError: onError ?? scene.onError,
				...(scene.isTriedAgain && { ...retryOnFail, maxTries: 2 }),
			}),
		];
	}

	private get connections(): IConnections {
		switch (this.scene.shape) {
			case 'a loop':
				return {
					Source: { main: [to('Loop')] },
					Loop: { main: [to('Between')] },
					Between: { main: [to('Node')] },
					Node: { main: [to('Later'), to('Later')] },
					Later: { main: [to('Loop')] },
				};
			case 'two runs':
				return {
					Source: { main: [to('Between'), to('Loop')] },
					Between: { main: [to('Node')] },
					Loop: { main: [to('Between')] },
					Node: { main: [to('Later'), to('Later')] },
				};
			case 'one run':
				return {
					Source: { main: [to('Between')] },
					Between: { main: [to('Node')] },
					Node: { main: [to('Later'), to('Later')] },
				};
			default:
				return {
					Source: { main: [to('Between')] },
					Between: { main: [to('Node')] },
					Node: { main: [to('Later'), to('Again')] },
					Again: { main: [to('Between')] },
				};
		}
	}

	/** The nodes around the charges. `killsAt` counts the runs of the node after them. */
	private types(items: Item[], killsAt: number, runs: Ended['runs']) {
		const { shape } = this.scene;
		const json = (each: Item) => ({ json: { ...each } });
		let rounds = 0;
		let later = 0;
		const half = Math.ceil(items.length / 2);
		return {
			...packageNodes(),
			source: ownNode(
				'Source',
				async () => {
					if (shape === 'a loop') return await Promise.resolve([[{ json: {} }]]);
					if (shape !== 'two runs') return await Promise.resolve([items.map(json)]);
					return await Promise.resolve([
						items.slice(0, half).map(json),
						items.slice(half).map(json),
					]);
				},
				[],
			),
			Loop: ownNode('Loop', async function () {
				if (shape === 'two runs') return await Promise.resolve([this.getInputData()]);
				// Where it is, n8n keeps with the data of the execution.
				const place = this.getContext('node') as { at?: number };
				const at = place.at ?? 0;
				place.at = at + 2;
				return await Promise.resolve([items.slice(at, at + 2).map(json)]);
			}),
			Between: ownNode('Between', async function () {
				return await Promise.resolve([this.getInputData()]);
			}),
			platformCustomers: watched(runs),
			Again: ownNode('Again', async function () {
				const keepsError = shape !== 'an error output that leads back without error';
				const back = this.getInputData().map(({ json: { error, details, ...own } }, item) => ({
					json: keepsError ? { ...own, error, details } : own,
					pairedItem: { item },
				}));
				return await Promise.resolve([++rounds < (keepsError ? 6 : 3) ? back : []]);
			}),
			Later: ownNode('Later', async function () {
				if (++later === killsAt) throw new Error('killed');
				return await Promise.resolve([this.getInputData()]);
			}),
		};
	}

	/** The key of the scene. */
	get keyOfScene(): string | undefined {
		return this.scene.isKeyed ? '={{ $json.order }}' : undefined;
	}

	/** Begins an execution, or retries one. */
	async execute({
		retried,
		form = {},
		list,
		items: given = this.items(list),
		isKilledLater = false,
		fault,
	}: {
		retried?: Ended;
		form?: Form;
		list?: Again['list'];
		items?: Item[];
		isKilledLater?: boolean;
		fault?: Scene['fault'];
	}): Promise<Ended> {
		const { scene } = this;
		if (!retried) begunAt++;
		// Where n8n has kept the data, the nodes before don't run again.
		const isAnew = !retried || (retried.isCut && !retried.saved);
		const items = isAnew ? given : retried.items;
		const runs: Ended['runs'] = [];
		let restore: (() => void) | undefined;
		let isStalled = false;
		let saved: IRun | undefined;
		const cancelAfter = new Promise<void>((resolve) => {
			this.cut = () => {
				isStalled = true;
				if (scene.cut === 'killed') restore = crashPoint();
				resolve();
			};
		});
		if (fault) failStore(fault);
		const run = await runWorkflow({
			nodes: this.nodes({ key: this.keyOfScene, ...form }),
			connections: this.connections,
			types: this.types(items, isKilledLater ? 1 : 0, runs) as never,
			credential: { ...this.service.credential, apiKey: this.key },
			start: 'Source',
			mode: retried ? 'retry' : 'webhook',
			retryOf: dataOf(retried),
			cancelAfter,
			afterNode: (data) => {
				if (scene.savesProgress && !isStalled) saved = parse(stringify({ data })) as IRun;
			},
		});
		store.fault = undefined;
		store.lose = undefined;
		restore?.();
		const { error } = run.data.resultData;
		const isKilled = error?.message === 'killed';
		const isCut = isKilled || (isStalled && run.status === 'canceled');
		return {
			run,
			error: error?.message,
			isCut,
			...(isCut && (isKilled || scene.cut === 'killed') && { saved }),
			items,
			runs,
		};
	}
}

/** From a call on, the store fails, or the response of that call is lost. */
function failStore({ at, isLost }: NonNullable<Scene['fault']>): void {
	const first = store.calls;
	if (isLost) store.lose = () => store.calls - first === at;
	else
		store.fault = () => {
			if (store.calls - first >= at) throw new Error('database is locked');
		};
}

/** The data that n8n's Retry, or an execution that begins now, begins with. */
function dataOf(retried: Ended | undefined): IRun {
	if (retried && !retried.isCut) return retried.run;
	return retried?.saved ?? begun();
}

/** An execution that has begun, at a time that its Retries know. */
export const begun = (): IRun =>
	({
		data: createRunExecutionData({
			executionData: {
				nodeExecutionStack: [
					{
						node: { ...common, id: 'Source', name: 'Source', type: 'source' },
						data: { main: [[{ json: {} }]] },
						source: null,
					},
				],
				runtimeData: { version: 1, establishedAt: begunAt, source: 'webhook' },
			},
		}) as IRunExecutionData,
	}) as IRun;

/** The node that charges, with its runs written down. Retry On Fail has several tries of one. */
function watched(runs: Ended['runs']): INodeType {
	const type = packageNodes().platformCustomers;
	let index: unknown;
	async function execute(this: IExecuteFunctions) {
		const { $runIndex } = this.getWorkflowDataProxy(0);
		if ($runIndex === index) runs.pop();
		index = $runIndex;
		const run: Ended['runs'][number] = {
			input: this.getInputData().map(({ json }) => json as unknown as Item),
		};
		runs.push(run);
		const output = (await type.execute!.call(this)) as INodeExecutionData[][];
		run.output = output.flat().map(({ json }) => json);
		return output;
	}
	return Object.create(type, { execute: { value: execute } }) as INodeType;
}
