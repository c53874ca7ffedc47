/** Certificates made on the spot for servers on this machine. */
import { generate } from 'selfsigned';

export interface Certificate {
	/** PEM. */
	key: string;
	/** PEM; its own issuer, so it also serves as the CA certificate of clients. */
	cert: string;
}

/**
 * A public host name for tests: names below .test belong to nobody (RFC 6761). The sandbox delivers
 * to them on this machine, see deliveries.cts.
 */
export const PUBLIC_HOST = 'n8n.example.test';

/** A certificate for localhost, 127.0.0.1, the public host name and others, valid for a year. */
export function selfMadeCertificate(...otherHosts: string[]): Certificate {
	const made = generate([{ name: 'commonName', value: 'localhost' }], {
		days: 365,
		keySize: 2048,
		algorithm: 'sha256',
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'keyUsage', keyCertSign: true, digitalSignature: true, keyEncipherment: true },
			{ name: 'extKeyUsage', serverAuth: true },
			{
				name: 'subjectAltName',
				altNames: [
					{ type: 2, value: 'localhost' },
					{ type: 2, value: PUBLIC_HOST },
					...otherHosts.map((value) => ({ type: 2, value })),
					{ type: 7, ip: '127.0.0.1' },
				],
			},
		],
	});
	return { key: made.private, cert: made.cert };
}
