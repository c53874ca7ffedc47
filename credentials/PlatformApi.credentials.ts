// The credential of all nodes: base URL, API key and Dry Run.
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { headersOf } from '../nodes/engine/client/http/credential';
import { checkForeign } from '../nodes/engine/client/http/dryRunMode';

export class PlatformApi implements ICredentialType {
	name = 'platformApi';

	displayName = 'Platform API';

	icon = { light: 'file:../icons/platform.svg', dark: 'file:../icons/platform.dark.svg' } as const;

	documentationUrl =
		'https://github.com/platform-api/n8n-nodes-platform-api/blob/main/docs/credential.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'https://api.example.com',
			description:
				'URL of your Platform API, without the version. It must start with https:// (http:// works for localhost only).',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'The nodes send it as a bearer token, to the Base URL only. Keys are for servers: never use one in a browser or an app.',
		},
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'options',
			default: 'off',
			options: [
				{ name: 'Off', value: 'off', description: 'Everything is real' },
				{ name: 'On', value: 'on', description: 'Nothing that changes data is sent' },
				{
					name: 'Only in Manual Executions',
					value: 'manual',
					description:
						'Nothing that changes data is sent from the editor. Published workflows are real.',
				},
			],
			description:
				'Try workflows without changing anything. Reads are real. Writes are checked, but not sent: the output shows what would be sent.',
		},
	];

	// A function, not an expression: n8n evaluates expressions only during an execution, but an AI
	// sub-node can be called after its own execution has ended.
	authenticate = async (
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		checkForeign(credential, request, 'Platform');
		return {
			...request,
			// Nodes of others may follow redirects, with the key unless they are told otherwise.
			sendCredentialsOnCrossOriginRedirect: false,
			headers: { ...request.headers, ...headersOf(credential) },
		};
	};

	// No `test` here: n8n would use it instead of `platformApiTest`, which follows the nodes' own rules.
}
