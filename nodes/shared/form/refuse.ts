// A value that can't be sent -> the message for the user.
import { FieldFault, short } from '../operation';
import type { Field } from '../fields';

/** The JSON of a value, or undefined for what JSON cannot hold: a cycle, a BigInt, a function. */
export function jsonOf(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}

/** A URL without its user name and password. */
const withoutUser = (text: string) => text.replace(/\/\/[^/\s]*@/, '//***@');

/** Whether no error may show the value of a field. */
export const isSecret = ({ typeOptions, send }: Field): boolean =>
	typeOptions?.password === true || (send !== false && send?.secret === true);

/** A value as an error may show it: short, and never one of a secret field; JSON may hold secrets. */
function shown(field: Field, value: unknown): string {
	if (isSecret(field) || field.type === 'json') return '';
	if (typeof value === 'string') return ` (got "${short(withoutUser(value))}")`;
	return ` (got ${short(jsonOf(value) ?? `a value of type ${typeof value}`)})`;
}

/**
 * Refuses the value of a field.
 * @throws FieldFault
 */
export function refuse(field: Field, value: unknown, fault: string): never {
	throw new FieldFault(field.displayName, `${fault}${shown(field, value)}`);
}
