// The error for a value that can't be sent.
import { FieldFault } from '../base/apiRequest';
import { short } from '../base/data';
import type { Field } from './fields';

/** JSON of a value; undefined if it has none, such as a cycle, a BigInt or a function. */
export function jsonOf(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}

/** Masks the user name and password of a URL. */
const withoutUser = (text: string) => text.replace(/\/\/[^/\s]*@/, '//***@');

/** True if errors must not show the value of the field. */
export const isSecret = ({ typeOptions, send }: Field): boolean =>
	typeOptions?.password === true || (send !== false && send?.secret === true);

/** Shows a value in an error: shortened, and not for secret fields or JSON, which may hold secrets. */
function shown(field: Field, value: unknown): string {
	if (isSecret(field) || field.type === 'json') return '';
	if (typeof value === 'string') return ` (got "${short(withoutUser(value))}")`;
	return ` (got ${short(jsonOf(value) ?? `a value of type ${typeof value}`)})`;
}

/** @throws FieldFault */
export function refuse(field: Field, value: unknown, fault: string): never {
	throw new FieldFault(field.displayName, `${fault}${shown(field, value)}`);
}
