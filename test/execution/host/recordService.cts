// A service that keeps customers or partners, and whose lists may lack rows, cut fields or be older than its records. It counts
// the writes that change nothing.
import type { Received, Reply } from './service.cts';

export type Kept = Record<string, unknown> & { id: string };

/** What the list does to a row; undefined leaves it out. */
type Listed = (row: Kept) => object | undefined;

export class RecordService {
	readonly records = new Map<string, Kept>();

	/** Writes that changed nothing. */
	readonly needless: string[] = [];

	/** Runs before each request is answered, with the number of requests so far: another writer. */
	meanwhile: (count: number, request: Received) => void = () => {};

	listed: Listed = (row) => row;

	private count = 0;

	private made = 0;

	/** @param keyInList name of the external ID in rows of the list */
	constructor(
		private readonly path: string,
		private readonly root: string,
		private readonly key: string,
		private readonly keyInList: string,
	) {}

	add(fields: object, id = `new-${++this.made}`): Kept {
		const record = { ...fields, id };
		this.records.set(id, record);
		return record;
	}

	with(externalId: unknown): Kept[] {
		return [...this.records.values()].filter((each) => each[this.key] === externalId);
	}

	readonly answer = (received: Received): Reply => {
		const { method, path, body } = received;
		this.meanwhile(++this.count, received);
		const { pathname, searchParams } = new URL(path, 'http://service');
		const sent = (body[this.root] ?? {}) as Record<string, unknown>;
		if (method === 'POST') {
			if (this.with(sent[this.key] ?? NaN).length > 0 || this.withEmail(sent.email)) {
				return { status: 409, body: { error: 'A customer already exists with this email' } };
			}
			return { status: 201, body: { [this.root]: { id: this.add(sent).id } } };
		}
		if (pathname === `${this.path}.json`) return { body: this.page(searchParams) };
		if (pathname === `${this.path}/${this.root}.json`) {
			const found = this.with(searchParams.get('externalId'));
			if (found.length === 0) {
				return { status: 404, body: { error: 'This customer does not exist' } };
			}
			return { body: found.length === 1 ? found[0] : found };
		}
		const id = decodeURIComponent(pathname.slice(this.path.length + 1).replace(/\.json$/, ''));
		const record = this.records.get(id);
		if (!record) return { status: 404, body: { error: 'Not found' } };
		if (method === 'GET') return { body: record };
		const before = JSON.stringify(record);
		// A whole object takes the place of the one before.
		Object.assign(record, sent);
		if (JSON.stringify(record) === before) this.needless.push(id);
		return { body: { [this.root]: { id }, id } };
	};

	private withEmail(email: unknown): boolean {
		if (email === undefined) return false;
		const plain = String(email).toLowerCase();
		return [...this.records.values()].some((each) => String(each.email).toLowerCase() === plain);
	}

	private page(query: URLSearchParams): object {
		const [page, size] = ['page', 'size'].map((name) => Number(query.get(name)));
		const rows = [...this.records.values()].flatMap((record) => {
			const { [this.key]: externalId, ...row } = record;
			const shown = this.listed({ ...row, [this.keyInList]: externalId } as Kept);
			return shown ?? [];
		});
		const elements = rows.slice((page - 1) * size, page * size);
		return { count: rows.length, per_page: size, elements };
	}
}
