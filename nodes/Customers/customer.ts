// Customers (reference: core, Endpoints, Customers).
import type { Field, Resource, WholeRecord } from '../shared/operation';
import { fieldsFirst } from '../shared/simplify';
import { createOrUpdate } from '../shared/upsert';
import { customerId } from './fields';

const email: Field = {
	displayName: 'Email',
	name: 'email',
	type: 'string',
	placeholder: 'name@email.com',
	default: '',
	send: { format: 'email' },
	description: 'Email address of the customer. Must be unique in your company.',
};

const externalId: Field = {
	displayName: 'External ID',
	name: 'externalId',
	type: 'string',
	default: '',
	description: 'Your own ID for the customer. Must be unique in your company.',
};

const companyName: Field = {
	displayName: 'Company Name',
	name: 'companyName',
	type: 'string',
	default: '',
	send: { as: 'company_name' },
	description: 'Company name of the customer',
};

/** What create and update both take, in the form's order. */
const details: Field[] = [
	{
		displayName: 'City',
		name: 'city',
		type: 'string',
		default: '',
		send: { as: 'address.city' },
	},
	{
		displayName: 'Country',
		name: 'country',
		type: 'string',
		default: '',
		placeholder: 'e.g. DE',
		send: { as: 'address.country', format: 'country' },
		description: 'Two-letter country code (ISO 3166-1 alpha-2)',
	},
	{
		displayName: 'First Name',
		name: 'firstName',
		type: 'string',
		default: '',
		send: { as: 'first_name' },
	},
	{
		displayName: 'Last Name',
		name: 'lastName',
		type: 'string',
		default: '',
		send: { as: 'last_name' },
	},
	{
		displayName: 'Other Fields (JSON)',
		name: 'further',
		type: 'json',
		default: '{}',
		send: { as: '*' },
		description:
			"Other customer fields as a JSON object. The API reference doesn't list them all. Values for fields of this form are checked as usual, all others are sent as they are.",
	},
	{
		displayName: 'Street Address',
		name: 'address',
		type: 'string',
		default: '',
		send: { as: 'address.address' },
		description: 'Address without city and country',
	},
	{
		displayName: 'Tags',
		name: 'tags',
		type: 'string',
		default: '',
		placeholder: 'e.g. vip, newsletter',
		send: { type: 'list' },
		description: 'Comma-separated tags, or an array from an expression',
	},
];

const simplify = fieldsFirst('id', 'company_name', 'first_name', 'last_name', 'email');

const whole: WholeRecord = { route: 'GET /customers/{customerId}.json' };

export const customer: Resource = {
	name: 'Customer',
	value: 'customer',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a customer',
			description:
				'Create a customer and return its ID. Fails if the email or external ID already exists.',
			route: 'POST /customers.json',
			simplify,
			whole,
			root: 'customer',
			fields: [
				email,
				companyName,
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [externalId, ...details],
				},
			],
		},
		{
			name: 'Create or Update',
			value: 'upsert',
			action: 'Create or update a customer',
			description: 'Create a new record, or update the current one if it already exists (upsert)',
			route: 'POST /customers.json',
			simplify,
			whole,
			root: 'customer',
			shape: { kind: 'one' },
			fields: [
				{ ...externalId, required: true },
				{
					displayName: 'Fields',
					name: 'fields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [...details, companyName, email],
				},
			],
			...createOrUpdate({
				root: 'customer',
				key: 'externalId',
				parameter: 'externalId',
				label: 'External ID',
				lookup: 'GET /customers/customer.json',
				update: 'PUT /customers/{customerId}.json',
				id: 'customerId',
			}),
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete a customer',
			description: 'Delete a customer. The API queues the deletion.',
			notice: "Deleting a customer can't be undone.",
			route: 'DELETE /customers/{customerId}.json',
			fields: [customerId],
		},
		{
			name: 'Get',
			value: 'get',
			action: 'Get a customer',
			description: 'Return a customer',
			route: 'GET /customers/{customerId}.json',
			simplify,
			fields: [customerId],
		},
		{
			name: 'Get by External ID',
			value: 'getByExternalId',
			action: 'Get a customer by external ID',
			description: 'Return the customer with your own ID',
			route: 'GET /customers/customer.json',
			simplify,
			fields: [{ ...externalId, required: true }],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many customers',
			description: 'Return customers',
			route: 'GET /customers.json',
			simplify,
		},
		{
			name: 'Get Payment Link',
			value: 'getPaymentLink',
			action: 'Get the payment link of a customer',
			description: 'Return the payment URL of a customer',
			route: 'GET /customers/{customerId}/payment_link.json',
			fields: [customerId],
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update a customer',
			description: 'Update a customer and return its ID. Only the fields you add are sent.',
			route: 'PUT /customers/{customerId}.json',
			simplify,
			whole,
			root: 'customer',
			fields: [
				customerId,
				{
					displayName: 'Update Fields',
					name: 'updateFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [...details, companyName, email, externalId],
				},
			],
		},
	],
};
