// Reads and checks the credential: Base URL, API key and allowed domains. All that follows from the key is here: what is sent,
// and what nothing may show.
import {
	getCredentialAllowedDomains,
	isDomainAllowed,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type INode,
} from 'n8n-workflow';

import { FieldFault } from '../../base/apiRequest';
import type { ApiDefinition } from '../../base/definition';
import type { ApiContext } from './context';
import { dryRunSetting, type DryRun, type DryRunSetting } from './dryRunMode';
import { NO_SECRETS, Secrets } from './redact';

/** Takes off blanks, line breaks and the word `Bearer` that were copied with the key. */
const apiKeyOf = ({ apiKey }: ICredentialDataDecryptedObject): string =>
	String(apiKey ?? '')
		.trim()
		.replace(/^bearer\s+/i, '');

/** The headers by which the API knows the caller. They go to the Base URL only. */
export const headersOf = (credential: ICredentialDataDecryptedObject): Record<string, string> => ({
	Authorization: `Bearer ${apiKeyOf(credential)}`,
});

/** The texts of a credential that no error, hint or log shows. Together they name the account. */
export const secretsOf = (credential: ICredentialDataDecryptedObject): string[] => [
	apiKeyOf(credential),
];

/** Texts that are also taken out of the fields that output shows as sent, because no field of a record has such a value. */
const outputSecretsOf = (credential: ICredentialDataDecryptedObject): string[] => [
	apiKeyOf(credential),
];

/** An error before the API is open needs these, too. None if n8n can't read the credential. */
export async function secretsOfNode(context: ApiContext): Promise<Secrets> {
	const [type] = Object.keys(context.getNode().credentials ?? {});
	if (type === undefined) return NO_SECRETS;
	return await context.getCredentials(type).then(
		(data) => new Secrets(secretsOf(data)),
		() => NO_SECRETS,
	);
}

/** Characters that a header can't carry. The HTTP client drops some of them silently. */
const unsendable = /[^\x21-\x7e]/;

export interface Account {
	/** Base URL with the base path of the API. Doesn't end with a slash. */
	url: string;
	allowedDomains: string | undefined;
	/** Passed to n8n's helper. Otherwise n8n reads and decrypts the credential for each request. */
	credential: ICredentialsDecrypted;
	secrets: string[];
	outputSecrets: string[];
	dryRunSetting: DryRunSetting;
	api: ApiDefinition;
}

export interface Connection extends Account {
	dryRun: DryRun | undefined;
	isDry: boolean;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

const fault = (field: string, text: string) => new FieldFault(field, `in the credential ${text}`);

/**
 * The URL that paths are added to. Tolerates a trailing slash and a pasted base path, also that of another version.
 * @throws FieldFault if it's empty or isn't an https URL (http is for loopback hosts only), or has more than host and path
 */
function baseUrl(given: unknown, basePath: string): string {
	const field = 'Base URL';
	const basePattern = basePath.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d/g, '\\d');
	const trimmed = String(given ?? '')
		.trim()
		.replace(/\/+$/, '')
		.replace(new RegExp(`${basePattern}$`), '')
		.replace(/\/+$/, '');
	if (trimmed === '') throw fault(field, 'is empty');
	if (!URL.canParse(trimmed)) throw fault(field, 'must be a URL such as https://api.example.com');
	const { protocol, hostname, username, password } = new URL(trimmed);
	// `URL` has no trace of an empty query or fragment, so the text is looked at.
	if (username + password !== '' || /[?#]/.test(trimmed)) {
		throw fault(field, 'must not contain a user name, password, query or fragment');
	}
	if (protocol !== 'https:' && !(protocol === 'http:' && loopback.test(hostname))) {
		throw fault(
			field,
			'must start with https://, because the API key is sent to it (http:// works for localhost only)',
		);
	}
	return trimmed + basePath;
}

/** @throws FieldFault for a wrong Base URL, key or Dry Run, or a domain that the credential doesn't allow */
export function accountOf(
	credentialData: ICredentialDataDecryptedObject,
	node: INode,
	api: ApiDefinition,
): Account {
	const { type, basePath } = api.credential;
	const url = baseUrl(credentialData.baseUrl, basePath);
	const key = apiKeyOf(credentialData);
	if (key === '') throw fault('API Key', 'is empty');
	if (unsendable.test(key)) {
		throw fault(
			'API Key',
			"has a blank, a line break, or a letter that can't be seen or sent. Copy the key again",
		);
	}
	const allowedDomains = getCredentialAllowedDomains({
		node,
		credentialData,
		surface: `n8n ${api.name}`,
	});
	if (allowedDomains !== undefined && !isDomainAllowed({ url, allowedDomains })) {
		throw new FieldFault(
			'Allowed Domains',
			`in the credential doesn't include ${new URL(url).hostname}, the host of Base URL`,
		);
	}
	// In a dry run the credential's `authenticate` holds back the writes of other nodes. These nodes decide by `dryRunSetting`,
	// since they know how the execution began, so Dry Run is off in the copy that `authenticate` gets.
	const data = { ...credentialData, dryRun: 'off' };
	const credential = { id: '', name: '', type, data };
	return {
		url,
		allowedDomains,
		credential,
		secrets: secretsOf(credentialData),
		outputSecrets: outputSecretsOf(credentialData),
		dryRunSetting: dryRunSetting(credentialData),
		api,
	};
}
