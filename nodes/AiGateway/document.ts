// Documents of knowledge bases (reference: AI Gateway, Document and passage, Remote source descriptor).
import { get, locator, operation } from '../api';
import { ownId } from '../api/simplify';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { additionalFields, choice, collection, json, text } from '../engine/form/fields';
import { resource, type Simplify } from '../engine/form/operation';
import { eachRecord } from '../engine/form/simplify';
import { hasEmptyName } from './access';
import { INGEST, keyFields, replaceOptions, replacing } from './createOrReplace';
import { checkName, fileFields, withFile } from './documentFile';
import { source } from './documentSource';
import { knowledgeBaseId } from './fields';
import { toPlainText } from './plainText';
import { indexed } from './waitUntilIndexed';

const metadata = json({
	name: 'metadata',
	send: {
		maxProperties: 20,
		maxBytes: 8 * 1024,
		mustGive: { acl: 'must name in acl who can see the document' },
		empty: 'refusedInForm',
	},
});

/** A field for a key of the metadata that the API reserves. The reference doesn't show the type of its value. */
const aboutText = (name: string, placeholder?: string) =>
	text({
		name,
		placeholder,
		send: { as: `metadata.${name}`, type: 'any' },
		description: 'Returned with the passages',
	});

const documentId = locator('knowledgeBaseDocuments', {
	name: 'documentId',
	required: true,
	description: "Use By ID while it's queued. The list searches passages, which may cost tokens.",
	placeholder: 'e.g. ado-1',
});

const name = text({
	name: 'name',
	required: true,
	send: { maxLength: 180 },
	description: 'For citations, up to 180 characters',
});

/** True for an access list with a blank name, with which the API may make the document public. `[]` does so on purpose. */
function hasBlankAccessList({ body }: ApiRequest): boolean {
	const { acl } = recordOf(body?.metadata);
	return acl !== undefined && hasEmptyName(acl);
}

function checkAccessList(request: ApiRequest): void {
	if (!hasBlankAccessList(request)) return;
	throw new FieldFault(
		'Access List (JSON)',
		'must name who can see the document, or be an empty list, [], to make it public',
	);
}

function checkDocument(request: ApiRequest): void {
	checkName(request);
	checkAccessList(request);
	toPlainText(request);
}

/** Metadata of a remote document goes to the vector store, which takes no nested values. Throws FieldFault for those. */
function checkRemoteMetadata(request: ApiRequest): void {
	const entries = Object.entries(recordOf(request.body?.metadata));
	const nested = entries.find(([, value]) => value !== null && typeof value === 'object');
	if (nested) {
		const fault = `must only have text, number, boolean and null values (see ${nested[0]})`;
		throw new FieldFault(metadata.displayName, fault);
	}
	// A list is nested, so `acl` is a single name here.
	if (hasBlankAccessList(request)) {
		throw new FieldFault(metadata.displayName, 'must name in acl who can see the document');
	}
}

/** Adds the name to a new document: the response doesn't have it, and a file has given it. */
const addedRows: Simplify = (rows, request) => {
	const sent = request.body?.name;
	return eachRecord(({ id, ...row }) => ({
		...(id !== undefined && { id }),
		...(sent !== undefined && { name: sent }),
		...row,
	}))(ownId('document_id')(rows, request), request);
};

const content = text({
	name: 'content',
	typeOptions: { rows: 6 },
	required: true,
	displayOptions: { show: { contentFrom: ['text'] } },
	description: 'Plain text',
});

const textChoices = [
	{
		name: 'File',
		value: 'file',
		description: 'A file of the input item: text, Markdown or HTML',
	},
	{ name: 'Text', value: 'text' },
];

const aboutSource = additionalFields([
	{
		...metadata,
		description:
			'JSON object without nested values. Max 20 fields and 8 KB. For an access list, use Add.',
	},
]);

const aboutDocument = additionalFields([
	aboutText('language', 'e.g. en'),
	aboutText('page'),
	aboutText('section'),
	json({
		displayName: 'Access List (JSON)',
		name: 'acl',
		default: '',
		placeholder: 'e.g. ["group:finance"]',
		send: { as: 'metadata.acl', type: 'any', empty: 'refused', emptyList: true },
		description: 'Who can see the document. Without it, or with [], everyone can.',
	}),
	{
		...metadata,
		description: 'Other metadata as a JSON object. Max 20 fields and 8 KB.',
	},
]);

export const document = resource('document', {
	description: 'Documents of a knowledge base',
	ids: [knowledgeBaseId, documentId],
	operations: [
		indexed(
			operation('add', {
				action: 'Add a document',
				description:
					'Add text to a knowledge base and return the document ID and number of passages',
				notice: 'In a vector knowledge base, this may cost tokens',
				route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents.json',
				simplify: addedRows,
				whole: {
					route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json',
					by: 'document_id',
				},
				complete: withFile,
				check: checkDocument,
				fields: [
					choice({ name: 'contentFrom', default: 'text', send: false, options: textChoices }),
					{ ...name, displayOptions: { show: { contentFrom: ['text'] } } },
					content,
					...fileFields,
					aboutDocument,
				],
			}),
		),
		indexed(
			operation('createOrReplace', {
				name: 'Create or Replace',
				action: 'Create or replace a document',
				description:
					'Add a document, or replace the one of the same name. Return its ID and what was done.',
				notice: 'In a vector knowledge base, this may cost tokens',
				route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents.json',
				alternative: { field: 'contentFrom', is: 'source', route: INGEST },
				simplify: addedRows,
				complete: withFile,
				check: (request) =>
					request.endpoint.route === INGEST ? checkRemoteMetadata(request) : checkDocument(request),
				...replacing,
				fields: [
					...keyFields,
					choice({
						name: 'contentFrom',
						default: 'text',
						send: false,
						options: [
							...textChoices,
							{
								name: 'URL or Connector',
								value: 'source',
								description:
									'The API fetches it. Needs vector retrieval, and content in the store.',
							},
						],
					}),
					{ ...name, displayOptions: { show: { contentFrom: ['text', 'source'] } } },
					content,
					...fileFields,
					...source.map((field) => ({
						...field,
						displayOptions: {
							show: { ...field.displayOptions?.show, contentFrom: ['source'] },
						},
					})),
					{ ...aboutDocument, displayOptions: { show: { contentFrom: ['file', 'text'] } } },
					{
						...collection('sourceFields', 'field')(aboutSource.options),
						displayOptions: { show: { contentFrom: ['source'] } },
					},
					replaceOptions,
				],
			}),
		),
		get({
			action: 'Get a document',
			description: 'Return the status, size and number of passages of a document',
			route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json',
		}),
		indexed(
			operation('ingest', {
				name: 'Ingest From URL',
				action: 'Ingest a document from a URL',
				description:
					'Queue a remote document and return it with its ID. Needs vector retrieval, and content in the store.',
				notice: 'Indexing may cost tokens',
				route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/ingestions.json',
				check: checkRemoteMetadata,
				fields: [name, ...source, aboutSource],
			}),
		),
		indexed(
			operation('replaceSource', {
				action: 'Replace the source of a document',
				description:
					'Replace the source of an ingested document and queue it again. Returns the new source version.',
				notice: 'Indexing again may cost tokens',
				route:
					'PUT /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/source.json',
				whole: {
					route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json',
				},
				fields: source,
			}),
		),
	],
});
