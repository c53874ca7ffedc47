// A service that answers every request with a page of one list, as a shape of list has it.
import type { IDataObject } from 'n8n-workflow';
import { bodyOf, servedPage } from '../../table/pages.cts';
import { wait } from '../../wait.cts';
import type { ListShape } from '../../table/listShapes.cts';
import { Service } from './service.cts';

/** The page that is asked for, and its answer: JSON, under 200 unless said otherwise. */
export type Serve = (page: number, size: number | undefined) => { status?: number; body: unknown };

export class ListService extends Service {
	/** The pages asked for, in order. */
	readonly pages: number[] = [];

	/** From now on this is served. */
	serve(serve: Serve): void {
		this.pages.length = 0;
		this.behave(({ path }) => {
			const { searchParams } = new URL(path, 'http://localhost');
			const page = Number(searchParams.get('page') ?? 1);
			const size = searchParams.get('size');
			this.pages.push(page);
			return serve(page, size === null ? undefined : Number(size));
		});
	}
}

/** A page of a list of so many numbered rows. */
export const numbered = (length: number, page: number, size: number) =>
	Array.from({ length }, (_each, n) => ({ id: `r${n}` })).slice((page - 1) * size, page * size);

/** A list in a shape, its rows at a dotted key. */
export const served =
	(shape: ListShape, rows: unknown[], key: string): Serve =>
	(page) => {
		const { status, rows: some, envelope } = shape.serve(rows, page);
		return status !== undefined && status >= 400
			? { status, body: { error: status === 404 ? 'Not found' : 'Invalid page' } }
			: { body: bodyOf(some, key, envelope) };
	};

/** A service for the tests of one file. */
export function listServiceFor(): () => ListService {
	const service = new ListService().inFile();
	return () => service;
}

/** A list that a trigger watches, in pages of 100. */
export interface Watched {
	rows: IDataObject[];
	/** What the list announces, if that is not its number of rows. Null for nothing. */
	count?: number | null;
	/** Time that a page takes, in milliseconds. */
	takes?: number;
	/** Runs while a page is under way. Returns a status other than 200 to refuse it. */
	meanwhile?: () => number | undefined;
}

/** From now on the service has this list, and a company. */
export function serveWatched<T extends Watched>(service: Service, list: T): T {
	service.behave(async ({ path }) => {
		const { searchParams, pathname } = new URL(path, 'http://service');
		if (pathname === '/company.json') return { body: { id: 'company' } };
		await wait(list.takes ?? 1);
		const status = list.meanwhile?.();
		if (status !== undefined) return { status, body: { error: 'refused' } };
		const { count = list.rows.length } = list;
		const envelope = count === null ? {} : { count, per_page: 100 };
		return { body: servedPage(pathname, searchParams, list.rows, { size: 100, envelope }) };
	});
	return list;
}
