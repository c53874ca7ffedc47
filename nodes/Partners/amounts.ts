// The amounts of payouts, for Safety Limits.
import { FieldFault, recordOf, recordsOf, type ApiRequest, type Steps } from '../shared/operation';
import { inner } from '../shared/upsert';

/** The values of the fees that a payout would pay. */
export async function feeValues({ body }: ApiRequest, steps: Steps): Promise<unknown[]> {
	const { partner_id: partner, transactions } = recordOf(body?.payout);
	const fees = steps.request('GET /partners/{partnerId}/fees.json', { partnerId: partner });
	const { rows } = await steps.list(fees, { onPage: (page) => page });
	const values = new Map(recordsOf(rows).map(({ id, fee_value }) => [String(id), fee_value]));
	return [transactions].flat().map((id) => {
		const value = values.get(String(id));
		if (value === undefined) throw new FieldFault('Fees', `doesn't have the fee ${String(id)}`);
		return value;
	});
}

/** The total of a payout that becomes paid. */
export async function paidTotal({ body, ids }: ApiRequest, steps: Steps): Promise<unknown[]> {
	if (recordOf(body?.payout).status !== 'paid') return [];
	const read = steps.request('GET /partners/payouts/{payoutId}.json', ids);
	return [inner(await steps.send(read), 'payout').total];
}
