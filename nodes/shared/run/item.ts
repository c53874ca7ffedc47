// One input item -> its output items.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Api } from '../client/api';
import type { Door } from '../client/door';
import { rowsOf } from '../client/rows';
import type { Shape } from '../endpoints';
import { buildRequest } from '../form/request';
import { isRecord, type ApiRequest, type Operation } from '../operation';
import { withFiles } from './files';
import { idLabels, jsonOf, limitOf, parametersOf, secretValues } from './parameters';

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

/** For an agent, which sees no hint and no Limit: how many rows the list has beyond those shown. */
function noteFor(context: IExecuteFunctions, shown: number, count = 0): IDataObject[] {
	// n8n calls a node by this name when it is a tool.
	const isTool = context.getNode().type.endsWith('Tool');
	if (!isTool || count <= shown) return [];
	return [
		{ note: `${count - shown} more are not shown. Use a filter or another tool to find them.` },
	];
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
		const { rows, warning, count } = await api.list(request, {
			limit: limitOf(context, shape, index),
			shape,
		});
		if (warning) warnings.add(warning);
		return [...rows, ...noteFor(context, rows.length, count)];
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

/** Runs the operation for one input item; each output item is paired with it. */
export async function runItem(
	context: IExecuteFunctions,
	session: Session,
	index: number,
): Promise<INodeExecutionData[]> {
	const { operation, door, constants } = session;
	const own = parametersOf(context, constants, index);
	const parameter = await withFiles(context, operation, own, index);
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
		const file = await fileItem(context, api, request, shape);
		return [{ ...file, pairedItem }];
	}
	const rows = await rowsFor(context, session, api, request, shape, index);
	return rows.map((row) => ({ json: toJson(row, shape), pairedItem }));
}
