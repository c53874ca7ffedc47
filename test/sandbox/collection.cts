/** Rows kept in order, found by id, with unique indexes on other values. */
import { refuse, type RefusalName } from './refusals.cts';

type KeyOf<Row> = (row: Row) => string | undefined;

/**
 * Change rows only through `add`, `update` and `remove`: a value that is indexed and changed on
 * the row itself would leave its index behind.
 */
export class Collection<Row extends { id: string }> {
	private readonly ordered: Row[] = [];

	private readonly byId = new Map<string, Row>();

	private readonly indexes = new Map<string, { keyOf: KeyOf<Row>; rows: Map<string, Row> }>();

	/** `unique` names the indexes and says how a row's value in each is found; undefined is not indexed. */
	constructor(rows: readonly Row[] = [], unique: Record<string, KeyOf<Row>> = {}) {
		for (const [name, keyOf] of Object.entries(unique)) {
			this.indexes.set(name, { keyOf, rows: new Map() });
		}
		for (const row of rows) this.add(row);
	}

	get rows(): readonly Row[] {
		return this.ordered;
	}

	get size(): number {
		return this.ordered.length;
	}

	get(id: string): Row | undefined {
		return this.byId.get(id);
	}

	/** The row with this id, or the refusal for an unknown one. */
	need(id: string, refusal: RefusalName, message?: string): Row {
		const row = this.byId.get(id);
		if (!row) throw refuse(refusal, message);
		return row;
	}

	/** The row with this value in the named index. */
	findBy(index: string, value: string): Row | undefined {
		return this.indexes.get(index)?.rows.get(value);
	}

	/** The other row, if any, that already has one of this row's unique values. */
	clashOf(row: Row): Row | undefined {
		for (const { keyOf, rows } of this.indexes.values()) {
			const key = keyOf(row);
			const holder = key !== undefined ? rows.get(key) : undefined;
			if (holder && holder.id !== row.id) return holder;
		}
		return undefined;
	}

	/** Adds a row at the end, or at the front of lists that show the newest first. */
	add(row: Row, place: 'end' | 'front' = 'end'): Row {
		if (this.byId.has(row.id)) throw new Error(`The id ${row.id} is taken`);
		if (place === 'end') this.ordered.push(row);
		else this.ordered.unshift(row);
		this.byId.set(row.id, row);
		this.enter(row);
		return row;
	}

	update(id: string, patch: Partial<Row>): Row {
		const row = this.byId.get(id);
		if (!row) throw new Error(`There is no row ${id}`);
		this.leave(row);
		Object.assign(row, patch);
		this.enter(row);
		return row;
	}

	remove(id: string): boolean {
		const row = this.byId.get(id);
		if (!row) return false;
		this.ordered.splice(this.ordered.indexOf(row), 1);
		this.byId.delete(id);
		this.leave(row);
		return true;
	}

	/** Removes a row; what the API answers then. */
	deleted({ id }: Row): { id: string; deleted: true } {
		this.remove(id);
		return { id, deleted: true };
	}

	private enter(row: Row): void {
		for (const { keyOf, rows } of this.indexes.values()) {
			const key = keyOf(row);
			if (key !== undefined) rows.set(key, row);
		}
	}

	private leave(row: Row): void {
		for (const { keyOf, rows } of this.indexes.values()) {
			const key = keyOf(row);
			if (key !== undefined && rows.get(key) === row) rows.delete(key);
		}
	}
}
