/** Time-based one-time passwords: RFC 6238 with SHA-1, steps of 30 seconds and 6 digits. */
import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const stepSeconds = 30;

/** Base32 (RFC 4648) without padding, as authenticator apps take a secret. */
export function base32(bytes: Uint8Array): string {
	const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
	const groups = bits.match(/.{1,5}/g) ?? [];
	return groups.map((group) => alphabet[parseInt(group.padEnd(5, '0'), 2)]).join('');
}

function bytesOf(secret: string): Buffer {
	const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'));
	const octets = bits.join('').match(/.{8}/g) ?? [];
	return Buffer.from(octets.map((octet) => parseInt(octet, 2)));
}

/** The number of the step in which a moment lies. */
export const stepOf = (moment: Date): number => Math.floor(moment.getTime() / 1000 / stepSeconds);

/** The code of a step. `secret` is base32 without padding. */
export function totp(secret: string, step: number): string {
	const counter = Buffer.alloc(8);
	counter.writeBigUInt64BE(BigInt(step));
	const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest();
	const offset = digest[digest.length - 1] & 0x0f;
	const number = digest.readUInt32BE(offset) & 0x7fffffff;
	return String(number % 1_000_000).padStart(6, '0');
}
