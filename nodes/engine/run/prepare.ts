// One input item -> its checked request, and the API client that sends it.
import type { IExecuteFunctions } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../base/apiRequest';
import type { Api } from '../client/api';
import type { RequestContext } from '../client/door';
import { nodeError } from '../client/http/errors';
import type { Operation } from '../form/operation';
import { buildRequest, formOf, type Form } from '../form/request';
import { keyValue } from '../form/safety';
import { KEY_FIELD, keyFrom } from './idempotency';
import { printOf } from './ledger';
import { hasSecret, parametersOf, secretValues, sentFields, type Parameter } from './parameters';
import type { Session } from './session';
import { givenByModel } from './toolValues';

const NOT_TEXT =
	'must be a text file in UTF-8, such as text, Markdown or HTML. For PDF files, extract the text first with the Extract From File node';

/** Decodes UTF-8; undefined for anything else, such as a PDF. */
function textOf(data: Uint8Array): string | undefined {
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
		// A PDF can be valid UTF-8, but begins with a signature.
		return text.includes('\0') || text.startsWith('%PDF-') ? undefined : text;
	} catch {
		return undefined;
	}
}

/**
 * Replaces the name of a file in the form with the text of that file.
 * @throws FieldFault if the item has no such file, or if it isn't text
 */
async function withFile(context: IExecuteFunctions, form: Form, index: number): Promise<Form> {
	const { fields, values } = form;
	const field = fields.find(({ send }) => send && send.file);
	if (!field || !field.send || !field.send.file) return form;
	const { nameTo } = field.send.file;
	const property = String(values[field.name] ?? '').trim();
	const file = context.getInputData()[index].binary?.[property];
	if (!file) {
		throw new FieldFault(field.displayName, `must name a file of the item (got "${property}")`);
	}
	const text = textOf(await context.helpers.getBinaryDataBuffer(index, property));
	if (text === undefined) throw new FieldFault(field.displayName, NOT_TEXT);
	const name = values[nameTo] === '' || values[nameTo] === null ? file.fileName : values[nameTo];
	return { ...form, values: { ...values, [field.name]: text, [nameTo]: name } };
}

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
