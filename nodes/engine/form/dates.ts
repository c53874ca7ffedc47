// A date from a form or an expression -> a date to send.
import { tryToParseDateTime } from 'n8n-workflow';

import type { Field } from './fields';
import { refuse } from './limits';

/** n8n returns a Luxon DateTime. */
type Moment = ReturnType<typeof tryToParseDateTime>;

/** ISO 8601: `2026-03-01`, with an optional time after `T` or a space, and an optional zone. */
const isoText =
	/^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?) ?(Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?)?$/;

/** Range in which a number counts as a date, in milliseconds of Unix time. */
const FIRST = Date.UTC(2000, 0);
const LAST = Date.UTC(2100, 0) - 1;

/** Parses like n8n, which guesses: callers check that the value or the result is unambiguous. */
function parsed(value: unknown, zone: string): Moment | undefined {
	try {
		return tryToParseDateTime(value, zone);
	} catch {
		return undefined;
	}
}

/** Unix time from 2000 to 2099, in seconds or milliseconds. Other numbers may be years, 20260301 or days of a spreadsheet. */
function unixTime(stamp: number, zone: string): Moment | undefined {
	const milliseconds = [stamp * 1000, stamp].find((each) => each >= FIRST && each <= LAST);
	return milliseconds === undefined ? undefined : parsed(new Date(milliseconds), zone);
}

/** Text other than ISO 8601, and a day that doesn't exist, give undefined. */
function isoMoment(text: string, zone: string): Moment | undefined {
	const [, day, time, offset = ''] = isoText.exec(text) ?? [];
	if (day === undefined) return undefined;
	const moment = parsed(time === undefined ? day : `${day}T${time}${offset}`, zone);
	// The parser turns a day that doesn't exist, such as 30 February, into another one.
	return moment?.toISODate() === day ? moment : undefined;
}

/** An unambiguous date, in its own zone or else in the given one. Undefined for anything else. */
function momentOf(value: unknown, zone: string): Moment | undefined {
	if (typeof value === 'number') return unixTime(value, zone);
	if (typeof value === 'string') return isoMoment(value, zone);
	const moment = parsed(value, zone);
	// n8n returns a DateTime as it is, and reads other objects as text.
	return value instanceof Date || moment === value ? moment : undefined;
}

/**
 * True for a moment: Unix time, a Date, text with a zone, or a DateTime in another zone than the workflow's. n8n's own
 * DateTimes, such as `$today`, are in the workflow's zone.
 */
function namesInstant(value: unknown, moment: Moment, zone: string): boolean {
	if (typeof value === 'string') return isoText.exec(value)?.[3] !== undefined;
	if (typeof value === 'number' || value instanceof Date) return true;
	return moment.offset !== moment.setZone(zone).offset;
}

/**
 * Converts ISO text, a DateTime, a Date or Unix time (2000 to 2099, in seconds or milliseconds). Text without a zone is in the
 * workflow's zone.
 *
 * - `date` is a day. Unix time, a Date and text with `Z` give the day in the workflow's zone. Text with an offset and a
 *   DateTime keep their own day.
 * - `dateTime` is a moment, with the time and the zone.
 * - `dateOrDateTime` is a moment, too. But a day stays a day, and so does midnight without a zone, which n8n's date field
 *   sends for a day.
 * @throws FieldFault for anything else, and for a day that doesn't exist
 */
export function toDate(
	field: Field,
	value: unknown,
	type: 'date' | 'dateTime' | 'dateOrDateTime',
	timezone: string,
): string | null {
	const text = typeof value === 'string' ? value.trim() : undefined;
	// Tables and queries return Unix time as text.
	const isStamp = text !== undefined && /^\d+$/.test(text);
	const given = isStamp ? Number(text) : (text ?? value);
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
	// n8n's date field always has a time: midnight if the user chose a day.
	const isMidnight = moment.equals(moment.startOf('day'));
	const isDay = isMidnight && !namesInstant(given, moment, timezone);
	if (type === 'dateTime' || (type === 'dateOrDateTime' && !isDay)) {
		return moment.toISO({ suppressMilliseconds: true });
	}
	// `Z` says nothing about the place, so the day is the one in the workflow's zone.
	return (text?.endsWith('Z') ? moment.setZone(timezone) : moment).toISODate();
}
