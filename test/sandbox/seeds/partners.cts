/** Partners, their customers, fees and payouts for a new sandbox. */
import type { Seeding } from '../area.cts';
import type { Fee, Partner } from '../areas/partners.cts';
import type { Payout, PayoutStatus } from '../areas/payouts.cts';
import { cents } from '../money.cts';
import { dateAfter, person } from './people.cts';

const number = 260;

/** The first partner has enough fees and payouts to fill several pages. */
const feesOfFirst = 220;
const payoutsOfFirst = 120;

const statuses: PayoutStatus[] = ['paid', 'paid', 'pending', 'refused'];

export function seedPartners({ random }: Seeding): Partner[] {
	return Array.from({ length: number }, (_, index) => {
		const { company_name, email, address } = person(random, index + 1);
		const { country, city } = address;
		return {
			id: `ptn-${index + 1}`,
			name: company_name,
			email,
			status: 'active',
			external_id: `partner-${index + 1}`,
			partner_code: `REF${1000 + index}`,
			tags: random.chance(0.4) ? [random.pick(['agency', 'reseller', 'affiliate'])] : [],
			description: random.pick(['Signed at a trade fair', 'Referred by a customer', '']),
			partner_group_id: random.pick(['grp-default', 'grp-default', 'grp-gold', undefined]),
			address: { vat_number: `${country}${random.int(10_000_000, 99_999_999)}`, country, city },
		};
	});
}

/** Attributes some customers, the first always, to the first half of the partners. */
export function attributeCustomers({ random, state }: Seeding, partners: readonly Partner[]): void {
	for (const [index, customer] of state.customers.customers.rows.entries()) {
		if (index === 0) customer.partner = partners[0].id;
		else if (random.chance(0.15)) {
			customer.partner = partners[random.int(0, partners.length / 2)].id;
		}
	}
}

export function seedFees({ random }: Seeding, partners: readonly Partner[]): Fee[] {
	const fees: Fee[] = [];
	for (const [index, { id }] of partners.entries()) {
		const count = index === 0 ? feesOfFirst : random.pick([0, 1, 2, 3, 5, 8]);
		for (let made = 0; made < count; made += 1) {
			const serial = fees.length + 1;
			fees.push({
				id: `fee-${serial}`,
				partner_id: id,
				source_charge: `chg-${70_000 + serial}`,
				fee_value: cents(random.int(150, 24_000) / 100),
				status: 'pending',
			});
		}
	}
	return fees;
}

/** Payouts, newest first, in all statuses, for a part of the fees; these take their status. */
export function seedPayouts({ random, state, today }: Seeding): Payout[] {
	const { partners, fees } = state.partners;
	const payouts: Payout[] = [];
	const pay = (paid: readonly Fee[]): void => {
		const serial = payouts.length + 1;
		const status = serial <= 3 ? 'pending' : random.pick(statuses);
		for (const fee of paid) fee.status = status;
		payouts.push({
			id: `pay-${serial}`,
			partner_id: paid[0].partner_id,
			status,
			total: cents(paid.reduce((sum, { fee_value }) => sum + fee_value, 0)),
			metadata: status === 'paid' ? { bank_reference: `TRX-${40_000 + serial}` } : {},
			fees: paid.map(({ id }) => id),
			invoice: {
				number: `INV-${2000 + serial}`,
				date: dateAfter(today, -serial),
			},
		});
	};
	for (const [index, { id }] of partners.rows.entries()) {
		const own = fees.rows.filter(({ partner_id }) => partner_id === id);
		if (index === 0) own.slice(0, payoutsOfFirst).forEach((fee) => pay([fee]));
		else if (own.length >= 5) pay(own.slice(0, 3));
	}
	return payouts;
}
