// Which read scopes the key has, found out by harmless reads: one for each scope of the API.
import type { IDataObject } from 'n8n-workflow';

import type { Route } from '../shared/endpoints';
import { inPool } from '../shared/gate';
import type { ApiRequest, Reply, Steps } from '../shared/operation';

/** The read that shows whether the key has a scope. */
export interface Probe {
	scope: string;
	/** Path template of a GET that requires the scope. */
	path: string;
	query?: () => IDataObject;
	/** The list whose first row gives the path its id. */
	idFrom?: string;
	/** An id that is surely not there: that the API does not find it shows that it looked. */
	absentId?: string;
}

/** One row of the result. */
export interface Access {
	scope: string;
	access: 'yes' | 'no' | 'unknown';
	/** HTTP status of the answer, null if nothing was sent. */
	status: number | null;
	/** `OK`, or the API's own message. */
	answer: string;
	/** The endpoint that was asked. */
	endpoint: string;
}

const PARALLEL = 5;

const oneRow = () => ({ size: 1, page: 1 });

const today = () => new Date().toISOString().slice(0, 10);

/** Every read scope of both reference documents, in their order. */
export const probes: Probe[] = [
	{ scope: 'ping:read', path: '/ping.json' },
	{ scope: 'connection:read', path: '/connection.json' },
	{ scope: 'company:read', path: '/company.json' },
	{ scope: 'company_modules:read', path: '/company/modules.json' },
	{ scope: 'company_stats:read', path: '/company/stats/intelligence.json' },
	// No country has the code XX.
	{
		scope: 'companies_open_data:read',
		path: '/company/{vatNumber}.json',
		absentId: 'XX00000000000',
	},
	{ scope: 'currencies:read', path: '/currencies.json' },
	{ scope: 'customers:read', path: '/customers.json', query: oneRow },
	{
		scope: 'customer_properties:read',
		path: '/customers/{customerId}/properties.json',
		idFrom: '/customers.json',
	},
	{
		scope: 'customer_subscriptions:read',
		path: '/customers/{customerId}/subscriptions.json',
		idFrom: '/customers.json',
	},
	{ scope: 'recurring_settings:read', path: '/recurring-payments/settings.json' },
	{
		scope: 'recurring_subscriptions:read',
		path: '/recurring-payments/subscriptions.json',
		query: oneRow,
	},
	{ scope: 'webhooks:read', path: '/webhooks.json', query: oneRow },
	{ scope: 'workflow:read', path: '/workflow.json', query: oneRow },
	{
		scope: 'workflow_traces:read',
		path: '/workflow/{workflowId}/traces.json',
		query: oneRow,
		idFrom: '/workflow.json',
	},
	{
		scope: 'scheduler_events:read',
		path: '/scheduler/events.json',
		query: () => ({ start: today(), end: today() }),
	},
	{ scope: 'dns:read', path: '/dns/capabilities.json' },
	{ scope: 'partners:read', path: '/partners.json', query: oneRow },
	{ scope: 'partner_payouts:read', path: '/partners/payouts.json', query: oneRow },
	{ scope: 'contentbox_contents:read', path: '/contentbox/contents.json', query: oneRow },
	{ scope: 'contentbox_types:read', path: '/contentbox/types.json', query: oneRow },
	{
		scope: 'idp:read',
		path: '/idp/{externalUserId}.json',
		absentId: 'access-check-00000000-0000-0000-0000-000000000000',
	},
	{ scope: 'newsletters:read', path: '/newsletters.json', query: oneRow },
	{ scope: 'newsletter_unsubscribes:read', path: '/newsletters/unsubscribes.json', query: oneRow },
	{ scope: 'ai_connections:read', path: '/ai-gateway/connections.json' },
	{ scope: 'ai_vector_stores:read', path: '/ai-gateway/vector-stores.json' },
	{ scope: 'ai_prompts:read', path: '/ai-gateway/prompts.json' },
	{ scope: 'ai_knowledge_bases:read', path: '/ai-gateway/knowledge-bases.json' },
];

const parameterOf = (path: string) => /\{(\w+)\}/.exec(path)?.[1] ?? '';

const succeeded = ({ status, message }: Reply) =>
	status >= 200 && status <= 299 && message === undefined;

/**
 * What an answer says about the key. What a key without the scope is answered is not shown in the
 * reference: 401 and 403 count as no, anything that tells nothing about the key as unknown.
 */
function accessOf({ absentId }: Probe, reply: Reply): Access['access'] {
	if (reply.status === 401 || reply.status === 403) return 'no';
	return succeeded(reply) || (absentId !== undefined && reply.missing) ? 'yes' : 'unknown';
}

/**
 * Asks for every read scope.
 * @returns one row for each scope, in the order of the table
 * @throws when the key itself is not valid, or when what answers is not the API
 */
export async function checkAccess(_request: ApiRequest, steps: Steps): Promise<Access[]> {
	const ask = async (template: string, path: string, query?: IDataObject): Promise<Reply> => {
		const route = `GET ${template}` as Route;
		const reply = await steps.ask({ route, path, query });
		const isInvalidKey = reply.status === 401 && /invalid token/i.test(reply.message ?? '');
		if (succeeded(reply) || isInvalidKey) steps.accept(reply);
		return reply;
	};

	const firstId = async (list: string): Promise<string | undefined> => {
		const { body } = await ask(list, list, oneRow());
		const { elements } = (body ?? {}) as { elements?: Array<{ id?: string }> };
		return elements?.[0]?.id;
	};
	const lists = [...new Set(probes.flatMap(({ idFrom }) => idFrom ?? []))];
	const ids = new Map<string, string | undefined>();
	await inPool(lists.length, PARALLEL, async (index) => {
		ids.set(lists[index], await firstId(lists[index]));
	});

	const rows = new Array<Access>(probes.length);
	await inPool(probes.length, PARALLEL, async (index) => {
		const probe = probes[index];
		const { scope, path, idFrom } = probe;
		const endpoint = `GET ${path}`;
		const id = idFrom === undefined ? probe.absentId : ids.get(idFrom);
		if (idFrom !== undefined && id === undefined) {
			const answer = `Not asked: GET ${idFrom} gave no row to ask for`;
			rows[index] = { scope, access: 'unknown', status: null, answer, endpoint };
			return;
		}
		const reply = await ask(
			path,
			steps.path(path, { [parameterOf(path)]: id ?? '' }),
			probe.query?.(),
		);
		rows[index] = {
			scope,
			access: accessOf(probe, reply),
			status: reply.status,
			answer: succeeded(reply) ? 'OK' : (reply.message ?? 'No reason given'),
			endpoint,
		};
	});
	return rows;
}
