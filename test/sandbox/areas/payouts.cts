/** Payouts of fees to partners, and their reports. Reference: 'Partners'. */
import { Answer, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { cents, decimal } from '../money.cts';
import { pdfOf } from '../pdf.cts';
import { refuse } from '../refusals.cts';
import { seedPayouts } from '../seeds/partners.cts';
import { partnerOf, type Fee } from './partners.cts';

export type PayoutStatus = 'pending' | 'paid' | 'refused';

export interface Payout {
	id: string;
	partner_id: string;
	status: PayoutStatus;
	total: number;
	metadata: Record<string, unknown>;
	/** Ids of the fees that it pays. */
	fees: string[];
	invoice: { number: string; date?: string };
	vat_settings?: { tax_id?: string };
}

export interface PayoutsState {
	/** Newest first. */
	payouts: Collection<Payout>;
}

interface PayoutInput {
	partner_id: string;
	transactions: string[];
	invoice: Payout['invoice'];
	vat_settings?: Payout['vat_settings'];
}

/** How many fees a report lists one by one. */
const reportedFees = 30;

const shown = ({ id, partner_id, status, total, metadata }: Payout) => ({
	id,
	partner_id,
	status,
	total,
	metadata,
});

/** The payout of a path; where the path names a partner, it must be the partner's. */
function payoutOf(call: Call): Payout {
	const { partnerId, payoutId } = call.params;
	const payout = call.state.payouts.payouts.get(payoutId);
	const isOther = partnerId !== undefined && payout?.partner_id !== partnerOf(call).id;
	if (!payout || isOther) throw refuse('notFound', 'Payout not found');
	return payout;
}

/** A fee of the partner that is pending and in no payout yet. */
function payableFee({ state }: Call, partnerId: string, feeId: string): Fee {
	const fee = state.partners.fees.get(feeId);
	if (fee?.partner_id !== partnerId) {
		throw refuse('notFound', `Fee not found for this partner: ${feeId}`);
	}
	const isTaken = state.payouts.payouts.rows.some(({ fees }) => fees.includes(feeId));
	if (fee.status !== 'pending' || isTaken) {
		throw refuse('conflict', `This fee is already part of a payout: ${feeId}`);
	}
	return fee;
}

function reportOf(call: Call): Buffer {
	const payout = payoutOf(call);
	const { name } = partnerOf(call);
	const fees = payout.fees.map((id) => {
		const fee = call.state.partners.fees.get(id);
		return `${id}  charge ${fee?.source_charge}  ${decimal(fee?.fee_value ?? 0)}`;
	});
	const further = fees.length - reportedFees;
	return pdfOf([
		`Payout ${payout.id}`,
		`Partner: ${name} (${payout.partner_id})`,
		`Invoice: ${payout.invoice.number} ${payout.invoice.date ?? ''}`,
		`Tax: ${payout.vat_settings?.tax_id ?? 'none'}`,
		`Status: ${payout.status}`,
		'',
		...fees.slice(0, reportedFees),
		...(further > 0 ? [`and ${further} more`] : []),
		'',
		`Total: ${decimal(payout.total)}`,
	]);
}

function list(call: Call, rows: readonly Payout[]): Record<string, unknown> {
	return envelope(call, rows, { element: shown });
}

export const payouts: Area<PayoutsState> = {
	seed: (seeding) => ({ payouts: new Collection(seedPayouts(seeding)) }),

	endpoints: {
		'POST /partners/payouts.json': (call) => {
			const { payout: input } = call.body as { payout: PayoutInput };
			const { id: partner_id } = partnerOf(call, input.partner_id);
			const ids = [...new Set(input.transactions)];
			if (ids.length === 0) throw refuse('invalidRequest', 'transactions must name a fee');
			const fees = ids.map((id) => payableFee(call, partner_id, id));
			const { id, total } = call.state.payouts.payouts.add(
				{
					id: call.newId('pay'),
					partner_id,
					status: 'pending',
					total: cents(fees.reduce((sum, { fee_value }) => sum + fee_value, 0)),
					metadata: {},
					fees: ids,
					invoice: input.invoice,
					vat_settings: input.vat_settings,
				},
				'front',
			);
			return { id, total: decimal(total) };
		},

		'GET /partners/payouts.json': (call) => list(call, call.state.payouts.payouts.rows),

		'GET /partners/{partnerId}/payouts.json': (call) => {
			const { id } = partnerOf(call);
			const own = call.state.payouts.payouts.rows.filter(({ partner_id }) => partner_id === id);
			return list(call, own);
		},

		'GET /partners/{partnerId}/payouts/{payoutId}.json': (call) => shown(payoutOf(call)),

		'GET /partners/payouts/{payoutId}.json': (call) => shown(payoutOf(call)),

		'PUT /partners/payouts/{payoutId}/status.json': (call) => {
			const { payout: input } = call.body as {
				payout: { status: PayoutStatus; metadata?: Record<string, unknown> };
			};
			const payout = payoutOf(call);
			if (payout.status === 'paid') throw refuse('payoutPaid');
			payout.status = input.status;
			payout.metadata = { ...payout.metadata, ...input.metadata };
			for (const id of payout.fees) {
				call.state.partners.fees.update(id, { status: payout.status });
			}
			return { payout: { id: payout.id, status: payout.status } };
		},

		'GET /partners/{partnerId}/payouts/{payoutId}/report.json': (call) => ({
			stream: { type: 'application/pdf', base64_content: reportOf(call).toString('base64') },
		}),

		'GET /partners/{partnerId}/payouts/{payoutId}/report.pdf': (call) =>
			new Answer(200, reportOf(call), 'application/pdf'),
	},
};
