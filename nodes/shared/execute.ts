// Items in -> items out, for every operation of every action node.
//
// Why not n8n's declarative routing: it starts every item at once without a bound, never fetches
// pages in parallel, cannot wait on 429, loses the pairing of lists over several input items, and
// does not stop when the user cancels.
import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { Api } from './client/api';
import { openApi } from './client/door';
import { nodeError } from './client/http/nodeErrors';
import { Cancelled } from './client/http/transport';
import { onlyReads } from './endpoints';
import { nearestFirst } from './form/nearest';
import { optionsOf, outputOf } from './form/options';
import type { OutputFields } from './form/outputFields';
import type { Operation, Resource } from './operation';
import { inPool, Stopped } from './pool';
import { amountText } from './run/decimal';
import { earlierRunOf, type EarlierRun } from './run/earlierRuns';
import { Idempotency } from './run/idempotency';
import { apiFor, runItem, type ItemContext, type Prepared, type Session } from './run/item';
import { foundText } from './run/listing';
import { Checked, measured } from './run/precheck';
import { Progress } from './run/progress';
import { SafetyLimits } from './run/safetyLimits';
import { checkSame } from './run/sameForAll';
import { tellApplied } from './run/stopped';
import { VERSION } from './version';

/** The value by which n8n adds 'Custom API Call' to the pickers. */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

function chosenOperation(context: IExecuteFunctions, resources: Resource[]): Operation {
	const chosenResource = context.getNodeParameter('resource', 0);
	// n8n drops the operation of a resource that it doesn't know.
	const chosen = context.getNodeParameter('operation', 0, '');
	const operation = resources
		.find(({ value }) => value === chosenResource)
		?.operations.find(({ value }) => value === chosen);
	if (operation) return operation;
	// n8n offers this choice and runs the node with it.
	const isCustom = [chosenResource, chosen].includes(CUSTOM_API_CALL);
	const all = resources.flatMap((resource) =>
		resource.operations.map((each) => `${resource.value}.${each.value}`),
	);
	const wanted = [chosenResource, chosen].filter((each) => each !== '').join('.');
	throw new NodeOperationError(
		context.getNode(),
		isCustom
			? "This node doesn't support custom API calls. Choose an operation, or use the HTTP Request node with this credential."
			: `This node doesn't have the operation "${wanted}" (resource.operation). It has: ${nearestFirst(wanted, all).join(', ')}. If yours is newer than version ${VERSION} of this package, update the package.`,
	);
}

async function prepare(context: IExecuteFunctions, choose: () => Operation): Promise<Session> {
	const operation = choose();
	const output = outputOf(context, operation);
	const door = await openApi(context, optionsOf(context, operation));
	// n8n calls a node by this name when it is a tool.
	const isTool = context.getNode().type.endsWith('Tool');
	const session: Session = {
		operation,
		door,
		isTool,
		output,
		constants: new Map(),
		warnings: new Set(),
		found: [],
		progress: new Progress(context, operation.action, context.getInputData().length),
		dryRun: door.connection.isDry ? { items: 0, total: 0n, isPartial: false } : undefined,
		idempotency: Idempotency.of(context, operation, door),
		limits: SafetyLimits.of(context, operation),
	};
	// A list that several items ask for is read once. What writes reads each list as it is at that moment.
	if (context.getInputData().length > 1 && onlyReads(operation.route)) {
		door.shareLists();
		session.given = new WeakSet();
	}
	return session;
}

function errorItem(error: Error, index: number): INodeExecutionData {
	const { httpCode, description } = error as Error & { httpCode?: string; description?: string };
	// It has lines as the editor shows them.
	const text = description?.replaceAll('<br>', '');
	const details: IDataObject = { ...(httpCode ? { httpCode } : {}), description: text };
	// Exactly these keys: n8n recognizes error items by them and sends them to the error output.
	return { json: { error: error.message, details }, pairedItem: { item: index } };
}

/** Hints that the output shows; they stand above the items, and would fill the panel. */
const HINTS = 3;

