// How much of what is alike `npm test` tries: a share of a table, and few seeds, the same each time. `npm run check
// thorough` tries all of the table, and many seeds that are new each time.

const { THOROUGH } = process.env;

export const isThorough = THOROUGH !== undefined;

/**
 * A share of a table's cases, another one in each of its rows, so that all rows together try each case.
 * @param of the number of shares
 * @param row its number
 */
export const shareOf = <T,>(cases: T[], of: number, row = 0): T[] =>
	isThorough ? cases : cases.filter((_each, index) => (index + row) % of === 0);

/** A number of tries. */
export const tries = (few: number, many: number): number => (isThorough ? many : few);

/** The seed of a failure, as in `THOROUGH=1234`, plays the same again. */
const first = isThorough ? Number(THOROUGH) || Math.floor(Math.random() * 1e6) : 1;

/** Seeds of drawn scenes. A test that fails names its own. */
export const seedsOf = (few: number, many: number): number[] =>
	Array.from({ length: tries(few, many) }, (_each, index) => first + index);
