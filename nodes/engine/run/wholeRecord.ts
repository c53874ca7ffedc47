// Return Whole Record: reads the record after a write whose response only has a part of it.
import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../client/api';
import { endpointOf } from '../../api/endpoints';
import { pathParameters, requestTo } from '../base/path';
import { Cancelled } from '../client/http/transport';
import { unwrapLocator } from '../form/values';
import { isUnset, recordOf, recordsOf, type ApiRequest, type WholeRecord } from '../form/operation';
import type { Parameter } from './parameters';

/**
 * Reads the whole record after a write. The write went through, so a failed read doesn't fail the item: it
 * keeps the response of the write, with a warning.
 * @param written response of the write
 * @param ids in the path of the write
 * @param warn takes the reason why there is no whole record, and returns the warning for the item
 */
export async function wholeRecord(
	{ route, by = 'id' }: WholeRecord,
	written: IDataObject,
	{ ids }: ApiRequest,
	api: Api,
	parameter: Parameter,
	warn: (problem: string) => string,
): Promise<IDataObject> {
	const isList = endpointOf(route).kind === 'list';
	const own = isList ? undefined : pathParameters(route).at(-1);
	// From the response of the write, or from the form if it has none.
	const id = written[by] ?? (own && (ids[own] ?? unwrapLocator(parameter(own))));
	const read = async (): Promise<IDataObject> => {
		if (isUnset(id)) throw new Error('The response has no ID');
		const place = { ...ids, ...(own && { [own]: id }) };
		const request = requestTo(route, place, {}, () => 'ID in the response');
		if (!isList) return recordOf(await api.object(request));
		const { rows } = await api.list(request);
		return recordsOf(rows).find((row) => String(row.id) === String(id)) ?? {};
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