/** Adds hints to the output, the last of them in one. */
function addHints(context: IExecuteFunctions, messages: string[]): void {
	const rest = messages.slice(HINTS - 1).join(' ');
	for (const message of [...messages.slice(0, HINTS - 1), rest].filter((each) => each !== '')) {
		context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	}
}

/** What a dry run tells of the requests that weren't sent. */
function dryRunHint({ dryRun, operation }: Session): string[] {
	if (!dryRun || dryRun.items === 0) return [];
	const { items, total, isPartial } = dryRun;
	const count = items === 1 ? '1 item' : `${items} items`;
	const hasTotal = operation.measure?.what === 'amount' && !isPartial;
	const sum = hasTotal ? `, ${amountText(total)} in total` : '';
	return [`Dry run, nothing was sent: "${operation.action}" for ${count}${sum}.`];
}

/** No item is sent, whatever each of them is like: together they go over a limit. */
class Refused extends Error {
	constructor(readonly reason: unknown) {
		super();
	}
}

/** The items of one execution, and what becomes of them. */
class Items {
	private readonly results: INodeExecutionData[][];

	/** Items whose write may have been applied, although it failed. */
	private readonly doubtful: number[] = [];

	/** Items that failed. */
	private readonly failed = new Set<number>();

	private readonly goesOn: boolean;

	private readonly earlierRun: EarlierRun | undefined;

	private readonly checked: Checked;

	/** Items under way. */
	private readonly begun = new Set<number>();

	/** Items that went through, or may have. */
	private readonly sent = new Set<number>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly session: Session,
	) {
		this.results = new Array<INodeExecutionData[]>(context.getInputData().length);
		this.goesOn = context.continueOnFail();
		this.earlierRun = earlierRunOf(context);
		this.checked = new Checked(context, session);
	}

	/** @throws the error that ends the run, which tells what was done before it */
	async run(): Promise<INodeExecutionData[]> {
		const { results, session, doubtful } = this;
		const isWrite = !onlyReads(session.operation.route);
		if (isWrite) await this.check();
		const unwatch = isWrite ? session.progress.watch(results, this.begun) : () => {};
		const work = inPool(results.length, session.door.parallel, async (index, run) => {
			results[index] = await this.runOne(index, run);
			session.progress.itemDone();
		});
		await work
			.catch((error: unknown) => {
				if (isWrite && error instanceof Error && !(error instanceof Cancelled)) {
					tellApplied(error, results, doubtful);
				}
				throw error;
			})
			.finally(() => {
				unwatch();
				for (const index of results.keys()) {
					if (!this.sent.has(index)) session.limits?.release(index);
				}
			});
		const { output } = session;
		// What reads give has the wanted fields only, from the beginning.
		if (!isWrite || !output) return results.flat();
		return results.flatMap((items, index) =>
			this.failed.has(index)
				? items
				: items.map((item) => ({ ...item, json: this.cut(item.json, output) })),
		);
	}

	/** The wanted fields; what says that it's no usual record stays whole. */
	private cut(json: IDataObject, output: OutputFields): IDataObject {
		const isWarned = this.session.warnings.has(String(json.warning));
		if (isWarned || json.skipped === true) return json;
		const { dryRun } = json;
		return { ...(output.cut(json) as IDataObject), ...(dryRun !== undefined && { dryRun }) };
	}

	/**
	 * Checks all items of a write before the first one is sent: with On Error: Stop each of them must be
	 * right, and together they keep to the Safety Limits.
	 */
	private async check(): Promise<void> {
		const { context, session, checked, goesOn, results } = this;
		const { limits } = session;
		const isMany = results.length > 1;
		if (!limits && (goesOn || !isMany)) return;
		const open = [...results.keys()].filter((index) => {
			const earlier = this.earlierRun?.get(index);
			return earlier === undefined || (earlier instanceof Error && Api.lostAnswer(earlier));
		});
		const items: Prepared[] = [];
		await checked.check(open, (item) => limits && items.push(item));
		if (!goesOn && checked.faults.size > 0) throw checked.error();
		if (!limits) return;
		const sums = measured(context, session, items, limits.measures);
		await sums
			.then((all) => limits.count(all))
			.catch((error: unknown) => {
				throw error instanceof Cancelled ? error : new Refused(error);
			});
	}

	/** The output of an item. */
	private async runOne(index: number, run: AbortSignal): Promise<INodeExecutionData[]> {
		const earlier = this.earlierRun?.get(index);
		const lostAnswer = earlier instanceof Error && Api.lostAnswer(earlier);
		if (earlier instanceof Error && !lostAnswer) return this.fail(earlier, index);
		if (Array.isArray(earlier)) return earlier;
		return await this.send(index, { run, lostAnswer }).then(
			(items) => {
				this.earlierRun?.set(index, items);
				return items;
			},
			(thrown: unknown) => {
				if (thrown instanceof Cancelled || thrown instanceof Stopped) throw thrown;
				const { action, route } = this.session.operation;
				const error = nodeError(thrown, {
					node: this.context.getNode(),
					itemIndex: index,
					items: this.results.length,
					action,
					route,
					secrets: [],
				});
				if (Api.mayBeApplied(error) || Api.lostAnswer(error)) {
					this.earlierRun?.set(index, error);
				}
				return this.fail(error, index);
			},
		);
	}

	/** Sends an item, unless its Idempotency Key was sent before. */
	private async send(index: number, more: ItemContext): Promise<INodeExecutionData[]> {
		const { context, session, begun } = this;
		const item = await this.checked.take(index);
		const api = apiFor(context, session, item, more);
		const send = async () => {
			begun.add(index);
			const items = await runItem(context, session, api, item).finally(() => begun.delete(index));
			this.sent.add(index);
			return items;
		};
		const { idempotency } = session;
		if (item.key === undefined || !idempotency) return await send();
		return await idempotency.once(item.key, index, send, () => api.writes);
	}

	/** Ends the run, or makes the error an item when the user chose to continue. */
	private fail(error: Error, index: number): INodeExecutionData[] {
		if (Api.mayBeApplied(error)) {
			this.doubtful.push(index);
			this.sent.add(index);
		}
		if (!this.goesOn) throw error;
		this.failed.add(index);
		return [errorItem(error, index)];
	}
}

