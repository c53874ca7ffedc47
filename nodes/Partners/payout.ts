// Payouts to partners and their reports (reference: core, Endpoints, Partners).
import { create, get, getMany, loadedChoices, locator, operation, type Route } from '../api';
import { inner } from '../api/recordByKey';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf, recordsOf } from '../engine/base/data';
import type { Steps } from '../engine/client/steps';
import { additionalFields, choice, date, json, text, type Field } from '../engine/form/fields';
import { idsOfItems } from '../engine/form/gathered';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { partnerId } from './partner';

const payoutId = locator('payouts', {
	name: 'payoutId',
	required: true,
	placeholder: 'e.g. pay-1',
});

const partnerPayoutId = locator('partnerPayouts', {
	name: 'payoutId',
	required: true,
	placeholder: 'e.g. pay-1',
});

const ofAll = { displayOptions: { show: { payoutsOf: ['all'] } } };
const ofPartner = { displayOptions: { show: { payoutsOf: ['partner'] } } };

/** Chooses between the endpoint for all partners and the one for a single partner. */
const payoutsOf = choice({
	displayName: 'Look In',
	name: 'payoutsOf',
	noDataExpression: true,
	required: true,
	default: 'all',
	send: false,
	options: [
		{ name: 'Payouts of All Partners', value: 'all' },
		{ name: 'Payouts of One Partner', value: 'partner' },
	],
});

/** The endpoint to use while the form looks in the payouts of one partner. */
const forOnePartner = (route: Route) => ({ field: 'payoutsOf', is: 'partner', route });

const fees = loadedChoices('partnerFees', {
	displayName: 'Fee',
	name: 'transactions',
	typeOptions: { loadOptionsDependsOn: ['partnerId.value'] },
	required: true,
	send: { minItems: 1, uniqueItems: true },
	description: 'Commission fees to pay out',
});

const feesAs = choice({
	displayName: 'Specify Fees',
	name: 'feesAs',
	noDataExpression: true,
	default: 'fields',
	send: false,
	options: [
		{ name: 'Using Fields', value: 'fields', description: 'A payout for each input item' },
		{
			name: 'From Input Items',
			value: 'items',
			description: 'One payout with the fees of all input items',
		},
		{
			name: 'From Input Items, by Partner',
			value: 'partners',
			description: 'One payout for each partner, with the fees of its input items',
		},
	],
});

/** The field that gathers fees from input items, for a choice of `feesAs`. */
const feeField = (choice: string, gathers: true | string, hint: string): Field =>
	text({
		displayName: 'Fee ID Field',
		name: 'feeField',
		noDataExpression: true,
		default: 'id',
		required: true,
		placeholder: 'e.g. fee_id',
		displayOptions: { show: { feesAs: [choice] } },
		send: { as: 'transactions', type: 'list', convert: idsOfItems, gathers },
		hint,
		description: 'Field of the input items with the ID',
	});

const invoiceNumber = text({
	name: 'invoiceNumber',
	required: true,
	placeholder: 'e.g. INV-2026-0042',
	send: { as: 'invoice.number' },
	description: 'From the invoice of the partner',
});

/** Values of the fees in a payout, read by their IDs for Safety Limits. Throws FieldFault for an unknown or paid fee. */
async function feeValues({ body }: ApiRequest, steps: Steps): Promise<unknown[]> {
	const { partner_id: partner, transactions } = recordOf(body?.payout);
	const list = steps.request('GET /partners/{partnerId}/fees.json', { partnerId: partner });
	const { rows } = await steps.list(list);
	const known = new Map(recordsOf(rows).map((fee) => [String(fee.id), fee]));
	return [transactions].flat().map((id) => {
		const { fee_value: value, status } = known.get(String(id)) ?? {};
		if (value === undefined) throw new FieldFault('Fees', `doesn't have the fee ${String(id)}`);
		if (/^paid$/i.test(String(status).trim())) {
			const what = `has the fee ${String(id)}, which is paid already. Take it out, such as with the filter Status of Fee: Get Many`;
			throw Object.assign(new FieldFault('Fees', what), { isOfRecord: true });
		}
		return value;
	});
}

/** The invoice of a payout, which belongs to one payout of its partner. */
function invoiceIn({ body }: ApiRequest): string[] {
	const { partner_id: partner, invoice } = recordOf(body?.payout);
	return [`${String(recordOf(invoice).number)} of partner ${String(partner)}`];
}

/** Names of the fees in a payout, since only one item of a run may pay out each. */
function feesIn({ body }: ApiRequest): string[] {
	const { partner_id: partner, transactions } = recordOf(body?.payout);
	return [transactions].flat().map((fee) => `${String(fee)} of partner ${String(partner)}`);
}

/** Reads the total of a payout for Safety Limits. Other statuses than `paid` pay nothing out. */
async function paidTotal({ body, ids }: ApiRequest, steps: Steps): Promise<unknown[]> {
	if (recordOf(body?.payout).status !== 'paid') return [];
	const read = steps.request('GET /partners/payouts/{payoutId}.json', ids);
	return [inner(await steps.send(read), 'payout').total];
}

const byStatus = filteredBy('payouts', {
	status: { description: 'One of pending, paid and refused' },
});

