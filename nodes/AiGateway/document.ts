// Documents of knowledge bases (reference: AI Gateway, Document and passage, Remote source descriptor).
import { locator } from '../shared/pickers';
import {
	FieldFault,
	recordOf,
	type ApiRequest,
	type Field,
	type Resource,
} from '../shared/operation';
import { knowledgeBaseId, name } from './fields';

const metadata: Field = {
	displayName: 'Metadata (JSON)',
	name: 'metadata',
	type: 'json',
	default: '{}',
	send: { maxProperties: 20, maxBytes: 8 * 1024 },
};

const documentId = locator('knowledgeBaseDocuments', {
	displayName: 'Document',
	name: 'documentId',
	required: true,
	description:
		'A document of the chosen knowledge base. The list searches the passages for what you type, which may cost tokens in a vector knowledge base; documents that are still queued are found by ID only.',
	placeholder: 'e.g. doc_12',
});

const ownName: Field = {
	...name,
	required: true,
	send: { maxLength: 180 },
	description: 'Name that citations show, up to 180 characters',
};

/** A value of the choice that sends nothing: the descriptor says its type itself. */
const CONNECTOR = '';

const source: Field[] = [
	{
		displayName: 'Source',
		name: 'sourceType',
		type: 'options',
		default: 'remote_url',
		send: { as: 'source.type' },
		options: [
			{
				name: 'Managed Connector',
				value: CONNECTOR,
				description: 'An object in a cloud drive, a document-sharing service or object storage',
			},
			{ name: 'URL', value: 'remote_url' },
		],
		description: 'Where the document is fetched from',
	},
	{
		displayName: 'URL',
		name: 'url',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://files.example.com/handbook.md',
		displayOptions: { show: { sourceType: ['remote_url'] } },
		send: { as: 'source.url', format: 'https' },
		description:
			'Address of the document, with https:// and without user name or password. It is kept encrypted and never returned. More than 10 MB of content or 5 MB of text is refused.',
	},
	{
		displayName: 'Content Type',
		name: 'contentType',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. text/markdown',
		displayOptions: { show: { sourceType: ['remote_url'] } },
		send: { as: 'source.content_type' },
		description: 'Media type of the document',
	},
	{
		displayName: 'SHA-256 Checksum',
		name: 'sha256',
		type: 'string',
		default: '',
		displayOptions: { show: { sourceType: ['remote_url'] } },
		send: { as: 'source.sha256', format: 'sha256' },
		description: 'Checksum of the content as 64 lowercase hex digits, to refuse any other content',
	},
	{
		displayName: 'Source (JSON)',
		name: 'sourceJson',
		type: 'json',
		required: true,
		default: '',
		displayOptions: { show: { sourceType: [CONNECTOR] } },
		send: { as: 'source' },
		description:
			'Descriptor of the source as a JSON object. It is not documented for connectors; what you set here is sent as it is.',
	},
];

/** Metadata of a remote document is copied to the vector store, which takes plain values only. */
function checkScalarMetadata({ body }: ApiRequest): void {
	for (const [key, value] of Object.entries(recordOf(body?.metadata))) {
		if (!['string', 'number', 'boolean'].includes(typeof value)) {
			throw new FieldFault(
				metadata.displayName,
				`must hold texts, numbers and booleans only (see ${key})`,
			);
		}
	}
}

export const document: Resource = {
	name: 'Document',
	value: 'document',
	operations: [
		{
			name: 'Add',
			value: 'add',
			action: 'Add a document',
			description: 'Add a text to a knowledge base; return its document ID and number of passages',
			notice:
				'A vector knowledge base embeds the text at once, which may cost tokens. It is never repeated by itself.',
			route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents.json',
			fields: [
				knowledgeBaseId,
				ownName,
				{
					displayName: 'Content',
					name: 'content',
					type: 'string',
					typeOptions: { rows: 6 },
					required: true,
					default: '',
					description: 'The plain text of the document',
				},
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Access List (JSON)',
							name: 'acl',
							type: 'json',
							default: '',
							placeholder: 'e.g. ["group:finance"]',
							send: { as: 'metadata.acl', type: 'any', emptyFails: true },
							description:
								'Who may see the document, as JSON; an empty list, [], makes it public. The document is refused if this is added and left blank.',
						},
						{
							displayName: 'Language',
							name: 'language',
							type: 'string',
							default: '',
							placeholder: 'e.g. en',
							send: { as: 'metadata.language', type: 'any' },
							description: 'Language of the text, shown with its passages',
						},
						{
							...metadata,
							description:
								'Further metadata as a JSON object. With the fields of their own at most 20 fields and 8 KB.',
						},
						{
							displayName: 'Page',
							name: 'page',
							type: 'string',
							default: '',
							send: { as: 'metadata.page', type: 'any' },
							description:
								'Page of the text, shown with its passages; a number from an expression stays one',
						},
						{
							displayName: 'Section',
							name: 'section',
							type: 'string',
							default: '',
							send: { as: 'metadata.section', type: 'any' },
							description: 'Section of the text, shown with its passages',
						},
					],
				},
			],
		},
		{
			name: 'Get',
			value: 'get',
			action: 'Get a document',
			description: 'Return status, size and number of passages of a document, without its source',
			route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json',
			fields: [knowledgeBaseId, documentId],
		},
		{
			name: 'Ingest From URL',
			value: 'ingest',
			action: 'Ingest a document from a URL',
			description:
				'Queue a remote document to be fetched and indexed; return it as queued, with its ID',
			notice:
				'The knowledge base must have vector retrieval and keep its content in the vector store. Indexing may cost tokens.',
			route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/ingestions.json',
			check: checkScalarMetadata,
			fields: [
				knowledgeBaseId,
				ownName,
				...source,
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							...metadata,
							description:
								'Metadata as a JSON object of texts, numbers and booleans, copied to the vector store; at most 20 fields and 8 KB',
						},
					],
				},
			],
		},
		{
			name: 'Replace Source',
			value: 'replaceSource',
			action: 'Replace the source of a document',
			description:
				'Give an ingested document another source and queue it again; return its new source version',
			notice:
				'Only for documents that were ingested from a source. The document is indexed again, which may cost tokens.',
			route: 'PUT /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/source.json',
			fields: [knowledgeBaseId, documentId, ...source],
		},
	],
};
