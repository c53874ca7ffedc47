// Restores the line breaks of certificates. One-line form fields and many secret stores lose them.

const blocks = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/** Restores line breaks that are written as `\n`, and those that PEM text has lost. Other text is only trimmed. */
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