export const payout = resource('payout', {
	description: 'Payouts to partners',
	ids: [partnerId, payoutId],
	operations: [
		create({
			action: 'Create a payout',
			description:
				'Create a payout of fees and return its ID and total (a number, or text with decimals)',
			notice: "This makes a payout, which these nodes can't delete",
			route: 'POST /partners/payouts.json',
			whole: { route: 'GET /partners/payouts/{payoutId}.json' },
			root: 'payout',
			sequential: true,
			measure: { of: feeValues },
			// The reference shows nothing on a fee that tells.
			unchecked: 'whether a fee is part of another payout already',
			also: ['GET /partners/{partnerId}/fees.json'],
			unique: [
				{ field: fees.displayName, of: feesIn },
				{
					field: invoiceNumber.displayName,
					of: invoiceIn,
					way: 'For one payout of all fees, set Specify Fees to From Input Items',
				},
			],
			fields: [
				{
					...partnerId,
					send: { as: 'partner_id' },
				},
				{ ...fees, displayOptions: { show: { feesAs: ['fields'] } } },
				feeField('items', true, 'The node runs once for all input items'),
				feeField('partners', 'partnerId', 'The node runs once for each partner'),
				feesAs,
				invoiceNumber,
				additionalFields([
					date({
						name: 'invoiceDate',
						typeOptions: { dateOnly: true },
						send: { as: 'invoice.date', type: 'date', empty: 'refused' },
						description: 'Any time of day is ignored',
					}),
					text({
						name: 'taxId',
						send: { as: 'vat_settings.tax_id', empty: 'refusedInForm' },
						description: 'Of the VAT settings',
					}),
				]),
			],
		}),
		operation('downloadReport', {
			action: 'Download the report of a payout',
			description: 'Return the report of a payout as a PDF file',
			route: 'GET /partners/{partnerId}/payouts/{payoutId}/report.pdf',
			alternative: {
				field: 'downloadAs',
				is: 'base64',
				route: 'GET /partners/{partnerId}/payouts/{payoutId}/report.json',
				shape: {
					kind: 'binary',
					mimeType: 'application/pdf',
					fileName: 'payout-{id}.pdf',
					begins: '%PDF',
					base64: 'stream.base64_content',
				},
			},
			fields: [
				partnerPayoutId,
				choice({
					name: 'downloadAs',
					noDataExpression: true,
					default: 'stream',
					send: false,
					options: [
						{
							name: 'PDF in JSON (Base64)',
							value: 'base64',
							description: 'For networks that only let JSON through',
						},
						{ name: 'PDF File', value: 'stream', description: 'Get the file itself' },
					],
					description: 'The output is a PDF file either way',
				}),
				text({
					displayName: 'Put Output File in Field',
					name: 'binaryPropertyName',
					required: true,
					default: 'data',
					send: false,
					hint: 'The name of the output binary field to put the file in',
				}),
			],
		}),
		get({
			action: 'Get a payout',
			description: 'Return a payout with its total, status and metadata',
			route: 'GET /partners/payouts/{payoutId}.json',
			alternative: forOnePartner('GET /partners/{partnerId}/payouts/{payoutId}.json'),
			fields: [
				payoutsOf,
				{ ...partnerId, ...ofPartner },
				{ ...payoutId, ...ofAll },
				{ ...partnerPayoutId, ...ofPartner },
			],
		}),
		getMany({
			action: 'Get many payouts',
			description:
				'Return the payouts of all partners or of one, with total and status. The API reference shows no period.',
			tool: 'Return the payouts of all partners or of one, with total and status',
			route: 'GET /partners/payouts.json',
			alternative: forOnePartner('GET /partners/{partnerId}/payouts.json'),
			reading: byStatus.reading,
			fields: [payoutsOf, { ...partnerId, ...ofPartner }, ...byStatus.fields],
		}),
		operation('getReport', {
			action: 'Get the report of a payout',
			description: 'Return the report of a payout as JSON, with the PDF as base64 text',
			route: 'GET /partners/{partnerId}/payouts/{payoutId}/report.json',
			fields: [partnerPayoutId],
		}),
		operation('updateStatus', {
			action: 'Update the status of a payout',
			description: 'Set a payout to pending, paid or refused and return its ID and status',
			notice: "A payout that is set to Paid can't be changed anymore",
			// `acts` in endpoints.ts: after a lost response, a retry would find the payout paid and fail.
			route: 'PUT /partners/payouts/{payoutId}/status.json',
			whole: { route: 'GET /partners/payouts/{payoutId}.json' },
			root: 'payout',
			sequential: true,
			measure: { of: paidTotal },
			fields: [
				// No default: the user must choose the status, since a paid payout is final.
				choice({
					name: 'status',
					required: true,
					options: [
						{
							name: 'Paid',
							value: 'paid',
							description: 'Final',
						},
						{ name: 'Pending', value: 'pending' },
						{ name: 'Refused', value: 'refused' },
					],
					description: "The payout's fees follow",
				}),
				additionalFields([
					json({
						name: 'metadata',
						placeholder: 'e.g. {"bank_reference": "TRX-40012"}',
						description: 'A JSON object, merged into the metadata of the payout',
					}),
				]),
			],
		}),
	],
});
