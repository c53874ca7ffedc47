// One input item -> its output items.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Api } from '../client/api';
import type { Door } from '../client/door';
import type { OutputFields } from '../client/outputFields';
import { rowsOf } from '../client/rows';
import { onlyReads, type Shape } from '../endpoints';
import { buildRequest } from '../form/request';
import { FieldFault, isRecord, recordOf, type ApiRequest, type Operation } from '../operation';
import { inEnvelope, readListing, type Found } from './listing';
import {
	idLabels,
	jsonOf,
	limitOf,
	parametersOf,
	secretValues,
	skipOf,
	type Parameter,
} from './parameters';

/** What all items of one execution share. */
export interface Session {
	operation: Operation;
	door: Door;
	/** What the user wants of each object, all of it if he did not say. */
	output?: OutputFields;
	/** Parameters that are the same for all items, by name. */
	constants: Map<string, unknown>;
	/** Warnings about the output, although no item failed. */
	warnings: Set<string>;
	/** What was looked for in lists that the API cannot search. */
	found: Found[];
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
	field: unknown,
): Promise<INodeExecutionData> {
	if (typeof field !== 'string' || field.trim() === '') {
		throw new FieldFault('Put Output File in Field', 'must not be empty');
	}
	const { data, fileName } = await api.file(request, shape);
	const name = fileName ?? shape.fileName.replace('{id}', nameable(request.path));
	const binary = await context.helpers.prepareBinaryData(data, name, shape.mimeType);
	return { json: { fileName: name, fileSize: data.length }, binary: { [field.trim()]: binary } };
}

/**
 * The rows that an operation answers with: those of a list, of its steps, or one object. Reads give
 * only the fields that the user wants; what a write did may be needed for its errors.
 */
async function rowsFor(
	context: IExecuteFunctions,
	{ operation, output, warnings, found }: Session,
	api: Api,
	request: ApiRequest,
	shape: Exclude<Shape, { kind: 'binary' }>,
	parameter: Parameter,
	index: number,
): Promise<unknown[]> {
	const keep = onlyReads(operation.route) ? output?.cut : undefined;
	if (shape.kind !== 'one' && operation.run === undefined) {
		const part = {
			limit: limitOf(context, shape, index),
			skip: skipOf(context, shape, index),
			keep,
		};
		const list = await readListing(api, request, shape, part, operation.reading?.(parameter));
		if (list.warning) warnings.add(list.warning);
		if (list.found) found.push(list.found);
		const wantsEnvelope = recordOf(parameter('options')).includeEnvelope === true;
		return wantsEnvelope ? [inEnvelope(list.envelope, list.rows, shape)] : list.rows;
	}
	const answer = operation.run
		? await operation.run(request, api)
		: await api.object(request, shape);
	const hint = operation.hint?.(request, answer);
	if (hint) warnings.add(hint);
	const rows = shape.kind === 'one' ? [answer].flat() : (rowsOf(answer, shape) ?? []);
	// The API returned an empty list instead of an object. The request went through, so there's one empty item.
	if (rows.length === 0 && shape.kind === 'one') return [{}];
	return keep ? rows.map(keep) : rows;
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
		ids: idLabels(operation, parameter),
		secrets: secretValues(operation.fields ?? [], parameter),
	});
	const pairedItem = { item: index };
	if (shape.kind === 'binary') {
		const file = await fileItem(context, api, request, shape, parameter('binaryPropertyName'));
		return [{ ...file, pairedItem }];
	}
	const rows = await rowsFor(context, session, api, request, shape, parameter, index);
	return rows.map((row) => ({ json: toJson(row, shape), pairedItem }));
}
