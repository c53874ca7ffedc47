// Items in -> items out, for every operation of every action node.
//
// Why not n8n's declarative routing: it starts every item at once without a bound, never fetches
// pages in parallel, cannot wait on 429, loses the pairing of lists over several input items, and
// does not stop when the user cancels.
import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { Api } from './api';
import { connect } from './connection';
import { nodeError } from './errors';
import { onlyReads, type Route } from './endpoints';
import { earlierRunOf } from './earlierRuns';
import { Gate, inPool } from './gate';
import {
	FieldFault,
	type Field,
	type Operation,
	type Resource,
	type Response,
	isRecord,
} from './operation';
import { readList } from './pages';
import { pathParameters } from './path';
import { buildRequest, chosenEndpoint } from './request';
import { rowsOf, type ListResponse } from './rows';
import { settingsOf } from './settings';
import { Cancelled, Transport } from './transport';
import { tellApplied } from './stopped';
import { unwrapLocator } from './values';

/** What all items of one execution share. */
interface Session {
	node: INode;
	operation: Operation;
	transport: Transport;
	/** Items, and pages of a list, in flight at most. */
	parallel: number;
	turns: Map<string, Promise<unknown>>;
	/** Parameters that are the same for all items, by name. */
	constants: Map<string, unknown>;
	/** What the user must know about the output although no item failed. */
	warnings: Set<string>;
}

function chosenOperation(context: IExecuteFunctions, resources: Resource[]): Operation {
	const resourceValue = context.getNodeParameter('resource', 0);
	const value = context.getNodeParameter('operation', 0);
	const operation = resources
		.find((resource) => resource.value === resourceValue)
		?.operations.find((each) => each.value === value);
	if (operation) return operation;
	// n8n adds a choice 'Custom API Call' to the pickers, which still runs the node.
	throw new NodeOperationError(
		context.getNode(),
		'This node sends no custom API calls. Choose one of its operations, or use the HTTP Request node with this credential.',
	);
}

async function prepare(context: IExecuteFunctions, resources: Resource[]): Promise<Session> {
	const operation = chosenOperation(context, resources);
	const { start, ceiling, patience } = settingsOf(context, operation);
	const connection = await connect(context);
	return {
		node: context.getNode(),
		operation,
		transport: new Transport(context, connection, new Gate(start, ceiling), patience),
		parallel: ceiling,
		turns: new Map(),
		constants: new Map(),
		warnings: new Set(),
	};
}

/** The values that the user typed into password fields, which no error may repeat. */
function secretValues(fields: Field[], values: (name: string) => unknown): string[] {
	return fields.flatMap((field): string[] => {
		if (field.type === 'collection') {
			const added = (values(field.name) ?? {}) as IDataObject;
			return secretValues(field.options as Field[], (name) => added[name]);
		}
		const value = field.typeOptions?.password ? values(field.name) : undefined;
		// An expression may give a number.
		return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
	});
}

/** The ids in the path as the form shows them, such as `Customer "7"`. */
export function idLabels(operation: Operation, parameter: (name: string) => unknown): string[] {
	const { fields = [] } = operation;
	return pathParameters(chosenEndpoint(operation, parameter).path).map((name) => {
		const label = fields.find((field) => field.name === name)?.displayName ?? name;
		return `${label} "${String(unwrapLocator(parameter(name)))}"`;
	});
}

function toJson(row: unknown, response: Response): IDataObject {
	if (response.kind === 'strings') return { [response.as]: row as string };
	return isRecord(row) ? (row as IDataObject) : { value: row as string };
}

/** The id before the last segment of a path, as a part of a file name. */
function nameable(path: string): string {
	return decodeURIComponent(path.split('/').at(-2) ?? '').replace(/[^\w.-]+/g, '_');
}

/** The limit of a list: all rows, or as many as the user asked for. */
function limitOf(context: IExecuteFunctions, response: ListResponse, index: number): number {
	if (response.kind !== 'map' && response.whole) return Infinity;
	if (context.getNodeParameter('returnAll', index) === true) return Infinity;
	const limit = Number(context.getNodeParameter('limit', index));
	if (!Number.isInteger(limit) || limit < 1) {
		throw new FieldFault('Limit', 'must be a whole number of at least 1');
	}
	return limit;
}

/** Whether n8n evaluates something in a raw parameter, so that it can differ between items. */
function holdsExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	return typeof raw === 'object' && raw !== null && Object.values(raw).some(holdsExpression);
}

/**
 * The parameters of one item by name. Each is evaluated once, since its expression may be costly or
 * give a random number; what holds no expression, once for all items.
 */
