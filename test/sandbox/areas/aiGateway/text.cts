/** Text as passages, words, tokens and vectors: small deterministic stand-ins for a model. */
import { createHash } from 'node:crypto';

/** Length of a vector, unless another one is asked for. */
export const defaultDimensions = 256;

export const chunkingStrategyVersion = 'paragraphs-1';

const stopWords = new Set(
	`a about an and any are as at be been but by can could do does each for from had has have how i
	if in into is it its may me my no not of on one only or our out she should so than that the
	their them then there these they this to up was we what when where which who why will with would
	you your`.split(/\s+/),
);

/** A word without its commonest English endings, so that 'invoices' meets 'invoicing'. */
function stem(word: string): string {
	const bare = word.replace(/(?<=.{3})(ations?|ings?|ed|ies|es|s|e|y)$/, '');
	return bare.replace(/(.)\1$/, '$1');
}

/** How often each word occurs; words that carry no meaning are left out. */
function wordCounts(text: string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
		if (stopWords.has(word)) continue;
		const key = stem(word);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return counts;
}

/** What a provider would count, roughly: one token for every four characters. */
export const tokenCount = (text: string): number => Math.ceil(text.length / 4);

/**
 * A vector of length 1 in which texts that share words are near each other: each word adds to one
 * place, up or down, that its hash chooses.
 */
export function embed(text: string, dimensions = defaultDimensions): number[] {
	const vector = new Array<number>(dimensions).fill(0);
	const counts = wordCounts(text);
	if (counts.size === 0) counts.set(text, 1);
	for (const [word, count] of counts) {
		const hash = createHash('sha256').update(word).digest();
		const sign = hash[4] % 2 === 0 ? 1 : -1;
		vector[hash.readUInt32LE(0) % dimensions] += sign * (1 + Math.log(count));
	}
	const length = Math.hypot(...vector.filter(Boolean));
	if (length === 0) vector[0] = 1;
	return vector.map((value) => Number((value / (length || 1)).toFixed(6)));
}

/** The text cut at blank lines, in passages of up to 600 characters. */
export function passagesOf(text: string): string[] {
	const passages: string[] = [];
	for (const paragraph of text.split(/\n\s*\n/).map((each) => each.trim())) {
		const last = passages.at(-1) ?? '';
		if (last && last.length + paragraph.length < 600)
			passages.splice(-1, 1, `${last}\n${paragraph}`);
		else passages.push(...(paragraph.match(/[^]{1,600}/g) ?? []));
	}
	return passages;
}
