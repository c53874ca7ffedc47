// Pickers of the forms: fields that choose from a list, and the methods that load it.
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { platformApiTest } from './client/credentialTest';
import { EDITOR_PARALLEL, editorApi, held, waitsFor, withNodeErrors } from './editor';
import {
	knownValues,
	pickerLists,
	type KnownValuesName,
	type PickerList,
	type PickerListName,
} from './pickerLists';
import { endpointOf } from './endpoints';
import { isRecord } from './operation';
import { labelOf, recordLabel, type About, type SingleField } from './fields';
import type { FetchPage } from './client/list/page';
import { PageReader } from './client/list/pages';
import { listShape } from './client/list/rows';

/** Pages that one search looks through, where the API cannot search itself: 10,000 rows. */
const MAX_PAGES = 100;

/** Matches with which a search is content; the editor asks for more when the user scrolls. */
const ENOUGH = 20;

const lists: Record<string, PickerList> = pickerLists;

/** What the user may type in place of a choice. */
const typed = {
	id: { displayName: 'By ID', name: 'id' },
	nameOrId: { displayName: 'By Name or ID', name: 'id' },
	name: { displayName: 'By Name', name: 'name' },
	email: { displayName: 'By Email', name: 'email' },
};

/** A field that chooses one row of a list of the API, or takes what is typed in its place. */
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
		// With __rl, which n8n adds by itself only to a field that stands in no collection.
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
		// In the words that n8n wants.
		description: `${description}. Choose from the list, or specify ${ids} using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
	});

/** A field that chooses one row of a list of the API, all of which is loaded; an expression gives any ID. */
export const loadedChoice = loaded('options', 'Name or ID', 'an ID', '');

/** The same for any number of rows. */
export const loadedChoices = loaded('multiOptions', 'Names or IDs', 'IDs', []);

/** A field that offers the values seen in the reference and takes any other. */
export const openChoice = (values: KnownValuesName, about: About<SingleField>): SingleField =>
	locator(values, about, 'name');

const isShown = (part: unknown): part is string | number =>
	typeof part === 'number' || (typeof part === 'string' && part !== '');

/** The choice that a row is; none if it lacks its value, or if the list leaves it out. */
function choiceOf(
	context: ILoadOptionsFunctions,
	row: unknown,
	list: PickerList,
): INodeListSearchItems[] {
	if (typeof row === 'string') {
		return isShown(row) ? [{ name: list.text?.(row) ?? row, value: row }] : [];
	}
	if (!isRecord(row)) return [];
	const value = row[list.value ?? 'id'];
	if (!isShown(value) || (list.only && !list.only(row, (field) => held(context, field)))) return [];
	const name = list.label(row).filter(isShown).join(', ');
	return [{ name: name || String(value), value: String(value) }];
}

/** The rows in the order of the API, but for those that come first. */
function inOrder(rows: unknown[], { first }: PickerList): unknown[] {
	if (!first) return rows;
	const leads = (row: unknown) => Number(isRecord(row) && first(row));
	return rows.toSorted((a, b) => leads(b) - leads(a));
}

/** An entry that chooses nothing: n8n shows a sentence in a list only as one of its entries. */
const saying = (sentence: string) => ({ name: sentence, value: '' });

/** A list, ready to be read, asked with what the form holds at the moment. */
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
	return PageReader.from({ ...request, ...content }, shape, fetch, bookmark);
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
	const waiting = waitsFor(context, list.route);
	if (waiting !== undefined) return { results: [saying(waiting)] };
	const wanted = filter.trim();
	if (list.searchBody && wanted === '') return { results: [] };
	const needle = wanted.toLowerCase();
	const searchesItself = (list.searchParameter ?? list.searchBody) !== undefined;
	const matches = ({ name, value }: INodeListSearchItems) =>
		searchesItself || `${name} ${value}`.toLowerCase().includes(needle);
	// Without a search text one page with choices is what the editor asked for.
	const enough = wanted === '' ? 1 : ENOUGH;
	const reader = await open(context, list, wanted, paginationToken);
	// Several rows can be the same choice.
	const results = new Map<unknown, INodeListSearchItems>();
	while (!reader.done && results.size < enough && reader.pages < MAX_PAGES) {
		const { length } = reader.rows;
		await reader.read(EDITOR_PARALLEL, EDITOR_PARALLEL);
		const choices = inOrder(reader.rows.slice(length), list).flatMap((row) =>
			choiceOf(context, row, list),
		);
		for (const choice of choices.filter(matches)) results.set(choice.value, choice);
	}
	return {
		results: [...results.values()],
		paginationToken: reader.done ? undefined : reader.bookmark,
	};
}

/** All choices of a list: loaded options have no pages. */
async function loadAll(
	context: ILoadOptionsFunctions,
	list: PickerList,
): Promise<INodePropertyOptions[]> {
	const waiting = waitsFor(context, list.route);
	if (waiting !== undefined) return [saying(waiting)];
	const reader = await open(context, list);
	while (!reader.done) await reader.read(EDITOR_PARALLEL, EDITOR_PARALLEL);
	return inOrder(reader.rows, list).flatMap((row) => choiceOf(context, row, list));
}

type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

type LoadOptions = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

const listSearch: Record<string, ListSearch> = {};
const loadOptions: Record<string, LoadOptions> = {};

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

/** The methods of every action node: each list, for locators and for loaded options, and the test. */
export const methods = { credentialTest: { platformApiTest }, listSearch, loadOptions };
