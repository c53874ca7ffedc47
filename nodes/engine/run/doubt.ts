// Writes in doubt, as a person looks them up: by record, amount, key and row.
import type { ApiRequest } from '../base/apiRequest';
import { writeName } from '../base/itemName';
import { recordKey } from '../base/path';
import { isOfAmounts } from '../form/operation';
import { amountText } from './decimal';
import { sumOf } from './budget';
import type { Session } from './session';

interface Sent {
	index: number;
	request: ApiRequest;
	key?: string;
}

/** The sum of the amounts of a write. Undefined if it isn't known without asking the API. */
export function amountOf(
	{ operation, writing }: Session,
	{ index, request }: Pick<Sent, 'index' | 'request'>,
) {
	const { measure } = operation;
	if (!measure || !isOfAmounts(measure)) return undefined;
	const counted = writing?.ledger.amountOf(index);
	if (counted !== undefined) return counted;
	return measure.isInRequest ? sumOf(measure.of(request)) : undefined;
}

/** Names a write for a person. `items` is the number of items of the run. */
export function nameOfWrite(session: Session, item: Sent, items: number): string {
	const { operation, door } = session;
	const { index, key, request } = item;
	const amount = amountOf(session, item);
	const name = writeName({
		action: operation.action,
		key,
		amount: amount === undefined ? undefined : amountText(amount),
		record: recordKey(request)?.replaceAll('\n', ', '),
		index: items === 1 ? undefined : index,
	});
	return door.secrets.hide(name);
}

const NAMED = 20;

/** The error for writes whose keys are in doubt since an earlier run. All other items are done. */
export function keysInDoubt(names: string[]): Error {
	if (names.length === 1) {
		return new Error(
			`The ${names[0]} may have gone through before, so it wasn't sent again. Check whether it did. If it didn't, enter its key in the option Release Key and run it again. If it did, leave it out.`,
		);
	}
	const more = names.length > NAMED ? `; and ${names.length - NAMED} others` : '';
	return new Error(
		`${names.length} items may have gone through before, so they weren't sent again: ${names.slice(0, NAMED).join('; ')}${more}. Check each of them. If one didn't go through, enter its key in the option Release Key and run it again. Leave those out that did.`,
	);
}
