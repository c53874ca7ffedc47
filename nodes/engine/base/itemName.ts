// Names an input item in errors, hints and logs, as people look for it.
import { firstOf, isRecord, short } from './data';

/** The value of this field names an item before any other value. */
export const KEY_FIELD = 'Idempotency Key';

const SHORT = 40;

/** Up to 40 characters that are no URL, no HTML and no token: a digit among 20 or more characters without a blank. */
const HUMAN_READABLE = /^(?!.*:\/\/)(?!(?=\S*\d)[A-Za-z0-9_+/=.-]{20,}$)[^\s<>&][^<>&\n]{0,39}$/;

/** Keys whose values aren't for other eyes. */
const PRIVATE = /pass|secret|token|key|auth|credential|cookie|session|code|otp|pin$|iban|card/i;

const NUMBERED = /(?:^|[a-z_ ])(?:id|no|nr|number|order|invoice)$/i;

/** n8n counts items from 0, and people count rows from 1. */
export const rowName = (index: number): string => `row ${index + 1} (item ${index})`;

/** Names items by their places: `row 437 (item 436)`, or `rows 1, 2, 5`. `more` is text about each, such as ` (ID ch-1)`. */
export function rowsText(
	indexes: number[],
	most?: number,
	more: (index: number) => string = () => '',
): string {
	if (indexes.length === 1) return `${rowName(indexes[0])}${more(indexes[0])}`;
	const rows = indexes.map((index) => `${index + 1}${more(index)}`);
	return `rows ${firstOf(rows, most)}`;
}

/**
 * Names an item by its place, after its first value that a person may know: `order A-1043, row 437 (item 436)`.
 * @param item its JSON, with the Idempotency Key first if the form has one
 * @param secrets texts that the name must not show
 */
export function itemName(index: number, item?: unknown, secrets: Iterable<string> = []): string {
	const naming = Object.entries(isRecord(item) ? item : {}).find(([name, value]) => {
		const canName = typeof value === 'string' || (typeof value === 'number' && NUMBERED.test(name));
		const text = String(value);
		return (
			canName &&
			HUMAN_READABLE.test(text) &&
			name.length <= SHORT &&
			// PRIVATE has `key`, so it would also match the label of the Idempotency Key.
			(name === KEY_FIELD || !PRIVATE.test(name)) &&
			![...secrets].some((secret) => secret !== '' && text.includes(secret))
		);
	});
	if (!naming) return rowName(index);
	const [name, value] = naming;
	return `${name === KEY_FIELD ? 'key' : name} ${String(value)}, ${rowName(index)}`;
}

export interface NamedWrite {
	/** Such as `Create an order`. */
	action: string;
	key?: string;
	amount?: string;
	/** ID of the record that the write is about. */
	record?: string;
	/** Undefined for the only item. */
	index?: number;
}

/** Names a write as a person looks for it: `order A-1043 of 30.00 for user-7, row 5 (item 4)`. */
export function writeName({ action, key, amount, record, index }: NamedWrite): string {
	const noun = /^Create an? (.+)$/.exec(action)?.[1] ?? `"${action}"`;
	const words = [
		noun,
		key && short(key),
		amount && `of ${amount}`,
		record && `for ${short(record)}`,
	];
	const name = words.filter(Boolean).join(' ');
	return index === undefined ? name : `${name}, ${rowName(index)}`;
}
