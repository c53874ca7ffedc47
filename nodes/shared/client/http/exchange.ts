// One attempt: one HTTP request by n8n's helper, with the credential, and what came of it.
import type { IHttpRequestOptions } from 'n8n-workflow';

import { partsOf } from '../../endpoints';
import type { ApiRequest } from '../../operation';
import { CREDENTIAL, type ApiContext, type Connection } from './credential';
import { received } from './response';
import type { Failed, Result } from './outcome';

/** What came of a request without a response: its code stands deep in an error that n8n or axios wrapped. */
export function failureOf(error: unknown): Failed {
	let each = error as { cause?: unknown; code?: unknown; message?: unknown } | undefined;
	let code = '';
	let detail = '';
	for (let depth = 0; each && typeof each === 'object' && code === '' && depth < 5; depth++) {
		if (typeof each.message === 'string') detail = each.message;
		if (typeof each.code === 'string') ({ code } = each);
		each = each.cause as typeof each;
	}
	return { failure: code || 'UNKNOWN', timedOut: /timeout|timed out/i.test(detail), detail };
}

/** @param signal ends the request */
export async function exchange(
	nodeContext: ApiContext,
	{ url, allowedDomains, credential }: Connection,
	request: ApiRequest,
	timeout: number,
	signal: AbortSignal,
): Promise<Result> {
	// The context of the node in all but the signal; hooks and polls have none of their own.
	const context: ApiContext = Object.assign(Object.create(nodeContext), {
		getExecutionCancelSignal: () => signal,
	});
	const options: IHttpRequestOptions = {
		method: partsOf(request.route).method,
		url: url + request.path,
		qs: request.query,
		// `ids=a&ids=b`: a name repeated, the form that needs no convention of its own.
		arrayFormat: 'repeat',
		// n8n's own is 5 minutes, and bounds the time in which nothing comes.
		timeout,
		// n8n would send a request that answers 401 a second time, a POST included.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		// A redirect would carry the key to another address and turn a POST into a GET.
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
		allowedDomains,
	};
	if (request.body) options.body = request.body;
	if (request.binary) options.encoding = 'arraybuffer';
	else options.json = true;
	return await nodeContext.helpers.httpRequestWithAuthentication
		.call(context, CREDENTIAL, options, { credentialsDecrypted: credential })
		.then(
			({ statusCode, headers, body }) => received(request.route, statusCode, headers, body),
			failureOf,
		);
}
