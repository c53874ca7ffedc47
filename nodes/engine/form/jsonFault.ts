// Finds where text stops being JSON. The parser's own message quotes the text, which may hold secrets.

/** The parser's error for the beginning of JSON is at the end, or has no position. */
function canGoOn(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch (error) {
		const { message } = error as Error;
		const at = / at position (\d+)/.exec(message)?.[1];
		return at === undefined ? /end of JSON/.test(message) : Number(at) >= text.length;
	}
}

/** A binary search finds the first wrong character: the first `good` ones can begin JSON, the first `bad` ones can't. */
export function jsonFault(text: string): string {
	let [good, bad] = [0, text.length + 1];
	while (bad - good > 1) {
		const middle = Math.floor((good + bad) / 2);
		if (canGoOn(text.slice(0, middle))) good = middle;
		else bad = middle;
	}
	if (good === text.length) return text.trim() === '' ? "it's empty" : 'it ends too early';
	const before = text.slice(0, good).split('\n');
	const character = JSON.stringify(text[good]).slice(1, -1);
	return `line ${before.length}, column ${before[before.length - 1].length + 1} has ${character}`;
}
