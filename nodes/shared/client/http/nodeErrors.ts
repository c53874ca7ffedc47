// Turns errors outside of requests, such as a wrong value or expression, into n8n's node errors.
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { onlyReads } from '../../endpoints';
import { FieldFault } from '../../operation';
import type { Cause } from './cause';
import { itemText, operationText, withoutParameters, type ErrorContext } from './errorContext';
import { redact } from './redact';

function fieldError({ field, fault }: FieldFault, context: ErrorContext): NodeOperationError {
	const { node, itemIndex, secrets, route, functionality } = context;
	const item = itemText(context);
	// Only matters for a write.
	const sent = route === undefined || onlyReads(route) ? '' : ' Nothing was sent.';
	const failure: Cause = { cause: 'configuration-invalid' };
	const error = new NodeOperationError(
		withoutParameters(node),
		redact(`"${field}" ${fault}${item ? ` [${item}]` : ''}.${sent}`, secrets),
		{ itemIndex, functionality, description: operationText(context) },
	);
	return Object.assign(error, { failure });
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
