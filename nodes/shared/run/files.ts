// Files of an input item -> the text that fields send.
import type { IExecuteFunctions } from 'n8n-workflow';

import { isShown } from '../form/request';
import { FieldFault, type Field, type Operation } from '../operation';
import type { Parameter } from './parameters';

const NOT_TEXT =
	'must be a text file in UTF-8, such as text, Markdown or HTML. For PDF files, extract the text first with the Extract From File node';

/** Bytes as text; undefined if they aren't UTF-8. */
function decoded(data: Uint8Array): string | undefined {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(data);
	} catch {
		return undefined;
	}
}

/** @throws FieldFault for what is no text, such as a PDF */
function textOf(field: Field, data: Uint8Array): string {
	const text = decoded(data);
	// A PDF may be all ASCII, but says what it is.
	if (text === undefined || text.includes('\0') || text.startsWith('%PDF-')) {
		throw new FieldFault(field.displayName, NOT_TEXT);
	}
	return text;
}

/**
 * The parameters of one item, those that name a file replaced by its text.
 * @throws FieldFault when the item has no such file, or when it is no text
 */
export async function withFiles(
	context: IExecuteFunctions,
	operation: Operation,
	parameter: Parameter,
	index: number,
): Promise<Parameter> {
	const field = operation.fields?.find(({ send }) => send && send.file);
	if (!field || !field.send || !field.send.file || !isShown(operation, field, parameter)) {
		return parameter;
	}
	const { nameTo } = field.send.file;
	const property = String(parameter(field.name) ?? '').trim();
	const file = context.getInputData()[index].binary?.[property];
	if (!file) {
		throw new FieldFault(field.displayName, `must name a file of the item (got "${property}")`);
	}
	const text = textOf(field, await context.helpers.getBinaryDataBuffer(index, property));
	return (name) => {
		if (name === field.name) return text;
		const value = parameter(name);
		return name === nameTo && (value === '' || value === null) ? file.fileName : value;
	};
}
