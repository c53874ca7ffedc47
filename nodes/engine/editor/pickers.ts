// Picker fields, and the methods that load their lists.
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { isRecord } from '../base/data';
import type { ApiDefinition, Endpoint, Route } from '../base/definition';
import { credentialTestOf } from '../client/credentialTest';
import type { PageReader } from '../client/list/pages';
import type { ListShape } from '../client/list/rows';
import { labelOf, recordLabel, type About, type SingleField } from '../form/fields';
import { EDITOR_PARALLEL, editorApi, formValue, waitsFor, withNodeErrors } from './editor';

export interface PickerList<R extends Route = Route> {
	/** The path parameters of the endpoint are fields of the form, such as the chosen user. */
	route: R;
	/** Place of the rows, if the endpoint doesn't return a list. */
	shape?: ListShape;
	/** Query parameter for the API's own search. */
	searchParameter?: string;
	/** Finds the one record with a key that the user has typed. Asked first, since a list may be long. */
	lookup?: {
		route: R;
		query: (text: string) => IDataObject;
		/** True if a record has the key. A service may return another one. */
		isFound: (record: IDataObject, text: string) => boolean;
	};
	/** Body of a POST that searches, where there is no list. The picker asks for a search text first. */
	searchBody?: (text: string) => IDataObject;
	query?: () => IDataObject;
	/** Field with the value, default `id`. A row that is a text is the value itself. */
	value?: string;
	/** The value of a row that doesn't have that field. */
	otherwise?: (row: IDataObject) => unknown;
	/** Many rows are the same choice, so pages are read on: a choice on two of them must not come twice. */
	repeats?: true;
	/** Says what to do if no row has a value. */
	none?: string;
	/** Parts of the shown name. Parts that aren't a text or a number are left out. */
	label: (row: IDataObject) => unknown[];
	/** Name of a row that is a text, default the text itself. */
	text?: (row: string) => string;
	/** Filters the rows, such as connections of one purpose. `formValue` returns the form's value of a field. */
	only?: (row: IDataObject, formValue: (field: string) => unknown) => boolean;
	first?: (row: IDataObject) => boolean;
}

/** Max pages of one search where the API can't search itself: 10,000 rows. */
const MAX_PAGES = 100;

/** A search stops at this many matches. The editor loads more when the user scrolls. */
const ENOUGH = 20;

const typed = {
	id: { displayName: 'By ID', name: 'id' },
	nameOrId: { displayName: 'By Name or ID', name: 'id' },
	name: { displayName: 'By Name', name: 'name' },
	email: { displayName: 'By Email', name: 'email' },
};

const isShowable = (part: unknown): part is string | number =>
	typeof part === 'number' || (typeof part === 'string' && part !== '');

/** A row without a value, or one that the list filters out, gives no choice. */
function choiceOf(
	context: ILoadOptionsFunctions,
	row: unknown,
	list: PickerList,
): INodeListSearchItems[] {
	if (typeof row === 'string') {
		return row === '' ? [] : [{ name: list.text?.(row) ?? row, value: row }];
	}
	if (!isRecord(row)) return [];
	const value = row[list.value ?? 'id'] ?? list.otherwise?.(row);
	if (!isShowable(value) || (list.only && !list.only(row, (field) => formValue(context, field))))
		return [];
	const name = list.label(row).filter(isShowable).join(', ');
	return [{ name: name || String(value), value: String(value) }];
}

/** The API's order stays, except that `first` moves some rows to the front. */
function choicesOf(context: ILoadOptionsFunctions, rows: unknown[], list: PickerList) {
	const rank = (row: unknown) => (isRecord(row) && list.first?.(row) ? 0 : 1);
	const sorted = rows.toSorted((a, b) => rank(a) - rank(b));
	return sorted.flatMap((row) => choiceOf(context, row, list));
}

/** A choice without a value. n8n can show a message in a list only as a choice. */
const messageChoice = (message: string) => ({ name: message, value: '' });

interface Picker {
	list: PickerList;
	endpoint: Endpoint;
}

/** A lookup that finds no record or fails gives no choice. */
async function lookedUp(
	context: ILoadOptionsFunctions,
	{ list, endpoint }: Picker,
	text: string,
): Promise<INodeListSearchItems[]> {
	if (!list.lookup || text === '') return [];
	const { route, query, isFound } = list.lookup;
	const lookupEndpoint = endpoint.api.endpoint(route);
	const { api, request } = await editorApi(context, 'Load the list', lookupEndpoint);
	const { says, body } = await api.ask({ ...request, query: query(text) });
	const found = says === 'success' && isRecord(body) && isFound(body, text);
	return found ? choiceOf(context, body, list) : [];
}

/** Opens a list, with values of the form in its path. The API gets the search text, if it can search. */
async function openList(
	context: ILoadOptionsFunctions,
	{ list, endpoint }: Picker,
	text = '',
	bookmark?: string,
): Promise<PageReader> {
	const { shape, searchBody, searchParameter } = list;
	const { api, request } = await editorApi(context, 'Load the list', endpoint);
	const query: IDataObject = { ...list.query?.() };
	if (searchParameter && text !== '') query[searchParameter] = text;
	const content = searchBody ? { body: searchBody(text) } : { query };
	return api.open({ ...request, ...content }, { shape }, bookmark);
}

