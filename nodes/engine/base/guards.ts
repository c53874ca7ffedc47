// Tells what a value is, and reads it as that.
import type { IDataObject } from 'n8n-workflow';

/** True for values that a request leaves out. */
export const isUnset = (value: unknown) => value === undefined || value === null || value === '';

export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an object as it is, and an empty one for anything else. */
export const recordOf = (value: unknown): IDataObject => (isRecord(value) ? value : {});

/** Returns the objects in an array. Empty for anything else. */
export const recordsOf = (value: unknown): IDataObject[] =>
	Array.isArray(value) ? value.filter(isRecord) : [];

/** Returns a number or the number in a text. Undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Shortens a text for an error. */
export const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Joins the first texts and counts the others. */
export function firstOf(all: string[], most = 10): string {
	const shown = all.slice(0, most).join(', ');
	return all.length > most ? `${shown} and ${all.length - most} more` : shown;
}
