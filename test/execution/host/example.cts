// An example as n8n runs it: its own nodes, n8n's, and the mails that come of it. What starts it is given: the items of its trigger,
// or of the nodes that stand for something of the user's own.
import { basename, join } from 'node:path';
import {
	VersionedNodeType,
	type IDataObject,
	type IExecuteResponsePromiseData,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IPinData,
	type IRun,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import manifest from 'n8n-nodes-base/package.json';
import { exampleOf, withoutSlack } from '../../e2e/examples.cts';
import type { MailServer } from '../../n8n/mailServer.cts';
import type { Sandbox } from '../../sandbox/index.cts';
import { DRY } from '../../start/demo.cts';
import { HostCredentials } from './credentials.cts';
import { DataTables } from './dataTable.cts';
import { runWorkflow } from './host.cts';
import { packageNodes } from './package.cts';
import { credentialOf } from './run.cts';

const OWN = 'n8n-nodes-platform-api.';
const BASE = 'n8n-nodes-base.';

/** Node types that were made before, by name and version: some take long to describe themselves. */
const made = new Map<string, INodeType>();

/** A node type of n8n, by its name and version, as n8n finds it: by the list in the package. */
function n8nNode({ type, typeVersion }: Pick<INode, 'type' | 'typeVersion'>): INodeType {
	const known = made.get(`${type} ${typeVersion}`);
	if (known) return known;
	const name = type.replace(BASE, '');
	const file = manifest.n8n.nodes.find(
		(path) => basename(path, '.node.js').toLowerCase() === name.toLowerCase(),
	);
	if (file === undefined) throw new Error(`n8n has no node ${name}`);
	const module = require(join('n8n-nodes-base', file)) as Record<string, new () => INodeType>;
	const node: unknown = new module[basename(file, '.node.js')]();
	const found =
		node instanceof VersionedNodeType ? node.getNodeType(typeVersion) : (node as INodeType);
	made.set(`${type} ${typeVersion}`, found);
	return found;
}

/** The node types of a workflow, by name. */
const typesOf = (nodes: INode[]): Record<string, INodeType> =>
	Object.fromEntries(
		nodes.map((node) => [
			node.type,
			node.type.startsWith(OWN) ? packageNodes()[node.type.replace(OWN, '')] : n8nNode(node),
		]),
	);

/** A node that fails at once, so that it's the button Retry that goes on. */
const withoutRetries = (node: INode): INode => ({
	...node,
	parameters: { ...node.parameters, requests: { retryTime: 0 } },
});

const itemsOf = (rows: IDataObject[]): INodeExecutionData[] => rows.map((json) => ({ json }));

/** One run, as people look at it. */
export interface Ran {
	run: IRun;
	/** Message of the error that ended it. */
	error?: string;
	/** JSON of a node's items: of all its runs, of its first output unless said otherwise. */
	rows(node: string, output?: number): IDataObject[];
	/** The same without what a Retry has from the run before it. */
	newRows(node: string): IDataObject[];
	/** Text of the file on a node's first item. */
	file(node: string): string;
	/** It waits for a webhook, or for a time. */
	isWaiting: boolean;
	/** What it has responded to the webhook that started it. */
	response?: { statusCode: number; body: IDataObject };
}

/** What is given in place of nodes: their items, by name. */
export type Given = Record<string, IDataObject[]>;

export class Example {
	readonly nodes: INode[];

	/** Data tables of the n8n in which it runs. */
	readonly tables = new DataTables();

	/** Is called after each node, with its name: what happens meanwhile. */
	meanwhile: (node?: string) => void = () => {};

	private readonly connections;

	/** Samples that come with it. */
	private readonly samples: IPinData;

	constructor(
		readonly file: string,
		private readonly sandbox: () => Sandbox,
		private readonly mailServer: () => MailServer,
	) {
		const { nodes, connections, pinData = {} } = withoutSlack(exampleOf(file));
		this.nodes = (nodes as INode[])
			.filter(({ type }) => !type.endsWith('.stickyNote'))
			.map((node) => (node.type.startsWith(OWN) ? withoutRetries(node) : node));
		this.connections = connections as never;
		this.samples = pinData as IPinData;
	}

	/** A node of it, for its parameters. */
	node(name: string): INode {
		const found = this.nodes.find((node) => node.name === name);
		if (!found) throw new Error(`${this.file} has no node ${name}`);
		return found;
	}

	/** The JSON of the sample that is pinned to a node. */
	sample(name: string): IDataObject {
		return structuredClone(this.samples[name][0].json);
	}

	/**
	 * Runs it from a trigger, as a published workflow.
	 * @param given items in place of nodes. The first is where it starts
	 */
	async run(given: Given, mode: WorkflowExecuteMode = 'trigger'): Promise<Ran> {
		const pinData = Object.fromEntries(
			Object.entries(given).map(([name, rows]) => [name, itemsOf(rows)]),
		);
		return await this.ran({ start: Object.keys(given)[0], mode, pinData });
	}

	/** Starts a failed run again, as the button Retry does. */
	async retry({ run }: Ran): Promise<Ran> {
		const before = Object.entries(run.data.resultData.runData).map(([name, tasks]) => [
			name,
			tasks.filter(({ error }) => !error).length,
		]);
		return await this.ran(
			{ start: this.nodes[0].name, retryOf: run },
			Object.fromEntries(before) as Record<string, number>,
		);
	}

	/**
	 * Lets a run go on that waits.
	 * @param json what has come for it. Without, its time to wait is over
	 */
	async resume({ run }: Ran, json?: IDataObject): Promise<Ran> {
		const resumes = { run, items: json && itemsOf([json]) };
		return await this.ran({ start: this.nodes[0].name, mode: run.mode, resumes });
	}

	private async ran(
		how: Pick<
			Parameters<typeof runWorkflow>[0],
			'start' | 'mode' | 'pinData' | 'retryOf' | 'resumes'
		>,
		before: Record<string, number> = {},
	): Promise<Ran> {
		let response: Ran['response'];
		const credential = credentialOf(this.sandbox());
		const dry = { ...credential, dryRun: 'on' };
		const smtp = this.mailServer().credential as never;
		const run = await runWorkflow({
			...how,
			id: this.file,
			nodes: this.nodes,
			connections: this.connections,
			types: typesOf(this.nodes),
			credential,
			active: true,
			afterNode: ({ resultData }) => this.meanwhile(resultData.lastNodeExecuted),
			more: {
				credentialsHelper: new HostCredentials(credential, { smtp, [DRY]: dry }),
				...this.tables.more,
				webhookWaitingBaseUrl: 'https://n8n.example.com/webhook-waiting',
			},
			responded: (sent: IExecuteResponsePromiseData) => (response = sent as Ran['response']),
		});
		const { error, runData } = run.data.resultData;
		const outputs = (node: string, output: number, from = 0) =>
			(runData[node] ?? []).slice(from).flatMap(({ data }) => data?.main?.[output] ?? []);
		return {
			run,
			error: error?.message,
			isWaiting: run.status === 'waiting',
			rows: (node, output = 0) => outputs(node, output).map(({ json }) => json),
			newRows: (node) => outputs(node, 0, before[node]).map(({ json }) => json),
			file: (node) =>
				Buffer.from(String(outputs(node, 0)[0].binary?.data.data), 'base64').toString('utf8'),
			response,
		};
	}
}
