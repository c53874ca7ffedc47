/** A small deterministic source of random values: the same seed gives the same data. */

export interface Random {
	/** In [0, 1). */
	next(): number;
	/** A whole number, both ends included. */
	int(from: number, to: number): number;
	pick<Value>(values: readonly Value[]): Value;
	/** True with this probability. */
	chance(probability: number): boolean;
}

/** The generator is mulberry32. */
export function randomFrom(seed: number): Random {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
	const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
	return {
		next,
		int,
		pick: (values) => values[int(0, values.length - 1)],
		chance: (probability) => next() < probability,
	};
}
