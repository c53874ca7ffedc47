// Text formats that an API may require.
import { withLineBreaks } from './pem';

export interface TextFormat {
	test: { test(text: string): boolean };
	/** Rewrites text with the same meaning to the form that the API takes. */
	normalise?: (text: string) => string;
	/** Error text, after the name of the field. */
	says: string;
	sample: string;
}

/** https:// and a host, with the optional port as group 1. */
const endpointText = /^https:\/\/(?:[^\s/?#@:[\]]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/?$/i;

function isEndpoint(text: string): boolean {
	const match = endpointText.exec(text);
	return match !== null && Number(match[1] ?? 0) <= 65_535;
}

/** The host of a URL. Other text is only trimmed. */
const hostOf = (text: string) =>
	/^[a-z][a-z\d+.-]*:\/\/(?:[^\s/?#@]*@)?(?:\[([^\]]+)\]|([^\s/?#:]+))(?::\d+)?(?:[/?#].*)?$/i
		.exec(text.trim())
		?.slice(1)
		.find((host) => host !== undefined) ?? text.trim();

const hostText =
	/^(?=.{1,254}$)(?:\*\.)?[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?)*\.?$/u;

const fourText = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const sixText = /^(?=[\da-f.]*:)[\da-f:.]+(?:%[\w.:-]+)?$/i;

/** Same rules as `isIP` of node:net, which nodes may not import. */
const isIpAddress = (text: string): boolean =>
	fourText.test(text) || (sixText.test(text) && URL.canParse(`http://[${text.split('%')[0]}]`));

const certificateStart = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----\r?\n/;
const certificateEnd = /\n-----END [A-Z0-9 ]*CERTIFICATE-----/;

/** The first start is enough, because all ends that count come after it. */
function isCertificate(text: string): boolean {
	const start = certificateStart.exec(text);
	// A certificate has at least one character between start and end.
	return start !== null && certificateEnd.test(text.slice(start.index + start[0].length + 1));
}

const isHost = (text: string) => hostText.test(text) || isIpAddress(text);

export const formats = {
	https: {
		test: /^https:\/\/(?:[^\s/?#@]*@)?[^\s/?#@]+(?:[/?#]\S*)?$/i,
		says: 'must be an https:// URL',
		sample: 'https://receiver.example.com/events',
	},
	/** A URL that a service reads by itself, so credentials in it are refused. */
	httpsSource: {
		test: /^https:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/i,
		says: 'must be an https:// URL without user name or password, because the API rejects those',
		sample: 'https://files.example.com/report.md',
	},
	endpoint: {
		test: { test: isEndpoint },
		normalise: (text: string) => text.replace(/\/$/, ''),
		says: 'must be https:// and a host, with a port if needed',
		sample: 'https://files.example.com:6333',
	},
	email: {
		test: /^[^\s@]+@[^\s@]+$/,
		says: 'must be an email address',
		sample: 'ada@example.com',
	},
	host: {
		test: { test: isHost },
		normalise: hostOf,
		says: 'must be a host name such as example.com, or an IP address',
		sample: 'example.com',
	},
	ip: {
		test: { test: isIpAddress },
		says: 'must be an IP address',
		sample: '203.0.113.7',
	},
	country: {
		test: /^[A-Z]{2}$/,
		normalise: (text: string) => text.toUpperCase(),
		says: 'must be a two-letter country code, such as DE',
		sample: 'DE',
	},
	currency: {
		test: /^[A-Z]{3}$/,
		normalise: (text: string) => text.toUpperCase(),
		says: 'must be a three-letter currency code, such as EUR',
		sample: 'EUR',
	},
	oneTimeCode: {
		test: /^\d+$/,
		says: 'must be a 6-digit code or a numeric backup code',
		sample: '123456',
	},
	sha256: {
		test: /^[0-9a-f]{64}$/,
		normalise: (text: string) => text.toLowerCase(),
		says: 'must be a SHA-256 checksum of 64 hex digits',
		sample: 'a1'.repeat(32),
	},
	lowercase: {
		test: /^[^A-Z]*$/,
		says: 'must be lowercase',
		sample: 'lowercase',
	},
	certificate: {
		test: { test: isCertificate },
		normalise: withLineBreaks,
		says: 'must be a PEM certificate',
		sample: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
	},
} satisfies Record<string, TextFormat>;

export type Format = keyof typeof formats;
