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

import { partsOf, type Route } from '../endpoints';
import { isRecord } from '../operation';
import { isPage, received } from './http/response';
import { connectionOf, CREDENTIAL, keyOf, type Connection } from './http/credential';
import type { ErrorContext } from './http/errorContext';
import { responseError, failureError, unreadableError } from './http/errors';
import { failureOf } from './http/exchange';
import { nodeError } from './http/nodeErrors';
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
		return { ...once, ...received(PING, reply.statusCode, reply.headers, reply.body) };
	} catch (error) {
		return { ...once, ...failureOf(error) };
	}
}

/** @throws NodeApiError, NodeOperationError or FieldFault when the API did not answer the ping */
async function test(
	functions: ICredentialTestFunctions,
	data: NonNullable<ICredentialsDecrypted['data']>,
	context: ErrorContext,
): Promise<Connection> {
	const connection = connectionOf(data, NODE);
	const response = await ping(functions, connection, keyOf(data));
	if (response.failure !== undefined) throw failureError(response, context);
	if (response.says !== 'success') {
		const error = responseError(response, context);
		// A key that cannot ping may be good for all that it is meant for.
		if (response.status === 403 && !isPage(response.body)) {
			error.message += ' Only this test and the Ping operation need it.';
		}
		throw error;
	}
	// Reference: core, Ping.
	if (!isRecord(response.body) || typeof response.body.status !== 'string') {
		throw unreadableError(response, context);
	}
	return connection;
}

/** What n8n calls to test a credential; the result is what its form shows. */
export async function platformApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const context: ErrorContext = {
		node: NODE,
		action: 'Test the credential',
		route: PING,
		sent: () => [],
		secrets: [keyOf(data)],
	};
	try {
		const { isDry } = await test(this, data, context);
		const dry = isDry ? ' Dry Run is on, so nothing that changes data is sent.' : '';
		return { status: 'OK', message: `Connection successful!${dry}` };
	} catch (error) {
		const { message } = nodeError(error, context);
		return { status: 'Error', message };
	}
}
