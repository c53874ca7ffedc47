// A service that answers every request with a page of one list, as a shape of list has it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListShape } from '../../table/listShapes.cts';

/** The page that is asked for, and its answer: JSON, under 200 unless said otherwise. */
export type Serve = (page: number, size: number | undefined) => { status?: number; body: unknown };

export interface ListService {
	baseUrl: string;
	key: string;
	/** The pages asked for, in order. */
	pages: number[];
	/** From now on this is served. */
	serve(serve: Serve): void;
	close(): Promise<void>;
}

export async function startListService(): Promise<ListService> {
	let current: Serve = () => ({ body: [] });
	const pages: number[] = [];
	const server = createServer((request, response) => {
		const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
		const page = Number(searchParams.get('page') ?? 1);
		const size = searchParams.get('size');
		pages.push(page);
		const { status = 200, body } = current(page, size === null ? undefined : Number(size));
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}`,
		key: 'a-key-of-the-service',
		pages,
		serve(serve) {
			pages.length = 0;
			current = serve;
		},
		close: async () =>
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** A page of a list of so many numbered rows. */
export const numbered = (length: number, page: number, size: number) =>
	Array.from({ length }, (_each, n) => ({ id: `r${n}` })).slice((page - 1) * size, page * size);

/** An answer with its rows at a dotted key; at none, the rows alone. */
export function bodyOf(rows: unknown[], key: string, envelope: object = {}): unknown {
	if (key === '') return rows;
	const [name, ...rest] = key.split('.');
	return { ...envelope, [name]: rest.length > 0 ? bodyOf(rows, rest.join('.')) : rows };
}

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
export function listServiceFor(): { (): ListService } {
	let service: ListService;
	beforeAll(async () => {
		service = await startListService();
	});
	afterAll(async () => {
		await service.close();
	});
	return () => service;
}
