// The request that a filled form makes, built by the package itself, without sending it.
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest } from '../../nodes/shared/operation.ts';
import { buildRequest } from '../../dist/nodes/shared/request.js';
import { endpointsOf } from '../../dist/nodes/shared/operation.js';
import { checkRequest } from '../contract/contract.cts';
import type { Form } from './forms.cts';
import type { TableEntry } from './operations.cts';

/** The request of an operation for a form. Throws what the engine throws for a wrong value. */
export function requestOf(
	{ operation, resources }: TableEntry,
	form: Form,
	item: object = {},
): ApiRequest {
	const context = { timezone: 'Europe/Berlin', item: item as IDataObject };
	const { response: _response, ...request } = buildRequest(
		operation,
		(name: string) => form[name] ?? null,
		context,
		endpointsOf(resources),
	);
	return request;
}

/** What the contract has against a request; pages and sizes are added by the engine later. */
export function problemsOf({ method, path, query, body }: ApiRequest): string[] {
	return checkRequest({ method, path, query, body });
}
