// The option Release Key in n8n's Retry: a person says which items in doubt went through, by a code and their rows. A released
// Idempotency Key is in idempotency.ts.
import { hashOf } from '../base/data';

/** Max items of a range in a code. */
const ITEMS = 100_000;

/** The code of what a run goes on from, for the option Release Key. */
export const codeOf = (state: string): string => hashOf(state).slice(0, 12);

export interface Release {
	code: string;
	/** Rows that didn't go through. */
	unsent: number[];
	/** Rows that did. */
	sent: number[];
}

/** Reads rows such as `1 3-5`. */
const indexesIn = (text: string): number[] =>
	(text.match(/\d+(?:-\d+)?/g) ?? []).flatMap((range) => {
		const [first, last = first] = range.split('-').map(Number);
		return Array.from(
			{ length: Math.min(Math.max(0, last - first), ITEMS) + 1 },
			(_none, at) => first + at,
		);
	});

/** Reads the option Release Key of a Retry. Undefined for an Idempotency Key, and for anything else. */
export function releaseIn(value: unknown): Release | undefined {
	const text = String(value ?? '').trim();
	const [, code, items = ''] =
		/^run-([\da-z_-]{12})((?:[ ,]+(?:\d+(?:-\d+)?|sent))*)$/i.exec(text) ?? [];
	if (code === undefined) return undefined;
	const [unsent, sent = ''] = items.split(/sent/i);
	return { code, unsent: indexesIn(unsent), sent: indexesIn(sent) };
}

/** Names items in a code: `1 3-5`. */
function rangesText(indexes: number[]): string {
	const ranges: number[][] = [];
	for (const index of [...indexes].sort((one, other) => one - other)) {
		const last = ranges.at(-1);
		if (last?.at(-1) === index - 1) last[1] = index;
		else ranges.push([index]);
	}
	return ranges.map((range) => range.join('-')).join(' ');
}

/** Advice for items in doubt, if the run stops because of them. */
export function releaseText(code: string, indexes: number[]): string {
	const all = rangesText(indexes);
	const enter = `enter ${code} ${all} in the option Release Key and use "Retry with currently saved workflow"`;
	if (indexes.length === 1) {
		return `Check it. If it didn't go through, ${enter}. If it did, enter ${code} sent ${all}.`;
	}
	const [first, ...others] = indexes;
	return `Check them. If none of them went through, ${enter}. Put those that did after the word sent, such as ${code} ${first} sent ${rangesText(others)}.`;
}

/** The same advice if the run goes on without the item, so that n8n can't retry it. */
export const LEFT_OUT = "Check it. If it didn't go through, run it in a new execution.";
