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

export function nearestFirst(given: string, all: string[]): string[] {
	// The start is enough: a long text is no misspelt value, and would be slow to compare.
	const start = given.slice(0, 60).toLowerCase();
	const ranks = new Map(all.map((each) => [each, distance(start, each.toLowerCase())]));
	return [...all].sort((one, other) => Number(ranks.get(one)) - Number(ranks.get(other)));
}

/** Letters and digits of a name: `First Name`, `first_name` and `firstName` are the same. */
export const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The text that was probably meant, if any. Texts of one or two letters don't count, because too many others contain them. */
export function nearMiss(given: string, all: string[]): string | undefined {
	const wrong = plain(given);
	const isNear = (each: string) => {
		const other = plain(each);
		const [less, more] = wrong.length < other.length ? [wrong, other] : [other, wrong];
		return less.length >= 3 && (more.includes(less) || distance(wrong, other) <= less.length / 4);
	};
	return nearestFirst(given, all.filter(isNear))[0];
}
