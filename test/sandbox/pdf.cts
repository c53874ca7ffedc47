/** A small real PDF file: one A4 page with lines of text. */

const lineHeight = 16;

/** A string of a content stream; what Helvetica in Latin-1 cannot show becomes a question mark. */
const literal = (line: string): string =>
	`(${line.replace(/[^\x20-\x7e\xa0-\xff]/g, '?').replace(/[\\()]/g, '\\$&')})`;

/** The bytes of the file. One page holds 45 lines. */
export function pdfOf(lines: readonly string[]): Buffer {
	const shown = lines.map((line) => `${literal(line)} Tj T*`).join('\n');
	const content = `BT /F1 11 Tf ${lineHeight} TL 56 780 Td\n${shown}\nET`;
	const page = [
		'/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]',
		'/Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R',
	].join(' ');
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
		`<< ${page} >>`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
		`<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
	];
	let file = '%PDF-1.4\n';
	const offsets = objects.map((object, index) => {
		const offset = file.length;
		file += `${index + 1} 0 obj\n${object}\nendobj\n`;
		return offset;
	});
	const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
	const size = objects.length + 1;
	const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`;
	const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
	return Buffer.from(file + table + trailer, 'latin1');
}
