// The credential of a node -> where requests go and under which rules.
import {
	getCredentialAllowedDomains,
	isDomainAllowed,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type IExecuteFunctions,
	type IHookFunctions,
	type ILoadOptionsFunctions,
	type INode,
	type IPollFunctions,
	type ISupplyDataFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { FieldFault } from '../../operation';

/** Version of the API, the first path segment of every endpoint (reference: Versioning). */
export const API_VERSION = '2026-02-01';

/** Name of the credential type. */
export const CREDENTIAL = 'platformApi';

/** The contexts of n8n from which requests are sent. */
export type ApiContext =
	| IExecuteFunctions
	| ILoadOptionsFunctions
	| IHookFunctions
	| IPollFunctions
	| ISupplyDataFunctions;

/**
 * The key of a credential as it is sent and as errors hide it: without what comes along when it is
 * copied, which are blanks and line breaks around it and the word `Bearer` before it.
 */
export function keyOf({ apiKey }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? '')
		.trim()
		.replace(/^bearer\s+/i, '');
}

/** What a header can't carry; the HTTP client would leave some of it out without a word. */
const unsendable = /[^\x21-\x7e]/;

/** Where requests go; `secrets` are the texts that no error may show. */
export interface Connection {
	/** Base URL with the version, without a trailing slash. */
	url: string;
	allowedDomains: string | undefined;
	/** Else n8n would read it from its database and decrypt it for each request. */
	credential: ICredentialsDecrypted;
	secrets: string[];
	/** Whether the credential is for a dry run: no write leaves n8n. */
	isDry: boolean;
}

/** Whether Dry Run is on. Anything but a clear no is a yes, so that a mistake in a switch charges no customer. */
function isDry({ dryRun = false }: ICredentialDataDecryptedObject): boolean {
	return ![false, 'false', '', null].includes(dryRun as boolean | string | null);
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * The address to which paths are added. A trailing slash or a pasted version is tolerated.
 * @throws FieldFault when it is no https address (http is for loopback hosts only)
 */
export function baseUrl(given: unknown): string {
	const field = 'Base URL';
	const trimmed = String(given ?? '')
		.trim()
		.replace(/\/+$/, '')
		.replace(/\/\d{4}-\d{2}-\d{2}$/, '')
		.replace(/\/+$/, '');
	if (trimmed === '') throw new FieldFault(field, 'in the credential is empty');
	if (!URL.canParse(trimmed)) {
		throw new FieldFault(field, 'in the credential must be a URL such as https://api.example.com');
	}
	const url = new URL(trimmed);
	if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
		throw new FieldFault(
			field,
			'in the credential must not contain a user name, password, query or fragment',
		);
	}
	const secure = url.protocol === 'https:';
	if (!secure && !(url.protocol === 'http:' && loopback.test(url.hostname))) {
		throw new FieldFault(
			field,
			'in the credential must start with https://, because the API key is sent to it (http:// works for localhost only)',
		);
	}
	return `${trimmed}/${API_VERSION}`;
}

/**
 * What a credential says, with n8n's rule about the domains that it may be sent to.
 * @throws FieldFault for a wrong Base URL or a domain that the credential does not allow
 */
export function connectionOf(
	credentialData: ICredentialDataDecryptedObject,
	node: INode,
): Connection {
	const url = baseUrl(credentialData.baseUrl);
	const key = keyOf(credentialData);
	if (key === '') throw new FieldFault('API Key', 'in the credential is empty');
	if (unsendable.test(key)) {
		throw new FieldFault(
			'API Key',
			"in the credential has a blank, a line break, or a letter that can't be seen or sent. Copy the key again",
		);
	}
	const allowedDomains = getCredentialAllowedDomains({
		node,
		credentialData,
		surface: 'n8n Platform API',
	});
	if (allowedDomains !== undefined && !isDomainAllowed({ url, allowedDomains })) {
		throw new FieldFault(
			'Allowed Domains',
			`in the credential doesn't include ${new URL(url).hostname}, the host of Base URL`,
		);
	}
	const credential = { id: '', name: '', type: CREDENTIAL, data: credentialData };
	return { url, allowedDomains, credential, secrets: [key], isDry: isDry(credentialData) };
}

/**
 * Reads the credential of a node.
 * @throws FieldFault as `connectionOf`
 */
export async function connect(context: ApiContext | IWebhookFunctions): Promise<Connection> {
	return connectionOf(await context.getCredentials(CREDENTIAL), context.getNode());
}
