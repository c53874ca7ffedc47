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
import { AsyncLocalStorage } from 'node:async_hooks';
import { parse, stringify } from 'flatted';
import { byId } from './run.cts';
import { clearStore, store } from './keyStore.cts';
import { ownNode, runWorkflow } from './host.cts';
import { freshNode, packageNodes } from './package.cts';
import { retryOnFail } from './tool.cts';
import { nodeOf } from './workflow.cts';
import type { Received, Reply, Service } from './service.cts';

/** What the service does with the first request for a customer. Later ones are applied. */
export type Fate = 'applied' | 'declined' | 'lost, applied' | 'lost, not applied' | 'stalls';

export type Shape =
	| 'a loop'
	| 'a Wait'
	| 'an error output that leads back'
	| 'an error output that leads back without error'
	| 'one run'
	| 'two runs';

/** The form of the node when the execution is started again. */
export type Change = 'amount' | 'key' | 'no key' | 'none' | 'other key' | 'other operation';

/**
 * A moment at which something fails: a call of n8n's store, or a request, by its number in the execution.
 * - `fails`: the store fails from here on, or the request is declined. `loses`: the response is lost.
 * - `killed`: n8n dies before the store has recorded anything, or once the request was applied. `killed before`: before that.
 * - `cancelled`: the execution is cancelled meanwhile.
 */
export interface Fault {
	of: 'request' | 'store';
	at: number;
	how: 'cancelled' | 'fails' | 'killed before' | 'killed' | 'loses';
}

export interface Again {
	/** The execution whose Retry it is. */
	of: 'first' | 'last';
	change: Change;
	/** The node before gives another list. */
	list: 'one more first' | 'others' | 'same' | 'turned round';
	/** Two Retries at the same time, in two processes. */
	isTwice: boolean;
	/** Another process does it. */
	isElsewhere: boolean;
	fault?: Fault;
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
	/** Max Total is what the list has. */
	isLimited: boolean;
	/** What a request that stalls ends with. */
	cut: 'cancelled' | 'killed';
	/** n8n saves the data of the execution after each node. */
	savesProgress: boolean;
	isKilledLater: boolean;
	/** Of the first execution. */
	fault?: Fault;
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
	/**
	 * What came to the node and what came out, by its runs, and the customers that were charged by then. No output of one that
	 * failed.
	 */
	runs: Array<{ input: Item[]; output?: IDataObject[]; charged: Set<string> }>;
	/** Calls of the store, and requests: so many moments there are. */
	moments: Record<Fault['of'], number>;
}

/** An execution under way. */
interface UnderWay {
	fault?: Fault;
	/** Its process was killed: it can record nothing more, and send nothing. */
	isDead: boolean;
	moments: Ended['moments'];
	/** What has ended it. */
	how?: Scene['cut'];
	cut: (how: Scene['cut']) => void;
}

/** An execution that begins, and the sign at which n8n cancels it. A killed one needn't go on, either. */
function underWayWith(fault?: Fault): { execution: UnderWay; cancelAfter: Promise<void> } {
	let cutNow = () => {};
	const cancelAfter = new Promise<void>((resolve) => (cutNow = resolve));
	const execution: UnderWay = {
		fault,
		isDead: false,
		moments: { store: 0, request: 0 },
		cut: (how) => {
			execution.how ??= how;
			execution.isDead = execution.how === 'killed';
			cutNow();
		},
	};
	return { execution, cancelAfter };
}

/** The execution that calls n8n's store. */
const underWay = new AsyncLocalStorage<UnderWay>();

/** A moment of an execution has come. Returns what happens in it. */
function momentOf(execution: UnderWay, of: Fault['of']): Fault['how'] | undefined {
	const { fault, moments } = execution;
	const at = ++moments[of];
	if (fault?.of !== of) return undefined;
	if (at !== fault.at && !(of === 'store' && fault.how === 'fails' && at > fault.at))
		return undefined;
	if (fault.how === 'cancelled') execution.cut('cancelled');
	if (fault.how.startsWith('killed')) execution.cut('killed');
	return fault.how;
}

/** n8n's store fails as the executions under way say. */
function failStore(): void {
	let how: Fault['how'] | undefined;
	store.fault = () => {
		const execution = underWay.getStore();
		how = execution && !execution.isDead ? momentOf(execution, 'store') : undefined;
		if (execution?.isDead) throw new Error('n8n was killed');
		if (how === 'fails') throw new Error('database is locked');
	};
	store.lose = () => how === 'loses';
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

/** The node that charges, in two processes of n8n. */
let processes: INodeType[] | undefined;

const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };

const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];

let started = 0;

/** When n8n began an execution. */
let begunAt = 1;

export class World {
	/** How often each customer was charged. */
	readonly applied = new Map<string, number>();

	/** The sum of all charges. */
	total = 0;

	private readonly asked = new Map<string, number>();

	/** Executions under way by their API key, which tells whose request it is. */
	private readonly executions = new Map<string, UnderWay>();

	constructor(
		private readonly service: Service,
		readonly scene: Scene,
	) {
		clearStore();
		failStore();
		service.behave(async (request) => await this.reply(request));
	}

