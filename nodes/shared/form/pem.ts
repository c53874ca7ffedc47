// Certificates as text: a form's field of one line, like many a secret store, loses line breaks.

const blocks = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/**
 * A text in PEM form with its line breaks, which may be lost or spelled out as `\n`. A text that
 * has them, or that is no PEM, stays as it is.
 */
export function withLineBreaks(given: string): string {
	const text = given.replaceAll('\\r', '').replaceAll('\\n', '\n').trim();
	if (text.includes('\n')) return text;
	const restored = [...text.matchAll(blocks)].map(([, label, content]) =>
		[
			`-----BEGIN ${label}-----`,
			...(content.replace(/\s+/g, '').match(/.{1,64}/g) ?? []),
			`-----END ${label}-----`,
		].join('\n'),
	);
	return restored.length > 0 ? restored.join('\n') : text;
}
