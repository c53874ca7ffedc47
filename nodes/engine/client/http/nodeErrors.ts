// Turns errors outside of requests, such as a wrong value or expression, into n8n's node errors.
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { onlyReads } from '../../base/definition';
import { isRecord } from '../../base/guards';
import { FieldFault } from '../../base/apiRequest';
import type { Cause } from './cause';
import { itemText, operationText, withoutParameters, type ErrorContext } from './errorContext';
import { redact } from './redact';

/** Max characters of an expression that an error shows. */
const SHOWN = 100;

/** Expressions of a parameter by name, at any depth. */
function expressionsOf(name: string, values: unknown): string[] {
	if (typeof values !== 'object' || values === null) return [];
	return Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
		const inner = unwrapped(value);
		const isIt = key === name && typeof inner === 'string' && inner.startsWith('=');
		return isIt ? [inner.slice(1)] : expressionsOf(name, value);
	});
}

const unwrapped = (value: unknown): unknown =>
	isRecord(value) && value.__rl === true ? value.value : value;

/** Says which expression gave no value, unless the rows of a form have several. */
function emptyText({ empty }: FieldFault, { parameters }: INode): string {
	const [expression, other] = empty === undefined ? [] : expressionsOf(empty, parameters);
	const isTold = expression !== undefined && other === undefined && expression.length <= SHOWN;
	return isTold ? `, and the expression ${expression} gives nothing` : '';
}

function fieldError(error: FieldFault, context: ErrorContext): NodeOperationError {
	const { field, fault } = error;
	const { node, itemIndex, secrets, endpoint, functionality } = context;
	const item = itemText(context);
	const about = item ? ` [${item}]` : '';
	// Only matters for a write.
	const sent = endpoint === undefined || onlyReads(endpoint) ? '' : ' Nothing was sent.';
	const failure: Cause = { cause: 'configuration-invalid' };
	const shown = new NodeOperationError(
		withoutParameters(node),
		redact(`"${field}" ${fault}${emptyText(error, node)}${about}.${sent}`, secrets),
		{ itemIndex, functionality, description: redact(operationText(context), secrets) },
	);
	return Object.assign(shown, { failure });
}

export function nodeError(
	error: unknown,
	context: ErrorContext,
): NodeApiError | NodeOperationError {
	if (error instanceof FieldFault) return fieldError(error, context);
	const { node, itemIndex, secrets, functionality } = context;
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	const { message, description } = error as Error & { description?: string };
	return new NodeOperationError(
		withoutParameters(node),
		redact(message || 'Unknown error', secrets),
		{ itemIndex, functionality, description: description ?? undefined },
	);
}

export async function withNodeErrors<T>(node: INode, work: Promise<T>): Promise<T> {
	return await work.catch((error: unknown) => {
		throw nodeError(error, { node, secrets: [] });
	});
}
