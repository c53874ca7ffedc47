// Rows of a poll compared with those of earlier ones -> the items to output.
import type { INodeExecutionData } from 'n8n-workflow';

import { isWanted, toItem } from './items';
import { unpack, type KnownRows } from './memory';
import type { Watch, WatchedRow } from './reading';
import { missingOf } from './registered';
import { seenBy, type Seen } from './seen';
import type { Sweep } from './sweep';
import { isMadeSince } from './time';

export class ChangedRows {
	/** Rows of earlier polls. Undefined until the whole list was read once. */
	readonly known?: KnownRows;

	/** Rows that the first sweep has seen in earlier polls. */
	private readonly stocked: KnownRows;

	/** When the first poll began. */
	private readonly since: number;

	constructor(
		private readonly watch: Watch,
		seen: Seen,
	) {
		this.known = seen.groups && unpack(seen.groups);
		this.stocked = seenBy(seen);
		this.since = seen.since ?? Infinity;
	}

	/** The row is new, has another status or other fields. In the first sweep, rows that were made since it began are new. */
	isChanged = ({ hash, status, hashes, row }: WatchedRow): boolean => {
		if (this.known) {
			const before = this.known.get(hash);
			return before === undefined || before.status !== status || before.hashes !== hashes;
		}
		return !this.stocked.has(hash) && isMadeSince(this.watch, row, this.since);
	};

	/** The row gets an item. Where missing rows are reported, none that was read does. A new row is no update. */
	isReported = (row: WatchedRow): boolean => {
		const { isLoss, isUpdate } = this.watch.event;
		if (isLoss) return false;
		if (isUpdate && !this.known?.has(row.hash)) return false;
		return this.isChanged(row) && isWanted(this.watch, row.status);
	};

	/**
	 * Returns the items of a poll.
	 * @param isWhole the list was read to its end, and no row that the API announced is missing
	 */
	items({ rows, seen }: Sweep, isWhole: boolean): INodeExecutionData[] {
		const { watch, known } = this;
		const reported = [...rows.values()].filter(this.isReported);
		const items = reported.map((row) => toItem(watch, row, known?.get(row.hash)));
		if (!watch.event.isLoss || !isWhole || !known) return items;
		const missing = missingOf(known, seen);
		return missing.map((row) => toItem(watch, { id: String(row.id), status: null, row }));
	}

	/**
	 * n8n must save the state. If a restart forgot that a row left a watched status, the row's return would be missed. Where only
	 * known rows can be reported, as missing or as changed, new rows are saved, too.
	 */
	mustBeSaved({ rows }: Sweep, isWhole: boolean): boolean {
		const { watch, known } = this;
		const read = [...rows.values()];
		const changed = read.filter(this.isChanged);
		if (watch.event.isUpdate) return changed.length > 0;
		if (watch.event.isLoss) {
			// Until the whole list is read, only new webhooks are learned: known ones stay as they are.
			if (!isWhole) return changed.some(({ hash }) => !known?.has(hash));
			// A webhook that is back may be missing again.
			const isBack = ({ hash }: WatchedRow) => known?.get(hash)?.goneSince !== undefined;
			return changed.length > 0 || read.some(isBack);
		}
		return changed.some(({ hash }) => {
			const previous = known?.get(hash);
			return previous !== undefined && isWanted(watch, previous.status);
		});
	}
}
