// Removes secrets from texts that users see, such as an API message that repeats the key.
import { isRecord } from '../../base/data';

/** Shorter secrets aren't hidden within a text, since they'd be found in ordinary words. */
const SHORTEST = 4;

/** Length of the pieces of a long secret. A pattern is many times as long as its piece. */
const PIECE = 100;

/**
 * The parts of a secret that are looked for: all of it, cut into pieces if it's long, none of them short. A line of a
 * certificate or the query of a signed URL is as secret as all of it.
 */
function secretParts(secret: string): string[] {
	const whole = [secret];
	const lines = secret.split('\n');
	// Not `-----BEGIN CERTIFICATE-----`, which is no secret.
	const isContent = (line: string) => line.length > 16 && !line.startsWith('-----');
	if (lines.length > 1) whole.push(...lines.filter(isContent));
	if (/^https?:\/\//i.test(secret)) whole.push(secret.split('?').slice(1).join('?'));
	const parts: string[] = [];
	for (const each of whole) {
		let start = 0;
		// The last piece takes the rest, so that it isn't short.
		for (; each.length - start >= 2 * PIECE; start += PIECE) {
			parts.push(each.slice(start, start + PIECE));
		}
		if (each.length - start >= SHORTEST) parts.push(each.slice(start));
	}
	return parts;
}

/** Names of characters in HTML. */
const HTML_NAMES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
	'/': 'sol',
	'+': 'plus',
	'=': 'equals',
};

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Hexadecimal digits of a number in capital or small letters, as a pattern. */
const hex = (code: number, digits: number): string =>
	code
		.toString(16)
		.padStart(digits, '0')
		.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** Backslashes before an escape, of which each encoding doubles the number. */
const SLASHES = '\\\\{1,8}';

/** A pattern for a character as it is, and in URLs, JSON, JavaScript and HTML, also encoded several times. */
function anyEncodingOf(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	const bytes = [...Buffer.from(character.toWellFormed())];
	const units = character.split('').map((unit) => unit.charCodeAt(0));
	const json = JSON.stringify(character).slice(1, -1);
	const html = [`#0{0,6}${code}`, `#[xX]0{0,6}${hex(code, 1)}`, HTML_NAMES[character] ?? ''];
	// `%25` is a `%` that was encoded again, and `amp;` a `&`.
	const ways = [
		escaped(character),
		`${SLASHES}${escaped(json.replace(/^\\/, ''))}`,
		bytes.map((byte) => `%(?:25){0,4}${hex(byte, 2)}`).join(''),
		units.map((unit) => `${SLASHES}u${hex(unit, 4)}`).join(''),
		`&(?:amp;){0,4}(?:${html.filter(Boolean).join('|')});`,
		...(character === ' ' ? ['\\+'] : []),
	];
	return `(?:${ways.join('|')})`;
}

/** A secret in Base64, if `before` bytes come before it. Without the characters that have bits of its neighbors, too. */
function inBase64(secret: string, before: number): string {
	const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
	const full = Math.floor((bytes.length * 8) / 6);
	return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), full);
}

/** Forms of a secret in Base64, alone and within a text. */
function base64Forms(secret: string): string[] {
	// The header of a request holds all of the secret. Other texts may have anything before it.
	const exact = [secret, `Bearer ${secret}`].map((text) =>
		Buffer.from(text).toString('base64').replace(/=+$/, ''),
	);
	// Three ways, since Base64 takes three bytes at a time. Of a short secret too little is left.
	const inner = secret.length < 2 * SHORTEST ? [] : [0, 1, 2].map((at) => inBase64(secret, at));
	return [...exact, ...inner];
}

/** Texts that must not be shown. Made once and handed on, because its patterns are many times as long as the texts. */
export class Secrets {
	private readonly parts: string[];

	/** Length of the shortest part. No encoding is shorter. */
	private shortest = Infinity;

	/** Each of them as a whole, however short. */
	readonly texts: Set<string>;

	private patterns?: RegExp[];

	constructor(texts: string[]) {
		this.texts = new Set(texts);
		this.parts = texts.flatMap(secretParts);
		for (const { length } of this.parts) this.shortest = Math.min(this.shortest, length);
	}

	/** Replaces each secret in a text with `***`, in any encoding. */
	hide(text: string): string {
		// Of a text that was cut, the beginning of a secret may be left, which is shorter than any part.
		const isCut = text.includes('…');
		if (text.length < this.shortest && !isCut) return text;
		// Made for the first text that may hold one: few texts are as long as a key.
		this.patterns ??= patternsOf(this.parts);
		let hidden = text;
		for (const pattern of this.patterns) hidden = hidden.replace(pattern, '***');
		const shown = isCut ? this.hideCut(hidden) : hidden;
		return shown === text ? text : shown.replace(/(\*{3})+/g, '***');
	}

	/** Hides the beginning of a secret, or of a part of it, where a text was cut off. */
	private hideCut(text: string): string {
		const lengthBefore = (end: number) => {
			for (const part of this.parts) {
				for (let length = part.length - 1; length >= SHORTEST; length--) {
					if (text.endsWith(part.slice(0, length), end)) return length;
				}
			}
			return 0;
		};
		let [shown, start] = ['', 0];
		for (const { index } of text.matchAll(/…/g)) {
			const length = lengthBefore(index);
			if (length === 0) continue;
			shown += `${text.slice(start, index - length)}***`;
			start = index;
		}
		return shown + text.slice(start);
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

/** For what is shown before anything secret is known. */
export const NO_SECRETS = new Secrets([]);

/**
 * Patterns for parts of secrets in all encodings. Longer ones come first: a short one could hide the middle of a long one,
 * and leave its ends.
 */
function patternsOf(parts: string[]): RegExp[] {
	const base64 = parts.flatMap(base64Forms);
	const forUrls = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
	return [
		...longestFirst(parts).map((part) => [...part].map(anyEncodingOf).join('')),
		// Base64 has only two characters that are encoded again.
		...longestFirst([...new Set([...base64, ...forUrls])]).map((each) =>
			each.replace(/[+/]/g, anyEncodingOf),
		),
	].map((pattern) => new RegExp(pattern, 'g'));
}

const longestFirst = (all: string[]) => [...all].sort((one, other) => other.length - one.length);
