// URLs of webhooks, compared without what the API may rewrite.

/** Decodes the percent-encoded characters of ASCII. */
export const decoded = (text: string) =>
	text.replace(/%([0-7][\da-f])/gi, (_match, hex: string) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);

/** Without the slashes at its end. The search starts once in a row of slashes, not at each of them. */
export const withoutEndSlashes = (text: string) => text.replace(/(?<!\/)\/+$/, '');

/** Also parses a URL without its scheme. */
export function parsedUrl(url: string | undefined): URL | undefined {
	const whole = url?.startsWith('//') ? `https:${url}` : url;
	return whole !== undefined && URL.canParse(whole) ? new URL(whole) : undefined;
}

/**
 * Returns host and path without what the API may rewrite: scheme, case, default ports, a dot after the host,
 * percent-encoded ASCII, doubled and final slashes. Since the scheme doesn't count, neither do the default ports of both.
 */
export function placeOf({ hostname, port, pathname }: URL): string {
	const host = hostname.replace(/\.$/, '');
	const isDefault = ['', '80', '443'].includes(port);
	const path = decoded(pathname).replace(/\/+/g, '/').replace(/\/$/, '');
	return `${host}${isDefault ? '' : `:${port}`}${path}`.toLowerCase();
}
