// Picker fields, and the methods that load their lists.
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { platformApiTest } from '../client/credentialTest';
import { EDITOR_PARALLEL, editorApi, held, waitsFor, withNodeErrors } from './editor';
import {
	knownValues,
	pickerLists,
	type KnownValuesName,
	type PickerList,
	type PickerListName,
} from '../../api/pickerLists';
import { endpointOf } from '../../api/endpoints';
import { isRecord } from '../form/operation';
import { labelOf, recordLabel, type About, type SingleField } from '../form/fields';
import type { FetchPage } from '../client/list/page';
import { PageReader } from '../client/list/pages';
import { listShape } from '../client/list/rows';

/** Max pages of one search where the API can't search itself: 10,000 rows. */
const MAX_PAGES = 100;

/** A search stops at this many matches. The editor loads more when the user scrolls. */
const ENOUGH = 20;

const lists: Record<string, PickerList> = pickerLists;

/** Modes to type a value instead of choosing it. */
const typed = {
	id: { displayName: 'By ID', name: 'id' },
	nameOrId: { displayName: 'By Name or ID', name: 'id' },
	name: { displayName: 'By Name', name: 'name' },
	email: { displayName: 'By Email', name: 'email' },
};

/** Field to choose a row of a list, or to type a value. */
export function locator(
	list: PickerListName | KnownValuesName,
	{ placeholder, ...about }: About<SingleField>,
	by: keyof typeof typed = 'id',
): SingleField {
	const { searchBody } = lists[list] ?? {};
	const { displayName = recordLabel(about.name) } = about;
	return {
		displayName,
		description: `The ${displayName.toLowerCase()} to work with`,
		// n8n adds `__rl` by itself only to a field outside of collections.
		default: { __rl: true, mode: 'list', value: '' },
		...about,
		type: 'resourceLocator',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: {
					searchListMethod: list,
					searchable: true,
					searchFilterRequired: searchBody !== undefined,
				},
			},
			{ ...typed[by], type: 'string', placeholder },
		],
	};
}

