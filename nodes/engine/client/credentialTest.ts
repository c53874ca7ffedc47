// The credential test: one ping, with the checks and the error messages of the nodes. n8n's declarative test can't check the
// Base URL or the allowed domains, and only shows a code if there's no response.
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INode,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { isRecord } from '../base/data';
import type { ApiDefinition, Endpoint } from '../base/definition';
import { accountOf, headersOf, secretsOf, type Account } from './http/credential';
import type { DryRunSetting } from './http/dryRunMode';
import type { ErrorContext } from './http/errorContext';
import { nodeError, requestError } from './http/errors';
import { describe, failureOf, received } from './http/exchange';
import type { ApiResponse, Outcome } from './http/outcome';
import { Secrets } from './http/redact';

/** Milliseconds. Short, because the user waits for the form. */
const TIMEOUT = 15_000;

/** A credential test has no node, but errors need one. */
const nodeOf = ({ name, credential }: ApiDefinition): INode => ({
	id: '',
	name,
	type: credential.type,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});

/** Uses `helpers.request`, because n8n gives a credential test nothing newer. */
async function ping(
	{ helpers }: ICredentialTestFunctions,
	{ url, credential, allowedDomains }: Account,
	endpoint: Endpoint,
): Promise<Outcome> {
	const once = { endpoint, attempts: 1, doubtfulAttempts: 0, waited: 0, inDoubt: false };
	const options = {
		method: endpoint.method,
		uri: url + endpoint.template.path,
		headers: headersOf(credential.data ?? {}),
		json: true,
		timeout: TIMEOUT,
		simple: false,
		resolveWithFullResponse: true,
		// A redirect would send the key to another URL.
		followRedirect: false,
		sendCredentialsOnCrossOriginRedirect: false,
		allowedDomains,
	};
	const result = await helpers
		.request(options)
		.then(
			({ statusCode, headers, body }) => received(endpoint, statusCode, headers, body),
			failureOf,
		);
	return { ...once, ...result };
}

function isPong(outcome: Outcome): boolean {
	if (outcome.failure !== undefined || outcome.says !== 'success') return false;
	return isRecord(outcome.body) && outcome.endpoint.api.ping.isPong(outcome.body);
}

/** Another server seems to have responded: not with the documented response, nor with an error of the API or a proxy. */
function isOther({ says, status, body }: ApiResponse): boolean {
	const isUnreadable = body === undefined || body === null || typeof body === 'string';
	return says === 'success' || (isUnreadable && status >= 400 && status < 429);
}

/** Says if Base URL seems to lead to another server, or if only the scope for Ping is missing. */
function pingError(outcome: Outcome, context: ErrorContext): Error {
	const error = requestError(outcome, context);
	if (outcome.failure !== undefined) return error;
	if (isOther(outcome)) {
		const { status, body, endpoint } = outcome;
		error.message = `This doesn't look like the ${endpoint.api.name} (HTTP ${status}, ${describe(body)}). Check Base URL in the credential.`;
	} else if (outcome.status === 403) {
		// The advice after a 403 has just named the scope (nextStep.ts). A key without that scope may be good for its purpose.
		error.message += ' Only this test and the Ping operation need it.';
	}
	return error;
}

const dryRunNotes: Record<DryRunSetting, string> = {
	off: '',
	on: ' Dry Run is on, so nothing that changes data is sent.',
	manual: ' Dry Run is on in manual executions. Published workflows are real.',
};

export const credentialTestOf = (api: ApiDefinition) =>
	async function (
		this: ICredentialTestFunctions,
		{ data = {} }: ICredentialsDecrypted,
	): Promise<INodeCredentialTestResult> {
		const endpoint = api.endpoint(api.ping.route);
		const node = nodeOf(api);
		const context: ErrorContext = {
			node,
			action: 'Test the credential',
			endpoint,
			sent: () => [],
			hasFixedBudget: true,
			secrets: new Secrets(secretsOf(data)),
		};
		try {
			const account = accountOf(data, node, api);
			const outcome = await ping(this, account, endpoint);
			if (!isPong(outcome)) throw pingError(outcome, context);
			const note = dryRunNotes[account.dryRunSetting];
			return { status: 'OK', message: `Connection successful!${note}` };
		} catch (error) {
			const { message } = nodeError(error, context);
			return { status: 'Error', message };
		}
	};
