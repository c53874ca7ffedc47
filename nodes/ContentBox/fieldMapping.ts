// Loads the fields of a content type for the resource mapper of an entry.
import type {
	FieldType,
	IDataObject,
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { endpointOf, type Route } from '../api';
import { recordOf } from '../engine/base/data';
import { editorApi, formValue, withNodeErrors } from '../engine/editor/editor';

/** Field types that the reference shows. The mapper accepts any value for other types. */
const mapperTypes: Record<string, FieldType | undefined> = {
	string: 'string',
	url: 'string',
	checkbox: 'boolean',
};

/** Column of the resource mapper for a field of a content type, given as ID and definition. */
function mapperField([id, definition]: [string, unknown]): ResourceMapperField {
	const { label, type } = recordOf(definition);
	return {
		id,
		displayName: String(label || id),
		type: mapperTypes[String(type)],
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
	};
}

/** Reads the fields of the content type. The form of Update has only the entry, so its type is read first. */
async function mapperFields(context: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	// n8n's MCP server only passes the entry or the type, not the operation.
	const operation =
		formValue(context, 'operation') ?? (formValue(context, 'contentId') ? 'update' : 'create');
	const isUpdate = operation === 'update';
	const [chosen, what] = isUpdate ? ['contentId', 'entry'] : ['typeId', 'content type'];
	if (!formValue(context, chosen)) {
		return { fields: [], emptyFieldsNotice: `Choose the ${what} to see its fields` };
	}
	const read = async (action: string, route: Route, known?: IDataObject) => {
		const { api, request } = await editorApi(context, action, endpointOf(route), known);
		return recordOf(await api.object(request));
	};
	// Undefined for Create, whose form has it.
	const { type_id: typeId } = isUpdate
		? await read('Load the entry', 'GET /contentbox/contents/{contentId}.json')
		: {};
	const action = 'Load the fields of the content type';
	const { fields } = await read(action, 'GET /contentbox/types/{typeId}.json', { typeId });
	return {
		fields: Object.entries(recordOf(fields)).map(mapperField),
		emptyFieldsNotice: 'This content type has no fields',
	};
}

export const resourceMapping = {
	async contentFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await withNodeErrors(this, mapperFields(this));
	},
};
