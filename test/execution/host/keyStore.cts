// The store behind n8n's Remove Duplicates, as n8n 2.41.1 has it: one record for each node, read and
// written whole, its values as MD5. Two calls at once lose what one of them wrote, and two that create
// the record at once fail.
import { createHash } from 'node:crypto';
import { wait } from '../../wait.cts';
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IExecuteFunctions,
	IDataDeduplicator,
	IDeduplicationOutput,
	DeduplicationItemTypes,
} from 'n8n-workflow';

/** The hashes of each node. A list is never changed, as a record that was read isn't changed by a later write. */
const rows = new Map<string, readonly string[]>();

/** Hashes that were made before, since the same texts are looked up again and again. */
const hashes = new Map<string, string>();

/** Makes the store fail, and take other times than 1 ms, one after another, while it's set. */
export const store: {
	fault?: () => void;
	/** Loses the response of a call that has recorded. */
	lose?: () => boolean;
	times?: number[];
	calls: number;
} = { calls: 0 };

/** Forgets everything. */
export function clearStore(): void {
	rows.clear();
	hashes.clear();
	store.fault = undefined;
	store.lose = undefined;
	store.times = undefined;
	store.calls = 0;
}

/** So many calls of the store fail, or all. */
export function lockStore(calls = Infinity): undefined {
	let failed = 0;
	store.fault = () => {
		if (failed++ < calls) throw new Error('database is locked');
	};
}

/** The responses of so many calls are lost. */
export function loseResponses(calls: number): void {
	let lost = 0;
	store.lose = () => lost++ < calls;
}

/** The database as it is now. Returns a function that brings it back, as it is after a crash. */
export function crashPoint(): () => void {
	const saved = storedRows();
	return () => restoreRows(saved);
}

/** All that is kept, as JSON. */
export const storedRows = (): Array<[place: string, hashes: readonly string[]]> => [...rows];

/** Keeps this and nothing else. */
export function restoreRows(kept: ReturnType<typeof storedRows>): void {
	rows.clear();
	for (const [place, row] of kept) rows.set(place, row);
}

/** How many values are kept. */
export const storedCount = (): number =>
	[...rows.values()].reduce((sum, row) => sum + row.length, 0);

function hashOf(value: DeduplicationItemTypes): string {
	const text = value.toString();
	const hash = hashes.get(text) ?? createHash('md5').update(text).digest('base64');
	hashes.set(text, hash);
	return hash;
}

/** Adds values to each record that there is, up to so many. */
export function fillStore(count: number): void {
	for (const [place, row] of rows) {
		const kept = [...row];
		while (kept.length < count) kept.push(`hash ${kept.length}`);
		rows.set(place, kept);
	}
}

/** Drops the oldest values of each record, as n8n does where it's full. */
export function dropOldest(count: number): void {
	for (const [place, row] of rows) rows.set(place, row.slice(count));
}

const rowOf = (scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData) =>
	`${workflow.id} ${scope === 'node' ? node?.id : ''}`;

/** The time that a database takes. */
const trip = async () => {
	store.calls++;
	store.fault?.();
	await wait(store.times ? store.times[store.calls % store.times.length] : 1);
};

class Store implements IDataDeduplicator {
	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		data: ICheckProcessedContextData,
		{ maxEntries = Infinity }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const place = rowOf(scope, data);
		const row = rows.get(place);
		await trip();
		const kept = [...(row ?? [])];
		const output: IDeduplicationOutput = { new: [], processed: [] };
		const before = new Set(kept);
		for (const item of items) {
			const isKnown = before.has(hashOf(item));
			output[isKnown ? 'processed' : 'new'].push(item);
			if (!isKnown) kept.push(hashOf(item));
		}
		if (row === undefined && rows.has(place)) throw new Error('UNIQUE constraint failed');
		rows.set(place, kept.slice(-maxEntries));
		if (store.lose?.()) throw new Error('Connection terminated');
		return output;
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		data: ICheckProcessedContextData,
	): Promise<void> {
		const place = rowOf(scope, data);
		const row = rows.get(place);
		await trip();
		if (row === undefined) return;
		const kept = [...row];
		// As slow as n8n does it.
		for (const hash of items.map(hashOf)) {
			const at = kept.indexOf(hash);
			if (at >= 0) kept.splice(at, 1);
		}
		rows.set(place, kept);
	}

	async clearAllProcessedItems(scope: DeduplicationScope, data: ICheckProcessedContextData) {
		rows.delete(rowOf(scope, data));
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		data: ICheckProcessedContextData,
	): Promise<number> {
		await trip();
		return rows.get(rowOf(scope, data))?.length ?? 0;
	}
}

void DataDeduplicationService.init(new Store());

type Helpers = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** What a node asks n8n of its store. */
export function storeContext(): IExecuteFunctions {
	const data = { workflow: { id: 'w' }, node: { id: 'n' } } as ICheckProcessedContextData;
	const { checkProcessedAndRecord, removeProcessed } = new Store();
	const helpers: Helpers = {
		checkProcessedAndRecord: async (items, scope, options) =>
			await checkProcessedAndRecord(items, scope, data, options),
		removeProcessed: async (items, scope) => await removeProcessed(items, scope, data),
	};
	const { workflow, node } = data;
	return {
		getWorkflow: () => workflow,
		getNode: () => node,
		helpers,
	} as unknown as IExecuteFunctions;
}
