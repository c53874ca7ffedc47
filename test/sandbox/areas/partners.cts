/** Partners, the customers attributed to them, and their fees. Reference: 'Partners'. */
import { Answer, queryText, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { cents, decimal } from '../money.cts';
import { refuse, refusals } from '../refusals.cts';
import { attributeCustomers, seedFees, seedPartners } from '../seeds/partners.cts';
import type { Customer } from './customers.cts';

interface Address {
	country: string;
	vat_number?: string;
	city?: string;
}

export interface Partner {
	id: string;
	name: string;
	email: string;
	status: string;
	external_id?: string;
	/** Writes name it `code`. */
	partner_code?: string;
	tags: string[];
	description?: string;
	partner_group_id?: string;
	address: Address;
}

/** A commission that a charge of an attributed customer earned. */
export interface Fee {
	id: string;
	partner_id: string;
	source_charge: string;
	fee_value: number;
	/** That of its payout; `pending` without one. */
	status: string;
}

export interface PartnersState {
	partners: Collection<Partner>;
	fees: Collection<Fee>;
}

interface PartnerInput {
	name: string;
	email: string;
	description: string;
	external_id: string;
	code: string;
	partner_group_id: string;
	tags: string[] | string;
	address: Partial<Address>;
}

const defaultGroup = 'grp-default';

/** What part of a charge's amount is the partner's. */
const commissionRate = 0.1;

/** The partner of a path, or of the id that is given. */
export const partnerOf = ({ state, params }: Call, id = params.partnerId): Partner =>
	state.partners.partners.need(id, 'notFound', 'Partner not found');

const customersOf = (call: Call): Customer[] => {
	const { id } = partnerOf(call);
	return call.state.customers.customers.rows.filter(({ partner }) => partner === id);
};

const feesOf = (call: Call): Fee[] => {
	const { id } = partnerOf(call);
	return call.state.partners.fees.rows.filter(({ partner_id }) => partner_id === id);
};

/** One string may hold several tags, with commas. */
const tagList = (tags: string[] | string): string[] =>
	Array.isArray(tags)
		? tags
		: tags
				.split(',')
				.map((tag) => tag.trim())
				.filter(Boolean);

/** The changes that an update asks for; `address` is merged, the empty group removes the group. */
function changesOf(input: Partial<PartnerInput>, address: Address): Partial<Partner> {
	const { code, tags, partner_group_id: group, address: sent, ...fields } = input;
	return {
		...fields,
		...(code !== undefined && { partner_code: code }),
		...(tags !== undefined && { tags: tagList(tags) }),
		...(group !== undefined && { partner_group_id: group || undefined }),
		address: { ...address, ...sent },
	};
}

/** A partner as a read of one shows it. */
function single({ world }: Call, { partner_code, ...partner }: Partner): Record<string, unknown> {
	return { ...partner, [world.partnerCode]: partner_code };
}

export const partners: Area<PartnersState> = {
	seed(seeding) {
		const seeded = seedPartners(seeding);
		attributeCustomers(seeding, seeded);
		const fees = new Collection(seedFees(seeding, seeded));
		return { partners: new Collection(seeded), fees };
	},

	endpoints: {
		'GET /partners.json': (call) => envelope(call, call.state.partners.partners.rows),

		'POST /partners.json': (call) => {
			const { partner: input } = call.body as { partner: PartnerInput & { address: Address } };
			const { name, email, external_id, code, address } = input;
			const { id } = call.state.partners.partners.add({
				id: call.newId('ptn'),
				name,
				email,
				status: 'active',
				external_id,
				partner_code: code,
				tags: [],
				partner_group_id: input.partner_group_id || defaultGroup,
				address,
			});
			return { partner: { id } };
		},

		'GET /partners/{partnerId}.json': (call) => single(call, partnerOf(call)),

		'GET /partners/partner.json': {
			invalid: 'noPartnerKey',
			handle: (call) => {
				const externalId = queryText(call, 'externalId');
				const email = queryText(call, 'email')?.toLowerCase();
				if (!externalId && !email) throw refuse('noPartnerKey');
				const found = call.state.partners.partners.rows.find(
					(partner) =>
						(!externalId || partner.external_id === externalId) &&
						(!email || partner.email.toLowerCase() === email),
				);
				if (found) return single(call, found);
				const none = call.world.partnerNone;
				if (none === 'error') throw refuse('notFound', 'Partner not found');
				return new Answer(200, { null: null, '{}': {}, '[]': [] }[none]);
			},
		},

		'PUT /partners/{partnerId}.json': (call) => {
			const { partner: input } = call.body as { partner: Partial<PartnerInput> };
			const { id, address } = partnerOf(call);
			const { name } = call.state.partners.partners.update(id, changesOf(input, address));
			return { id, name };
		},

		'DELETE /partners/{partnerId}.json': (call) => {
			const attached = customersOf(call).map(({ company_name, id }) => company_name ?? id);
			if (attached.length > 0) {
				const { message } = refusals.partnerHasCustomers;
				const names = attached.slice(0, 3).join(', ');
				throw refuse(
					'partnerHasCustomers',
					message.replace('...', () => names),
				);
			}
			return call.state.partners.partners.deleted(partnerOf(call));
		},

		'GET /partners/{partnerId}/customers.json': (call) =>
			envelope(call, customersOf(call), {
				paged: 'perhaps',
				element: ({ id, company_name = '', email = '' }) => ({
					id,
					company_name,
					email,
					status: 'active',
				}),
			}),

		'GET /partners/{partnerId}/stats.json': (call) => {
			const earned = feesOf(call).filter(({ status }) => status !== 'refused');
			const commission = cents(earned.reduce((sum, { fee_value }) => sum + fee_value, 0));
			return {
				total_revenue: decimal(commission / commissionRate),
				commission_earned: decimal(commission),
				currency: 'EUR',
			};
		},

		'GET /partners/{partnerId}/fees.json': (call) =>
			envelope(call, feesOf(call), {
				paged: 'perhaps',
			}),

		'GET /partners/{partnerId}/fees/{feeId}.json': (call) => {
			const fee = feesOf(call).find(({ id }) => id === call.params.feeId);
			if (!fee) throw refuse('notFound', 'Fee not found for this partner');
			return fee;
		},
	},
};
