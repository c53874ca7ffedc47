// Every place of a form for a value, in fields, in JSON that stands for rows and in columns, and what comes of a value there.
import { getAt } from '../../dist/nodes/engine/base/data.js';
import { givenByModel } from '../../dist/nodes/engine/run/toolValues.js';
import type { ApiRequest } from '../../nodes/engine/base/apiRequest.ts';
import type { Field, FixedCollection } from '../../nodes/engine/form/fields.ts';
import { forms, isOfVersion, sampleValue, shown, type Form } from './forms.cts';
import { slots, type Slot } from './leaves.cts';
import { newestVersion, nodes, type TableEntry } from './operations.cts';
import { requestOf } from './requests.cts';
import { fixedValues } from './samples.cts';

const EXPRESSION = "={{ $json['not there'] }}";
const OF_MODEL = "={{ $fromAI('value', '', 'string') }}";

/** A place for a value, in the form or in what stands for its rows. */
export interface Place extends Pick<Slot, 'field' | 'with'> {
	/** Dotted place in the body or query. In a row, it's that of the first one. */
	path: string;
	road: 'form' | 'JSON' | 'columns';
	/** It's there without being added. A model's blank counts as not given then. */
	isInRow: boolean;
}

const wireOf = (field: Field) => (field.send && field.send.as) || field.name;

/** The fields of the rows that a JSON field stands for, as keys of its first row. */
const inJson = ({ path, with: change }: Slot, rows: FixedCollection): Place[] =>
	rows.options[0].values.map((each, _index, all) => ({
		field: each,
		path: `${path}[].${wireOf(each)}`,
		road: 'JSON',
		isInRow: true,
		with: (form, value) => {
			const row = Object.fromEntries(all.map((other) => [wireOf(other), sampleIn(other)]));
			// The whole JSON is one expression.
			if (value === EXPRESSION || value === OF_MODEL) return change(form, value);
			return change(form, [{ ...row, [wireOf(each)]: value }]);
		},
	}));

/** A value of a row, without the locator around it. */
const sampleIn = (field: Field): unknown => {
	const value = sampleValue(field);
	return field.type === 'resourceLocator' ? (value as { value: unknown }).value : value;
};

/** The columns that the user maps by hand. An empty cell never clears. */
const inColumns = ({ path, with: change }: Slot, columns: Field[]): Place[] =>
	columns.map((field) => ({
		field: { ...field, send: { ...field.send, empty: undefined } } as Field,
		path: path.replace('*', wireOf(field)),
		road: 'columns',
		isInRow: false,
		with: (form, given) => {
			const others = columns.map((each) => [each.name, sampleIn(each)]);
			const value = { ...Object.fromEntries(others), [field.name]: given };
			return change(form, { mappingMode: 'defineBelow', value });
		},
	}));

/** The rows around a place, filled in: a row needs its other fields, too. */
const withRows = (all: Slot[], { path }: Slot, form: Form): Form =>
	all
		.filter(({ field }) => field.type === 'fixedCollection')
		.filter((each) => path.startsWith(`${each.path}[]`) || path.startsWith(`${each.path}.`))
		.reduce((filled, row) => row.with(filled, sampleValue(row.field)), form);

export function placesOf({ operation }: TableEntry): Place[] {
	const all = slots(operation);
	return all.flatMap((slot): Place[] => {
		const { rows, columns } = slot.field.send || {};
		const isInRow = all.some(
			({ field, path }) =>
				field.type === 'fixedCollection' &&
				(slot.path.startsWith(`${path}.`) || slot.path.startsWith(`${path}[]`)),
		);
		const own: Place = {
			...slot,
			with: (form, value) => slot.with(withRows(all, slot, form), value),
			road: 'form',
			isInRow,
		};
		// A field without expressions always has the value of the form.
		if (slot.field.noDataExpression && !columns) return [];
		return [own, ...(rows ? inJson(slot, rows) : []), ...(columns ? inColumns(slot, columns) : [])];
	});
}

export const isOffered = ({ type, options = [] }: Field) =>
	type === 'options' && options.some((each) => 'value' in each && each.value === '');

interface FormOfVersion {
	form: Form;
	version: number;
}

/** All forms of an operation in the oldest and the newest version of its node. */
export function formsOf(entry: TableEntry): FormOfVersion[] {
	const node = nodes.find(({ name }) => name === entry.node)!;
	return [...new Set([1, newestVersion(node.description)])].flatMap((version) =>
		forms(entry.operation, fixedValues(entry), version).map((form) => ({ form, version })),
	);
}

/** True if the form shows the field, and no other one of its name. */
export function isShown(
	{ operation: { fields = [] } }: TableEntry,
	{ field, with: change }: Place,
	{ form, version }: FormOfVersion,
) {
	// Inside a collection, too, a field can be one of some versions only.
	if (!isOfVersion(field, version)) return false;
	const [name] = Object.keys(change({}, 1));
	const top = shown(fields, form, version).find((each) => each.name === name);
	return top !== undefined && (field.name !== name || top === field);
}

/** True for the key of Create or Update among columns: without it, no record is found. */
export const isKey = ({ operation }: TableEntry, { field, road }: Place) =>
	operation.value === 'upsert' && road === 'columns' && /^(email|externalId)$/.test(field.name);

/** True for a choice that others depend on, of which nothing means the default: the form then shows other fields. */
export const isOtherChoice = (
	{ operation: { fields = [] } }: TableEntry,
	{ field }: Place,
	form: Form,
) =>
	field.type === 'options' &&
	form[field.name] !== field.default &&
	fields.some(
		({ displayOptions: { show = {}, hide = {} } = {} }) => field.name in show || field.name in hide,
	);

/** What came of a value: refused for its field, left out with a note, or sent. */
export interface Outcome {
	end: 'refused' | 'left out' | 'sent' | 'failed';
	wire?: unknown;
	/** What is sent. */
	request?: ApiRequest;
}

export function outcomeOf(
	entry: TableEntry,
	place: Place,
	form: Form,
	{ value, isOfModel, version }: { value: unknown; isOfModel: boolean; version?: number },
): Outcome {
	const raw = place.with(form, isOfModel ? OF_MODEL : EXPRESSION);
	const given = place.with(form, value);
	const parameter = isOfModel
		? givenByModel(entry.operation.fields ?? [], (name) => given[name])
		: (name: string) => given[name];
	const values = Object.fromEntries(Object.keys(given).map((name) => [name, parameter(name)]));
	const noted = new Set<string>();
	try {
		const request = requestOf(entry, values, {}, version, {
			raw,
			gaveNothing: ({ displayName }) => noted.add(displayName),
		});
		const where = [request.body ?? request.query, request.settings];
		const path = place.path.replaceAll('[].', '.0.');
		const wire = where
			.map((each) => getAt(listsAsRecords(each), path))
			.find((each) => each !== undefined);
		if (wire !== undefined) return { end: 'sent', wire, request };
		const isLeftOut = noted.has(place.field.displayName) || isOfModel;
		return { end: isLeftOut ? 'left out' : 'sent', request };
	} catch (error) {
		const { message } = error as Error;
		const { displayName, required } = place.field;
		// Of several ways to fill in what is required, the error names the one that is shown.
		const isOwn = message.includes(`${displayName} must`);
		if (isOwn || (required && message.includes('must'))) return { end: 'refused' };
		return { end: 'failed', wire: message };
	}
}

/** With lists as objects, so that a dotted path leads into them. */
function listsAsRecords(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value) && value.length === 0) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, each]) => [name, listsAsRecords(each)]),
	);
}
