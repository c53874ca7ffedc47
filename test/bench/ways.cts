// The ways of doing the work: this package, what a user of n8n would use in its place, and how fast n8n can be at all. Runs in a process that n8n-modules.cts was preloaded into.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INodeType, IVersionedNodeType } from 'n8n-workflow';
import { runNode, type RunOptions, type RunResult } from '../execution/host/host.cts';
import { packageNodes } from '../execution/host/package.cts';
import { httpRequestForm, platformCustomersForm } from './forms.cts';
import { HelperNode } from './helperNode.cts';
import type { Service, Way, Work } from './work.cts';

const fromN8n = createRequire(join(__dirname, '../n8n/package.json'));

function itemsOf(work: Work): Array<Record<string, string>> {
	if (work.kind === 'list') return [{}];
	if (work.kind === 'read') return work.ids.map((id) => ({ id }));
	if (work.kind === 'create') return work.emails.map((email) => ({ email }));
	return work.companies.map((company, index) => ({ externalId: `crm-${index + 1}`, company }));
}

/** Runs one node over the items of the work. */
async function run(
	{ baseUrl, apiKey }: Service,
	work: Work,
	options: Pick<RunOptions, 'node' | 'parameters' | 'settings' | 'types'>,
): Promise<RunResult> {
	const items = itemsOf(work);
	const result = await runNode({ ...options, credential: { baseUrl, apiKey }, items });
	if (result.error) throw result.error;
	if (result.hints.length > 0) throw new Error(result.hints.join('; '));
	return result;
}

const platformCustomers: Way = async (work, service, parallel) => {
	const requests = parallel === undefined ? {} : { maxParallel: parallel };
	const { items } = await run(service, work, {
		node: 'platformCustomers',
		parameters: { ...platformCustomersForm(work.kind), requests },
	});
	return items.length;
};

/** Create or Update that sends each record, as it did before it compared. */
const sendingAll: Way = async (work, service) => {
	const { items } = await run(service, work, {
		node: 'platformCustomers',
		parameters: { ...platformCustomersForm(work.kind), options: { sendUnchanged: true } },
	});
	return items.length;
};

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
	if (work.kind === 'keep') throw new Error('The HTTP Request node keeps nothing in step');
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

const helper: Way = async (work, service, parallel = 1) => {
	const value = '={{ $json.id ?? $json.email }}';
	const { items } = await run(service, work, {
		node: 'helper',
		types: { helper: new HelperNode() },
		parameters: { operation: work.kind, parallel, value },
	});
	return items.length;
};

/** Loads the nodes that are measured. */
export function loadNodes(): void {
	packageNodes();
	httpRequestType();
}

export const ways = {
	platformCustomers,
	tenExecutions,
	steadily,
	sendingAll,
	slices,
	httpRequest,
	helper,
};
export type WayName = keyof typeof ways;
