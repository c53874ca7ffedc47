// The fields of a customer (reference: core, Customer).
import { city, country } from '../api/address';
import { choice, json, text, toggle, type Field } from '../engine/form/fields';

export const email = text({
	name: 'email',
	placeholder: 'name@email.com',
	send: { format: 'email' },
	description: 'Must be unique in your company',
});

export const externalId = text({
	name: 'externalId',
	placeholder: 'e.g. crm-1042',
	send: { trim: true },
	description: 'Your own, unique in your company',
});

export const companyName = text({
	name: 'companyName',
	placeholder: 'e.g. Lovelace Analytics',
	send: { as: 'company_name' },
});

export const firstName = text({
	name: 'firstName',
	placeholder: 'e.g. Ada',
	send: { as: 'first_name' },
});

export const lastName = text({
	name: 'lastName',
	placeholder: 'e.g. Lovelace',
	send: { as: 'last_name' },
});

/** Names in an update. The reference shows them for creation only (core, Customer). */
export const changedNames = [firstName, lastName].map((field) => ({
	...field,
	description: 'Check that a first update changes it',
}));

export const addressParts: Field[] = [
	text({
		displayName: 'Street Address',
		name: 'street',
		placeholder: 'e.g. 12 Main Street',
		send: { as: 'address.address' },
	}),
	city,
	country,
];

export const tags = text({
	name: 'tags',
	placeholder: 'e.g. vip, newsletter',
	send: { type: 'list' },
	// The reference shows them for updates only (core, Customer).
	description:
		'Comma-separated tags, or an array from an expression. Check that a new customer has them.',
});

export const further = json({
	displayName: 'Other Fields (JSON)',
	name: 'further',
	send: { as: '*' },
	description: 'More fields, sent as they are',
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
			description: 'The node reads the list of customers, once for all items',
		},
		{ name: 'External ID', value: 'externalId', description: 'The API finds the customer' },
	],
});

/** Email to find a customer in the list. It isn't sent. */
export const listedEmail: Field = {
	...email,
	required: true,
	send: { ...email.send, setting: true },
	description: 'Case makes no difference',
};

/** The list may have fewer fields: the reference doesn't show all fields of a customer. */
export const readWhole = toggle({
	displayName: 'Read Customer by ID',
	name: 'readWhole',
	send: { setting: true },
	description: 'Whether to read the customer too, since the list may have fewer fields',
});
