// Pickers of the forms: fields that choose from a list of the API, and the methods that load it.
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { Api } from './api';
import { connect } from './connection';
import { fieldError, otherError } from './errors';
import { Gate, inPool } from './gate';
import { pickerLists, type PickerList, type PickerListName } from './lists';
import { FieldFault, type Field } from './operation';
import { PAGE_SIZE } from './pages';
import { fillPath, pathParameters } from './request';
import { Transport } from './transport';

const PARALLEL = 5;

/** A form waits for its dropdown and cannot cancel it: seconds, not minutes. */
const PATIENCE = { timeout: 15_000, budget: 15_000 };

/** Pages that one search looks through, where the API cannot search itself: 10,000 rows. */
const MAX_PAGES = 100;

/** Matches with which a search is content; the editor asks for more when the user scrolls. */
const ENOUGH = 20;

/** A field that chooses one row of a list, or takes its id. */
export function locator(list: PickerListName, field: Omit<Field, 'type' | 'default'>): Field {
	const { placeholder, ...rest } = field;
	return {
		...rest,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: list, searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder },
		],
	};
}

interface Page {
	choices: INodeListSearchItems[];
	more: boolean;
}

/** Reads one page of a list and makes its rows choices. */
async function readPage(
	api: Api,
	list: PickerList,
	path: string,
	number: number,
	search: string,
): Promise<Page> {
	const query: IDataObject = { ...list.query?.() };
	if (list.paged) Object.assign(query, { size: PAGE_SIZE, page: number });
	if (list.searchParameter && search !== '') query[list.searchParameter] = search;
	const shape = { kind: 'map' as const, items: list.items ?? 'elements' };
	const { body, rows } = await api.page({ method: 'GET', path, query }, shape);
	const choices = (rows as Array<IDataObject | string>).flatMap((row) => {
		if (typeof row === 'string') return [{ name: row, value: row }];
		if (list.only && !list.only(row)) return [];
		const value = String(row[list.value ?? 'id']);
		const name = list.label(row).filter(Boolean).join(', ');
		return [{ name: name || value, value }];
	});
	const last = (body as { pages?: { max?: number } }).pages?.max;
	const full = last === undefined ? rows.length >= PAGE_SIZE : number < last;
	return { choices, more: list.paged === true && full };
}

/** The list of a picker, asked with what the form holds at the moment. */
async function open(context: ILoadOptionsFunctions, list: PickerList) {
	const endpoint = { method: 'GET' as const, path: list.path };
	const parameters = Object.fromEntries(
		pathParameters(list.path).map((name) => [
			name,
			context.getCurrentNodeParameter(name, { extractValue: true }),
		]),
	);
	const missing = Object.entries(parameters).find(([, value]) => !value);
	if (missing) throw new FieldFault(missing[0], 'must be chosen first');
	const path = fillPath(endpoint, parameters, []);
	const transport = new Transport(context, await connect(context), new Gate(PARALLEL), PATIENCE);
	const operation = { ...endpoint, action: 'Load the list', scope: list.scope };
	const { secrets } = transport.connection;
	const api = new Api(transport, [], new Map(), 0, { node: context.getNode(), operation, secrets });
	return async (number: number, search: string) => await readPage(api, list, path, number, search);
}

/**
 * Choices that contain the search text. Where the API cannot search, pages are looked through, a
 * few at a time, until there are enough matches to show; the rest follow when the user scrolls.
 */
async function search(
	context: ILoadOptionsFunctions,
	list: PickerList,
	filter: string,
	paginationToken: string | undefined,
): Promise<INodeListSearchResult> {
	const page = await open(context, list);
	const wanted = filter.trim().toLowerCase();
	const matches = ({ name, value }: INodeListSearchItems) =>
		list.searchParameter !== undefined || `${name} ${value}`.toLowerCase().includes(wanted);
	const results: INodeListSearchItems[] = [];
	let next = Number(paginationToken ?? 1);
	const end = next + MAX_PAGES;
	for (let more = true; more;) {
		// Without a search text one page is what the editor asked for.
		const pages = new Array<Page>(next === 1 || wanted === '' ? 1 : PARALLEL);
		await inPool(pages.length, PARALLEL, async (index) => {
			pages[index] = await page(next + index, wanted);
		});
		results.push(...pages.flatMap(({ choices }) => choices.filter(matches)));
		next += pages.length;
		more = pages[pages.length - 1].more;
		if (more && (wanted === '' || results.length >= ENOUGH || next >= end)) {
			return { results, paginationToken: String(next) };
		}
	}
	return { results };
}

function inEditor<T>(context: ILoadOptionsFunctions, work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		const situation = { node: context.getNode(), secrets: [] };
		throw error instanceof FieldFault ? fieldError(error, situation) : otherError(error, situation);
	});
}

type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

type LoadOptions = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

const eachList = <T>(method: (list: PickerList) => T): Record<string, T> =>
	Object.fromEntries(
		Object.entries<PickerList>(pickerLists).map(([name, list]) => [name, method(list)]),
	);

/** The methods of every action node: each list, for locators and for loaded options. */
export const methods = {
	listSearch: eachList(
		(list): ListSearch =>
			async function (filter = '', paginationToken) {
				return await inEditor(this, search(this, list, filter, paginationToken));
			},
	),
	loadOptions: eachList(
		(list): LoadOptions =>
			async function () {
				const firstPage = open(this, list).then(async (page) => await page(1, ''));
				const { choices } = await inEditor(this, firstPage);
				return choices.map(({ name, value }) => ({ name, value: value as string }));
			},
	),
};
