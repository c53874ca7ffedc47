// The credential test: one ping, with the checks and the error messages of the nodes. n8n's declarative test
// can't check the Base URL or the allowed domains, and only shows a code if there's no response.
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INode,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { partsOf, type Route } from '../../api/endpoints';
import { isRecord } from '../form/operation';
import { isPage, received } from './http/response';
import { accountOf, CREDENTIAL, keyOf, type Account } from './http/credential';
import type { DryRunSetting } from './http/dryRunSetting';
import type { ErrorContext } from './http/errorContext';
import { requestError } from './http/errors';
import { failureOf } from './http/exchange';
import { nodeError } from './http/nodeErrors';
import type { Outcome } from './http/outcome';

/** Milliseconds. Short, because the user waits for the form. */
const TIMEOUT = 15_000;

const PING: Route = 'GET /ping.json';

/** A credential test has no node, but errors need one. */
const NODE: INode = {
	id: '',
	name: 'Platform API',
	type: CREDENTIAL,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** Uses `helpers.request`, because n8n gives a credential test nothing newer. */
async function ping(
	{ helpers }: ICredentialTestFunctions,
	{ url, key, allowedDomains }: Account,
): Promise<Outcome> {
	const once = { route: PING, attempts: 1, failures: 0, waited: 0, inDoubt: false };
	const { method, path } = partsOf(PING);
	const options = {
		method,
		uri: url + path,
		headers: { Authorization: `Bearer ${key}` },
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
		.then(({ statusCode, headers, body }) => received(PING, statusCode, headers, body), failureOf);
	return { ...once, ...result };
}

/** True for the documented response (core, Ping). */
function isPong(outcome: Outcome): boolean {
	if (outcome.failure !== undefined || outcome.says !== 'success') return false;
	return isRecord(outcome.body) && typeof outcome.body.status === 'string';
}

function pingError(outcome: Outcome, context: ErrorContext): Error {
	const error = requestError(outcome, context);
	// A key without the scope for Ping may still be good for its purpose.
	if (outcome.failure === undefined && outcome.status === 403 && !isPage(outcome.body)) {
		error.message += ' Only this test and the Ping operation need it.';
	}
	return error;
}

const dryRunNotes: Record<DryRunSetting, string> = {
	off: '',
	on: ' Dry Run is on, so nothing that changes data is sent.',
	manual: ' Dry Run is on in manual executions. Published workflows are real.',
};

/** Called by n8n. The form of the credential shows the result. */
export async function platformApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const context: ErrorContext = {
		node: NODE,
		action: 'Test the credential',
		route: PING,
		sent: () => [],
		isFixed: true,
		secrets: [keyOf(data)],
	};
	try {
		const account = accountOf(data, NODE);
		const outcome = await ping(this, account);
		if (!isPong(outcome)) throw pingError(outcome, context);
		return { status: 'OK', message: `Connection successful!${dryRunNotes[account.dryRunSetting]}` };
	} catch (error) {
		const { message } = nodeError(error, context);
		return { status: 'Error', message };
	}
}