/**
 * Runs the chosen operation for every input item: a bounded number at a time, results in the order
 * of the input, each output item paired with its input item. An item that fails ends the run, or
 * becomes an error item when the user chose to continue. Other items aren't affected.
 */
export async function executeOperations(
	this: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[][]> {
	return await execute(this, () => chosenOperation(this, resources));
}

/** The items of the agent that a tool works for. An agent that hands its own to a tool gives it just one. */
function itemsOfAgent(context: IExecuteFunctions): object[] {
	const { $input } = context.getWorkflowDataProxy(0);
	return $input.all() as object[];
}

/** The same for a tool with one operation, whose fields must be the same for all items of its agent. */
export async function executeTool(
	this: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	return await execute(this, () => {
		if (this.getInputData().length === 1) checkSame(this, operation, itemsOfAgent(this));
		return operation;
	});
}

async function execute(
	context: IExecuteFunctions,
	choose: () => Operation,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	if (items.length === 0) return [[]];
	const session = await prepare(context, choose).catch((error: unknown) =>
		nodeError(error, { node: context.getNode(), secrets: [] }),
	);
	if (session instanceof Error) {
		if (!context.continueOnFail()) throw session;
		return [items.map((_item, index) => errorItem(session, index))];
	}
	const run = new Items(context, session).run();
	const output = await run.catch((thrown: unknown) => {
		if (!(thrown instanceof Refused)) throw thrown;
		const { action, route } = session.operation;
		const error = nodeError(thrown.reason, { node: context.getNode(), action, route, secrets: [] });
		if (!context.continueOnFail()) throw error;
		return items.map((_item, index) => errorItem(error, index));
	});
	const unseen = session.output?.unseen ?? [];
	if (unseen.length > 0) {
		session.warnings.add(`Output Fields: no item has ${unseen.join(', ')}.`);
	}
	const { idempotency, warnings, found } = session;
	addHints(context, [
		...dryRunHint(session),
		...(idempotency?.hints() ?? []),
		...warnings,
		...foundText(found),
	]);
	return [output];
}
