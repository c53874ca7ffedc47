// Parameters of a node -> one HTTP request, checked before it's sent.
import {
	displayParameter,
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
} from 'n8n-workflow';

import { FieldFault, type ApiRequest, type LookupKey } from '../base/apiRequest';
import { getAt, isRecord, put, recordOf, setAt } from '../base/data';
import type { Endpoint, Shape } from '../base/definition';
import { requestTo } from '../base/path';
import { emptied, toWire, wireName, wireValues } from './containers';
import type { Field, FormContext } from './fields';
import { fromOptions } from './inOptions';
import { checkLimits } from './limits';
import { rawIn, refuseNothing } from './nothing';
import { hasExtras, shapeOf, type Operation } from './operation';
import { envelopeField, isOptions } from './options';
import { isNoValue, offers, toOptions, unwrapLocator } from './values';

export interface Form {
	operation: Operation;
	context: FormContext;
	/** Route and shape of the operation or its alternative. The shape may also be the whole response. */
	endpoint: Endpoint;
	shape: Shape;
	/** Visible fields. A hidden one doesn't count, even if it's required. */
	fields: Field[];
	values: Record<string, unknown>;
}

/** Values that `displayOptions` depend on: those of the form, but an empty choice counts as its default. */
function choicesOf(fields: Field[], entered: Form['values']): Record<string, unknown> {
	const choices: Record<string, unknown> = {};
	for (const field of fields) {
		const { name, type, default: standard } = field;
		choices[name] = entered[name] ?? standard;
		if (type !== 'options' && type !== 'boolean') continue;
		const chosen = unwrapLocator(choices[name]) ?? standard;
		const mayBeNone = chosen === '' || typeof chosen === 'object';
		const isNone = mayBeNone && isNoValue(field, chosen) && !offers(field, chosen);
		// An expression may return a boolean as text.
		const isText = type === 'boolean' && (chosen === 'true' || chosen === 'false');
		if (isNone) choices[name] = standard;
		else choices[name] = isText ? chosen === 'true' : chosen;
	}
	return choices;
}

/** Reads the form for one item. Throws FieldFault for an unknown option, which would hide fields and lose their values. */
export function formOf(
	operation: Operation,
	parameter: (name: string) => unknown,
	context: FormContext,
): Form {
	const { fields: all = [], alternative } = operation;
	const entered: Form['values'] = {};
	const options = recordOf(parameter('options'));
	const moved = Object.keys(options).length > 0 ? fromOptions(all, options) : {};
	for (const { name } of all) {
		const value = parameter(name);
		entered[name] = value ?? moved[name] ?? value;
	}
	const choices = choicesOf(all, entered);
	const node = { typeVersion: context.version ?? 1 };
	const fields: Field[] = [];
	const values: Form['values'] = {};
	for (const field of all) {
		const { name, type, send } = field;
		if (!displayParameter(choices as INodeParameters, field as INodeProperties, node, null))
			continue;
		// Options that are sent are checked when they're converted.
		if (send === false && type === 'options') toOptions(field, choices[name]);
		fields.push(field);
		values[name] = entered[name];
	}
	const { includeEnvelope } = options;
	const isWhole =
		includeEnvelope !== undefined &&
		hasExtras(operation) &&
		toWire(envelopeField, includeEnvelope, context) === true;
	const isOther = alternative !== undefined && choices[alternative.field] === alternative.is;
	const { route, shape = shapeOf(operation) } = isOther ? alternative : {};
	const { endpoint } = operation;
	if (Object.keys(moved).length > 0 && isRecord(context.raw)) {
		const { raw } = context;
		context = { ...context, raw: { ...fromOptions(all, recordOf(raw.options)), ...raw } };
	}
	return {
		operation,
		context,
		endpoint: route ? endpoint.api.endpoint(route) : endpoint,
		shape: isWhole ? { kind: 'one', untyped: 'open' } : shape,
		fields,
		values,
	};
}

/** Fields with a key of their own in the request, also in collections: not settings, nor `*`, whose keys join the others. */
export function fieldsWithKey(fields: Field[]): Field[] {
	return fields.flatMap((field) => {
		if (field.type === 'collection') return fieldsWithKey(field.options);
		const isSent = field.send !== false && !field.send?.setting;
		return !isSent || field.type === 'notice' || wireName(field) === '*' ? [] : [field];
	});
}

/**
 * JSON that is merged into the body. Each key is checked by the rules of the form field with that key. Null passes, and empty
 * text that may clear a value becomes what clears it in the API. Throws FieldFault that names the JSON, or the field.
 */
function joined(json: Field, given: object, fields: Field[], context: FormContext): object {
	const checked = { ...given };
	for (const field of fieldsWithKey(fields)) {
		const value = getAt(checked, wireName(field), (place) => {
			throw new FieldFault(json.displayName, `must have an object at ${place}`);
		});
		if (value === undefined || value === null) continue;
		const send = field.send || {};
		// Text with a format can't be empty, unless that clears the value.
		const clears = value === '' && (send.empty === 'clears' || send.format === undefined);
		// Required, because JSON refuses the empty values that `toWire` would leave out of a form.
		const wire = clears
			? emptied(field, send)
			: toWire({ ...field, required: true }, value, context);
		setAt(checked, wireName(field), wire);
	}
	return checked;
}

