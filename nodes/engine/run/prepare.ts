// One input item -> its checked request, and the API client that sends it.
import type { IExecuteFunctions } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import type { Api } from '../client/api';
import type { RequestContext } from '../client/door';
import { nodeError } from '../client/http/nodeErrors';
import type { Operation } from '../form/operation';
import { buildRequest, formOf, type Form } from '../form/request';
import { keyValue } from '../form/safety';
import { withFile } from './files';
import { KEY_FIELD, keyFrom } from './idempotency';
import { printOf } from './ledger';
import { hasSecret, parametersOf, secretValues, sentFields, type Parameter } from './parameters';
import type { Session } from './session';
import { givenByModel } from './toolValues';

/** One input item, ready to be sent. */
export interface Prepared {
	index: number;
	parameter: Parameter;
	form: Form;
	request: ApiRequest;
	/** Its Idempotency Key, if the form has one. */
	key?: string;
	/** Hash of the request and its key. Empty for reads. */
	print: string;
}

/**
 * Builds and checks the request of one input item.
 * @throws FieldFault for an invalid value, and the errors of expressions
 */
export async function prepareItem(
	context: IExecuteFunctions,
	{ operation, constants, writing, isTool }: Session,
	index: number,
): Promise<Prepared> {
	const items = context.getInputData();
	const own = parametersOf(context, constants, index);
	const parameter = isTool ? givenByModel(operation.fields ?? [], own) : own;
	const entered = formOf(operation, parameter, {
		timezone: context.getTimezone(),
		item: items[index].json,
		items: () => items.map(({ json }) => json),
	});
	const form = await withFile(context, entered, index);
	const key = writing?.keys && keyFrom(keyValue(operation, parameter), KEY_FIELD);
	const request = buildRequest(form);
	return { index, parameter, form, key, request, print: writing ? printOf(request, key) : '' };
}

/** The signal of a failed run, and if an earlier run has lost the response of the item. */
export type ItemContext = Pick<RequestContext, 'run' | 'lostResponse'>;

export function apiFor(
	context: IExecuteFunctions,
	{ operation, door, isTool }: Session,
	{ index, form, request, parameter }: Prepared,
	more: ItemContext,
): Api {
	return door.api({
		action: operation.action,
		itemIndex: index,
		items: context.getInputData().length,
		item: namedBy(context, operation, index),
		// An agent only reads the message.
		described: !isTool,
		lookupKeys: request.lookupKeys,
		sent: () => sentFields(form),
		secrets: secretValues(operation.fields ?? [], parameter),
		...more,
	});
}

/** The item that an error may name by a value. Not for a form with secrets, which can come from the item. */
function namedBy(context: IExecuteFunctions, { fields = [] }: Operation, index?: number): unknown {
	if (index === undefined || fields.some(hasSecret)) return undefined;
	return context.getInputData()[index]?.json;
}

/** The n8n error for a run, or for the item in `at`. */
export const runError = (
	context: IExecuteFunctions,
	{ door, operation }: Session,
	error: unknown,
	at: { itemIndex?: number; items?: number } = {},
) => {
	const { action, endpoint } = operation;
	const item = namedBy(context, operation, at.itemIndex);
	// A key that was pasted into a field.
	const secrets = [door.connection.key];
	return nodeError(error, { node: context.getNode(), ...at, item, action, endpoint, secrets });
};
