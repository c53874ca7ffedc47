// Rows of a poll compared with those of earlier ones -> the items to output.
import type { INodeExecutionData } from 'n8n-workflow';

import { isWanted } from './filter';
import { goneOf, type Gone } from './gone';
import { toItem } from './items';
import { unpack, type KnownRows } from './packedState';
import { renewalOf } from './payments';
import type { Watch, WatchedRow } from './reading';
import { missingOf } from './registered';
import { seenBy, type Seen } from './pollState';
import type { Sweep } from './sweep';
import { isMadeSince } from './time';

export class ChangedRows {
	/** Rows of earlier polls. Undefined until the whole list was read once. */
	readonly known?: KnownRows;

	/** Rows that the first sweep has seen in earlier polls. */
	private readonly stocked: KnownRows;

	private readonly since: number;

	private readonly now = Date.now();

	private readonly readAt: number;

	private gone: Gone = { told: new Map(), hidden: new Map() };

	constructor(
		private readonly watch: Watch,
		seen: Seen,
	) {
		this.known = seen.groups && unpack(seen.groups);
		this.stocked = seenBy(seen);
		this.since = seen.since ?? Infinity;
		this.readAt = seen.readAt ?? this.now;
	}

	/** A row with what it tells of a subscription, by what is known of it. */
	followed = (row: WatchedRow): WatchedRow => {
		if (!this.watch.event.isPayment) return row;
		const earlier = this.known?.get(row.hash);
		const goneSince = Date.parse(earlier?.goneSince ?? '');
		const before = Math.min(this.readAt, goneSince || Infinity);
		const times = { now: this.now, before, wasHidden: !Number.isNaN(goneSince) };
		const renewal = renewalOf(row, earlier, times);
		return { ...row, status: renewal.state, renewal };
	};

	/** Rows that the list only doesn't show stay known as such. */
	async findGone({ seen }: Sweep): Promise<void> {
		const { api, event } = this.watch;
		if (event.gone && this.known) this.gone = await goneOf(api, event.gone, this.known, seen);
	}

	/** Earlier rows that the next poll has to know. */
	get left(): KnownRows | undefined {
		const { told, hidden } = this.gone;
		return this.known && new Map([...this.known, ...hidden].filter(([hash]) => !told.has(hash)));
	}

	/** The row is new, has another status or other fields. In the first sweep, rows that were made since its begin are new. */
	isChanged = ({ hash, status, hashes, row }: WatchedRow): boolean => {
		if (this.known) {
			const before = this.known.get(hash);
			return before === undefined || before.status !== status || before.hashes !== hashes;
		}
		return !this.stocked.has(hash) && isMadeSince(this.watch, row, this.since);
	};

	/** The row gets an item. Where missing rows are reported, no row that was read gets one. A new row is no update. */
	isReported = (row: WatchedRow): boolean => {
		const { isLoss, isUpdate, reportsNew, gone } = this.watch.event;
		if (isLoss || gone) return false;
		if (isUpdate && !reportsNew && !this.known?.has(row.hash)) return false;
		if (row.renewal?.isOutcome === false) return false;
		return this.isChanged(row) && isWanted(this.watch, row.status);
	};

	/** @param isWhole the list was read to its end, and no row that the API announced is missing */
	items({ rows, seen }: Sweep, isWhole: boolean): INodeExecutionData[] {
		const { watch, known } = this;
		const reported = [...rows.values()].filter(this.isReported);
		const items = reported.map((row) => toItem(watch, row, known?.get(row.hash)));
		for (const row of this.gone.told.values()) {
			items.push(toItem(watch, { id: String(row.id), status: null, row }));
		}
		if (!watch.event.isLoss || !isWhole || !known) return items;
		const missing = missingOf(known, seen);
		return missing.map((row) => toItem(watch, { id: String(row.id), status: null, row }));
	}

	/**
	 * n8n must save the state. If a restart forgot that a row left a watched status, the row's return would be missed. Where
	 * only known rows can be reported, as missing or as changed, new rows are saved, too.
	 */
	mustBeSaved({ rows }: Sweep, isWhole: boolean): boolean {
		const { watch, known } = this;
		const read = [...rows.values()];
		const changed = read.filter(this.isChanged);
		// A row that is back may be missing again.
		const isBack = ({ hash }: WatchedRow) => known?.get(hash)?.goneSince !== undefined;
		if (watch.event.isUpdate) return changed.length > 0;
		if (watch.event.gone) return changed.length > 0 || read.some(isBack);
		if (watch.event.isLoss) {
			// Until the whole list is read, only new webhooks are learned: known ones stay as they are.
			if (!isWhole) return changed.some(({ hash }) => !known?.has(hash));
			return changed.length > 0 || read.some(isBack);
		}
		return changed.some(({ hash }) => {
			const previous = known?.get(hash);
			return previous !== undefined && isWanted(watch, previous.status);
		});
	}
}
