// Keep New: passes on each key only once, also across executions. It sends no requests to the API.
import { sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { hashOf } from '../base/data';
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
	/** Has `key <key>` for each key that a try may have recorded. */
	unsure?: Record<string, true>;
	/**
	 * In a Retry that begins anew: hashes of the keys that the first execution has passed, with the run that passes them
	 * again.
	 */
	again?: Record<string, number>;
	/** Hashes of the keys that a try has recorded, passed nothing, and couldn't remove. */
	left?: Record<string, true>;
}

/** Finds or begins the run. Earlier ones can't start again. */
function runOf(context: IExecuteFunctions): Run {
	const flow = context.getContext('flow') as unknown as Record<string, Run | undefined>;
	const place = `Keep New ${context.getNode().id}`;
	const index = Number(context.getWorkflowDataProxy(0).$runIndex);
	const { [place]: newest } = flow;
	if (newest?.index === index) return newest;
	const isAnew = newest === undefined && context.getMode() === 'retry';
	const run: Run = { index, again: isAnew ? {} : newest?.again };
	flow[place] = run;
	return run;
}

/** The keys of one run of the node. */
class Keys {
	/** Keys and texts that this try has recorded. */
	readonly recorded: string[] = [];

	private readonly seen = new Set<string>();

	private readonly isRetry: boolean;

	/** When the execution began, also in n8n's Retry. Undefined where n8n doesn't tell. */
	private readonly begunAt?: number;

	/** The Retry of a sub-workflow's own execution: n8n tells the time of the Retry instead. */
	private readonly isLost: boolean;

	/** This run, in n8n's data of the execution. */
	private readonly own: Run;

	constructor(
		context: IExecuteFunctions,
		readonly store: KeyStore,
	) {
		this.isRetry = context.getMode() === 'retry';
		this.isLost = this.isRetry && context.getExecutionContext?.()?.source === 'retry';
		this.begunAt = begunAtOf(context);
		this.own = runOf(context);
	}

	/**
	 * Records a key, and that this execution passes it: after a crash, n8n's Retry starts the node again, and what it has passed
	 * may have gone nowhere.
	 * @throws Error if n8n doesn't say whether it's new
	 */
	async mayPass(key: string): Promise<boolean> {
		const { store, begunAt, recorded } = this;
		if (this.seen.has(key)) return false;
		this.seen.add(key);
		const passed = begunAt === undefined ? [] : [`passed ${begunAt} ${key}`];
		const known = await store.add([key], passed).catch((error: unknown) => {
			this.noteUnsure(key);
			throw error;
		});
		if (!known.has(key)) {
			recorded.push(key, ...passed);
			return true;
		}
		if (this.own.left?.[keyHash(key)]) {
			recorded.push(key, ...passed);
			return true;
		}
		if (known.isUnsure) this.noteUnsure(key);
		const isUnsure = this.own.unsure?.[`key ${key}`] !== undefined;
		if (!isUnsure && passed.some((text) => known.has(text))) return this.mayPassAgain(key);
		// It's the key of another execution, or may be.
		if (passed.length > 0) await store.removeOnce(passed);
		if (!isUnsure && this.isLost) throw new Error(lostText(key));
		if (!isUnsure) return false;
		throw new Error(
			`n8n's store didn't respond, so it isn't known whether the key "${key}" is new. Check whether this item was processed.`,
		);
	}

	/** The run fails, but its keys are still there: its next try passes them. */
	noteLeft(): void {
		this.own.left ??= {};
		for (const key of this.recorded) this.own.left[keyHash(key)] = true;
	}

	/** In n8n's Retry, what the first execution has passed is passed again, by one run of the node. */
	private mayPassAgain(key: string): boolean {
		const { index, again } = this.own;
		if (!again) return false;
		const hash = keyHash(key);
		again[hash] ??= index;
		return again[hash] === index;
	}

	private noteUnsure(key: string): void {
		this.own.unsure ??= {};
		this.own.unsure[`key ${key}`] = true;
	}
}

const keyHash = (key: string): string => `key ${hashOf(key).slice(0, 12)}`;

const lostText = (key: string) =>
	`n8n doesn't tell whether the execution before this one has passed the key "${key}", as of a sub-workflow. Check whether this item was processed. To go on with the others, set On Error to Continue.`;

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
		if (failure) await run.store.removeOnce(run.recorded).catch(() => run.noteLeft());
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
