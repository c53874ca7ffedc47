// URLs of webhooks, compared without what the API may rewrite.

/** Decodes percent-encoded ASCII only. Unlike decodeURIComponent it never throws, whatever a URL has. */
export const decoded = (text: string) =>
	text.replace(/%([0-7][\da-f])/gi, (_match, hex: string) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);

/** The lookbehind keeps the time linear: a row of slashes is searched once, not from each. */
export const withoutEndSlashes = (text: string) => text.replace(/(?<!\/)\/+$/, '');

/** Takes a URL without its scheme (`//host/path`), too. Undefined for any other text. */
export function parsedUrl(url: string | undefined): URL | undefined {
	const whole = url?.startsWith('//') ? `https:${url}` : url;
	return whole !== undefined && URL.canParse(whole) ? new URL(whole) : undefined;
}

/**
 * Host and path without what the API may rewrite: scheme, case, default ports, a dot after the host, percent-encoded ASCII,
 * doubled and final slashes. Since the scheme doesn't count, neither do the default ports of both.
 */
export function placeOf({ hostname, port, pathname }: URL): string {
	const host = hostname.replace(/\.$/, '');
	const isDefault = ['', '80', '443'].includes(port);
	const path = decoded(pathname).replace(/\/+/g, '/').replace(/\/$/, '');
	return `${host}${isDefault ? '' : `:${port}`}${path}`.toLowerCase();
}
