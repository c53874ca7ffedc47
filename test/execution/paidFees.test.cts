// The fees of a new payout: those that were paid out already are marked, and come after the pending ones.
import { loadOptions } from './host/pickers.cts';
import { byId, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 5 });

test('a fee that was paid out is marked and comes last', async () => {
	const { partners } = sandbox().state;
	const own = partners.fees.rows.filter(({ partner_id }) => partner_id === 'ptn-1');
	const paid = own.filter(({ status }) => status === 'paid').map(({ id }) => id);
	expect(paid.length).toBeGreaterThan(0);
	const choices = await loadOptions(sandbox(), 'platformPartners', 'partnerFees', {
		resource: 'payout',
		operation: 'create',
		partnerId: byId('ptn-1'),
	});
	const marked = choices.filter(({ name }) => name.startsWith('Already paid out: '));
	expect(marked.map(({ value }) => value).sort()).toEqual(paid.sort());
	const pending = choices.filter(({ name }) => name.endsWith(', pending'));
	expect(choices.slice(0, pending.length)).toEqual(pending);
});
