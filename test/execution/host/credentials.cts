// The credentials of one execution, kept in memory: what n8n's own helper does with its database.
import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeProperties,
} from 'n8n-workflow';
import { PlatformApi } from '../../../dist/credentials/PlatformApi.credentials.js';

const credentialType = new PlatformApi();

/** Answers with the same Platform API credential for every node, with others by their type or by the name that a node gives. */
export class HostCredentials extends ICredentialsHelper {
	constructor(
		private readonly data: ICredentialDataDecryptedObject,
		private readonly others: Record<string, ICredentialDataDecryptedObject> = {},
	) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return await credentialType.authenticate(credentials, requestOptions);
	}

	async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('The host keeps no encrypted credentials');
	}

	async getDecrypted(
		_additionalData?: unknown,
		nodeCredentials?: Partial<INodeCredentialsDetails>,
		type = '',
	): Promise<ICredentialDataDecryptedObject> {
		return { ...(this.others[nodeCredentials?.name ?? ''] ?? this.others[type] ?? this.data) };
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties(): INodeProperties[] {
		return credentialType.properties;
	}
}
