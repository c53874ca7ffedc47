/** Amounts of money as numbers with two decimals. */

/** Rounded to cents, so that sums show no traces of binary fractions. */
export const cents = (amount: number): number => Math.round(amount * 100) / 100;

/** As decimal text, which some answers carry in place of a number. */
export const decimal = (amount: number): string => amount.toFixed(2);
