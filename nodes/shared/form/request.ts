// Parameters of a node -> one HTTP request, checked before anything is sent.
import {
	displayParameter,
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
} from 'n8n-workflow';

import { emptied, toWire, wireName, wireValues } from './containers';
import { getAt, put, setAt } from '../dotted';
import { onlyReads, partsOf, type Route, type Shape } from '../endpoints';
import { checkLimits } from './limits';
import {
	FieldFault,
	isRecord,
	recordOf,
	shapeOf,
	type ApiRequest,
	type LookupKey,
	type Operation,
} from '../operation';
import type { Field } from '../fields';
import { pathParameters, requestTo } from '../path';
import { offeredBy, unwrapLocator, type FormContext } from './values';

/** What the form of an operation holds for one item. */
export interface Form {
	operation: Operation;
	context: FormContext;
	/** The endpoint that it chooses: the operation's own or its alternative, or its whole response. */
	route: Route;
	shape: Shape;
	/** The fields that it shows. A hidden one doesn't count, even if it's required. */
	fields: Field[];
	/** What was entered in them, by name. */
	values: Record<string, unknown>;
}

/** The values that show and hide fields. An empty choice takes its default. */
function choicesOf(fields: Field[], parameter: (name: string) => unknown): Record<string, unknown> {
	return Object.fromEntries(
		fields.map((field) => {
			const { name, type, default: standard } = field;
			const value = parameter(name) ?? standard;
			if (type !== 'options' && type !== 'boolean') return [name, value];
			const chosen = unwrapLocator(value) ?? standard;
			if (chosen === '' && !offeredBy(field).includes('')) return [name, standard];
			// An expression may give a boolean as text.
			if (type === 'boolean' && (chosen === 'true' || chosen === 'false')) {
				return [name, chosen === 'true'];
			}
			return [name, chosen];
		}),
	);
}

/**
 * Reads a form, once for each item.
 * @param parameter value of a form field by name
 * @throws FieldFault for a choice that the form doesn't have: it would hide fields, and their values would get lost
 */
export function formOf(
	operation: Operation,
	parameter: (name: string) => unknown,
	context: FormContext,
): Form {
	const { fields: all = [], alternative, envelope } = operation;
	const choices = choicesOf(all, parameter);
	const fields = all.filter((field) =>
		displayParameter(choices as INodeParameters, field as INodeProperties, null, null),
	);
	for (const field of fields) {
		if (field.send === false && field.type === 'options') {
			toWire({ ...field, required: true }, choices[field.name], context);
		}
	}
	const values = Object.fromEntries(fields.map(({ name }) => [name, parameter(name)]));
	const isWhole = envelope === true && recordOf(parameter('options')).includeEnvelope === true;
	const isOther = alternative !== undefined && choices[alternative.field] === alternative.is;
	const { route = operation.route, shape = shapeOf(operation) } = isOther ? alternative : {};
	return {
		operation,
		context,
		route,
		shape: isWhole ? { kind: 'one', open: true } : shape,
		fields,
		values,
	};
}

/** The fields that fill a place of their own, also those inside collections. */
function placesOf(fields: Field[]): Field[] {
	return fields.flatMap((field) => {
		if (field.type === 'collection') return placesOf(field.options);
		const isSent = field.send !== false && !field.send?.setting;
		return !isSent || field.type === 'notice' || wireName(field) === '*' ? [] : [field];
	});
}

/**
 * Holds what a JSON field joins to the body against the rules of the fields whose places it fills. Null
 * passes as it is, and so does empty text where it may clear something.
 * @throws FieldFault naming the JSON field or the field whose rule is broken
 */
function joined(json: Field, given: object, fields: Field[], context: FormContext): object {
	const checked = { ...given };
	for (const field of placesOf(fields)) {
		const value = getAt(checked, wireName(field), (place) => {
			throw new FieldFault(json.displayName, `must have an object at ${place}`);
		});
		if (value === undefined || value === null) continue;
		const send = field.send || {};
		const clears = value === '' && (send.emptyClears || send.format === undefined);
		const wire = clears
			? emptied(field, send)
			: toWire({ ...field, required: true }, value, context);
		setAt(checked, wireName(field), wire);
	}
	return checked;
}

