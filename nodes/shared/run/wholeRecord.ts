// Return Whole Record: a write that returns little of a record, and a read of the whole of it.
import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../client/api';
import { pathParameters } from '../path';
import { Cancelled } from '../client/http/transport';
import { unwrapLocator } from '../form/values';
import { recordOf, type ApiRequest, type WholeRecord } from '../operation';
import type { Parameter } from './parameters';

/** The read: its ID from the write's answer, or from the form where that has none. */
function requestFor(
	{ route, by = 'id' }: WholeRecord,
	written: IDataObject,
	api: Api,
	parameter: Parameter,
): ApiRequest {
	const [name] = pathParameters(route);
	return api.request(route, { [name]: written[by] ?? unwrapLocator(parameter(name)) });
}

/**
 * The whole record after a write. The write went through: whatever becomes of the read, the item holds
 * what the write returned, and is never sent again.
 * @param written what the write returned
 * @param warn is told what became of a read that failed; the item then says it, too
 */
export async function wholeRecord(
	whole: WholeRecord,
	written: IDataObject,
	api: Api,
	parameter: Parameter,
	warn: (problem: string) => string,
): Promise<IDataObject> {
	const read = async () => await api.object(requestFor(whole, written, api, parameter));
	return await read().then(
		(found) => {
			const record = recordOf(found);
			const more = Object.entries(written).filter(([name]) => !(name in record));
			return { ...record, ...Object.fromEntries(more) };
		},
		(thrown: unknown) => {
			if (thrown instanceof Cancelled) throw thrown;
			return { ...written, warning: warn((thrown as Error).message) };
		},
	);
}
