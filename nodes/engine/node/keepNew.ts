// Keep New: passes on each key only once, also across executions. It sends no requests to the API.
import { sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { IN_ONE_GO } from '../base/pool';
import { nodeError } from '../client/http/errors';
import { errorItem } from '../run/allItems';
import { keyFrom, TEXTS, windowOf } from '../run/idempotency';
import { KeyStore } from '../run/keyStore';
import { begunAtOf } from '../run/runMark';

/** The newest run of the node, in n8n's data of the execution. */
interface Run {
	/** Its `$runIndex`. */
	index: number;
	/**
	 * Its number among the runs of the node in this execution. `$runIndex` can't be used for that: after a crash, n8n adds a
	 * run of each node that had begun, so its Retry has another index.
	 */
	number: number;
	/** Has `key <key>` for each key that a try may have recorded. */
	unsure?: Record<string, true>;
}

/** Finds or begins the run. Earlier ones can't start again. */
function runOf(context: IExecuteFunctions): Run {
	const flow = context.getContext('flow') as unknown as Record<string, Run | undefined>;
	const place = `Keep New ${context.getNode().id}`;
	const index = Number(context.getWorkflowDataProxy(0).$runIndex);
	const { [place]: newest } = flow;
	if (newest?.index === index) return newest;
	const run = { index, number: (newest?.number ?? 0) + 1 };
	flow[place] = run;
	return run;
}

/** The keys of one run of the node. */
class Keys {
	/** Keys and texts that this try has recorded. */
	readonly recorded: string[] = [];

	private readonly seen = new Set<string>();

	private readonly isRetry: boolean;

	/** Names the run. It has the same name in n8n's Retry. Undefined where n8n doesn't tell when it began. */
	private readonly run?: string;

	/** This run, in n8n's data of the execution. */
	private readonly own: Run;

	constructor(
		context: IExecuteFunctions,
		readonly store: KeyStore,
	) {
		this.isRetry = context.getMode() === 'retry';
		const begunAt = begunAtOf(context);
		this.own = runOf(context);
		if (begunAt !== undefined) this.run = `${begunAt} ${this.own.number}`;
	}

	/**
	 * Records a key, and that this run passes it: after a crash, n8n's Retry starts the node again, and what it has passed
	 * may have gone nowhere.
	 * @throws Error if n8n doesn't say whether it's new
	 */
	async mayPass(key: string): Promise<boolean> {
		const { store, run, recorded } = this;
		if (this.seen.has(key)) return false;
		this.seen.add(key);
		const passed = run === undefined ? [] : [`passed ${run} ${key}`];
		const known = await store.add([key], passed).catch((error: unknown) => {
			this.noteUnsure(key);
			throw error;
		});
		if (!known.has(key)) {
			recorded.push(key, ...passed);
			return true;
		}
		if (known.isUnsure) this.noteUnsure(key);
		const isUnsure = this.own.unsure?.[`key ${key}`] !== undefined;
		if (!isUnsure && passed.some((text) => known.has(text))) return this.isRetry;
		// It's the key of another run, or may be.
		if (passed.length > 0) await store.removeOnce(passed);
		if (!isUnsure) return false;
		throw new Error(
			`n8n's store didn't respond, so it isn't known whether the key "${key}" is new. Check whether this item was processed.`,
		);
	}

	private noteUnsure(key: string): void {
		this.own.unsure ??= {};
		this.own.unsure[`key ${key}`] = true;
	}
}

/** Passes on the items whose key the node hasn't seen. With On Error: Continue, an item can fail by itself. */
export async function keepNew(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const node = context.getNode();
	const failed = (thrown: unknown, itemIndex: number) => {
		const error = nodeError(thrown, { node, itemIndex, items: items.length, secrets: [] });
		if (!context.continueOnFail()) throw error;
		return [errorItem(error, itemIndex)];
	};
	const keys: Array<string | INodeExecutionData[]> = [];
	for (const index of items.keys()) {
		if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
		try {
			keys.push(keyFrom(context.getNodeParameter('key', index), 'Key'));
		} catch (error) {
			keys.push(failed(error, index));
		}
	}
	const output = async (run: Keys) => {
		const results = await Promise.allSettled(
			items.map(async (item, index) => {
				const key = keys[index];
				if (typeof key !== 'string') return key;
				return await run.mayPass(key).then(
					(isPassed) => (isPassed ? [{ ...item, pairedItem: { item: index } }] : []),
					(error: unknown) => failed(error, index),
				);
			}),
		);
		const failure = results.find((each) => each.status === 'rejected');
		// A run that fails passes nothing. Its next try must not take these keys for old ones.
		if (failure) await run.store.removeOnce(run.recorded).catch(() => {});
		// A witness that stays in the store does no harm.
		await run.store.flush().catch(() => {});
		if (failure) throw failure.reason;
		return results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
	};
	try {
		const store = new KeyStore(context, TEXTS * windowOf(context));
		return [await output(new Keys(context, store))];
	} catch (thrown) {
		const error = nodeError(thrown, { node, secrets: [] });
		if (!context.continueOnFail()) throw error;
		return [items.map((_item, index) => errorItem(error, index))];
	}
}
