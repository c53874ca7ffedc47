// Completes the simplified item of a write: what the API returned, and below it what was sent and the response
// doesn't say. It doesn't prove that the API has stored it. Return Whole Record shows that.
import type { IDataObject } from 'n8n-workflow';

import { isRecord, recordOf } from '../base/guards';
import { pathNames } from '../base/path';
import type { ApiRequest } from '../base/apiRequest';
import { withoutSecrets } from '../client/http/redact';
import { tellsSent, type Operation } from '../form/operation';

/** Names in an item that n8n or the node gives a meaning. n8n takes an item with `error` for a failed one. */
const RESERVED = ['error', 'warning', 'skipped', 'inDoubt', 'dryRun'];

/** The sent fields with the names of simplified output, without secrets. IDs in the path are sent, too. */
export function sentFields(
	{ root = '', simplify }: Operation,
	written: ApiRequest,
	secrets: string[] = [],
): IDataObject {
	const { names } = written.endpoint.api;
	const sent = {
		...pathNames(written),
		...recordOf(names.simplified(recordOf(recordOf(written.body)[root]))),
	};
	const named = recordOf(withoutSecrets(sent, secrets));
	const [simple] = simplify ? simplify([named], written) : [named];
	const entries = Object.entries(recordOf(simple));
	return Object.fromEntries(entries.filter(([name]) => !RESERVED.includes(name)));
}

/**
 * Adds the sent fields that a simplified row doesn't have, only for a write whose body is a record.
 * @param written the last write
 */
export function withSent(
	row: unknown,
	operation: Operation,
	written: ApiRequest,
	secrets: string[],
): unknown {
	if (!tellsSent(operation) || !isRecord(row)) return row;
	const { names } = written.endpoint.api;
	const sent = Object.entries(sentFields(operation, written, secrets));
	const told = new Set([...Object.keys(row), ...Object.keys(recordOf(names.simplified(row)))]);
	const untold = sent.filter(([name]) => !told.has(name));
	return { ...row, ...Object.fromEntries(untold) };
}
