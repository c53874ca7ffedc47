// Return Whole Record: reads the record after a write whose response only has a part of it.
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import { isUnset, recordOf, recordsOf } from '../base/data';
import { requestTo } from '../base/path';
import type { Api } from '../client/api';
import { Cancelled } from '../client/http/transport';
import type { WholeRecord } from '../form/operation';
import { unwrapLocator } from '../form/values';
import type { Parameter } from './parameters';

interface Written {
	request: ApiRequest;
	api: Api;
	parameter: Parameter;
}

/**
 * Reads the whole record after a write, and adds it to the response. The write went through, so a failed read doesn't fail the
 * item: `withWarning` adds the reason to the hints, and returns the response with it. Throws Cancelled.
 */
export async function wholeRecord(
	{ route, by = 'id' }: WholeRecord,
	written: IDataObject,
	{ request, api, parameter }: Written,
	withWarning: (problem: string) => IDataObject,
): Promise<IDataObject> {
	const { ids } = request;
	const endpoint = request.endpoint.api.endpoint(route);
	const isList = endpoint.kind === 'list';
	const idName = isList ? undefined : endpoint.pathParameters.at(-1);
	// From the response of the write, else from the path or the form.
	const id = written[by] ?? (idName && (ids[idName] ?? unwrapLocator(parameter(idName))));
	const read = async (): Promise<IDataObject> => {
		if (isUnset(id)) throw new Error('The response has no ID');
		const allIds = { ...ids, ...(idName && { [idName]: id }) };
		const toRead = requestTo(endpoint, allIds, {}, () => 'ID in the response');
		if (!isList) return recordOf(await api.object(toRead));
		const { rows } = await api.list(toRead);
		return recordsOf(rows).find((row) => String(row.id) === String(id)) ?? {};
	};
	return await read().then(
		(record) => {
			if (Object.keys(record).length === 0) return withWarning('It came empty');
			if (!isUnset(record[by]) && String(record[by]) !== String(id)) {
				return withWarning(`Another one came, with ID ${String(record[by])}`);
			}
			return { ...written, ...record };
		},
		(thrown: unknown) => {
			if (thrown instanceof Cancelled) throw thrown;
			return withWarning((thrown as Error).message);
		},
	);
}
