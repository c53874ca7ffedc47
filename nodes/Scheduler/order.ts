// The end of an event, or of a range of them, isn't before its start.
import { FieldFault, recordOf, type ApiRequest } from '../shared/operation';

const asTime = (value: unknown) => Date.parse(String(value));

/** @throws FieldFault for an event that ends before it starts */
export function checkOrder({ body }: ApiRequest): void {
	const { schedule_date: from, end_date: to } = recordOf(body?.event);
	if (asTime(to) < asTime(from)) throw new FieldFault('End', 'must not be before Start');
}

/** A day is all of its hours, wherever they are. */
const DAY_LENGTH = '2026-03-01'.length;
const ANYWHERE = 26 * 60 * 60 * 1000;

/** @throws FieldFault for a range that ends before it starts */
export function checkRange({ query }: ApiRequest): void {
	const [from, to] = [String(query?.start), String(query?.end)];
	const days = [from, to].filter(({ length }) => length === DAY_LENGTH).length;
	const slack = days === 1 ? ANYWHERE : 0;
	if (asTime(to) + slack < asTime(from)) throw new FieldFault('End', 'must not be before Start');
}
