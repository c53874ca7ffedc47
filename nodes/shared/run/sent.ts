// Adds `sent` to the item of a write: the fields that the request has and the response doesn't. It doesn't
// prove that the API has stored them. Return Whole Record shows that.
import type { IDataObject } from 'n8n-workflow';

import { withNames } from '../names';
import { isRecord, recordOf, type ApiRequest, type Operation } from '../operation';

/** Removes secrets at any depth; undefined if nothing is left. */
function open(value: unknown, secrets: Set<string>): unknown {
	if (secrets.has(String(value))) return undefined;
	if (!isRecord(value)) return value;
	const entries = Object.entries(value)
		.map(([name, each]) => [name, open(each, secrets)] as const)
		.filter(([, each]) => each !== undefined);
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/**
 * Adds the sent fields that a row doesn't have, only for a write whose body is a record.
 * @param written the last write
 * @param isSimple the row has the names of simplified output
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
