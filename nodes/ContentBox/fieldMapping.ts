// The fields of a content type, as the mapper of an entry's data shows them.
import type {
	FieldType,
	IDataObject,
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { editorApi, inEditor } from '../shared/editor';

const entryEndpoint = {
	method: 'GET',
	path: '/contentbox/contents/{contentId}.json',
	scope: 'contentbox_contents:read',
	label: 'Load the entry',
} as const;

const typeEndpoint = {
	method: 'GET',
	path: '/contentbox/types/{typeId}.json',
	scope: 'contentbox_types:read',
	label: 'Load the fields of the content type',
} as const;

/** How the mapper treats the field types that the reference shows; any other takes what comes. */
const mapperTypes: Record<string, FieldType | undefined> = {
	string: 'string',
	url: 'string',
	checkbox: 'boolean',
};

/** The answer of an endpoint whose parameters are known, or stand in the form. */
async function read(
	context: ILoadOptionsFunctions,
	endpoint: typeof entryEndpoint | typeof typeEndpoint,
	known?: Record<string, unknown>,
): Promise<IDataObject> {
	const { api, path } = await editorApi(context, endpoint, known);
	return (await api.object(
		{ route: 'GET /contentbox/types/{typeId}.json', path },
		{ kind: 'one' },
	)) as IDataObject;
}

function mapperField([id, definition]: [string, IDataObject]): ResourceMapperField {
	const { label, type } = definition ?? {};
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

/** Update knows the entry only, so the type is read from there. */
async function mapperFields(context: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const isUpdate = context.getCurrentNodeParameter('operation') === 'update';
	const [chosen, what] = isUpdate ? ['contentId', 'entry'] : ['typeId', 'content type'];
	if (!context.getCurrentNodeParameter(chosen, { extractValue: true })) {
		return { fields: [], emptyFieldsNotice: `Choose the ${what} to see its fields` };
	}
	const typeId = isUpdate ? (await read(context, entryEndpoint)).type_id : undefined;
	const { fields } = await read(context, typeEndpoint, { typeId });
	return {
		fields: Object.entries((fields ?? {}) as Record<string, IDataObject>).map(mapperField),
		emptyFieldsNotice: 'This content type has no fields',
	};
}

/** Methods that the mapper of the node calls. */
export const resourceMapping = {
	async contentFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await inEditor(this, mapperFields(this));
	},
};
