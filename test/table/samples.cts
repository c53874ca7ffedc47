// Values that the table-driven tests need where a field's declaration cannot say them: rules over
// several fields, and ids that must exist.
import type { Form } from './forms.cts';
import type { TableEntry } from './operations.cts';

const contentFields = '{"headline": {"label": "Headline", "type": "string"}}';

const fixed: Record<string, Form> = {
	'platformContentBox.contentType.create': { fieldsJson: contentFields },
	'platformContentBox.contentType.update': {
		updateFields: { title: 'Article', description: 'Posts', fieldsJson: contentFields },
	},
	// One of the two quantities is needed.
	'platformCustomers.usage.record': {
		additionalFields: { amount: 3, value: 3, valueType: 'api-call' },
	},
	// One of the two keys is needed, which no field can say alone.
	'platformPartners.partner.find': { externalId: 'crm-7' },
};

/** The fixed values in the forms of an operation. */
export function fixedValues({ node, resource, operation }: TableEntry): Form {
	return fixed[`${node}.${resource.value}.${operation.value}`] ?? {};
}
