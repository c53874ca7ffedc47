// A document from a file of the input item: its text is sent, and its name if the form has none.
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { text, type Field } from '../engine/form/fields';
import type { FileIn } from '../engine/form/operation';
import { isBlank } from '../engine/form/values';

const shownForFile = { show: { contentFrom: ['file'] } };

const file = text({
	displayName: 'Input Data Field Name',
	name: 'binaryPropertyName',
	required: true,
	default: 'data',
	displayOptions: shownForFile,
	send: { as: 'content' },
	hint: 'The name of the input field with the file',
	description: 'Text in UTF-8, such as Markdown, or HTML. Of a PDF, extract the text first.',
});

const name = text({
	displayName: 'Document Name',
	name: 'fileDocumentName',
	placeholder: 'e.g. Change your plan',
	displayOptions: shownForFile,
	send: { as: 'name', maxLength: 180, empty: 'refused' },
	description: "For citations, up to 180 characters. If empty, the file's name.",
});

export const fileFields: Field[] = [file, name];

const NOT_TEXT =
	'must be a text file in UTF-8, such as text, Markdown or HTML. For PDF files, extract the text first with the Extract From File node';

/** Decodes UTF-8; undefined for anything else, such as a PDF. */
function textOf(data: Uint8Array): string | undefined {
	try {
		const decoded = new TextDecoder('utf-8', { fatal: true }).decode(data);
		// Files that aren't text can be valid UTF-8. They have null characters or, as PDF, a signature.
		const isBinary = decoded.includes('\0') || decoded.startsWith('%PDF-');
		return isBinary ? undefined : decoded;
	} catch {
		return undefined;
	}
}

/** @throws FieldFault if neither the form nor the file has a name */
export function checkName({ body }: ApiRequest): void {
	if (body?.name === undefined) throw new FieldFault(name.displayName, 'must not be empty');
}

/** Sends the text of a file, and its name if Document Name is empty. Throws FieldFault for no file, or one without text. */
export async function withFile(
	values: Record<string, unknown>,
	fileIn: FileIn,
): Promise<Record<string, unknown>> {
	// The form hides the field for text that is typed in.
	if (!Object.hasOwn(values, file.name)) return values;
	const field = String(values[file.name] ?? '').trim();
	const found = await fileIn(field);
	if (!found) {
		throw new FieldFault(file.displayName, `must name a file of the item (got "${field}")`);
	}
	const content = textOf(found.data);
	if (content === undefined) throw new FieldFault(file.displayName, NOT_TEXT);
	if (content.trim() === '') {
		throw new FieldFault(file.displayName, `must name a file with text ("${field}" is empty)`);
	}
	const entered = values[name.name];
	const named = isBlank(entered) ? found.name : entered;
	return { ...values, [file.name]: content, [name.name]: named };
}
