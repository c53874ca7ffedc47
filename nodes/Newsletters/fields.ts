// Fields that several resources of this node share.
import { locator } from '../api';
import { choice, rows, text, type Field } from '../engine/form/fields';
import { idsOfItems } from '../engine/form/gathered';

export const newsletterId = locator('newsletters', {
	name: 'newsletterId',
	required: true,
	placeholder: 'e.g. nwl-1',
});

export const recipientFields = (required: boolean): Field[] => [
	rows({
		name: 'customers',
		required,
		displayOptions: { show: { customersAs: ['fields'] } },
		send: { as: 'contact_ids', type: 'list', empty: 'refused' },
		description: 'Suppressed and unknown ones are skipped and counted',
		row: { displayName: 'Customer', name: 'customer' },
		values: [
			locator('customers', {
				name: 'customerId',
				required: true,
				placeholder: 'e.g. cus-100001',
			}),
		],
	}),
	text({
		displayName: 'Customer ID Field',
		name: 'customerField',
		noDataExpression: true,
		default: 'id',
		required,
		placeholder: 'e.g. customer_id',
		displayOptions: { show: { customersAs: ['items'] } },
		send: { as: 'contact_ids', type: 'list', convert: idsOfItems, gathers: true },
		hint: 'The node runs once for all input items',
		description:
			'Field of the input items with the ID. Suppressed and unknown customers are skipped and counted.',
	}),
	text({
		displayName: 'Customer IDs',
		name: 'contactIds',
		required,
		placeholder: 'e.g. cus-100001, cus-100002',
		displayOptions: { show: { customersAs: ['ids'] } },
		send: { as: 'contact_ids', type: 'list', minItems: required ? 1 : 0, empty: 'refused' },
		description:
			'Comma-separated IDs, or an array from an expression. Suppressed and unknown ones are skipped.',
	}),
	choice({
		displayName: 'Specify Customers',
		name: 'customersAs',
		noDataExpression: true,
		default: 'fields',
		send: false,
		options: [
			{ name: 'Using Fields', value: 'fields', description: 'Choose each one from a list' },
			{ name: 'Using IDs', value: 'ids', description: 'Use this for IDs from an expression' },
			{
				name: 'From Input Items',
				value: 'items',
				description: 'One request with the customers of all input items',
			},
		],
	}),
];
