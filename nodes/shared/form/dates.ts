// A date out of a form or an expression -> a date on the wire.
import { tryToParseDateTime } from 'n8n-workflow';

import { refuse } from './refuse';
import type { Field } from '../fields';

/** n8n's date with its zone: a DateTime of luxon. */
type Moment = ReturnType<typeof tryToParseDateTime>;

/** ISO 8601 with a whole day: `2026-03-01`, with a time after `T` or a blank, and with a zone. */
const isoText =
	/^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?) ?(Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?)?$/;

/** Unix time, in milliseconds, of the years in which a number is taken for a date. */
const FIRST = Date.UTC(2000, 0);
const LAST = Date.UTC(2100, 0) - 1;

/** What n8n makes of a value, which must be one that it does not have to guess. */
function parsed(value: unknown, zone: string): Moment | undefined {
	try {
		return tryToParseDateTime(value, zone);
	} catch {
		return undefined;
	}
}

/**
 * Unix time from 2000 to 2099 as an instant, in seconds or milliseconds: no number is both. Others
 * are years, 20260301, days of a spreadsheet or something else altogether.
 */
function unixTime(stamp: number, zone: string): Moment | undefined {
	const milliseconds = [stamp * 1000, stamp].find((each) => each >= FIRST && each <= LAST);
	return milliseconds === undefined ? undefined : parsed(new Date(milliseconds), zone);
}

function isoMoment(text: string, zone: string): Moment | undefined {
	const [, day, time, offset = ''] = isoText.exec(text) ?? [];
	if (day === undefined) return undefined;
	const moment = parsed(time === undefined ? day : `${day}T${time}${offset}`, zone);
	// A day that the calendar does not have, such as 30 February, comes out as another.
	return moment?.toISODate() === day ? moment : undefined;
}

/** The date that a value clearly is, in its own zone or else in the given one. */
function momentOf(value: unknown, zone: string): Moment | undefined {
	if (typeof value === 'number') return unixTime(value, zone);
	if (typeof value === 'string') {
		// Unix time as text, as it comes out of a table or a query.
		return /^\d+$/.test(value) ? unixTime(Number(value), zone) : isoMoment(value, zone);
	}
	const moment = parsed(value, zone);
	// n8n gives a DateTime back as it is, and reads other objects as text.
	return value instanceof Date || moment === value ? moment : undefined;
}

/** Whether a value is the same moment everywhere: it names its zone, or is Unix time. */
function namesInstant(value: unknown): boolean {
	if (typeof value !== 'string') return typeof value === 'number' || value instanceof Date;
	return /^\d+$/.test(value) || isoText.exec(value)?.[3] !== undefined;
}

/**
 * A date for the wire, from ISO text, a DateTime, a Date, or Unix time of the years 2000 to 2099 in
 * seconds or milliseconds, as a number or as text. Text without a zone is in that of the workflow.
 * A `date`, which has no time, is the day that the value names: an instant names that of the
 * workflow's zone; a text with an offset and a DateTime have a day of their own. A `dateOrDateTime` is a
 * moment, but for a day, and for midnight without a zone, as the form has it.
 * @throws FieldFault for anything else, and for a day that the calendar does not have
 */
export function date(
	field: Field,
	value: unknown,
	type: 'date' | 'dateTime' | 'dateOrDateTime',
	timezone: string,
): string | null {
	const given = typeof value === 'string' ? value.trim() : value;
	const moment = momentOf(given, timezone);
	if (moment === undefined || !moment.isValid) {
		return refuse(
			field,
			value,
			'must be a date such as 2026-03-01 or 2026-03-01T09:00:00+01:00, an n8n date, or a Unix timestamp from 2000 to 2099',
		);
	}
	if (moment.year < 0 || moment.year > 9999) {
		return refuse(field, value, 'must be a date with a four-digit year');
	}
	// The form's own field always has a time: midnight, where the user chose a day.
	const isMidnight = moment.equals(moment.startOf('day'));
	const isDay = isMidnight && !namesInstant(given);
	if (type === 'dateTime' || (type === 'dateOrDateTime' && !isDay)) {
		return moment.toISO({ suppressMilliseconds: true });
	}
	// `Z` says which instant it was, and of no place which day.
	const isInstant = typeof given === 'string' && given.endsWith('Z');
	return (isInstant ? moment.setZone(timezone) : moment).toISODate();
}