function parametersOf(
	context: IExecuteFunctions,
	constants: Map<string, unknown>,
	index: number,
): (name: string) => unknown {
	const own = new Map<string, unknown>();
	return (name) => {
		if (constants.has(name)) return constants.get(name);
		if (own.has(name)) return own.get(name);
		const raw = context.getNodeParameter(name, index, null, { rawExpressions: true });
		const value = context.getNodeParameter(name, index, null);
		(holdsExpression(raw) ? own : constants).set(name, value);
		return value;
	};
}

async function runItem(
	context: IExecuteFunctions,
	session: Session,
	index: number,
): Promise<INodeExecutionData[]> {
	const { node, operation, transport, parallel, turns, constants, warnings } = session;
	const parameter = parametersOf(context, constants, index);
	const form = { timezone: context.getTimezone(), item: context.getInputData()[index].json };
	const { response, ...request } = buildRequest(operation, parameter, form);

	const api = new Api(transport, turns, index, {
		node,
		itemIndex: index,
		operation,
		ids: idLabels(operation, parameter),
		secrets: [...transport.connection.secrets, ...secretValues(operation.fields ?? [], parameter)],
	});
	const pairedItem = { item: index };

	if (response.kind === 'binary') {
		const { data, fileName } = await api.file(request, response);
		const name = fileName ?? response.fileName.replace('{id}', nameable(request.path));
		const binary = await context.helpers.prepareBinaryData(data, name, response.mimeType);
		return [
			{ json: { fileName: name, fileSize: data.length }, binary: { data: binary }, pairedItem },
		];
	}
	if (response.kind !== 'one' && operation.run === undefined) {
		const { rows, warning } = await readList(
			request,
			response,
			limitOf(context, response, index),
			async (page) => await api.page(page, response),
			parallel,
		);
		if (warning) warnings.add(warning);
		return rows.map((row) => ({ json: toJson(row, response), pairedItem }));
	}
	const answer =
		operation.run || response.kind !== 'one'
			? await operation.run?.(request, api)
			: await api.object(request, response);
	const rows = [response.kind === 'one' ? answer : rowsOf(answer, response)].flat();
	// An empty list in place of one object tells nothing, but the request was done: one empty item.
	return (rows.length > 0 || response.kind !== 'one' ? rows : [{}]).map((row) => ({
		json: toJson(row, response),
		pairedItem,
	}));
}

function errorItem(error: Error, index: number): INodeExecutionData {
	const { httpCode, description } = error as Error & { httpCode?: string; description?: string };
	const details: IDataObject = { ...(httpCode ? { httpCode } : {}), description };
	// No other keys: by these n8n knows an error item and sends it to the error output.
	return { json: { error: error.message, details }, pairedItem: { item: index } };
}

/**
 * Runs the chosen operation for every input item: a bounded number at a time, results in the order
 * of the input, each output item paired with its input item. An item that fails ends the run, or
 * becomes an error item when the user chose to continue; the other items are not touched by it.
 */
export async function executeOperations(
	this: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	if (items.length === 0) return [[]];
	const goesOn = this.continueOnFail();
	const earlierRun = earlierRunOf(this);
	const node = this.getNode();

	const asError = (error: unknown, itemIndex?: number, operation?: Operation): Error => {
		const situation = { node, itemIndex, operation, secrets: [] };
		return nodeError(error, situation);
	};
	const session = await prepare(this, resources).catch((error: unknown) => asError(error));
	if (session instanceof Error) {
		if (goesOn) return [items.map((_item, index) => errorItem(session, index))];
		throw session;
	}

	const results = new Array<INodeExecutionData[]>(items.length);
	const doubtful: number[] = [];
	const fail = (error: Error, index: number): INodeExecutionData[] => {
		if (Api.mayBeApplied(error)) doubtful.push(index);
		if (!goesOn) throw error;
		return [errorItem(error, index)];
	};
	const work = inPool(items.length, session.parallel, async (index) => {
		const earlier = earlierRun?.get(index);
		if (earlier) {
			results[index] = earlier instanceof Error ? fail(earlier, index) : earlier;
			return;
		}
		results[index] = await runItem(this, session, index).then(
			(result) => {
				earlierRun?.set(index, result);
				return result;
			},
			(thrown: unknown) => {
				if (thrown instanceof Cancelled) throw thrown;
				const error = asError(thrown, index, session.operation);
				if (Api.mayBeApplied(error)) earlierRun?.set(index, error);
				return fail(error, index);
			},
		);
	});
	await work.catch((error: unknown) => {
		const { method, path } = session.operation;
		const isWrite = !onlyReads(`${method} ${path}` as Route);
		if (isWrite && error instanceof Error && !(error instanceof Cancelled)) {
			tellApplied(error, results, doubtful);
		}
		throw error;
	});

	for (const message of session.warnings) {
		this.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	}
	return [results.flat()];
}
