// Reads a list once for many items, in place of a request for each item. Records that the list lacks are looked up one by one.
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../base/data';
import { Stopped, type Parallel } from '../../base/pool';
import { Cancelled } from '../http/transport';
import type { Wanted } from './matching';
import type { Keep } from './page';
import type { PageReader } from './pages';

/** For fewer items, the first page of the list is read in vain too often. */
const MIN_ITEMS = 30;

/** Min items for each page of the list, because a page takes the API longer than the lookup of one record. */
const ITEMS_PER_PAGE = 2;

type Rows = Map<string, IDataObject[]>;

const NO_ROWS: Rows = new Map();

export class ReadAhead {
	private rows?: Promise<Rows>;

	private constructor(private readonly keys: Set<string>) {}

	/** @returns undefined for too few items */
	static for(keys: string[]): ReadAhead | undefined {
		const all = new Set(keys);
		return all.size < MIN_ITEMS ? undefined : new ReadAhead(all);
	}

	/** The rows that match. None if the list is too long for so few items, or can't be read. Throws Cancelled and Stopped. */
	async rowsWith(
		wanted: Wanted,
		open: (keep: Keep) => PageReader,
		parallel: Parallel,
	): Promise<IDataObject[]> {
		const { exact } = wanted;
		if (!exact) return [];
		this.rows ??= this.read(exact, open, parallel).catch((error: unknown) => {
			if (error instanceof Cancelled || error instanceof Stopped) throw error;
			return NO_ROWS;
		});
		const rows = await this.rows;
		return (rows.get(exact.text) ?? []).filter(wanted.matches);
	}

	private async read(
		{ textsOf }: NonNullable<Wanted['exact']>,
		open: (keep: Keep) => PageReader,
		parallel: Parallel,
	): Promise<Rows> {
		const rows: Rows = new Map();
		// Only the rows of this run are kept, each under its texts. So the list takes no memory, however long it is.
		const keepOne = (row: unknown) => {
			for (const text of isRecord(row) ? new Set(textsOf(row)) : []) {
				if (!this.keys.has(text)) continue;
				const same = rows.get(text) ?? [];
				rows.set(text, [...same, row as IDataObject]);
			}
			return undefined;
		};
		const reader = open({ rows: (page) => page.map(keepOne), cuts: true });
		const most = Math.floor(this.keys.size / ITEMS_PER_PAGE);
		await reader.read(1, parallel);
		if (reader.pages + reader.nextPages > most) return NO_ROWS;
		while (!reader.done && reader.pages < most) await reader.read(most - reader.pages, parallel);
		return rows;
	}
}
