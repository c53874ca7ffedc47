// The nodes in a real n8n, with its database: there each request of most ways also reads and decrypts
// the credential.
import {
	itemsOf,
	type N8nClient,
	type StoredCredential,
	type WorkflowJson,
} from '../n8n/client.cts';
import { startN8n } from '../n8n/instance.cts';
import { rowOf, start } from '../n8n/parts.cts';
import {
	httpRequestForm,
	PAGE_SIZE,
	platformCustomersForm,
	type Kind as AnyKind,
} from './forms.cts';
import { withServer, type Server } from './processes.cts';
import { goal, median, seconds, table, times, type Section } from './report.cts';

type Kind = Exclude<AnyKind, 'keep'>;

/** Customers of the server, and items of the workflows. */
const CUSTOMERS = 10_000;
const READS = 1000;
const CREATES = 500;

const ITEMS: Record<Kind, string> = {
	list: 'return [{ json: {} }];',
	read: `return Array.from({ length: ${READS} }, (_, n) => ({ json: { id: "cus-" + (100001 + n) } }));`,
	create: `return Array.from({ length: ${CREATES} }, (_, n) => ({ json: { email: $execution.id + "-" + n + "@example.com" } }));`,
};

const NODES = {
	'Platform Customers': {
		type: 'n8n-nodes-platform-api.platformCustomers',
		version: 1,
		form: platformCustomersForm,
		results: { list: CUSTOMERS, read: READS, create: CREATES },
	},
	'HTTP Request': {
		type: 'n8n-nodes-base.httpRequest',
		version: 4.2,
		form: httpRequestForm,
		// One item for each page.
		results: { list: CUSTOMERS / PAGE_SIZE, read: READS, create: CREATES },
	},
};

type NodeName = keyof typeof NODES;

const names = Object.keys(NODES) as NodeName[];

/** A workflow of one node that does the work. */
function workflowOf(name: NodeName, kind: Kind, baseUrl: string): WorkflowJson {
	const { type, version, form } = NODES[name];
	const items = { jsCode: ITEMS[kind] };
	return rowOf(
		`${name}: ${kind}`,
		start,
		{ name: 'Items', type: 'n8n-nodes-base.code', version: 2, parameters: items },
		{ name: 'Work', type, version, parameters: form(kind, baseUrl), credential: 'platformApi' },
	);
}

/** Milliseconds of the node, as n8n counts them: medians of rounds in turn. */
async function timesOf(
	client: N8nClient,
	credential: StoredCredential,
	server: Server,
	kind: Kind,
	rounds: number,
): Promise<number[]> {
	const workflows = await Promise.all(
		names.map(
			async (name) =>
				await client.importWorkflow(workflowOf(name, kind, server.service.baseUrl), [credential]),
		),
	);
	const measured: number[][] = names.map(() => []);
	for (let round = -1; round < rounds; round++) {
		for (const [index, { id, name }] of workflows.entries()) {
			const execution = await client.runWorkflow(id);
			const results = itemsOf(execution, 'Work').length;
			if (results !== NODES[names[index]].results[kind]) {
				throw new Error(`${name}: ${execution.status}, ${results} items`);
			}
			// The first round warms up.
			const { Work } = execution.data.resultData.runData;
			if (round >= 0) measured[index].push(Work[0].executionTime);
		}
	}
	return measured.map(median);
}

/** Lists, reads and creates in a real n8n, as text. */
export const realN8n: Section = async ({ quick }) => {
	const creates: Array<[number, number]> = [];
	const rows: string[][] = [];
	const n8n = await startN8n();
	try {
		for (const latency of quick ? [0, 20] : [0, 20, 100]) {
			await withServer({ customers: CUSTOMERS, latency }, async (server) => {
				const { baseUrl, apiKey } = server.service;
				const credential = await n8n.client.createCredential('platformApi', `${latency} ms`, {
					baseUrl,
					apiKey,
				});
				const works: Array<[Kind, string]> = [
					// The other node would take long for the others.
					...(latency > 20
						? []
						: ([
								['list', 'Return All of 10,000 rows'],
								['read', '1,000 reads'],
							] satisfies Array<[Kind, string]>)),
					['create', '500 creates'],
				];
				for (const [kind, name] of works) {
					const [ours, theirs] = await timesOf(n8n.client, credential, server, kind, quick ? 1 : 3);
					if (kind === 'create') creates.push([latency, theirs / ours]);
					rows.push([
						`${name}, ${latency} ms`,
						seconds(ours),
						seconds(theirs),
						times(theirs / ours),
					]);
				}
			});
		}
	} finally {
		await n8n.stop();
	}
	return [
		'## In a real n8n',
		table(['', ...names, 'gain'], rows),
		// With more, HTTP Request has an advantage that no service promises to bear: all are in flight at once.
		creates
			.filter(([latency]) => latency <= 20)
			.map(([latency, gain]) =>
				latency === 0
					? goal(
							`creates at least 1.5 times as fast as the HTTP Request node at 0 ms (${times(gain)})`,
							gain,
							{ atLeast: 1.5 },
						)
					: goal(`creates at least as fast at ${latency} ms (${times(gain)})`, gain, {
							atLeast: 1,
						}),
			)
			.join('\n'),
	].join('\n\n');
};
