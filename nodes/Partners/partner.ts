// Partners (reference: core, Endpoints, Partners).
import { create, get, getMany, locator, operation, remove, update, upsert } from '../api';
import { address, city, country } from '../api/address';
import { readByKey } from '../api/recordByKey';
import { list, readingFirst } from '../api/merges';
import { recordIds } from '../api/names';
import { named } from '../api/simplify';
import { clearable, clearableTags, tagChanges, tagList, updateOptions } from '../api/updates';
import { createOrUpdate, upsertOptions } from '../api/upsert';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { additionalFields, text, updateFields, type Field } from '../engine/form/fields';
import { columnsFirst, mappable } from '../engine/form/mappable';
import { resource, type WholeRecord } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';

export const partnerId = locator('partners', {
	name: 'partnerId',
	required: true,
	placeholder: 'e.g. ptn-1',
});

const name = text({
	name: 'name',
	placeholder: 'e.g. Northwind Consulting',
});

const email = text({
	name: 'email',
	placeholder: 'name@email.com',
	send: { format: 'email' },
});

const vatNumber = text({
	name: 'vatNumber',
	placeholder: 'e.g. DE136695976',
	send: { as: 'address.vat_number' },
});

const externalId = text({
	name: 'externalId',
	placeholder: 'e.g. reseller-17',
	send: { as: 'external_id', trim: true },
	description: 'Your own ID for the partner',
});

const code = text({
	displayName: 'Partner Code',
	name: 'code',
	placeholder: 'e.g. REF1000',
});

const partnerGroupId = text({
	name: 'partnerGroupId',
	placeholder: 'e.g. grp-gold',
	send: { as: 'partner_group_id' },
	description: 'If empty, the default group',
});

const required = [name, email, country].map((field): Field => ({ ...field, required: true }));

function checkLookup({ query }: ApiRequest): void {
	// Neither External ID nor Email is set.
	if (query === undefined) {
		throw new FieldFault('External ID', 'or "Email" must be set');
	}
}

const whole: WholeRecord = { route: 'GET /partners/{partnerId}.json' };

const keepingTheRest = readingFirst(
	{
		root: 'partner',
		read: 'GET /partners/{partnerId}.json',
		id: 'partnerId',
		// core, Partners: "`address` (partial)".
		mergedByApi: ['address'],
	},
	list(tagList),
);

export const partner = resource('partner', {
	description: 'Partners and their customers',
	ids: [partnerId],
	operations: [
		create({
			action: 'Create a partner',
			description: 'Create a partner and return its ID',
			route: 'POST /partners.json',
			simplify: named,
			whole,
			root: 'partner',
			fields: mappable(recordIds, [
				...required,
				additionalFields([externalId, code, partnerGroupId, address([city, vatNumber])]),
			]),
		}),
		upsert({
			action: 'Create or update a partner',
			tool: 'Create a partner, or update the one that has this external ID. Returns its ID and what was done (created, updated or unchanged).',
			builderHint: 'Finds by external ID: use it in place of get, IF and create.',
			route: 'POST /partners.json',
			simplify: named,
			whole,
			root: 'partner',
			fields: columnsFirst(
				mappable(recordIds, [
					{ ...externalId, required: true },
					...required,
					{
						...additionalFields([
							code,
							{
								...partnerGroupId,
								description: 'A new partner gets the default group, unless you add this',
							},
							address([city, vatNumber]),
						]),
						description: "Empty ones aren't sent",
					},
				]),
			).concat(upsertOptions),
			...createOrUpdate({
				root: 'partner',
				key: 'external_id',
				lookup: 'GET /partners/partner.json',
				list: 'GET /partners.json',
				update: 'PUT /partners/{partnerId}.json',
				write: keepingTheRest,
			}),
		}),
		remove({
			action: 'Delete a partner',
			description: 'Delete a partner and return its ID. Fails while customers are attached to it.',
			route: 'DELETE /partners/{partnerId}.json',
		}),
		operation('find', {
			action: 'Find a partner by external ID or email',
			description: 'Return the partner that has this external ID or email',
			route: 'GET /partners/partner.json',
			simplify: named,
			check: checkLookup,
			run: readByKey('partner'),
			fields: [
				{
					...externalId,
					send: { as: 'externalId', trim: true },
					description: 'Set this, Email, or both',
				},
				email,
			],
		}),
		get({
			action: 'Get a partner',
			description: 'Return a partner with name, email, status, tags and address',
			route: 'GET /partners/{partnerId}.json',
			simplify: named,
		}),
		operation('getCustomers', {
			action: 'Get the customers of a partner',
			description: 'Return the customers of a partner with ID, company, email and status',
			route: 'GET /partners/{partnerId}/customers.json',
			...filteredBy('customers', { email: { identifies: true }, status: {} }),
		}),
		getMany({
			action: 'Get many partners',
			description: 'Return partners with ID, name, email and status',
			route: 'GET /partners.json',
			simplify: named,
			...filteredBy('partners', {
				name: { displayName: 'Name Contains', contains: true },
				status: {},
				tag: { at: 'tags' },
			}),
		}),
		operation('getStats', {
			action: 'Get the stats of a partner',
			description:
				'Return total revenue and earned commission of a partner, as text with decimals, and the currency',
			route: 'GET /partners/{partnerId}/stats.json',
		}),
		update({
			action: 'Update a partner',
			description: 'Update a partner and return its ID and name. Only the fields you add change.',
			route: 'PUT /partners/{partnerId}.json',
			...keepingTheRest,
			simplify: named,
			whole,
			root: 'partner',
			fields: mappable(recordIds, [
				updateFields([
					name,
					email,
					clearable(text({ name: 'description' })),
					clearable(externalId),
					clearable(code),
					clearable(partnerGroupId, 'Empty removes the partner from its group'),
					...tagChanges(
						clearableTags(
							text({
								name: 'tags',
								placeholder: 'e.g. reseller, gold',
								send: { type: 'list' },
							}),
						),
					),
					address([clearable(city), country, clearable(vatNumber)]),
				]),
			]).concat(updateOptions),
		}),
	],
});
