// Finds the texts that were probably meant by a misspelt one.

/** Levenshtein distance. */
function distance(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_each, index) => index);
	for (let i = 1; i <= one.length; i++) {
		const next = [i];
		for (let j = 1; j <= other.length; j++) {
			const change = one[i - 1] === other[j - 1] ? 0 : 1;
			next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + change));
		}
		row = next;
	}
	return row[other.length];
}

/** Sorts texts by their similarity to the given ones. */
export function nearestFirst(given: string | string[], all: string[]): string[] {
	// Compares only the start of long texts, which are slow and no misspelt values.
	const texts = [given].flat().map((each) => each.slice(0, 60).toLowerCase());
	const rank = (each: string) =>
		Math.min(...texts.map((text) => distance(text, each.toLowerCase())));
	const ranks = new Map(all.map((each) => [each, rank(each)]));
	return [...all].sort((one, other) => Number(ranks.get(one)) - Number(ranks.get(other)));
}

/** Letters and digits of a name: `First Name`, `first_name` and `firstName` are the same. */
export const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the text that was probably meant by another one: one contains the other, or at most a quarter of the letters of
 * the shorter one differ. Texts of one or two letters are in too many others.
 */
export function nearMiss(given: string, all: string[]): string | undefined {
	const own = plain(given);
	const isNear = (each: string) => {
		const other = plain(each);
		const [short, long] = own.length < other.length ? [own, other] : [other, own];
		return short.length >= 3 && (long.includes(short) || distance(own, other) <= short.length / 4);
	};
	return nearestFirst(given, all.filter(isNear))[0];
}
