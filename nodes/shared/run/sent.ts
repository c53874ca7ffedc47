// What a write sent and the API doesn't answer with: its item says it, marked as sent. Whether the API has stored it
// as it was sent, Return Whole Record tells.
import type { IDataObject } from 'n8n-workflow';

import { withNames } from '../names';
import { isRecord, recordOf, type ApiRequest, type Operation } from '../operation';

/** A value without secrets, at any depth; undefined if nothing is left of it. */
function open(value: unknown, secrets: Set<string>): unknown {
	if (secrets.has(String(value))) return undefined;
	if (!isRecord(value)) return value;
	const entries = Object.entries(value)
		.map(([name, each]) => [name, open(each, secrets)] as const)
		.filter(([, each]) => each !== undefined);
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/**
 * An item of a write with what was sent, if anything of it isn't in the item. Only of a write whose body is a record.
 * @param written the write that was sent last
 * @param isSimple whether it has the names of simplified output
 */
export function withSent(
	row: unknown,
	{ root, proves }: Operation,
	written: ApiRequest,
	{ secrets, isSimple }: { secrets: string[]; isSimple: boolean },
): unknown {
	if (root === undefined || proves || !isRecord(row)) return row;
	const body = recordOf(open(recordOf(written.body)[root], new Set(secrets)));
	const sent: IDataObject = isSimple ? withNames(body) : body;
	const isTold = ([name, value]: [string, unknown]) =>
		JSON.stringify(row[name]) === JSON.stringify(value);
	const untold = Object.entries(sent).filter((each) => !isTold(each));
	return untold.length > 0 ? { ...row, sent: Object.fromEntries(untold) } : row;
}
