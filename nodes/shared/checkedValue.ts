// A value that no form sends, such as the question to a retriever, checked as one of a form.
import { toWire } from './form/containers';
import type { Field } from './fields';

/**
 * What a field makes of a value.
 * @param timezone for dates that name none
 * @throws FieldFault for a value that the field refuses
 */
export function checkedValue(field: Field, given: unknown, timezone = 'UTC'): unknown {
	return toWire(field, given, { timezone, item: {} });
}
