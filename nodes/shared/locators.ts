// Pickers of the forms: fields that choose from a list, and the methods that load it.
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Api } from './api';
import { platformApiTest } from './credentialTest';
import { EDITOR_PARALLEL, editorApi, inEditor } from './editor';
import { inPool } from './gate';
import {
	knownValues,
	pickerLists,
	type KnownValuesName,
	type PickerList,
	type PickerListName,
} from './lists';
import type { Field } from './operation';
import { PAGE_SIZE } from './pages';

/** Pages that one search looks through, where the API cannot search itself: 10,000 rows. */
const MAX_PAGES = 100;

/** Matches with which a search is content; the editor asks for more when the user scrolls. */
const ENOUGH = 20;

type Picked = Omit<Field, 'type' | 'default'>;

/** The list of the API with that name; the other pickers offer known values. */
const listOf = (name: string): PickerList | undefined =>
	(pickerLists as Record<string, PickerList>)[name];

function picker(list: string, typed: { displayName: string; name: string }, field: Picked): Field {
	const { placeholder, ...rest } = field;
	return {
		...rest,
		type: 'resourceLocator',
		// With __rl, which n8n adds by itself only to a field that stands in no collection.
		default: { __rl: true, mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: {
					searchListMethod: list,
					searchable: true,
					searchFilterRequired: listOf(list)?.searchBody !== undefined,
				},
			},
			{ ...typed, type: 'string', placeholder },
		],
	};
}

/** A field that chooses one row of a list of the API, or takes its ID. */
export function locator(list: PickerListName, field: Picked): Field {
	return picker(list, { displayName: 'By ID', name: 'id' }, field);
}

/** The same, for rows whose value is a name. */
export function nameLocator(list: PickerListName, field: Picked): Field {
	return picker(list, { displayName: 'By Name', name: 'name' }, field);
}

/** The same, for rows whose value is an e-mail address. */
export function emailLocator(list: PickerListName, field: Picked): Field {
	return picker(list, { displayName: 'By Email', name: 'email' }, field);
}

/** A field that offers the values seen in the reference and takes any other. */
export function openChoice(values: KnownValuesName, field: Picked): Field {
	return picker(values, { displayName: 'By Name', name: 'name' }, field);
}

interface Page {
	choices: INodeListSearchItems[];
	more: boolean;
}

/** Reads one page of a list and makes its rows choices. */
async function readPage(
	api: Api,
	path: string,
	list: PickerList,
	number: number,
	search: string,
): Promise<Page> {
	const query: IDataObject = { ...list.query?.() };
	if (list.paged) Object.assign(query, { size: PAGE_SIZE, page: number });
	if (list.searchParameter && search !== '') query[list.searchParameter] = search;
	const shape = { kind: 'map' as const, items: list.items ?? 'elements' };
	const { body, rows } = await api.page(
		list.searchBody
			? { method: 'POST', path, body: list.searchBody(search) }
			: { method: 'GET', path, query },
		shape,
	);
	const choices = (rows as Array<IDataObject | string>).flatMap((row) => {
		if (typeof row === 'string') return [{ name: row, value: row }];
		if (list.only && !list.only(row)) return [];
		const value = String(row[list.value ?? 'id']);
		const name = list.label(row).filter(Boolean).join(', ');
		return [{ name: name || value, value }];
	});
	const last = (body as { pages?: { max?: number } }).pages?.max;
	const full = last === undefined ? rows.length >= PAGE_SIZE : number < last;
	// A search can find the same thing several times.
	const unique = [...new Map(choices.map((choice) => [choice.value, choice])).values()];
	return { choices: unique, more: list.paged === true && full };
}

/** The pages of a list, asked with what the form holds at the moment. */
async function open(context: ILoadOptionsFunctions, list: PickerList) {
	const { path: template, scope } = list;
	const label = 'Load the list';
	const method = list.searchBody ? 'POST' : 'GET';
	const endpoint = { method, path: template, scope, label, repeatable: true } as const;
	const { api, path } = await editorApi(context, endpoint);
	return async (number: number, search: string) => await readPage(api, path, list, number, search);
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
	const wanted = filter.trim();
	if (list.searchBody && wanted === '') return { results: [] };
	const page = await open(context, list);
	const needle = wanted.toLowerCase();
	const searchesItself = (list.searchParameter ?? list.searchBody) !== undefined;
	const matches = ({ name, value }: INodeListSearchItems) =>
		searchesItself || `${name} ${value}`.toLowerCase().includes(needle);
	const results: INodeListSearchItems[] = [];
	let next = Number(paginationToken ?? 1);
	const end = next + MAX_PAGES;
	for (let more = true; more;) {
		// Without a search text one page is what the editor asked for.
		const pages = new Array<Page>(next === 1 || wanted === '' ? 1 : EDITOR_PARALLEL);
		await inPool(pages.length, EDITOR_PARALLEL, async (index) => {
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

type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

type LoadOptions = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

/** The same method for every entry of a table, under the entry's name. */
function forEach<Entry, Method>(
	table: Record<string, Entry>,
	method: (entry: Entry) => Method,
): Record<string, Method> {
	return Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, method(entry)]));
}

/** The methods of every action node: each list, for locators and for loaded options, and the test. */
export const methods = {
	credentialTest: { platformApiTest },
	listSearch: {
		...forEach(
			pickerLists as Record<string, PickerList>,
			(list): ListSearch =>
				async function (filter = '', paginationToken) {
					return await inEditor(this, search(this, list, filter, paginationToken));
				},
		),
		...forEach(
			knownValues as Record<string, string[]>,
			(values): ListSearch =>
				async function (filter = '') {
					const matching = values.filter((value) => value.includes(filter.trim().toLowerCase()));
					return { results: matching.map((value) => ({ name: value, value })) };
				},
		),
	},
	loadOptions: forEach(
		pickerLists as Record<string, PickerList>,
		(list): LoadOptions =>
			async function () {
				const firstPage = open(this, list).then(async (page) => await page(1, ''));
				const { choices } = await inEditor(this, firstPage);
				return choices.map(({ name, value }) => ({ name, value: value as string }));
			},
	),
};
