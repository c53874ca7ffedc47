// Secrets in texts that users see: each time they occur, whole, in parts and cut off. Their encodings are in
// execution/secrets.
import { Secrets } from '../../dist/nodes/engine/client/http/redact.js';

const long = Array.from({ length: 250 }, (_none, index) => (index * 7919).toString(36)).join('');
const line = 'MIIEvQIBADANBgkqhkiG9w0';
const pem = `-----BEGIN KEY-----\n${line}\nshort line\n-----END KEY-----`;

test.each([
	['twice', 'sk-12345', 'sk-12345 and sk-12345', '*** and ***'],
	['in Base64, twice', 'sk-123456', `${btoa('sk-123456')} ${btoa('sk-123456')}`, '*** ***'],
	['cut off', 'sk-12345', 'The key sk-12… is wrong', 'The key ***… is wrong'],
	['two that are cut off', 'sk-12345', 'sk-1234… sk-1…', '***… ***…'],
	['long and whole', long, `key ${long}.`, 'key ***.'],
	['long and cut off', long, `key ${long.slice(0, 350)}…`, 'key ***…'],
	['a line of a key', pem, `bad line ${line}`, 'bad line ***'],
	['not its short lines', pem, 'a short line of it', 'a short line of it'],
	['not its head', pem, 'no -----BEGIN KEY-----', 'no -----BEGIN KEY-----'],
	['the query of a URL', 'https://a.example/x?sig=a?b', 'got sig=a?b', 'got ***'],
	['not what is too short', 'abc', 'abc', 'abc'],
])('%s', (_what, secret, text, shown) => {
	expect(new Secrets([secret]).hide(text)).toBe(shown);
});