/** The matching choices, read until there are enough. The editor asks for more with the bookmark (`paginationToken`). */
async function search(
	context: ILoadOptionsFunctions,
	picker: Picker,
	filter: string,
	paginationToken: string | undefined,
): Promise<INodeListSearchResult> {
	const { list, endpoint } = picker;
	const waiting = waitsFor(context, endpoint);
	if (waiting !== undefined) return { results: [messageChoice(waiting)] };
	const wanted = filter.trim();
	if (list.searchBody && wanted === '') return { results: [] };
	const needle = wanted.toLowerCase();
	const searchesItself = (list.searchParameter ?? list.searchBody) !== undefined;
	const matches = ({ name, value }: INodeListSearchItems) =>
		searchesItself || `${name} ${value}`.toLowerCase().includes(needle);
	const found = paginationToken === undefined ? await lookedUp(context, picker, wanted) : [];
	// Without a search text, one page with choices is enough. If a record was looked up, no page is read.
	const one = list.repeats ? Infinity : 1;
	const enough = wanted === '' || found.length > 0 ? one : ENOUGH;
	const reader = await openList(context, picker, wanted, paginationToken);
	// Several rows can be the same choice.
	const results = new Map<unknown, INodeListSearchItems>(found.map((each) => [each.value, each]));
	while (!reader.done && results.size < enough && reader.pages < MAX_PAGES) {
		const rowsBefore = reader.rows.length;
		await reader.read(EDITOR_PARALLEL, EDITOR_PARALLEL);
		const choices = choicesOf(context, reader.rows.slice(rowsBefore), list);
		for (const choice of choices.filter(matches)) results.set(choice.value, choice);
	}
	const isEmpty = results.size === 0 && reader.done && paginationToken === undefined;
	if (isEmpty && wanted === '' && list.none !== undefined) {
		return { results: [messageChoice(list.none)] };
	}
	return {
		results: [...results.values()],
		paginationToken: reader.done ? undefined : reader.bookmark(),
	};
}

async function loadAll(
	context: ILoadOptionsFunctions,
	picker: Picker,
): Promise<INodePropertyOptions[]> {
	const waiting = waitsFor(context, picker.endpoint);
	if (waiting !== undefined) return [messageChoice(waiting)];
	const reader = await openList(context, picker);
	while (!reader.done) await reader.read(EDITOR_PARALLEL, EDITOR_PARALLEL);
	return choicesOf(context, reader.rows, picker.list);
}

type Methods = Required<NonNullable<INodeType['methods']>>;

/**
 * The picker fields of an API, and the methods that load their `lists`, by which fields name them. `known` are values of the
 * reference. Fields that offer them take any other value too.
 */
export function pickersOf<ListName extends string, ValuesName extends string>(
	api: ApiDefinition,
	lists: Record<ListName, PickerList>,
	known: Record<ValuesName, string[]>,
) {
	function locator(
		list: ListName | ValuesName,
		{ placeholder, ...about }: About<SingleField>,
		by: keyof typeof typed = 'id',
	): SingleField {
		// Values in the reference have no `PickerList`.
		const { searchBody } = (lists as Record<string, PickerList | undefined>)[list] ?? {};
		const { displayName = recordLabel(about.name) } = about;
		return {
			displayName,
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

	/** Fields of this type have choices that n8n loads. `standard` is their default. */
	const loaded =
		(type: 'options' | 'multiOptions', suffix: string, ids: string, standard: '' | string[]) =>
		(
			list: ListName,
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
	const loadedChoice = loaded('options', 'Name or ID', 'an ID', '');

	const loadedChoices = loaded('multiOptions', 'Names or IDs', 'IDs', []);

	/** Field that offers the values in the reference and takes any other. */
	const openChoice = (values: ValuesName, about: About<SingleField>): SingleField =>
		locator(values, about, 'name');

	const listSearch: Methods['listSearch'] = {};
	const loadOptions: Methods['loadOptions'] = {};

	for (const [name, list] of Object.entries<PickerList>(lists)) {
		const picker = { list, endpoint: api.endpoint(list.route) };
		listSearch[name] = async function (filter = '', paginationToken) {
			return await withNodeErrors(this, search(this, picker, filter, paginationToken));
		};
		loadOptions[name] = async function () {
			return await withNodeErrors(this, loadAll(this, picker));
		};
	}

	for (const [name, values] of Object.entries<string[]>(known)) {
		listSearch[name] = async (filter = '') => {
			const matching = values.filter((value) => value.includes(filter.trim().toLowerCase()));
			return { results: matching.map((value) => ({ name: value, value })) };
		};
	}

	const methods = {
		credentialTest: { [api.credential.test]: credentialTestOf(api) },
		listSearch,
		loadOptions,
	};

	return { locator, loadedChoice, loadedChoices, openChoice, methods };
}
