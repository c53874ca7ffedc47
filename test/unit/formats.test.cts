// Formats of text: what each takes, what it refuses and why, and what it makes of the value.
import { isIP } from 'node:net';
import { toWire } from '../../dist/nodes/engine/form/containers.js';
import { formats } from '../../dist/nodes/engine/form/formats.js';
import type { Format } from '../../nodes/engine/form/formats.ts';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { expectNone } from '../none.cts';

const wire = (format: Format, value: string): unknown => {
	const field: Field = {
		displayName: 'Some Field',
		name: 'some',
		type: 'string',
		default: '',
		send: { format },
	};
	return toWire(field, value, { timezone: 'UTC', item: {} });
};

const hash = '0123456789abcdef'.repeat(4);

test.each<[Format, string, string?]>([
	['https', 'https://receiver.example.com/events?a=1#b'],
	['https', 'HTTPS://receiver.example.com'],
	['https', 'https://user:secret@receiver.example.com/events'],
	['https', 'https://[2001:db8::1]:8443/'],
	['httpsSource', 'https://files.example.com/report.md?token=a@b'],
	['host', 'example.com'],
	['host', '_dmarc.example.com.'],
	['host', 'münchen.example'],
	['host', 'https://example.com/path?a=1', 'example.com'],
	['host', 'http://user:word@www.example.com:8080', 'www.example.com'],
	['host', 'https://[2001:db8::1]/a', '2001:db8::1'],
	['host', '192.0.2.1'],
	['host', '2001:db8::1'],
	['endpoint', 'https://vectors.example.com'],
	['endpoint', 'https://vectors.example.com:6333'],
	['endpoint', 'https://vectors.example.com:6333/', 'https://vectors.example.com:6333'],
	['endpoint', 'https://[2001:db8::1]:6333'],
	['sha256', hash],
	['sha256', hash.toUpperCase(), hash],
	['oneTimeCode', '123456'],
	['oneTimeCode', '1234'],
	['oneTimeCode', '00012345678901'],
])('%s takes %s', (format, value, sent = value) => {
	expect(wire(format, value)).toBe(sent);
});

test.each<[Format, string, string]>([
	['https', 'http://receiver.example.com', 'must be an https:// URL'],
	['https', 'https://', 'must be an https:// URL'],
	['https', 'https://user@', 'must be an https:// URL'],
	['https', 'https://receiver example.com', 'must be an https:// URL'],
	[
		'httpsSource',
		'https://user:secret@files.example.com/report.md',
		'must be an https:// URL without user name or password, because the API rejects those',
	],
	['host', 'example.com/path', 'must be a host name'],
	['host', 'two words', 'must be a host name'],
	['host', 'ada@example.com', 'must be a host name'],
	['host', 'example..com', 'must be a host name'],
	['host', 'https:///path', 'must be a host name'],
	['endpoint', 'http://vectors.example.com', 'must be https:// and a host'],
	['endpoint', 'https://vectors.example.com/path', 'must be https:// and a host'],
	['endpoint', 'https://vectors.example.com?a=1', 'must be https:// and a host'],
	['endpoint', 'https://user:secret@vectors.example.com', 'must be https:// and a host'],
	['endpoint', 'https://vectors.example.com:port', 'must be https:// and a host'],
	['endpoint', 'https://vectors.example.com:65536', 'must be https:// and a host'],
	['sha256', hash.slice(1), 'must be a SHA-256 checksum of 64 hex digits'],
	['oneTimeCode', '12 34', 'must be a 6-digit code or a numeric backup code'],
	['oneTimeCode', 'abcdef', 'must be a 6-digit code or a numeric backup code'],
])('%s refuses %s', (format, value, says) => {
	let fault = '';
	try {
		wire(format, value);
	} catch (error) {
		({ fault } = error as { fault: string });
	}
	expect(fault).toContain(says);
	expect(fault).not.toContain('secret');
});

describe('IP addresses', () => {
	const [four, fourOdd] = [
		['0.0.0.0', '203.0.113.7', '255.255.255.255', '1.2.3.4'],
		['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.04', '1..2.3', '1.2.3.4 ', '٣.1.1.1'],
	];
	const groups = (count: number, group: string) => Array.from({ length: count }, () => group);

	/** Addresses of every number of groups, with and without a gap, embedded IPv4 and a zone. */
	const six = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((before) =>
		[0, 1, 2, 6, 7].flatMap((after) =>
			['', ':', '::', ':::'].flatMap((gap) =>
				['', '1.2.3.4', '1.2.3', '256.1.1.1', ':1.2.3.4'].map(
					(tail) =>
						groups(before, 'db8').join(':') +
						gap +
						groups(after, '0').join(':') +
						(tail && after > 0 ? ':' : '') +
						tail,
				),
			),
		),
	);
	const zones = ['2001:db8::1', 'fe80::1', '::ffff:1.2.3.4', '1::', 'zz::'].flatMap((address) =>
		['%', '%eth0', '%1', '%eth0.1', '%eth-0', '%en 0', '%a%b', '%ä'].map((zone) => address + zone),
	);
	const odd = [
		...['', ' ', ':', '::', ':::', '1', 'a', 'localhost', '12345::', 'g::', 'FFFF::FFFF', '::1::'],
		...['[::1]', '::1/64', '1.2.3.4:80', '::1.2.3.4', '1::1.2.3.4', '1:2:3:4:5:6:1.2.3.4'],
		...['1:2:3:4:5:6:7:1.2.3.4', '::1.2.3.4:1', '1.2.3.4::', '0x1.2.3.4', '1.2.3.4%eth0'],
	];
	const samples = [...new Set([...four, ...fourOdd, ...six, ...zones, ...odd])];

	test('there are hundreds of samples, of both kinds', () => {
		expect(samples.length).toBeGreaterThan(500);
		expect(samples.filter((each) => isIP(each) > 0).length).toBeGreaterThan(40);
	});

	test('are what node:net calls one', () => {
		const wrong = samples.filter((each) => formats.ip.test.test(each) !== isIP(each) > 0);
		expectNone(
			wrong,
			'node:net decides otherwise. Correct the pattern of IP addresses in nodes/engine/form/formats.ts.',
		);
	});
});
