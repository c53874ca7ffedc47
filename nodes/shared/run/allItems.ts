// Runs all items of one execution. Collects their output, or their errors if the user chose to continue.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Api } from '../client/api';
import { Cancelled } from '../client/http/transport';
import { onlyReads } from '../endpoints';
import type { OutputFields } from '../form/outputFields';
import { inPool, Stopped } from '../pool';
import { earlierRunOf, type EarlierRun } from './earlierRuns';
import { runItem } from './item';
import { Checked, measured } from './precheck';
import { apiFor, runError, type ItemContext, type Prepared } from './prepare';
import type { Session } from './session';
import { tellApplied } from './stopped';

/** The output item for an error, if the user chose to continue. */
export function errorItem(error: Error, index: number): INodeExecutionData {
	const { httpCode, description } = error as Error & { httpCode?: string; description?: string };
	// The editor needs <br> for line breaks.
	const text = description?.replaceAll('<br>', '');
	const details: IDataObject = { ...(httpCode ? { httpCode } : {}), description: text };
	// n8n recognizes error items by exactly these keys, and sends them to the error output.
	return { json: { error: error.message, details }, pairedItem: { item: index } };
}

export class AllItems {
	private readonly results: INodeExecutionData[][];

	/** Items that failed, but may have gone through. */
	private readonly doubtful: number[] = [];

	private readonly failed = new Set<number>();

	private readonly goesOn: boolean;

	private readonly earlierRun: EarlierRun | undefined;

	private readonly checked: Checked;

	/** Items under way. */
	private readonly begun = new Map<number, Api>();

	/** Items that went through, or may have. */
	private readonly sent = new Set<number>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly session: Session,
	) {
		const items = session.isGathered ? 1 : context.getInputData().length;
		this.results = new Array<INodeExecutionData[]>(items);
		this.goesOn = context.continueOnFail();
		this.earlierRun = earlierRunOf(context);
		this.checked = new Checked(context, session);
	}

	/** @throws the error that stops the run, which also says what was done before it */
	async run(): Promise<INodeExecutionData[]> {
		const { context, results, session, doubtful } = this;
		const isWrite = !onlyReads(session.operation.route);
		if (isWrite) {
			const refusal = await this.check();
			if (refusal) return context.getInputData().map((_item, index) => errorItem(refusal, index));
		}
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
		// Rows of reads have been cut to the wanted fields already.
		if (!isWrite || !output) return results.flat();
		return results.flatMap((items, index) =>
			this.failed.has(index)
				? items
				: items.map((item) => ({ ...item, json: this.cut(item.json, output) })),
		);
	}

	/** Keeps only the wanted fields. Skipped items and those with a warning stay whole. */
	private cut(json: IDataObject, output: OutputFields): IDataObject {
		const isWarned = this.session.warnings.has(String(json.warning));
		if (isWarned || json.skipped === true) return json;
		const { dryRun } = json;
		return { ...(output.cut(json) as IDataObject), ...(dryRun !== undefined && { dryRun }) };
	}

	/**
	 * Checks all items of a write before the first one is sent. With On Error: Stop, each of them must be
	 * valid. Together, they must stay within the Safety Limits.
	 * @returns the reason why no item is sent, if the user chose to continue
	 */
	private async check(): Promise<Error | undefined> {
		const { context, session, checked, goesOn, results } = this;
		const { limits } = session;
		if (!limits && (goesOn || results.length === 1)) return undefined;
		const open = [...results.keys()].filter((index) => this.earlierResult(index) === undefined);
		const items: Prepared[] = [];
		await checked.check(open, (item) => limits && items.push(item));
		if (!goesOn && checked.faults.size > 0) throw checked.error();
		if (!limits) return undefined;
		return await measured(context, session, items, limits.measures)
			.then((sums) => limits.count(sums))
			.then(() => undefined)
			.catch((thrown: unknown) => {
				if (thrown instanceof Cancelled) throw thrown;
				const error = runError(context, session, thrown);
				if (!goesOn) throw error;
				return error;
			});
	}

	/** Result of an earlier run; undefined if the item has to be sent, also again after a lost response. */
	private earlierResult(index: number): INodeExecutionData[] | Error | undefined {
		const result = this.earlierRun?.get(index);
		return result instanceof Error && Api.lostResponse.has(result) ? undefined : result;
	}

	private async runOne(index: number, run: AbortSignal): Promise<INodeExecutionData[]> {
		const earlier = this.earlierResult(index);
		if (earlier instanceof Error) return this.fail(earlier, index);
		if (earlier) return earlier;
		const lostResponse = this.earlierRun?.has(index);
		return await this.send(index, { run, lostResponse }).then(
			(items) => {
				this.earlierRun?.set(index, items);
				return items;
			},
			(thrown: unknown) => {
				if (thrown instanceof Cancelled || thrown instanceof Stopped) throw thrown;
				const at = { itemIndex: index, items: this.results.length };
				const error = runError(this.context, this.session, thrown, at);
				if (Api.mayBeApplied.has(error) || Api.lostResponse.has(error)) {
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
			begun.set(index, api);
			try {
				const items = await runItem(context, session, api, item);
				this.sent.add(index);
				return items;
			} finally {
				begun.delete(index);
			}
		};
		const { idempotency } = session;
		if (item.key === undefined || !idempotency) return await send();
		return await idempotency.once(item.key, index, send, () => api.writes);
	}

	/** Stops the run, or returns an error item if the user chose to continue. */
	private fail(error: Error, index: number): INodeExecutionData[] {
		if (Api.mayBeApplied.has(error)) {
			this.doubtful.push(index);
			this.sent.add(index);
		}
		if (!this.goesOn) throw error;
		this.failed.add(index);
		return [errorItem(error, index)];
	}
}