/** The query or body, without its root key, and the settings. `asIs`: see `ApiRequest`. */
function contentOf(
	fields: Field[],
	values: Form['values'],
	context: FormContext,
): { content: IDataObject; settings: IDataObject; asIs: string[] } {
	const content: IDataObject = {};
	const settings: IDataObject = {};
	const asIs: string[] = [];
	let isShared = false;
	for (const [field, wire] of wireValues(fields, values, context)) {
		if (field.send && field.send.setting) {
			put(settings, field.name, wire);
			continue;
		}
		const place = wireName(field);
		const joins = place === '*' && isRecord(wire);
		if (joins && field.type === 'json') {
			asIs.push(...Object.keys(wire).filter((name) => !Object.hasOwn(content, name)));
		}
		// A dotted key may be in an object that JSON or another field has set.
		const mayBeSet = place.includes('.') || Object.hasOwn(content, place);
		isShared ||= joins || mayBeSet;
		// Rows of the form and rows of JSON with the same key add up.
		const before = mayBeSet && Array.isArray(wire) ? getAt(content, place) : undefined;
		if (Array.isArray(before)) setAt(content, place, before.concat(wire));
		else put(content, place, joins ? joined(field, wire, fields, context) : wire);
	}
	// Several fields can fill one object, so its limits are checked again for all of it.
	for (const field of isShared ? fieldsWithKey(fields) : []) {
		const object = getAt(content, wireName(field));
		if (isRecord(object) && field.send) checkLimits(field, object, field.send);
	}
	return { content, settings, asIs };
}

/** IDs in the path, to show when nothing is found. A read of one record without IDs has text fields instead. */
function lookupKeysOf({ endpoint, shape, fields, values }: Form): LookupKey[] {
	const inPath = endpoint.pathParameters;
	const isLookup = inPath.length === 0 && shape.kind === 'one' && endpoint.onlyReads;
	const keys: LookupKey[] = [];
	for (const { displayName, name, type } of fields) {
		const isKey = isLookup ? type === 'string' : inPath.includes(name);
		if (!isKey) continue;
		const value = String(unwrapLocator(values[name]) ?? '');
		if (value !== '') keys.push({ field: displayName, value });
	}
	return keys;
}

/** Refuses a form of which nothing is sent, if it's an update with fields, or an operation that `makes` a record. */
function refuseEmpty({ operation, endpoint, values, context }: Form, fields: Field[]): void {
	const firstSent = fields.find(({ send }) => send !== false) ?? fields[0];
	const isUpdate = endpoint.method === 'PUT' && fieldsWithKey(fields).length > 0;
	// The fields that the user has set gave nothing. Only a form has expressions to name.
	if (context.gaveNothing && (isUpdate || operation.makes)) {
		wireValues(fields, values, { ...context, gaveNothing: refuseNothing });
	}
	if (isUpdate) {
		const isFields = (field: Field) => field.type === 'collection' && !isOptions(field);
		const where = fields.find(isFields) ?? firstSent;
		throw new FieldFault(where.displayName, 'is empty: add at least one field to update');
	}
	if (operation.makes) {
		throw new FieldFault(firstSent.displayName, 'or another field of the form must be filled in');
	}
}

/** The body has only what the user set, below the operation's root key, if any. Throws FieldFault for an invalid value. */
export function buildRequest(form: Form): ApiRequest {
	const { operation, context, endpoint, fields, values } = form;
	const { root, alternative } = operation;
	// An ID that only the path of the alternative has isn't sent otherwise.
	const unsent = alternative?.route && endpoint.api.endpoint(alternative.route).pathParameters;
	const ids: Record<string, unknown> = {};
	const contentFields: Field[] = [];
	for (const field of fields) {
		const { name } = field;
		if (endpoint.pathParameters.includes(name)) {
			const raw = rawIn(context.raw, name);
			ids[name] = toWire({ ...field, required: true }, values[name], { ...context, raw });
		} else if (!unsent?.includes(name)) contentFields.push(field);
	}
	const label = (name: string) => fields.find((each) => each.name === name)?.displayName ?? name;
	const request = requestTo(endpoint, ids, {}, label);
	const { content, settings, asIs } = contentOf(contentFields, values, context);
	const isEmpty = Object.keys(content).length === 0;
	if (isEmpty) refuseEmpty(form, contentFields);
	const inQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE';
	if (inQuery && !isEmpty) request.query = content;
	if (!inQuery && root !== undefined) request.body = { [root]: content };
	else if (!inQuery && !isEmpty) request.body = content;
	if (Object.keys(settings).length > 0) request.settings = settings;
	if (asIs.length > 0) request.asIs = asIs;
	request.lookupKeys = () => lookupKeysOf(form);
	operation.check?.(request);
	return request;
}

/** The request of a form without input items. `raw` are the node's parameters with their expressions. */
export const requestOf = (
	operation: Operation,
	parameter: (name: string) => unknown,
	timezone: string,
	{ typeVersion: version, parameters: raw }: { typeVersion?: number; parameters?: object } = {},
): ApiRequest => buildRequest(formOf(operation, parameter, { timezone, version, item: {}, raw }));
