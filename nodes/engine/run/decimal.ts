// Exact sums of amounts: each is a BigInt, scaled by 30 decimal places, instead of a float.

const PLACES = 30;

/** The number 1, scaled. */
export const ONE = 10n ** BigInt(PLACES);

/** Scales a number, also one as text. What is beyond 30 decimal places is cut off. Undefined for anything else. */
export function decimalOf(value: unknown): bigint | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(String(value).trim());
	if (!parts) return undefined;
	const [, sign, whole, fraction = '', exponent = '0'] = parts;
	// The pattern also fits a text without any digit, such as `-` or `.`.
	if (whole + fraction === '') return undefined;
	const shift = PLACES + Number(exponent) - fraction.length;
	const digits = BigInt(whole + fraction);
	const scaled = shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift);
	return sign === '-' ? -scaled : scaled;
}

/** Formats a scaled amount: `18,430.00`. */
export function amountText(amount: bigint): string {
	const size = amount < 0n ? -amount : amount;
	const whole = String(size / ONE).replace(/\B(?=(\d{3})+$)/g, ',');
	const fraction = String(size % ONE)
		.padStart(PLACES, '0')
		.replace(/0+$/, '')
		.padEnd(2, '0');
	return `${amount < 0n ? '-' : ''}${whole}.${fraction}`;
}

/** Formats a scaled count: `1,200`. */
export const countText = (count: bigint): string => amountText(count).replace(/\.00$/, '');

/** Items with their total, unless one isn't known: `3 items, 30.00 in total`. */
export function totalText(sums: Array<bigint | undefined>): string {
	const known = sums.filter((sum) => sum !== undefined);
	const total = known.reduce((all, each) => all + each, 0n);
	const items = sums.length === 1 ? '1 item' : `${sums.length} items`;
	return known.length === sums.length ? `${items}, ${amountText(total)} in total` : items;
}
