// Parameters of a node -> one HTTP request, checked before anything is sent.
import {
	displayParameter,
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
} from 'n8n-workflow';

import type { Route } from './endpoints';
import {
	FieldFault,
	type ApiRequest,
	type Field,
	type Method,
	type Operation,
	type Response,
	isRecord,
} from './operation';
import {
	offeredBy,
	put,
	toWire,
	unwrapLocator,
	wireName,
	wireValues,
	type FormContext,
} from './values';

/** A path template of the node's table and the method that it belongs to. */
export interface Endpoint {
	method: Method;
	path: string;
}

const parameterPattern = /\{(\w+)\}/g;

const knownParameters = new Map<string, string[]>();

/** Names of the parameters in a path template; each of the table's few templates is read once. */
export function pathParameters(template: string): string[] {
	const known = knownParameters.get(template);
	if (known) return known;
	const names = [...template.matchAll(parameterPattern)].map(([, name]) => name);
	knownParameters.set(template, names);
	return names;
}

function matches(template: string, path: string): boolean {
	const parts = template.split('/');
	const given = path.split('/');
	return (
		parts.length === given.length &&
		parts.every((part, index) => {
			if (!part.includes('{')) return part === given[index];
			const suffix = part.slice(part.indexOf('}') + 1);
			return given[index].length > suffix.length && given[index].endsWith(suffix);
		})
	);
}

/**
 * Encodes parameters into a path template. An id such as `types` or `customer` can make the path
 * of another endpoint (/webhooks/types.json), also of one with another method, since a service
 * chooses the path before the method: it is refused, as are the ids that a URL parser takes out of
 * a path.
 * @throws FieldFault naming the parameter
 */
export function fillPath(
	{ path: template }: Pick<Endpoint, 'path'>,
	parameters: Record<string, unknown>,
	endpoints: Array<Pick<Endpoint, 'path'>>,
	label: (parameter: string) => string = (parameter) => parameter,
): string {
	const names = pathParameters(template);
	const path = template.replace(parameterPattern, (_match, name: string) => {
		const value = String(parameters[name] ?? '');
		if (value.trim() === '') throw new FieldFault(label(name), 'must not be empty');
		if (value === '.' || value === '..') {
			throw new FieldFault(label(name), `must be an id (got ${value})`);
		}
		if (!value.isWellFormed()) throw new FieldFault(label(name), 'must be valid Unicode text');
		return encodeURIComponent(value);
	});
	const other = endpoints.find(
		(endpoint) =>
			endpoint.path !== template &&
			pathParameters(endpoint.path).length <= names.length &&
			matches(endpoint.path, path),
	);
	if (other) {
		const values = names.map((name) => String(parameters[name])).join(', ');
		throw new FieldFault(
			label(names[0]),
			`cannot be used as an id here: ${values} names the endpoint ${other.path} of the API`,
		);
	}
	return path;
}

/** The endpoint of the form's choice: the operation's own or its alternative. */
export function chosenEndpoint(
	operation: Operation,
	parameter: (name: string) => unknown,
): { path: string; response: Response } {
	const { alternative } = operation;
	return alternative && parameter(alternative.field) === alternative.is
		? { path: alternative.path, response: alternative.response ?? operation.response }
		: { path: operation.path, response: operation.response };
}

/** Values of the fields by name. */
type Form = Record<string, unknown>;

