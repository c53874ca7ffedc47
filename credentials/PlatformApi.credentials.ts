// The one credential of the package: where the API is, and the bearer key.
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { keyOf } from '../nodes/shared/connection';

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
				'Address of your Platform API, without the version. It must start with https:// (http:// is accepted for this machine only).',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The key is sent as a bearer token and only ever to the base URL',
		},
	];

	// A function, not an expression: n8n evaluates expressions only while an execution runs, and the
	// object of an AI sub-node can be called after its own one has ended.
	authenticate = async (
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => ({
		...request,
		headers: { ...request.headers, Authorization: `Bearer ${keyOf(credential)}` },
	});

	test: ICredentialTestRequest = {
		request: {
			// The same tolerance as nodes/shared/connection.ts: a trailing slash, a pasted version.
			baseURL:
				'={{$credentials.baseUrl.trim().replace(/\\/+$/, "").replace(/\\/\\d{4}-\\d{2}-\\d{2}$/, "")}}',
			url: '/2026-02-01/ping.json',
			disableFollowRedirect: true,
			timeout: 15000,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message:
						'Invalid token: the API refused this key. Copy the key again or issue a new one.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 403,
					message: 'The key is valid but lacks the scope ping:read, which this test needs.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message: 'No Platform API at this Base URL: check the host name and the path.',
				},
			},
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'status',
					value: undefined,
					message: 'Something else than the Platform API answered at this Base URL: check it.',
				},
			},
			// n8n applies rules of both kinds, but its type wants all of one kind.
		] as ICredentialTestRequest['rules'],
	};
}
