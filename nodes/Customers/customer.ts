// Customers (reference: core, Endpoints, Customers).
import { create, get, getMany, operation, remove, update, upsert } from '../api';
import { address } from '../api/address';
import { inner, readByKey, rowInList } from '../api/recordByKey';
import { list, object, readingFirst } from '../api/merges';
import { recordIds } from '../api/names';
import { customerRows } from '../api/simplify';
import {
	clearable,
	clearableTags,
	keepAddress,
	tagChanges,
	tagList,
	updateOptions,
} from '../api/updates';
import { createOrUpdate, upsertOptions } from '../api/upsert';
import { FieldFault } from '../engine/base/apiRequest';
import { additionalFields, collection, updateFields } from '../engine/form/fields';
import { columnsFirst, mappable } from '../engine/form/mappable';
import { resource, type WholeRecord } from '../engine/form/operation';
import { withValue } from '../engine/form/rowFilters';
import {
	addressParts,
	changedNames,
	companyName,
	email,
	externalId,
	firstName,
	further,
	lastName,
	listedEmail,
	matchBy,
	readWhole,
	tags,
} from './customerFields';
import { customerId } from './fields';
import { customerFilters } from './filters';

const byEmail = {
	label: 'Email',
	list: 'GET /customers.json',
	wanted: (email: string) => withValue('email', email),
} as const;

const whole: WholeRecord = { route: 'GET /customers/{customerId}.json' };

const keepingTheRest = readingFirst(
	{ root: 'customer', read: 'GET /customers/{customerId}.json', id: 'customerId' },
	list(tagList),
	object('address', keepAddress, true),
);

export const customer = resource('customer', {
	description: 'Billed people or companies',
	ids: [customerId],
	operations: [
		create({
			action: 'Create a customer',
			description:
				'Create a customer and return its ID. Fails if the email or external ID already exists.',
			route: 'POST /customers.json',
			simplify: customerRows,
			whole,
			root: 'customer',
			makes: true,
			fields: mappable(recordIds, [
				email,
				companyName,
				additionalFields([firstName, lastName, externalId, address(addressParts), tags, further]),
			]),
		}),
		upsert({
			action: 'Create or update a customer',
			tool: 'Create a customer, or update the one that has this external ID or email. Returns its ID and what was done (created, updated or unchanged).',
			builderHint: 'Finds by external ID or email: use it in place of get, IF and create.',
			route: 'POST /customers.json',
			simplify: customerRows,
			whole,
			root: 'customer',
			fields: [
				matchBy,
				...columnsFirst(
					mappable(
						recordIds,
						[
							{
								...externalId,
								required: true,
								displayOptions: { show: { matchBy: ['externalId'] } },
							},
							{ ...listedEmail, displayOptions: { show: { matchBy: ['email'] } } },
							{ ...email, displayOptions: { show: { matchBy: ['externalId'] } } },
							{
								...externalId,
								description: undefined,
								displayOptions: { show: { matchBy: ['email'] } },
							},
							{
								...collection(
									'fields',
									'field',
								)([
									...changedNames,
									companyName,
									address(addressParts),
									keepAddress,
									...tagChanges(tags),
									further,
								]),
								description: "Empty ones aren't sent",
							},
						],
						[externalId, email, companyName, firstName, lastName, ...addressParts, tags],
					),
				),
				upsertOptions,
			],
			...createOrUpdate({
				root: 'customer',
				key: 'externalId',
				lookup: 'GET /customers/customer.json',
				list: 'GET /customers.json',
				update: 'PUT /customers/{customerId}.json',
				write: keepingTheRest,
				lists: [tagList],
				listed: { key: 'email', ...byEmail },
			}),
		}),
		remove({
			action: 'Delete a customer',
			description:
				'Queue the deletion of a customer and return its ID. The customer may be there for a while.',
			route: 'DELETE /customers/{customerId}.json',
		}),
		get({
			action: 'Get a customer',
			description: 'Return the customer that has this ID',
			route: 'GET /customers/{customerId}.json',
			simplify: customerRows,
		}),
		operation('getByEmail', {
			action: 'Get a customer by email',
			description:
				'Return the customer that has this email. Reads the list of customers, once for all items.',
			route: 'GET /customers.json',
			also: ['GET /customers/{customerId}.json'],
			shape: { kind: 'one' },
			simplify: customerRows,
			fields: [listedEmail, readWhole],
			async run({ settings }, steps) {
				const value = String(settings?.email);
				const row = await rowInList(byEmail, value, steps);
				if (row === undefined) {
					throw new FieldFault('Email', `belongs to no customer: ${value}`);
				}
				if (settings?.readWhole !== true) return row;
				const ids = { customerId: row.id };
				const request = steps.request('GET /customers/{customerId}.json', ids);
				return inner(await steps.send(request), 'customer');
			},
		}),
		operation('getByExternalId', {
			action: 'Get a customer by external ID',
			description: 'Return the customer that has your own ID',
			route: 'GET /customers/customer.json',
			simplify: customerRows,
			fields: [{ ...externalId, required: true }],
			run: readByKey('customer'),
		}),
		getMany({
			action: 'Get many customers',
			description:
				'Return customers with ID, company and email. A filter reads the list until enough match.',
			tool: 'Return customers with ID, company and email.',
			route: 'GET /customers.json',
			...customerFilters,
			simplify: customerRows,
		}),
		operation('getPaymentLink', {
			action: 'Get the payment link of a customer',
			description: 'Return the payment URL of a customer',
			route: 'GET /customers/{customerId}/payment_link.json',
		}),
		update({
			action: 'Update a customer',
			description: 'Update a customer and return its ID. Only the fields you add change.',
			route: 'PUT /customers/{customerId}.json',
			...keepingTheRest,
			simplify: customerRows,
			whole,
			root: 'customer',
			fields: mappable(recordIds, [
				updateFields([
					...changedNames.map((field) => clearable(field)),
					clearable(companyName),
					clearable(email),
					clearable(externalId),
					address(addressParts.map((part) => clearable(part))),
					keepAddress,
					...tagChanges(clearableTags(tags)),
					further,
				]),
			]).concat(updateOptions),
		}),
	],
});
