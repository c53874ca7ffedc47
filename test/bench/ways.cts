// The ways of doing the work: this package, what a user of n8n would use in its place, and how fast
// n8n and the machine can be at all. Runs in a process that n8n-modules.cts was preloaded into.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INodeParameters, INodeType, IVersionedNodeType } from 'n8n-workflow';
import { Pool } from 'undici';
import { runNode, type RunOptions, type RunResult } from '../execution/host/host.cts';
import { packageNodes } from '../execution/host/package.cts';
import { httpRequestForm, platformCustomersForm } from './forms.cts';
import { HelperNode } from './helperNode.cts';
import { pool } from './pool.cts';
import { RoutingNode } from './routingNode.cts';
import { PAGE_SIZE, VERSION, type Service, type Way, type Work } from './work.cts';

const fromN8n = createRequire(join(__dirname, '../n8n/package.json'));

/** Runs one node over the items of the work. */
async function run(
	{ baseUrl, apiKey }: Service,
	work: Work,
	options: Pick<RunOptions, 'node' | 'parameters' | 'settings' | 'types'>,
): Promise<RunResult> {
	const items =
		work.kind === 'list'
			? [{}]
			: work.kind === 'read'
				? work.ids.map((id) => ({ id }))
				: work.emails.map((email) => ({ email }));
	const result = await runNode({ ...options, credential: { baseUrl, apiKey }, items });
	if (result.error) throw result.error;
	if (result.hints.length > 0) throw new Error(result.hints.join('; '));
	return result;
}

/** The package, with further parameters. */
const ours =
	(more: INodeParameters = {}): Way =>
	async (work, service, parallel) => {
		const requests = parallel === undefined ? {} : { maxParallel: parallel };
		const { items } = await run(service, work, {
			node: 'platformCustomers',
			parameters: { ...platformCustomersForm(work.kind), requests, ...more },
		});
		return items.length;
	};

const platformCustomers = ours();

/** The package, by ten executions at the same time, each of which does its part. */
const tenExecutions: Way = async (work, service, parallel) => {
	if (work.kind !== 'read') throw new Error('Only reads are shared out');
	const size = Math.ceil(work.ids.length / 10);
	const parts = Array.from({ length: 10 }, (_each, index) =>
		work.ids.slice(index * size, (index + 1) * size),
	);
	const results = await Promise.all(
		parts.map(async (ids) => await platformCustomers({ kind: 'read', ids }, service, parallel)),
	);
	return results.reduce((sum, each) => sum + each, 0);
};

/** The package, one execution after the other for so many seconds. */
const steadily: Way = async (work, service) => {
	if (work.kind !== 'read' || !work.seconds) throw new Error('Only reads go on for a time');
	const end = performance.now() + work.seconds * 1000;
	let reads = 0;
	while (performance.now() < end) reads += await platformCustomers(work, service);
	return reads;
};

/** The package, an execution for each slice of a list. */
const slices: Way = async (work, service) => {
	if (work.kind !== 'list' || !work.part) throw new Error('Only lists have slices');
	const { from, to, size } = work.part;
	let rows = 0;
	for (let skip = from; skip < to; skip += size) {
		// Each slice is an execution of its own, and n8n rests between them.
		global.gc?.();
		const { items } = await run(service, work, {
			node: 'platformCustomers',
			parameters: { ...platformCustomersForm('list'), returnAll: false, limit: size, skip },
		});
		rows += items.length;
	}
	return rows;
};

const httpRequestType = (): { type: INodeType; version: number } => {
	const module = fromN8n('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js') as {
		HttpRequest: new () => IVersionedNodeType;
	};
	const versions = new module.HttpRequest();
	const version = versions.description.defaultVersion ?? versions.currentVersion;
	return { type: versions.getNodeType(version), version };
};

const httpRequest: Way = async (work, service) => {
	const { type, version } = httpRequestType();
	const { items } = await run(service, work, {
		node: 'n8n-nodes-base.httpRequest',
		types: { 'n8n-nodes-base.httpRequest': type },
		settings: { typeVersion: version },
		parameters: httpRequestForm(work.kind, service.baseUrl),
	});
	if (work.kind !== 'list') return items.length;
	return items.reduce((sum, { json }) => sum + (json.elements as unknown[]).length, 0);
};

const routing: Way = async (work, service) => {
	const { items } = await run(service, work, {
		node: 'routing',
		types: { routing: new RoutingNode() },
		parameters: {
			operation: work.kind,
			customerId: '={{ $json.id }}',
			email: '={{ $json.email }}',
		},
	});
	return items.length;
};

const helper: Way = async (work, service, parallel = 1) => {
	const value = '={{ $json.id ?? $json.email }}';
	const { items } = await run(service, work, {
		node: 'helper',
		types: { helper: new HelperNode() },
		parameters: { operation: work.kind, parallel, value },
	});
	return items.length;
};

/** No n8n at all. */
const undici: Way = async (work, { baseUrl, apiKey }, parallel = 1) => {
	const connections = new Pool(baseUrl, { connections: parallel });
	const request = async (method: 'GET' | 'POST', path: string, body?: object) => {
		const answer = await connections.request({
			method,
			path: VERSION + path,
			headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
			body: body && JSON.stringify(body),
		});
		if (answer.statusCode > 299) throw new Error(`HTTP ${answer.statusCode}`);
		return (await answer.body.json()) as { elements: unknown[]; pages: { max: number } };
	};
	try {
		if (work.kind === 'list') {
			const page = async (number: number) =>
				await request('GET', `/customers.json?size=${PAGE_SIZE}&page=${number}`);
			const first = await page(1);
			const pages = [first.elements];
			await pool(first.pages.max - 1, parallel, async (index) => {
				pages[index + 1] = (await page(index + 2)).elements;
			});
			return pages.flat().length;
		}
		const results: unknown[] = [];
		const count = work.kind === 'read' ? work.ids.length : work.emails.length;
		await pool(count, parallel, async (index) => {
			results[index] =
				work.kind === 'read'
					? await request('GET', `/customers/${work.ids[index]}.json`)
					: await request('POST', '/customers.json', {
							customer: { email: work.emails[index], company_name: 'Example' },
						});
		});
		return results.length;
	} finally {
		await connections.close();
	}
};

/** Loads the nodes that are measured. */
export function loadNodes(): void {
	packageNodes();
	httpRequestType();
}

export const ways = {
	platformCustomers,
	wholeRows: ours({ simplify: false }),
	tenExecutions,
	steadily,
	slices,
	httpRequest,
	routing,
	helper,
	undici,
};
export type WayName = keyof typeof ways;