const loaded =
	(type: 'options' | 'multiOptions', suffix: string, ids: string, standard: '' | string[]) =>
	(
		list: PickerListName,
		{ displayName, typeOptions, description, ...about }: About<SingleField>,
	): SingleField => ({
		displayName: `${displayName ?? labelOf(about.name)} ${suffix}`,
		default: standard,
		...about,
		type,
		typeOptions: { loadOptionsMethod: list, ...typeOptions },
		// n8n's lint wants these words.
		description: `${description}. Choose from the list, or specify ${ids} using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
	});

/** Dropdown with all rows of a list. An expression can give any ID. */
export const loadedChoice = loaded('options', 'Name or ID', 'an ID', '');

/** The same for any number of rows. */
export const loadedChoices = loaded('multiOptions', 'Names or IDs', 'IDs', []);

/** Field that offers the values in the reference and takes any other. */
export const openChoice = (values: KnownValuesName, about: About<SingleField>): SingleField =>
	locator(values, about, 'name');

const isShown = (part: unknown): part is string | number =>
	typeof part === 'number' || (typeof part === 'string' && part !== '');

/** The choice for a row. Empty if the row has no value, or the list filters it out. */
function choiceOf(
	context: ILoadOptionsFunctions,
	row: unknown,
	list: PickerList,
): INodeListSearchItems[] {
	if (typeof row === 'string') {
		return row === '' ? [] : [{ name: list.text?.(row) ?? row, value: row }];
	}
	if (!isRecord(row)) return [];
	const value = row[list.value ?? 'id'];
	if (!isShown(value) || (list.only && !list.only(row, (field) => held(context, field)))) return [];
	const name = list.label(row).filter(isShown).join(', ');
	return [{ name: name || String(value), value: String(value) }];
}

/** The choices for rows in the order of the API, except that `first` moves some to the front. */
function choicesOf(context: ILoadOptionsFunctions, rows: unknown[], list: PickerList) {
	const rank = (row: unknown) => (isRecord(row) && list.first?.(row) ? 0 : 1);
	const sorted = rows.toSorted((a, b) => rank(a) - rank(b));
	return sorted.flatMap((row) => choiceOf(context, row, list));
}

/** A choice without a value. n8n can show a message in a list only as a choice. */
const messageChoice = (message: string) => ({ name: message, value: '' });

/** Opens a list for reading, with values of the form in its path. */
async function open(
	context: ILoadOptionsFunctions,
	list: PickerList,
	search = '',
	bookmark?: string,
): Promise<PageReader> {
	const { route, searchBody, searchParameter } = list;
	const { api, request } = await editorApi(context, 'Load the list', route);
	const query: IDataObject = { ...list.query?.() };
	if (searchParameter && search !== '') query[searchParameter] = search;
	const shape = list.shape ?? listShape(endpointOf(route));
	const fetch: FetchPage = async (each, page) => await api.page(each, shape, page);
	const content = searchBody ? { body: searchBody(search) } : { query };
	return new PageReader({ ...request, ...content }, shape, fetch, {}, bookmark);
}

/**
 * Returns the choices that contain the search text. Where the API can't search, reads a few pages at a time
 * until there are enough matches. The editor asks for more when the user scrolls.
 */
async function search(
	context: ILoadOptionsFunctions,
	list: PickerList,
	filter: string,
	paginationToken: string | undefined,
): Promise<INodeListSearchResult> {
	const waiting = waitsFor(context, list.route);
	if (waiting !== undefined) return { results: [messageChoice(waiting)] };
	const wanted = filter.trim();
	if (list.searchBody && wanted === '') return { results: [] };
	const needle = wanted.toLowerCase();
	const searchesItself = (list.searchParameter ?? list.searchBody) !== undefined;
	const matches = ({ name, value }: INodeListSearchItems) =>
		searchesItself || `${name} ${value}`.toLowerCase().includes(needle);
	// Without a search text, one page with choices is enough.
	const enough = wanted === '' ? 1 : ENOUGH;
	const reader = await open(context, list, wanted, paginationToken);
	// Several rows can be the same choice.
	const results = new Map<unknown, INodeListSearchItems>();
	while (!reader.done && results.size < enough && reader.pages < MAX_PAGES) {
		const { length } = reader.rows;
		await reader.read(EDITOR_PARALLEL, EDITOR_PARALLEL);
		const choices = choicesOf(context, reader.rows.slice(length), list);
		for (const choice of choices.filter(matches)) results.set(choice.value, choice);
	}
	return {
		results: [...results.values()],
		paginationToken: reader.done ? undefined : reader.bookmark(),
	};
}

/** Returns all choices of a list. Loaded options have no pages. */
async function loadAll(
	context: ILoadOptionsFunctions,
	list: PickerList,
): Promise<INodePropertyOptions[]> {
	const waiting = waitsFor(context, list.route);
	if (waiting !== undefined) return [messageChoice(waiting)];
	const reader = await open(context, list);
	while (!reader.done) await reader.read(EDITOR_PARALLEL, EDITOR_PARALLEL);
	return choicesOf(context, reader.rows, list);
}

type Methods = Required<NonNullable<INodeType['methods']>>;

const listSearch: Methods['listSearch'] = {};
const loadOptions: Methods['loadOptions'] = {};

for (const [name, list] of Object.entries(lists)) {
	listSearch[name] = async function (filter = '', paginationToken) {
		return await withNodeErrors(this.getNode(), search(this, list, filter, paginationToken));
	};
	loadOptions[name] = async function () {
		return await withNodeErrors(this.getNode(), loadAll(this, list));
	};
}

for (const [name, values] of Object.entries<string[]>(knownValues)) {
	listSearch[name] = async (filter = '') => {
		const matching = values.filter((value) => value.includes(filter.trim().toLowerCase()));
		return { results: matching.map((value) => ({ name: value, value })) };
	};
}

/** The methods of every action node: lists for locators and dropdowns, and the credential test. */
export const methods = { credentialTest: { platformApiTest }, listSearch, loadOptions };