/** What the fields beside the path send, the query or the body below its root key, and the settings. */
function contentOf(
	fields: Field[],
	values: Form['values'],
	context: FormContext,
): { content: IDataObject; settings: IDataObject } {
	const content: IDataObject = {};
	const settings: IDataObject = {};
	for (const [field, wire] of wireValues(fields, values, context)) {
		if (field.send && field.send.setting) {
			put(settings, field.name, wire);
			continue;
		}
		const place = wireName(field);
		const joins = place === '*' && isRecord(wire);
		// Rows of the form and rows of JSON in one place are all meant.
		const before = Array.isArray(wire) ? getAt(content, place) : undefined;
		if (Array.isArray(before)) setAt(content, place, before.concat(wire));
		else put(content, place, joins ? joined(field, wire, fields, context) : wire);
	}
	// Several fields can fill one object: its limits hold for all of it.
	for (const field of placesOf(fields)) {
		const whole = getAt(content, wireName(field));
		if (isRecord(whole) && field.send) checkLimits(field, whole, field.send);
	}
	return { content, settings };
}

/**
 * What a request looks something up by, as the form names it: the ids in its path, or, where one record
 * is read without any, what the form asks for, such as an external ID.
 */
function lookupKeysOf({ route, shape, fields, values }: Form): LookupKey[] {
	const inPath = pathParameters(route);
	const isLookup = inPath.length === 0 && shape.kind === 'one' && onlyReads(route);
	const asked = fields.filter(({ name, type }) =>
		isLookup ? type === 'string' : inPath.includes(name),
	);
	return asked
		.map(({ displayName, name }) => ({
			field: displayName,
			value: String(unwrapLocator(values[name]) ?? ''),
		}))
		.filter(({ value }) => value !== '');
}

/**
 * The request that a form describes. The body holds only what the user set, below the operation's root key.
 * @throws FieldFault for the first field whose value must not be sent
 */
export function buildRequest(form: Form): ApiRequest {
	const { operation, context, route, shape, fields, values } = form;
	const { root, alternative } = operation;
	const { method } = partsOf(route);
	const inPath = pathParameters(route);
	const inRoute = fields.filter(({ name }) => inPath.includes(name));
	const ids = inRoute.map((field) => [
		field.name,
		toWire({ ...field, required: true }, values[field.name], context),
	]);
	const label = (name: string) => inRoute.find((each) => each.name === name)?.displayName ?? name;
	const request = requestTo(route, Object.fromEntries(ids), {}, label);

	// A path parameter of the alternative endpoint only is a choice of the form, not a value to send.
	const elsewhere = [...inPath, ...(alternative?.route ? pathParameters(alternative.route) : [])];
	const ownFields = fields.filter(({ name }) => !elsewhere.includes(name));
	const { content, settings } = contentOf(ownFields, values, context);

	const isEmpty = Object.keys(content).length === 0;
	if (method === 'PUT' && isEmpty && placesOf(ownFields).length > 0) {
		const where = ownFields.find(({ type }) => type === 'collection') ?? ownFields[0];
		throw new FieldFault(where.displayName, 'is empty: add at least one field to update');
	}
	if (operation.makes && isEmpty) {
		throw new FieldFault(
			ownFields[0].displayName,
			'or another field of the form must be filled in',
		);
	}
	const asks = method === 'GET' || method === 'DELETE';
	if (asks && !isEmpty) request.query = content;
	if (!asks && root !== undefined) request.body = { [root]: content };
	else if (!asks && !isEmpty) request.body = content;
	if (shape.kind === 'binary' && shape.base64 === undefined) request.binary = true;
	if (Object.keys(settings).length > 0) request.settings = settings;
	request.lookupKeys = lookupKeysOf(form);
	operation.check?.(request);
	return request;
}

/** The request of a form that has no items. */
export const requestOf = (
	operation: Operation,
	parameter: (name: string) => unknown,
	timezone: string,
): ApiRequest => buildRequest(formOf(operation, parameter, { timezone, item: {} }));
