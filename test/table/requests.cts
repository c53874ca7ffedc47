// The request that a filled form makes, built by the package itself, without sending it.
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest } from '../../nodes/engine/base/apiRequest.ts';
import type { Steps } from '../../nodes/engine/client/steps.ts';
import type { FormContext } from '../../nodes/engine/form/fields.ts';
import { received } from '../../dist/nodes/engine/client/http/exchange.js';
import { requestTo } from './api.cts';
import { buildRequest, formOf } from '../../dist/nodes/engine/form/request.js';
import { checkRequest } from '../contract/contract.cts';
import type { Form } from './forms.cts';
import { type TableEntry } from './operations.cts';

/**
 * The request of an operation for a form. Throws what the engine throws for a wrong value.
 * @param more the form with its expressions, and what is told of fields that give nothing
 */
export function requestOf(
	{ operation }: TableEntry,
	form: Form,
	item: object = {},
	version?: number,
	more: Pick<FormContext, 'raw' | 'gaveNothing'> = {},
): ApiRequest {
	const items = () => [{ index: 0, json: { id: 'cus-1', ...item } }];
	const context = {
		timezone: 'Europe/Berlin',
		version,
		item: item as IDataObject,
		items,
		...more,
	};
	return buildRequest(formOf(operation, (name: string) => form[name] ?? null, context));
}

/**
 * The requests that an operation sends for a form: the one, or those of its steps, which get
 * made-up answers here.
 */
export async function requestsOf(
	entry: TableEntry,
	form: Form,
	item: object = {},
): Promise<ApiRequest[]> {
	const request = requestOf(entry, form, item);
	const { run } = entry.operation;
	if (!run) return [request];
	const sent: ApiRequest[] = [];
	const steps: Steps = {
		async send(each) {
			sent.push(each);
			const passages = [each.body?.input ?? []].flat();
			const data = passages.map((_passage, index) => ({ index, embedding: [index] }));
			return { id: '1', status: 'ready', data, elements: {} };
		},
		async ask(each) {
			sent.push(each);
			const { endpoint } = each;
			const sentOnce = { endpoint, attempts: 1, doubtfulAttempts: 0, waited: 0, inDoubt: false };
			// A lookup finds nothing, a read by an ID finds the record.
			const status = endpoint.pathParameters.length > 0 ? 200 : 404;
			return { ...received(endpoint, status, {}, { id: '1' }), ...sentOnce };
		},
		accept: () => {
			const record = { id: '1', tags: [], selected_ids: [], address: {}, data: {}, elements: {} };
			// A lookup returns the record that carries what was asked for.
			return { ...record, ...sent.at(-1)?.query };
		},
		list: async (each) => {
			sent.push(each);
			return { rows: [] };
		},
		find: async (each) => {
			sent.push(each);
			return { rows: [{ id: '1' }] };
		},
		dryRecord: () => undefined,
		made: new Map(),
		touched: new Set(),
		known: new Map(),
		ahead: async () => [],
		values: {
			isSame: async () => false,
			take: async () => undefined,
			keep: async () => undefined,
			giveBack: async () => undefined,
			forget: async () => undefined,
			hasRoom: async () => true,
		},
		writes: { mayBeApplied: false, held: [] },
		wait: async () => undefined,
		request: requestTo,
		withLock: async (_key, step) => await step(() => true),
		moment: 0,
	};
	await run(request, steps);
	return sent;
}

/** What the contract has against a request; pages and sizes are added by the engine later. */
export function problemsOf({ endpoint, path, query, body }: ApiRequest): string[] {
	return checkRequest({ method: endpoint.method, path, query, body });
}
