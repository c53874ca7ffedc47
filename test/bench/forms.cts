// What a user fills into the forms of the nodes, for each kind of work.
import type { INodeParameters } from 'n8n-workflow';

export type Kind = 'list' | 'read' | 'create' | 'keep';

/** Path below the version, with the version. */
const VERSION = '/2026-02-01';

/** Rows of a page, the most that the reference allows. */
export const PAGE_SIZE = 100;

export function platformCustomersForm(kind: Kind): INodeParameters {
	const form = {
		list: { operation: 'getAll', returnAll: true },
		read: {
			operation: 'get',
			customerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		},
		create: { operation: 'create', email: '={{ $json.email }}', companyName: 'Example' },
		keep: {
			operation: 'upsert',
			externalId: '={{ $json.externalId }}',
			fields: { companyName: '={{ $json.company }}' },
		},
	}[kind];
	return { resource: 'customer', ...form };
}

/** The form of n8n's HTTP Request node. */
export function httpRequestForm(kind: Exclude<Kind, 'keep'>, baseUrl: string): INodeParameters {
	const base = `${baseUrl}${VERSION}/customers`;
	const form = {
		list: {
			url: `${base}.json`,
			sendQuery: true,
			queryParameters: { parameters: [{ name: 'size', value: String(PAGE_SIZE) }] },
			options: {
				pagination: {
					pagination: {
						paginationMode: 'updateAParameterInEachRequest',
						parameters: {
							parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
						},
						paginationCompleteWhen: 'other',
						completeExpression: '={{ $response.body.pages.current >= $response.body.pages.max }}',
						limitPagesFetched: false,
					},
				},
			},
		},
		read: { url: `=${base}/{{ $json.id }}.json` },
		create: {
			method: 'POST',
			url: `${base}.json`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ { customer: { email: $json.email, company_name: "Example" } } }}',
		},
	}[kind];
	return {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'platformApi',
		...form,
	};
}
