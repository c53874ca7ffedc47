// Return Whole Record: a write that returns little of a record, and a read of the whole of it.
import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../client/api';
import { pathParameters, requestTo } from '../path';
import { Cancelled } from '../client/http/transport';
import { unwrapLocator } from '../form/values';
import { isUnset, recordOf, type WholeRecord } from '../operation';
import type { Parameter } from './parameters';

/**
 * The whole record after a write. The write went through: whatever becomes of the read, the item holds
 * what the write returned, and is never sent again.
 * @param written what the write returned
 * @param warn is told why there is no whole record; the item then says it, too
 */
export async function wholeRecord(
	{ route, by = 'id' }: WholeRecord,
	written: IDataObject,
	api: Api,
	parameter: Parameter,
	warn: (problem: string) => string,
): Promise<IDataObject> {
	const [name] = pathParameters(route);
	// From the write's answer, or from the form where that has none.
	const id = written[by] ?? unwrapLocator(parameter(name));
	const read = async (): Promise<IDataObject> => {
		if (isUnset(id)) throw new Error('The response has no ID');
		return recordOf(
			await api.object(requestTo(route, { [name]: id }, {}, () => 'ID in the response')),
		);
	};
	return await read().then(
		(record) => {
			if (Object.keys(record).length === 0) return { ...written, warning: warn('It came empty') };
			if (!isUnset(record[by]) && String(record[by]) !== String(id)) {
				return { ...written, warning: warn(`Another one came, with ID ${String(record[by])}`) };
			}
			return { ...written, ...record };
		},
		(thrown: unknown) => {
			if (thrown instanceof Cancelled) throw thrown;
			return { ...written, warning: warn((thrown as Error).message) };
		},
	);
}