/** What the form holds: the default where a choice, which can show and hide fields, is empty. */
function formOf({ fields = [] }: Operation, parameter: (name: string) => unknown): Form {
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

/** What the form shows: a field that it hides was not set, even if it is a required one. */
function shownFields({ fields = [] }: Operation, form: Form): Field[] {
	return fields.filter((field) =>
		displayParameter(form as INodeParameters, field as INodeProperties, null, null),
	);
}

/** The fields that fill a place of their own, also those inside collections. */
function placesOf(fields: Field[]): Field[] {
	return fields.flatMap((field) => {
		if (field.type === 'collection') return placesOf(field.options as Field[]);
		return field.send === false || field.type === 'notice' || wireName(field) === '*'
			? []
			: [field];
	});
}

/**
 * Holds what a JSON field joins to the body against the rules of the fields whose places it fills.
 * @throws FieldFault naming the JSON field or the field whose rule is broken
 */
function joined(
	json: Field,
	given: IDataObject,
	fields: Field[],
	context: FormContext,
): IDataObject {
	const checked: IDataObject = { ...given };
	for (const field of placesOf(fields)) {
		const names = wireName(field).split('.');
		let value: unknown = checked;
		for (const [depth, name] of names.entries()) {
			if (!isRecord(value)) {
				const place = names.slice(0, depth).join('.');
				throw new FieldFault(json.displayName, `must hold an object as ${place}`);
			}
			value = Object.hasOwn(value, name) ? value[name] : undefined;
			if (value === undefined) break;
		}
		if (value === undefined) continue;
		// An empty text is how a value is cleared.
		const mayBeEmpty = value === '' && !(field.send && field.send.format);
		put(
			checked,
			wireName(field),
			mayBeEmpty ? '' : toWire({ ...field, required: true }, value, context),
		);
	}
	return checked;
}

function isPathField(field: Field, template: string): boolean {
	return pathParameters(template).includes(field.name);
}

/** Whether a field, or one inside it, fills a place that the reference names. */
function namesAPlace(field: Field): boolean {
	return field.type === 'collection'
		? (field.options as Field[]).some(namesAPlace)
		: field.type !== 'notice' && wireName(field) !== '*';
}

/**
 * The request that an operation's form describes. The body holds only what the user set, below
 * the operation's root key.
 * @param parameter value of a form field by name
 * @throws FieldFault for the first field whose value must not be sent
 */
export function buildRequest(
	operation: Operation,
	parameter: (name: string) => unknown,
	context: FormContext,
	endpoints: Endpoint[],
): ApiRequest & { response: Response } {
	const { method, root } = operation;
	const form = formOf(operation, parameter);
	const { path: template, response } = chosenEndpoint(operation, (name) => form[name]);
	const fields = shownFields(operation, form);
	// A choice that the form does not offer would hide fields, and leave out what they hold.
	for (const field of fields) {
		if (field.send === false && field.type === 'options') {
			toWire({ ...field, required: true }, form[field.name], context);
		}
	}
	const values = Object.fromEntries(fields.map(({ name }) => [name, parameter(name)]));

	const ownFields = fields.filter((field) => !isPathField(field, template));
	const pathFields = fields.filter((field) => isPathField(field, template));
	const parameters = Object.fromEntries(
		pathFields.map((field) => [
			field.name,
			toWire({ ...field, required: true }, values[field.name], context),
		]),
	);
	const label = (name: string) =>
		pathFields.find((field) => field.name === name)?.displayName ?? name;
	const path = fillPath({ path: template }, parameters, endpoints, label);

	const query: IDataObject = {};
	const body: IDataObject = {};
	const defaultPlace = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
	// A path parameter of the alternative endpoint only is a choice of the form, not a value to send.
	const alternativeOnly = pathParameters(operation.alternative?.path ?? '');
	for (const [field, wire] of wireValues(
		ownFields.filter(({ name }) => !alternativeOnly.includes(name)),
		values,
		context,
	)) {
		const place = (field.send && field.send.in) || defaultPlace;
		const value =
			wireName(field) === '*' ? joined(field, wire as IDataObject, ownFields, context) : wire;
		put(place === 'query' ? query : body, wireName(field), value);
	}

	const hasBody = Object.keys(body).length > 0;
	if (method === 'PUT' && !hasBody && ownFields.some(namesAPlace)) {
		const where = ownFields.find(({ type }) => type === 'collection') ?? ownFields[0];
		throw new FieldFault(where.displayName, 'must set at least one value to update');
	}
	const request: ApiRequest = { route: `${method} ${template}` as Route, path };
	if (Object.keys(query).length > 0) request.query = query;
	if (root !== undefined) request.body = { [root]: body };
	else if (hasBody) request.body = body;
	if (response.kind === 'binary' && response.base64 === undefined) request.binary = true;
	operation.check?.(request);
	return { ...request, response };
}