	private async reply(request: Received): Promise<Reply | undefined> {
		const { path, body, apiKey } = request;
		const customer = path.split('/')[2];
		const execution = this.executions.get(apiKey);
		const silence = async () => await new Promise<undefined>(() => {});
		// What a process has sent that is gone.
		if (!execution || execution.isDead) return await silence();
		const how = momentOf(execution, 'request');
		if (how === 'killed before') return await silence();
		if (how === 'fails') return { status: 422, body: { error: 'Declined' } };
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
		this.total += Number(/"amount":"?(\d+)/.exec(JSON.stringify(body))?.[1]);
		if (how === 'cancelled' || how === 'killed') return await silence();
		if (how === 'loses' || fate === 'lost, applied') return undefined;
		if (fate === 'applied') return { body: { id: `ch-${customer}-${count}` } };
		execution.cut(this.scene.cut);
		return await silence();
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
		if (list === 'others') {
			return items.map(({ customer, order }) => ({
				customer: `${customer}0`,
				order: order && `${order}0`,
			}));
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
			case 'a Wait':
				return {
					Source: { main: [to('Between')] },
					Between: { main: [to('Node')] },
					Node: { main: [to('Later'), to('Later')] },
					Later: { main: [to('Again')] },
					Again: { main: [to('Loop')] },
					Loop: { main: [to('Between')] },
				};
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
	private types(items: Item[], killsAt: number, runs: Ended['runs'], type: INodeType) {
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
					if (shape === 'a Wait') return await Promise.resolve([items.slice(0, half).map(json)]);
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
				const at = place.at ?? (shape === 'a Wait' ? half : 0);
				place.at = at + (shape === 'a Wait' ? items.length : 2);
				return await Promise.resolve([items.slice(at, place.at).map(json)]);
			}),
			Between: ownNode('Between', async function () {
				return await Promise.resolve([this.getInputData()]);
			}),
			platformCustomers: watched(runs, type, this.applied),
			Again: ownNode('Again', async function () {
				if (shape === 'a Wait') {
					await this.putExecutionToWait(new Date());
					return [this.getInputData()];
				}
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
		isElsewhere = false,
		fault,
	}: {
		retried?: Ended;
		form?: Form;
		list?: Again['list'];
		items?: Item[];
		isKilledLater?: boolean;
		isElsewhere?: boolean;
		fault?: Fault;
	}): Promise<Ended> {
		const { scene, service, executions } = this;
		if (!retried) begunAt++;
		// Where n8n has kept the data, the nodes before don't run again.
		const isAnew = !retried || (retried.isCut && !retried.saved);
		const items = isAnew ? given : retried.items;
		const runs: Ended['runs'] = [];
		const executionId = `world-${++started}`;
		const apiKey = `key-of-${executionId}`;
		let saved: IRun | undefined;
		const { execution, cancelAfter } = underWayWith(fault);
		executions.set(apiKey, execution);
		processes ??= [packageNodes().platformCustomers, freshNode('platformCustomers')];
		const node = processes[isElsewhere ? 1 : 0];
		const types = this.types(items, isKilledLater ? 1 : 0, runs, node);
		const mode = retried ? 'retry' : 'webhook';
		const before = dataOf(retried);
		const go = async (data: IRun) =>
			await runWorkflow({
				nodes: this.nodes({ key: this.keyOfScene, ...form }),
				connections: this.connections,
				types: types as never,
				credential: { ...service.credential, apiKey },
				start: 'Source',
				mode,
				retryOf: data,
				cancelAfter,
				more: { executionId },
				afterNode: (kept) => {
					if (scene.savesProgress && execution.how === undefined) saved = copyOf({ data: kept });
				},
			});
		const run = await underWay.run(execution, async () => {
			const first = await go(before);
			if (first.status !== 'waiting') return first;
			// Another process goes on after a Wait.
			saved = copyOf(first);
			return await go(saved);
		});
		executions.delete(apiKey);
		// Of a Retry that was cut off, n8n has what it began with.
		const kept = { killed: saved, began: isAnew ? undefined : before };
		return { ...cutOff(run, execution, kept), items, runs, moments: execution.moments };
	}
}

/** How an execution has ended, and what n8n has kept of one that was cut off. */
function cutOff(
	run: IRun,
	{ how, isDead }: UnderWay,
	kept: { killed?: IRun; began?: IRun },
): Pick<Ended, 'error' | 'isCut' | 'run' | 'saved'> {
	const error = run.data.resultData.error?.message;
	const isKilled = error === 'killed' || isDead;
	const isCut = isKilled || (how !== undefined && run.status === 'canceled');
	const saved = (isKilled ? kept.killed : undefined) ?? kept.began;
	return { run, error, isCut, ...(isCut && { saved }) };
}

const copyOf = (run: object) => parse(stringify(run)) as IRun;

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
function watched(runs: Ended['runs'], type: INodeType, applied: Map<string, number>): INodeType {
	let index: unknown;
	async function execute(this: IExecuteFunctions) {
		const { $runIndex } = this.getWorkflowDataProxy(0);
		if ($runIndex === index) runs.pop();
		index = $runIndex;
		const run: Ended['runs'][number] = {
			input: this.getInputData().map(({ json }) => json as unknown as Item),
			charged: new Set(),
		};
		runs.push(run);
		const ended = type.execute!.call(this) as Promise<INodeExecutionData[][]>;
		const output = await ended.finally(() => (run.charged = new Set(applied.keys())));
		// Nobody gets what a run makes that was cut off.
		if (underWay.getStore()?.how === undefined) run.output = output.flat().map(({ json }) => json);
		return output;
	}
	return Object.create(type, { execute: { value: execute } }) as INodeType;
}
