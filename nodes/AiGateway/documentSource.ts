// Fields for the source of a document: a URL, or the descriptor of a connector (reference: AI Gateway,
// Remote source descriptor).
import { choice, json, text, type Field } from '../engine/form/fields';

/** Sends no `source.type`: the connector's descriptor has its own type. */
const CONNECTOR = '';

export const source: Field[] = [
	choice({
		displayName: 'Source',
		name: 'sourceType',
		default: 'remote_url',
		send: { as: 'source.type' },
		options: [
			{
				name: 'Managed Connector',
				value: CONNECTOR,
				description: 'A file in a cloud drive, document-sharing service or object storage',
			},
			{ name: 'URL', value: 'remote_url' },
		],
	}),
	text({
		name: 'url',
		required: true,
		placeholder: 'e.g. https://files.example.com/handbook.md',
		displayOptions: { show: { sourceType: ['remote_url'] } },
		send: { as: 'source.url', format: 'httpsSource', secret: true, trim: true },
		description: 'With https://. Max 10 MB of content and 5 MB of text.',
	}),
	text({
		name: 'contentType',
		required: true,
		placeholder: 'e.g. text/markdown',
		displayOptions: { show: { sourceType: ['remote_url'] } },
		send: { as: 'source.content_type' },
		description: 'Media type of the document',
	}),
	text({
		displayName: 'SHA-256 Checksum',
		name: 'sha256',
		displayOptions: { show: { sourceType: ['remote_url'] } },
		send: { as: 'source.sha256', format: 'sha256' },
		description: '64 lowercase hex digits',
	}),
	json({
		name: 'sourceJson',
		required: true,
		default: '',
		displayOptions: { show: { sourceType: [CONNECTOR] } },
		send: { as: 'source', secret: true },
		description: 'The descriptor that your connector expects, as a JSON object',
	}),
];
