// One attempt: sends one HTTP request with n8n's helper and the credential.
import type { IHttpRequestOptions } from 'n8n-workflow';

import type { ApiRequest } from '../../base/apiRequest';
import type { ApiContext, Connection } from './credential';
import type { Failed, Result } from './outcome';
import { received } from './response';

/** Reads the error code of a request without a response. It can be deep in errors that n8n and axios wrapped. */
export function failureOf(error: unknown): Failed {
	let each = error as { cause?: unknown; code?: unknown; message?: unknown } | undefined;
	let code = '';
	let detail = '';
	for (let depth = 0; each && typeof each === 'object' && code === '' && depth < 5; depth++) {
		if (typeof each.message === 'string') detail = each.message;
		if (typeof each.code === 'string') ({ code } = each);
		each = each.cause as typeof each;
	}
	// Timeouts come with several codes, or with none.
	if (/timeout|timed out/i.test(detail)) code = 'ETIMEDOUT';
	return { failure: code || 'UNKNOWN', detail };
}

/** @param signal aborts the request */
export async function exchange(
	nodeContext: ApiContext,
	{ url, allowedDomains, credential, api }: Connection,
	request: ApiRequest,
	{ timeout, signal }: { timeout: number; signal: AbortSignal },
): Promise<Result> {
	// Same context with another signal: n8n's helper takes the signal from the context. Hooks and polls have none.
	const context: ApiContext = Object.assign(Object.create(nodeContext), {
		getExecutionCancelSignal: () => signal,
	});
	const options: IHttpRequestOptions = {
		method: request.endpoint.method,
		url: url + request.path,
		qs: request.query,
		// `ids=a&ids=b`
		arrayFormat: 'repeat',
		// n8n's default is 5 minutes, and only limits the time without any data.
		timeout,
		// Otherwise n8n sends a request again after a 401, even a POST.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		// A redirect would send the key to another URL and turn a POST into a GET.
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
		allowedDomains,
	};
	if (request.body) options.body = request.body;
	if (request.endpoint.kind === 'binary') options.encoding = 'arraybuffer';
	else options.json = true;
	return await nodeContext.helpers.httpRequestWithAuthentication
		.call(context, api.credential.type, options, { credentialsDecrypted: credential })
		.then(
			({ statusCode, headers, body }) => received(request.endpoint, statusCode, headers, body),
			failureOf,
		);
}
