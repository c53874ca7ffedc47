// Masks that a list of webhooks may have in place of a part of their URLs.

/** A mask for all of a text, or for a part of it. */
const masks: Record<string, (text: string) => string> = {
	'***': () => '***',
	'********': () => '********',
	'…': () => '…',
	'...': () => '...',
	'its first letters and ***': (text) => `${text.slice(0, 4)}***`,
	'its first letters and ...': (text) => `${text.slice(0, 4)}...`,
	'its first letters and …': (text) => `${text.slice(0, 4)}…`,
	'*** and its last letters': (text) => `***${text.slice(-4)}`,
};

/** The part of a URL that is masked. */
const parts = {
	secret: /(?<=[?&]secret=)[^&]+/,
	mark: /(?<=[?&]node=)[^&]+/,
	path: /(?<=\/webhook\/|\/N8N\/)[^/?]+/,
};

export type MaskedPart = keyof typeof parts;

/** Each part with each mask, and what makes a list's URL of one that was registered. */
export const maskedUrls = (Object.keys(parts) as MaskedPart[]).flatMap((part) =>
	Object.entries(masks).map(
		([name, mask]) => [part, name, (url: string) => url.replace(parts[part], mask)] as const,
	),
);
