// Splitting passages into requests, and the line breaks of certificates.
import fc from 'fast-check';
import { passageFault, splitPassages } from '../../dist/nodes/AiGateway/embeddingBatches.js';
import { withLineBreaks } from '../../dist/nodes/engine/form/pem.js';

const KB = 1024;
const rest = { connection_id: 'aic-2', input_type: 'document' };
const sizes = (passages: string[]) =>
	splitPassages(passages, rest).map(({ length }: string[]) => length);
const texts = (count: number, length = 1) =>
	Array.from({ length: count }, () => 'x'.repeat(length));

test.each([
	[1, [1]],
	[64, [64]],
	[65, [64, 1]],
	[130, [64, 64, 2]],
])('%i short passages', (count, expected) => {
	expect(sizes(texts(count))).toEqual(expected);
});

test('passages of 128 KB: seven fit into 1 MB beside the rest of the body, eight do not', () => {
	expect(sizes(texts(16, 128 * KB))).toEqual([7, 7, 2]);
});

test('bytes are counted, not characters', () => {
	// Two bytes each in UTF-8, four those of two UTF-16 units.
	for (const text of ['é'.repeat(64 * KB), '😀'.repeat(32 * KB)]) {
		expect(sizes(Array<string>(16).fill(text))).toEqual([7, 7, 2]);
	}
});

test('1 MB is 1,000,000 bytes, the smaller reading', () => {
	expect(sizes(texts(8, 124_000))).toEqual([8]);
	expect(sizes(texts(8, 126_000))).toEqual([7, 1]);
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

test('a passage that is empty or over 128 KB is named', () => {
	expect(passageFault(['a', 'b'])).toBeUndefined();
	expect(passageFault(['x'.repeat(128 * KB)])).toBeUndefined();
	expect(passageFault(['a', ''])).toContain('passage 2 of 2');
	expect(passageFault(['a', ' \n'])).toContain('passage 2 of 2');
	// Two bytes each in UTF-8.
	expect(passageFault(['a', 'é'.repeat(64 * KB), 'é'.repeat(64 * KB + 1)])).toContain('passage 3');
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
