// What the result of a request means: what may have been applied is in doubt, and what is safe is tried again. Without a
// response, by the codes that Node.js, its TLS and n8n's helper give.
import { failureOf } from '../../dist/nodes/engine/client/http/exchange.js';
import { isConnectionLost, verdictOf } from '../../dist/nodes/engine/client/http/retry.js';

test.each([
	['ECONNRESET', 'socket hang up', 'repeatable', true],
	['EPIPE', 'write EPIPE', 'repeatable', true],
	['ETIMEDOUT', 'connect ETIMEDOUT 203.0.113.7:443', 'repeatable', true],
	['ECONNABORTED', 'timeout of 1000ms exceeded', 'repeatable', true],
	['ERR_SOCKET_CONNECTION_TIMEOUT', 'Socket connection timeout', 'repeatable', true],
	['', 'The request timed out', 'repeatable', true],
	['EHOSTUNREACH', 'connect EHOSTUNREACH 203.0.113.7:443', 'repeatable', true],
	['ENETUNREACH', 'connect ENETUNREACH 203.0.113.7:443', 'repeatable', true],
	['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'repeatable', false],
	['EAI_AGAIN', 'getaddrinfo EAI_AGAIN api.example.com', 'repeatable', false],
	['ENOTFOUND', 'getaddrinfo ENOTFOUND api.example.com', 'none', false],
	['CERT_HAS_EXPIRED', 'certificate has expired', 'none', false],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'none', false],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', 'none', false],
	['', 'something else', 'none', true],
])('%s (%s)', (code, message, retry, inDoubt) => {
	const cause = Object.assign(new Error(message), code === '' ? {} : { code });
	const wrapped = new Error('wrapped by n8n', { cause });
	expect(verdictOf(failureOf(wrapped))).toMatchObject({ retry, inDoubt });
});

/** A response of the API. */
const responded = (status: number, headers = {}) =>
	({ status, headers, body: {}, says: 'failure' }) as unknown as Parameters<typeof verdictOf>[0];

// The clock of a service may be another than this one's.
const date = 'Thu, 01 Jan 2015 00:00:00 GMT';

test.each([
	['5', 5000],
	['0.5', 500],
	['0', 0],
	['-5', 0],
	[' ', undefined],
	['soon', undefined],
	['Thu, 01 Jan 2015 00:00:10 GMT', 10_000],
	['Wed, 31 Dec 2014 23:59:00 GMT', 0],
])('Retry-After %j is a pause of %p ms', (header, pause) => {
	expect(verdictOf(responded(429, { date, 'retry-after': header })).pause).toBe(pause);
});

// A gateway that had no response of the API. Any other status is the API's own.
test.each([
	[500, false],
	[501, false],
	[502, true],
	[503, true],
	[504, true],
	[505, false],
	[520, false],
])('HTTP %d is a lost connection: %s', (status, isLost) => {
	expect(isConnectionLost(responded(status))).toBe(isLost);
});
