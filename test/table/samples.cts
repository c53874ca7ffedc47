// Values that the table-driven tests need where a field's declaration cannot say them: rules over
// several fields, and ids that must exist.
import type { Form } from './forms.cts';
import type { TableEntry } from './operations.cts';

const fixed: Record<string, Form> = {};

/** The fixed values in the forms of an operation. */
export function fixedValues({ node, resource, operation }: TableEntry): Form {
	return fixed[`${node}.${resource.value}.${operation.value}`] ?? {};
}
