// The test of the credential: one ping, under the rules and with the sentences of the nodes.
//
// Not the declarative test of n8n's credential classes: that one knows neither the rules for the
// Base URL nor the allowed domains, and shows bare codes where no response came.
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INode,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { describe } from './api';
import { errorMessage, isAbsent, isPage } from './http/answer';
import { connectionOf, CREDENTIAL, keyOf, type Connection } from './http/credential';
import { partsOf, type Route } from '../endpoints';
import {
	answerError,
	failureError,
	nodeError,
	unreadableError,
	type Situation,
} from './http/errors';
import { isRecord } from '../operation';
import { failureCode } from './http/transport';
import type { Outcome } from './http/outcome';

/** Milliseconds: somebody waits before the form. */
const TIMEOUT = 15_000;

const PING: Route = 'GET /ping.json';

/** A credential is tested without a node; errors and n8n's rules want one to name. */
const NODE: INode = {
	id: '',
	name: 'Platform API',
	type: CREDENTIAL,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** n8n gives a test no other way to send a request than this older one. */
async function ping(
	{ helpers }: ICredentialTestFunctions,
	{ url, allowedDomains }: Connection,
	key: string,
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
		// The key goes to the Base URL only.
		followRedirect: false,
		sendCredentialsOnCrossOriginRedirect: false,
		allowedDomains,
	};
	try {
		const reply: { statusCode: number; headers: Record<string, unknown>; body: unknown } =
			await helpers.request(options);
		return { ...once, status: reply.statusCode, headers: reply.headers, body: reply.body };
	} catch (error) {
		const { code, message } = failureCode(error);
		const timedOut = /timeout|timed out/i.test(message);
		return { ...once, failure: code, timedOut, detail: message };
	}
}

/** @throws NodeApiError, NodeOperationError or FieldFault when the API did not answer the ping */
async function test(
	context: ICredentialTestFunctions,
	data: NonNullable<ICredentialsDecrypted['data']>,
	situation: Situation,
): Promise<Connection> {
	const connection = connectionOf(data, NODE);
	const outcome = await ping(context, connection, keyOf(data));
	if (outcome.failure !== undefined) throw failureError(outcome, situation);
	const { status, body } = outcome;
	const message = errorMessage(PING, status, body);
	if (status < 200 || status > 299 || message !== undefined) {
		const missing = isAbsent(PING, status, body, message);
		const error = answerError({ ...outcome, message, missing }, situation);
		// A key that cannot ping may be good for all that it is meant for.
		if (status === 403 && !isPage(body))
			error.message += ' Only this test and the Ping operation need it.';
		throw error;
	}
	// Reference: core, Ping.
	if (!isRecord(body) || typeof body.status !== 'string') {
		throw unreadableError({ ...outcome, missing: false }, situation, describe(body));
	}
	return connection;
}

/** What n8n calls to test a credential; the result is what its form shows. */
export async function platformApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const situation: Situation = {
		node: NODE,
		action: 'Test the credential',
		route: PING,
		sent: () => [],
		secrets: [keyOf(data)],
	};
	try {
		const { isDry } = await test(this, data, situation);
		const dry = isDry ? ' Dry Run is on, so nothing that changes data is sent.' : '';
		return { status: 'OK', message: `Connection successful!${dry}` };
	} catch (error) {
		const { message } = nodeError(error, situation);
		return { status: 'Error', message };
	}
}
