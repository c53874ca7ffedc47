// Keep New: passes on each key only once, also across executions. It sends no requests to the API. Beyond n8n's Remove
// Duplicates, which fails for good when its history is full: the oldest keys are forgotten, and n8n's Retry passes on again
// what the execution had passed on.
import { sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { hashOf, recordOf } from '../base/data';
import { IN_ONE_GO } from '../base/pool';
import { secretsOfNode } from '../client/http/credential';
import { nodeError } from '../client/http/errors';
import { numberFrom } from '../form/options';
import { windowField } from '../form/safety';
import { errorItem } from '../run/leftOut';
import { keyFrom } from '../run/idempotency';
import { KeyStore } from '../run/keyStore';

/** Texts in n8n's store for each key: the key, and the execution that passes it on. */
const TEXTS_OF_A_KEY = 2;

/** The keys that this execution knows, in n8n's data of the execution. */
interface KnownKeys {
	execution: string;
	/** The hash of a key has the run that passes the key on, that it's old, or that n8n's store hasn't said whether it's new. */
	keys: Record<string, number | 'old' | 'unsure'>;
}

class Keys {
	private readonly seen = new Set<string>();

	private readonly isRetry: boolean;

	/** Begin of the execution, as in its Retries. Undefined in a sub-workflow's own Retry, for which n8n tells another time. */
	private readonly begunAt?: number;

	private readonly run: number;

	private readonly known: KnownKeys;

	constructor(
		context: IExecuteFunctions,
		private readonly store: KeyStore,
	) {
		const { establishedAt, source } = context.getExecutionContext?.() ?? {};
		this.isRetry = context.getMode() === 'retry';
		this.begunAt = source === 'retry' ? undefined : establishedAt;
		this.run = Number(context.getWorkflowDataProxy(0).$runIndex);
		const execution = context.getExecutionId() ?? '';
		const flow = context.getContext('flow') as unknown as Record<string, KnownKeys | undefined>;
		const place = `Keep New ${context.getNode().id}`;
		this.known = flow[place] ??= { execution, keys: {} };
		if (this.known.execution === execution) return;
		// n8n's Retry, with the data of the execution before it. That has only keys of the run that failed (`end`), which starts
		// again as this run: they're passed on again.
		this.known.execution = execution;
		for (const [hash, run] of Object.entries(this.known.keys)) {
			if (typeof run === 'number') this.known.keys[hash] = this.run;
		}
	}

	/** Records a key as passed on. True for the first item of its run with a new key. Throws if nothing tells if it's new. */
	async mayPass(key: string): Promise<boolean> {
		const { store, run, isRetry, begunAt } = this;
		const { keys } = this.known;
		if (this.seen.has(key)) return false;
		this.seen.add(key);
		const hash = hashOf(key).slice(0, 12);
		const before = keys[hash];
		// What another round of a loop passes on, and what is old, isn't passed on here.
		if (before !== undefined && before !== 'unsure') return before === run;
		const passed = `passed ${begunAt} ${key}`;
		const inStore = await store.add([key], [passed]).catch((error: unknown) => {
			keys[hash] = 'unsure';
			throw error;
		});
		const isKnown = inStore.has(key);
		const isUnsure = before === 'unsure' || inStore.isUnsure === true;
		// `passed` would tell, but not without the time at which the execution began.
		const isLost = isRetry && begunAt === undefined;
		if (isKnown && (isUnsure || isLost)) {
			keys[hash] = 'unsure';
			throw new Error(
				`n8n doesn't tell whether the key "${key}" was passed on before. Check whether this item was processed.`,
			);
		}
		const isOwn = isRetry && inStore.has(passed);
		if (isKnown && !isOwn) {
			keys[hash] = 'old';
			// `passed` was recorded just now, and isn't true.
			await store.removeOnce([passed]);
			return false;
		}
		keys[hash] = run;
		return true;
	}

	/**
	 * The keys of the run that has ended are dropped, so that n8n's Retry finds only those of a run that failed. In a Retry they
	 * stay: later rounds of a loop must not pass them on once more.
	 */
	end(): void {
		if (this.isRetry) return;
		for (const [hash, run] of Object.entries(this.known.keys)) {
			if (run !== 'unsure') delete this.known.keys[hash];
		}
	}
}

/** Passes on the items whose key the node hasn't seen. With On Error: Continue, an item can fail alone. */
export async function keepNew(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const node = context.getNode();
	/** @throws the error unless the user chose to continue */
	const failed = async (thrown: unknown, itemIndex: number) => {
		const secrets = await secretsOfNode(context);
		const error = nodeError(thrown, { node, itemIndex, items: items.length, secrets });
		if (!context.continueOnFail()) throw error;
		return [errorItem(error, itemIndex)];
	};
	try {
		const options = recordOf(context.getNodeParameter('options', 0, {}));
		const store = new KeyStore(
			context,
			TEXTS_OF_A_KEY * numberFrom('Options', windowField, options),
		);
		const keys = new Keys(context, store);
		const outputOf = async (index: number): Promise<INodeExecutionData[]> => {
			try {
				const key = keyFrom(context.getNodeParameter('key', index), 'Key');
				const isPassed = await keys.mayPass(key);
				return isPassed ? [{ ...items[index], pairedItem: { item: index } }] : [];
			} catch (error) {
				return await failed(error, index);
			}
		};
		// All are started, since the store records the keys that wait in one call.
		const results: Array<Promise<INodeExecutionData[]>> = [];
		for (const index of items.keys()) {
			if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
			const result = outputOf(index);
			// An item may fail while others are started, and a rejection that nothing handles by then can end n8n's process.
			result.catch(() => {});
			results.push(result);
		}
		// All are waited for, so that what the store has recorded is known.
		const ended = await Promise.allSettled(results);
		// A witness that stays in the store does no harm.
		await store.flush().catch(() => {});
		const output = ended.flatMap((each) => {
			if (each.status === 'rejected') throw each.reason;
			return each.value;
		});
		keys.end();
		return [output];
	} catch (thrown) {
		const error = nodeError(thrown, { node, secrets: await secretsOfNode(context) });
		if (!context.continueOnFail()) throw error;
		return [items.map((_item, index) => errorItem(error, index))];
	}
}
