// n8n's data tables, with a map in place of its database: what its Data Table node asks for, for texts that are compared with `eq`.
import type {
	DataTable,
	DataTableFilter,
	DataTableRow,
	DataTableRowReturn,
	IDataTableProjectAggregateService,
	IDataTableProjectService,
} from 'n8n-workflow';

interface Table extends DataTable {
	rows: DataTableRowReturn[];
}

/** The tables of an n8n, and how often rows were written. */
export class DataTables {
	private readonly tables = new Map<string, Table>();

	writes = 0;

	/** The rows of a table, to look at and to change as its users do. */
	rows(name: string): DataTableRowReturn[] {
		return this.tables.get(name)?.rows ?? [];
	}

	create(name: string, columns: string[]): void {
		const [id, projectId, at] = [name, 'project', new Date()];
		const all = columns.map((column, index) => ({
			...{ id: column, name: column, index, dataTableId: id },
			type: 'string' as const,
		}));
		this.tables.set(name, {
			...{ id, name, projectId, columns: all, rows: [] },
			...{ createdAt: at, updatedAt: at },
		});
	}

	/** Adds a row as a user does. */
	insert(name: string, row: DataTableRow): void {
		const { columns, rows } = this.tables.get(name)!;
		const empty = Object.fromEntries(columns.map((column) => [column.name, null]));
		const [id, createdAt, updatedAt] = [rows.length + 1, new Date(), new Date()];
		rows.push({ ...empty, ...row, id, createdAt, updatedAt } as DataTableRowReturn);
	}

	/** What n8n hands to an execution beside the workflow. */
	get more(): object {
		const dataTableProxyProvider = {
			getDataTableAggregateProxy: async () => await Promise.resolve(this.all()),
			getDataTableProxy: async (_workflow: unknown, _node: unknown, id: string) =>
				await Promise.resolve(this.one(id)),
		};
		return { 'data-table': { dataTableProxyProvider } };
	}

	private all() {
		const service: Pick<IDataTableProjectAggregateService, 'createDataTable' | 'getManyAndCount'> =
			{
				createDataTable: async ({ name, columns }) => {
					this.create(
						name,
						columns.map((column) => column.name),
					);
					return await Promise.resolve(this.tables.get(name)!);
				},
				getManyAndCount: async ({ filter = {} }) => {
					const data = [...this.tables.values()].filter(({ name }) => name === filter.name);
					return await Promise.resolve({ data, count: data.length });
				},
			};
		return service;
	}

	private one(id: string) {
		const table = this.tables.get(id)!;
		const matching = ({ filters }: DataTableFilter) =>
			table.rows.filter((row) =>
				filters.every(({ columnName, value }) => row[columnName] === value),
			);
		type Used = 'getColumns' | 'getManyRowsAndCount' | 'upsertRow';
		const service: Pick<IDataTableProjectService, Used> = {
			getColumns: async () => await Promise.resolve(table.columns),
			getManyRowsAndCount: async ({ filter, skip = 0, take = 1000 }) => {
				const all = filter ? matching(filter) : table.rows;
				const data = all.slice(skip, skip + take).map((row) => ({ ...row }));
				return await Promise.resolve({ count: all.length, data });
			},
			upsertRow: async ({ filter, data }) => {
				this.writes++;
				const unknown = Object.keys(data).find((key) =>
					table.columns.every(({ name }) => name !== key),
				);
				if (unknown) throw new Error(`unknown column name '${unknown}'`);
				const found = matching(filter);
				for (const row of found) Object.assign(row, data, { updatedAt: new Date() });
				if (found.length === 0) this.insert(table.name, data);
				return await Promise.resolve(found.length === 0 ? table.rows.slice(-1) : found);
			},
		};
		return service;
	}
}
