// The table of docs/reliability.md: the rules of the client. And where an operation differs from its method.
import { rules, type Rule } from '../dist/nodes/engine/client/http/retry.js';
import { isRepeatable, partsOf } from '../test/table/api.cts';
import type { Operation } from '../nodes/engine/form/operation.ts';
import { slots } from '../test/table/leaves.cts';

const again: Record<Rule['retry'], [repeatable: string, other: string]> = {
	any: ['retried', 'retried'],
	repeatable: ['retried', 'error, **not** retried'],
	none: ['error', 'error'],
};

/** The rules of the engine as a table in Markdown. */
export function rulesTable(): string {
	const rows = rules.map(({ when, retry, inDoubt = false }) => {
		const [repeatable, other] = again[retry];
		return `| ${when} | ${repeatable} | ${other} | ${inDoubt ? 'yes' : 'no'} |`;
	});
	return [
		'| What happens | Safe to retry | Not safe to retry | May have gone through |',
		'|---|---|---|---|',
		...rows,
	].join('\n');
}

/** Whether an operation has an option for what broke, as embeddings do: they change nothing. */
const offersRetry = (operation: Operation) =>
	slots(operation).some(({ field }) => field.name === 'retryBroken');

/** Whether an operation is retried after a failure, by default. */
export const isRetried = (operation: Operation): boolean =>
	isRepeatable(operation.endpoint.route) || offersRetry(operation);

/** Whether an operation is retried, or not, although its method lets expect the opposite. */
export function isExceptional(operation: Operation): boolean {
	const { reads, again: repeated, acts } = operation.endpoint;
	if (partsOf(operation.endpoint.route).method === 'GET') return false;
	return offersRetry(operation) || Boolean(reads) || repeated !== undefined || Boolean(acts);
}
