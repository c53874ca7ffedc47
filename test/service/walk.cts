// Every endpoint that only reads, with ids that are found on the way.
import { endpoints, type Endpoint } from '../contract/contract.cts';
import type { Asked, Service } from './ask.cts';

/** An id that no service has. */
export const NO_ID = 'no-such-id-7f3a';

type Row = Record<string, unknown>;

const isRow = (value: unknown): value is Row =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keys below which the reference shows rows. */
const rowKeys = new Set(
	endpoints
		.flatMap(({ responses }) => Object.values(responses))
		.flatMap(({ body }) => body?.schema['x-items'] ?? [])
		.map(String),
);

/** The rows of a list, whatever its envelope; none where it has none. */
export function rowsOf(body: unknown): Row[] {
	if (Array.isArray(body)) return body.filter(isRow);
	if (!isRow(body)) return [];
	for (const key of [...rowKeys, 'all_customers']) {
		const rows = body[key];
		if (Array.isArray(rows)) return rows.filter(isRow);
	}
	return [];
}

/** Lists that hold the ids of a path, and the member that is the id. */
const sources: Record<string, { path: string; member?: string }> = {
	connectionId: { path: '/ai-gateway/connections.json' },
	contentId: { path: '/contentbox/contents.json' },
	customerId: { path: '/customers.json' },
	eventId: { path: '/scheduler/events.json' },
	feeId: { path: '/partners/{partnerId}/fees.json' },
	knowledgeBaseId: { path: '/ai-gateway/knowledge-bases.json' },
	newsletterId: { path: '/newsletters.json' },
	partnerId: { path: '/partners.json' },
	payoutId: { path: '/partners/{partnerId}/payouts.json' },
	subscriptionId: { path: '/customers/{customerId}/subscriptions.json' },
	traceId: { path: '/workflow/{workflowId}/traces.json' },
	typeId: { path: '/contentbox/types.json' },
	webhookId: { path: '/webhooks.json' },
	workflowId: { path: '/workflow.json' },
};

/** What an endpoint's query needs. */
const queries: Record<string, string> = {
	getCustomerByExternalId: `externalId=${NO_ID}`,
	findPartner: `externalId=${NO_ID}`,
	listSchedulerEvents: 'start=2000-01-01&end=2099-12-31',
	lookUpDns: 'target=example.com',
};

/** How many records are tried until one has what is below it, such as a subscription. */
const TRIES = 12;

const names = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

const fill = (path: string, ids: Record<string, string>) =>
	path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(ids[name]));

/** The first record below the ids, as ids of a path; undefined where there is none. */
async function idsFor(
	service: Service,
	wanted: readonly string[],
	ids: Record<string, string>,
): Promise<Record<string, string> | undefined> {
	const [name, ...more] = wanted;
	if (name === undefined) return ids;
	const source = sources[name];
	if (!source) return undefined;
	const query = name === 'eventId' ? `?${queries.listSchedulerEvents}` : '';
	const { body } = await service.get(fill(source.path, ids) + query);
	for (const row of rowsOf(body).slice(0, TRIES)) {
		const found = row[source.member ?? 'id'];
		if (typeof found !== 'string' && typeof found !== 'number') continue;
		const deeper = await idsFor(service, more, { ...ids, [name]: String(found) });
		if (deeper) return deeper;
	}
	return undefined;
}

/** Ids in the order in which they are found: that of a list below another one comes later. */
const order = (path: string): string[] => {
	const all = names(path).flatMap((name) => [...names(sources[name]?.path ?? ''), name]);
	return [...new Set(all)];
};

/** One endpoint that only reads, and what it answered. */
export interface Visited {
	endpoint: Endpoint;
	/** Undefined where no id of such a record was found. */
	answer?: Asked;
}

/** Asks every endpoint that only reads once. */
export async function walk(service: Service): Promise<Visited[]> {
	const visited: Visited[] = [];
	for (const endpoint of endpoints.filter(({ method }) => method === 'GET')) {
		const { path, operationId } = endpoint;
		const query = queries[operationId] ? `?${queries[operationId]}` : '';
		if (operationId === 'getCompanyByVatNumber' || operationId === 'getIdentityUser') {
			// Neither a company of the register nor a user is in a list.
			const answer = await service.get(path.replace(/\{\w+\}/, NO_ID));
			visited.push({ endpoint, answer });
			continue;
		}
		const ids = await idsFor(service, order(path), {});
		const answer = ids && (await service.get(fill(path, ids) + query));
		visited.push({ endpoint, answer });
	}
	return visited;
}
