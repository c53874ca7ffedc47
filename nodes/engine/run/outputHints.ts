// Hints that the output panel shows above the items of an execution.
import type { IExecuteFunctions } from 'n8n-workflow';

import { amountText } from './decimal';
import { foundText } from './listing';
import type { Session } from './session';

/** Max hints. More would fill the panel. */
const HINTS = 3;

function dryRunHint({ dryRun, operation, door }: Session): string[] {
	if (!dryRun || dryRun.items === 0) return [];
	const { items, total, isPartial } = dryRun;
	const count = items === 1 ? '1 item' : `${items} items`;
	const hasTotal = operation.measure?.what === 'amount' && !isPartial;
	const sum = hasTotal ? `, ${amountText(total)} in total` : '';
	const why = door.connection.dryRun?.isManual ? ' (manual execution)' : '';
	return [
		`Dry run${why}, nothing was sent: "${operation.action}" for ${count}${sum}. The API has checked nothing, such as IDs, duplicates or plans.`,
	];
}

/** Without a key, a person who runs the workflow again pays again. */
function moneyHint({ operation, writing, isTool, dryRun }: Session, isByHand: boolean): string[] {
	const isMoney = operation.measure?.what === 'amount' && isByHand && !isTool && !dryRun;
	if (!isMoney || !writing || writing.keys || writing.ledger.told().done.length === 0) return [];
	return [
		`If you run this again, "${operation.action}" is sent again. An Idempotency Key prevents that.`,
	];
}

/** Adds the hints to the output. Those beyond the max are joined to one. */
export function showHints(context: IExecuteFunctions, session: Session): void {
	const { output, writing, warnings, found } = session;
	const unseen = output?.unseen ?? [];
	const all = [
		...dryRunHint(session),
		...(writing?.ledger.hints() ?? []),
		...warnings,
		...moneyHint(session, context.getMode() === 'manual'),
		...(unseen.length > 0 ? [`Output Fields: no item has ${unseen.join(', ')}.`] : []),
		...foundText(found),
	];
	const rest = all.slice(HINTS - 1).join(' ');
	for (const message of [...all.slice(0, HINTS - 1), rest].filter((each) => each !== '')) {
		context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	}
}
