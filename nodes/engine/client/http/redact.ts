// Removes secrets from texts that users see, such as an API message that repeats the key.
import { isRecord } from '../../base/data';

/** Shorter secrets aren't hidden within a text, since they'd be found in ordinary words. */
const SHORTEST = 4;

/** A secret, and what is as secret as all of it: a line of a certificate, the query of a signed URL. */
function partsOf(secret: string): string[] {
	if (secret.length < SHORTEST) return [];
	if (!/[\n?]/.test(secret)) return [secret];
	const isContent = (line: string) => line.length > 16 && !line.startsWith('-----');
	const lines = secret.includes('\n') ? secret.split('\n').filter(isContent) : [];
	const query = /^https?:\/\/[^?]*\?(.*)/is.exec(secret)?.[1] ?? '';
	return [secret, ...lines, query].filter(({ length }) => length >= SHORTEST);
}

const base64 = (text: string, as: 'base64' | 'base64url' = 'base64') =>
	Buffer.from(text).toString(as).replace(/=+$/, '');

const HTML_NAMES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": '#39',
};

/** `&apos;` isn't known everywhere, so servers write `&#39;`. */
const inHtml = (text: string, characters: RegExp) =>
	text.replace(characters, (each) => `&${HTML_NAMES[each]};`);

/** A text as it is, and as servers and logs write it. A text that was encoded twice isn't looked for. */
function spellings(text: string): string[] {
	const inUrl = encodeURIComponent(text.toWellFormed());
	const inJson = JSON.stringify(text).slice(1, -1);
	return [
		text,
		inUrl,
		inUrl.replace(/%../g, (each) => each.toLowerCase()),
		inUrl.replaceAll('%20', '+'),
		inJson,
		inJson.replaceAll('/', '\\/'),
		// Go writes it so that a page can hold the JSON.
		inJson.replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`),
		inHtml(text, /[&<>"']/g),
		inHtml(text, /[&<>"]/g),
		base64(text),
		base64(text, 'base64url'),
		base64(`Bearer ${text}`),
	];
}

export class Secrets {
	/** Each secret as a whole, however short. */
	readonly texts: Set<string>;

	private readonly parts: string[];

	/** Length of the shortest part. No spelling of a part is shorter. */
	private shortest = Infinity;

	/** The longest first: a short one could hide the middle of a long one, and leave its ends. */
	private spelled?: string[];

	constructor(texts: string[]) {
		this.texts = new Set(texts);
		this.parts = texts.flatMap(partsOf);
		for (const { length } of this.parts) this.shortest = Math.min(this.shortest, length);
	}

	/** Replaces each secret in a text with `***`, and the beginning of one where the text was cut (`short`). */
	hide(text: string): string {
		const isCut = text.includes('…');
		// For speed: most values are shorter than a key.
		if (!isCut && text.length < this.shortest) return text;
		this.spelled ??= [...new Set(this.parts.flatMap(spellings))].sort(
			(one, other) => other.length - one.length,
		);
		let shown = text;
		for (const each of this.spelled) {
			shown = shown.replaceAll(each, '***');
			// For speed: most texts don't have even the first characters of a secret.
			if (!isCut || !shown.includes(each.slice(0, SHORTEST))) continue;
			for (let length = each.length - 1; length >= SHORTEST; length--) {
				shown = shown.replaceAll(`${each.slice(0, length)}…`, '***…');
			}
		}
		return shown;
	}

	/** Replaces each secret in a value with `***`, at any depth. All fields and rows stay. */
	hideIn(value: unknown): unknown {
		if (Array.isArray(value)) return value.map((each) => this.hideIn(each));
		if (isRecord(value)) {
			const entries = Object.entries(value).map(([name, each]) => [name, this.hideIn(each)]);
			return Object.fromEntries(entries);
		}
		const shown = this.without(value);
		return shown === undefined && value !== undefined ? '***' : shown;
	}

	/** Removes secrets at any depth, and hides those in longer texts. Undefined for a secret, or an object of nothing else. */
	without(value: unknown): unknown {
		if (this.texts.size === 0) return value;
		if (typeof value !== 'object' || value === null) {
			if (value !== '' && this.texts.has(String(value))) return undefined;
			return typeof value === 'string' ? this.hide(value) : value;
		}
		const list: unknown[] = [];
		const entries: Array<[string, unknown]> = [];
		for (const [name, each] of Object.entries(value)) {
			const shown = this.without(each);
			if (shown === undefined) continue;
			list.push(shown);
			entries.push([name, shown]);
		}
		if (Array.isArray(value)) return list;
		const isAllSecret = entries.length === 0 && Object.keys(value).length > 0;
		// `fromEntries` takes `__proto__` for plain data.
		return isAllSecret ? undefined : Object.fromEntries(entries);
	}
}

/** Nothing secret is known yet. */
export const NO_SECRETS = new Secrets([]);
