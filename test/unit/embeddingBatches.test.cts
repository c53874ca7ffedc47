// Splitting passages into requests, and the line breaks of certificates.
import fc from 'fast-check';
import { bothSides } from '../constants.cts';
import { passageFault, splitPassages } from '../../dist/nodes/AiGateway/embeddingBatches.js';
import { withLineBreaks } from '../../dist/nodes/engine/form/pem.js';

const KB = 1024;
const rest = { connection_id: 'aic-2', input_type: 'document' };
const sizes = (passages: string[]) =>
	splitPassages(passages, rest).map(({ length }: string[]) => length);
const texts = (count: number, length = 1) =>
	Array.from({ length: count }, () => 'x'.repeat(length));

const BATCHES = 'AiGateway/embeddingBatches';

bothSides(`${BATCHES} MAX_PASSAGES`, (count, isWithin, most) => {
	expect(sizes(texts(count))).toEqual(isWithin ? [count] : [most, 1]);
	expect(sizes(texts(2 * most + 2))).toEqual([most, most, 2]);
});

/** Passages whose body has so many bytes. */
function bodyOf(bytes: number, letter: string): string[] {
	const most = letter.repeat(100_000 / Buffer.byteLength(letter));
	const input = Array<string>(9).fill(most);
	const left = bytes - Buffer.byteLength(JSON.stringify({ ...rest, input: [...input, ''] }));
	return [...input, 'x'.repeat(left)];
}

// Two bytes in UTF-8, and four that are two UTF-16 units.
describe.each(['x', 'é', '😀'])('%s', (letter) => {
	bothSides(`${BATCHES} MAX_REQUEST_BYTES`, (bytes, isWithin) => {
		expect(sizes(bodyOf(bytes, letter))).toEqual(isWithin ? [10] : [9, 1]);
	});
});

bothSides(`${BATCHES} MAX_PASSAGE_BYTES`, (bytes, isWithin) => {
	expect(passageFault(['a', 'x'.repeat(bytes)]) === undefined).toBe(isWithin);
	// Two bytes each.
	const wide = 'é'.repeat(Math.floor(bytes / 2)) + 'x'.repeat(bytes % 2);
	expect(passageFault(['a', wide]) === undefined).toBe(isWithin);
});

test('what JSON escapes counts as it is sent', () => {
	// A line break is one byte of text and two of JSON.
	expect(sizes(Array.from({ length: 5 }, () => '\n'.repeat(128 * KB)))).toEqual([3, 2]);
});

test('any passages: order kept, every body within the limits, no batch empty', () => {
	const passage = fc.oneof(
		fc.string({ minLength: 1 }),
		fc.integer({ min: 1, max: 128 * KB }).map((length) => 'y'.repeat(length)),
	);
	fc.assert(
		fc.property(fc.array(passage, { maxLength: 200 }), (passages) => {
			const batches: string[][] = splitPassages(passages, rest);
			expect(batches.flat()).toEqual(passages);
			for (const input of batches) {
				expect(input.length).toBeGreaterThan(0);
				expect(input.length).toBeLessThanOrEqual(64);
				expect(Buffer.byteLength(JSON.stringify({ ...rest, input }))).toBeLessThanOrEqual(
					1_000_000,
				);
			}
		}),
		{ numRuns: 40 },
	);
});

test('a passage that is empty is named', () => {
	expect(passageFault(['a', 'b'])).toBeUndefined();
	expect(passageFault(['a', ''])).toContain('passage 2 of 2');
	expect(passageFault(['a', ' \n'])).toContain('passage 2 of 2');
});

const line = 'A'.repeat(64);
const certificate = `-----BEGIN CERTIFICATE-----\n${line}\n${line}\nBQ==\n-----END CERTIFICATE-----`;

test.each([
	['as it is', certificate, certificate],
	['line breaks gone', certificate.replaceAll('\n', ''), certificate],
	['blanks in their place', certificate.replaceAll('\n', ' '), certificate],
	['spelled out', certificate.replaceAll('\n', '\\n'), certificate],
	[
		'two on one line',
		(certificate + certificate).replaceAll('\n', ''),
		`${certificate}\n${certificate}`,
	],
	['no certificate', 'a secret', 'a secret'],
])('a certificate with %s', (_case, given, expected) => {
	expect(withLineBreaks(given)).toBe(expected);
});
