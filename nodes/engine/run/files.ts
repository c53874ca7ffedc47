// A file of an input item -> the text of a field.
import type { IExecuteFunctions } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import type { Form } from '../form/request';

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
export async function withFile(
	context: IExecuteFunctions,
	form: Form,
	index: number,
): Promise<Form> {
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
