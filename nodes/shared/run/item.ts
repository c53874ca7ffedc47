// One input item -> its output items.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Api } from '../client/api';
import type { Door } from '../client/door';
import { pathParameters } from '../client/path';
import { rowsOf } from '../client/rows';
import { Cancelled } from '../client/transport';
import type { Shape } from '../endpoints';
import { buildRequest } from '../form/request';
import { unwrapLocator } from '../form/values';
import {
	isRecord,
	recordOf,
	type ApiRequest,
	type Operation,
	type WholeRecord,
} from '../operation';
import {
	idLabels,
	jsonOf,
	limitOf,
	parametersOf,
	secretValues,
	type Parameter,
} from './parameters';

/** What all items of one execution share. */
export interface Session {
	operation: Operation;
	door: Door;
	/** Parameters that are the same for all items, by name. */
	constants: Map<string, unknown>;
	/** Warnings about the output, although no item failed. */
	warnings: Set<string>;
}

function toJson(row: unknown, shape: Shape): IDataObject {
	if (isRecord(row) && shape.kind !== 'strings') return row;
	return { [shape.kind === 'strings' ? shape.as : 'value']: row as IDataObject[string] };
}

/** The id before the last segment of a path, as a part of a file name. */
function nameable(path: string): string {
	return decodeURIComponent(path.split('/').at(-2) ?? '').replace(/[^\w.-]+/g, '_');
}

async function fileItem(
	context: IExecuteFunctions,
	api: Api,
	request: ApiRequest,
	shape: Extract<Shape, { kind: 'binary' }>,
): Promise<INodeExecutionData> {
	const { data, fileName } = await api.file(request, shape);
	const name = fileName ?? shape.fileName.replace('{id}', nameable(request.path));
	const binary = await context.helpers.prepareBinaryData(data, name, shape.mimeType);
	return { json: { fileName: name, fileSize: data.length }, binary: { data: binary } };
}

/** The rows that an operation answers with: those of a list, of its steps, or one object. */
async function rowsFor(
	context: IExecuteFunctions,
	{ operation, warnings }: Session,
	api: Api,
	request: ApiRequest,
	shape: Exclude<Shape, { kind: 'binary' }>,
	index: number,
): Promise<unknown[]> {
	if (shape.kind !== 'one' && operation.run === undefined) {
		const { rows, warning } = await api.list(request, {
			limit: limitOf(context, shape, index),
			shape,
		});
		if (warning) warnings.add(warning);
		return rows;
	}
	const answer = operation.run
		? await operation.run(request, api)
		: await api.object(request, shape);
	const hint = operation.hint?.(request, answer);
	if (hint) warnings.add(hint);
	const rows = shape.kind === 'one' ? [answer].flat() : (rowsOf(answer, shape) ?? []);
	// The API returned an empty list instead of an object. The request went through, so there's one empty item.
	return rows.length === 0 && shape.kind === 'one' ? [{}] : rows;
}

/** Whether a boolean of the form is on; an expression may give it as text. */
function isOn(parameter: Parameter, name: string, standard: boolean): boolean {
	const value = parameter(name) ?? standard;
	return value === true || value === 'true';
}

/** The path of a whole record: its ID from the write's answer, or from the form where both name it. */
function wholeRequest(
	{ route, by = 'id' }: WholeRecord,
	written: IDataObject,
	api: Api,
	parameter: Parameter,
): ApiRequest {
	const [name] = pathParameters(route);
	const id = written[by] ?? unwrapLocator(parameter(name));
	return api.request(route, { [name]: id });
}

/**
 * The whole record after a write. The write went through: whatever becomes of the read, the item holds
 * what the write returned, and is never sent again.
 */
async function wholeRecord(
	{ operation, warnings }: Session,
	whole: WholeRecord,
	written: IDataObject,
	api: Api,
	parameter: Parameter,
): Promise<IDataObject> {
	const read = async () => await api.object(wholeRequest(whole, written, api, parameter));
	return await read().then(
		(record) => {
			const more = Object.entries(written).filter(([name]) => !(name in recordOf(record)));
			return { ...recordOf(record), ...Object.fromEntries(more) };
		},
		(thrown: unknown) => {
			if (thrown instanceof Cancelled) throw thrown;
			const warning = `"${operation.action}" went through, but the whole record couldn't be read: ${(thrown as Error).message}`;
			warnings.add(warning);
			return { ...written, warning };
		},
	);
}

/** Runs the operation for one input item; each output item is paired with it. */
export async function runItem(
	context: IExecuteFunctions,
	session: Session,
	index: number,
): Promise<INodeExecutionData[]> {
	const { operation, door, constants } = session;
	const parameter = parametersOf(context, constants, index);
	const form = { timezone: context.getTimezone(), item: jsonOf(context, index) };
	const { request, shape } = buildRequest(operation, parameter, form);
	const api = door.api({
		action: operation.action,
		itemIndex: index,
		items: context.getInputData().length,
		// An agent only reads the message.
		described: !context.getNode().type.endsWith('Tool'),
		ids: idLabels(operation, parameter),
		secrets: secretValues(operation.fields ?? [], parameter),
	});
	const pairedItem = { item: index };
	if (shape.kind === 'binary') {
		const file = await fileItem(context, api, request, shape);
		return [{ ...file, pairedItem }];
	}
	let rows = await rowsFor(context, session, api, request, shape, index);
	const { whole, simplify } = operation;
	if (whole && isOn(parameter, 'returnWholeRecord', false)) {
		rows = [await wholeRecord(session, whole, recordOf(rows[0]), api, parameter)];
	}
	if (simplify && isOn(parameter, 'simplify', true)) rows = simplify(rows, request);
	return rows.map((row) => ({ json: toJson(row, shape), pairedItem }));
}
