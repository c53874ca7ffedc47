// The fields of a customer (reference: core, Customer).
import { city, country } from '../api/address';
import { choice, json, text, toggle, type Field } from '../engine/form/fields';

export const email = text({
	name: 'email',
	placeholder: 'name@email.com',
	send: { format: 'email' },
	description: 'Email address of the customer. Must be unique in your company.',
});

export const externalId = text({
	name: 'externalId',
	placeholder: 'e.g. crm-1042',
	send: { trim: true },
	description: 'Your own ID for the customer. Must be unique in your company.',
});

export const companyName = text({
	name: 'companyName',
	placeholder: 'e.g. Lovelace Analytics',
	send: { as: 'company_name' },
	description: 'Company name of the customer',
});

export const firstName = text({
	name: 'firstName',
	placeholder: 'e.g. Ada',
	send: { as: 'first_name' },
	description: 'First name of the customer',
});

export const lastName = text({
	name: 'lastName',
	placeholder: 'e.g. Lovelace',
	send: { as: 'last_name' },
	description: 'Last name of the customer',
});

export const addressParts: Field[] = [
	text({
		displayName: 'Street Address',
		name: 'street',
		placeholder: 'e.g. 12 Main Street',
		send: { as: 'address.address' },
		description: 'Address without city and country',
	}),
	city('customer'),
	country,
];

export const tags = text({
	name: 'tags',
	placeholder: 'e.g. vip, newsletter',
	send: { type: 'list' },
	description: 'Comma-separated tags, or an array from an expression',
});

export const further = json({
	displayName: 'Other Fields (JSON)',
	name: 'further',
	send: { as: '*' },
	description:
		'Other customer fields as a JSON object, named as your records have them. Fields of this form are checked as usual and come first. Others are sent as they are.',
});

/** The reference shows names for creation only, and tags for updates only (core, Customer). */
export const checkNames = 'Check that a first update changes it.';

export const withNote = (field: Field, note: string): Field => ({
	...field,
	description: `${field.description}. ${note}`,
});

export const matchBy = choice({
	displayName: 'Match By',
	name: 'matchBy',
	noDataExpression: true,
	default: 'externalId',
	send: { setting: true },
	options: [
		{
			name: 'Email',
			value: 'email',
			description:
				"The API can't search by email, so the node reads the list of customers, once for all items",
		},
		{ name: 'External ID', value: 'externalId', description: 'The API finds the customer' },
	],
	description: 'How to find the customer. If there is none, it is created.',
});

/** Email to find a customer in the list. It isn't sent. */
export const listedEmail: Field = {
	...email,
	required: true,
	send: { ...email.send, setting: true },
	description: 'Email address of the customer. Upper and lower case are the same.',
};

/** The list may have fewer fields: the reference doesn't show all fields of a customer. */
export const readWhole = toggle({
	displayName: 'Read Customer by ID',
	name: 'readWhole',
	send: { setting: true },
	description:
		'Whether to read the customer by its ID too, in case the list has fewer fields. This takes one more request for each item.',
});
