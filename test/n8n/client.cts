// n8n's REST interface as its editor uses it: sign in, credentials, workflows, executions,
// publishing. n8n keeps it for itself, so this holds for the pinned version (see package.json).

import { randomUUID } from 'node:crypto';
import { parse } from 'flatted';
import type {
	IConnections,
	IDataObject,
	INode,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';
import { Agent, fetch } from 'undici';
import { PATIENCE_MS, until } from './until.cts';

export interface Owner {
	email: string;
	firstName: string;
	lastName: string;
	password: string;
}

/** What signs a client in. */
export interface Session {
	cookie: string;
	/** n8n ties a session to the browser that opened it, named by a header. */
	browserId: string;
}

/** A workflow as n8n exports it. */
export interface WorkflowJson {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: Record<string, unknown>;
	pinData?: Record<string, INodeExecutionData[]>;
}

/** A workflow as n8n stores it. */
export interface StoredWorkflow extends WorkflowJson {
	id: string;
	/** Names the saved state of nodes and connections; publishing asks for it. */
	versionId: string;
	active: boolean;
}

export interface StoredCredential {
	id: string;
	name: string;
	type: string;
}

/** A community package as n8n lists it. */
export interface InstalledPackage {
	packageName: string;
	installedVersion: string;
	installedNodes: Array<{ name: string; type: string }>;
	/** A newer version, where the registry has one. */
	updateAvailable?: string;
}

export type ExecutionStatus =
	| 'canceled'
	| 'crashed'
	| 'error'
	| 'new'
	| 'running'
	| 'success'
	| 'unknown'
	| 'waiting';

export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: ExecutionStatus;
	/** What started it: `manual`, `trigger`, `webhook`, ... */
	mode: string;
	/** ISO 8601. */
	startedAt: string;
}

export interface Execution extends ExecutionSummary {
	data: IRunExecutionData;
}

/** How an execution has ended. */
export const outcome = ({ status, data }: Execution) => ({
	status,
	message: data.resultData.error?.message,
});

/** State of a publication: of the workflow and of each of its triggers. */
export interface PublicationStatus {
	status: 'failed' | 'in_progress' | 'not_published' | 'partial' | 'published';
	triggers: Array<{ nodeId: string; status: string; errorMessage: string | null }>;
}

export interface RunOptions {
	/** The trigger to start from; by default the manual trigger, or else the only trigger. */
	trigger?: string;
	/** The item that it gives, in place of what it would wait for. */
	input?: IDataObject;
	/** Milliseconds to wait for the end (`PATIENCE_MS`). */
	timeoutMs?: number;
}

/** An answer of n8n that is not a success. */
class N8nError extends Error {
	constructor(
		request: string,
		readonly status: number,
		readonly answer: string,
	) {
		super(`n8n answered ${request} with ${status}: ${answer.slice(0, 1000)}`);
	}
}

const isUnauthorized = (error: unknown) => error instanceof N8nError && error.status === 401;

const ENDED: ExecutionStatus[] = ['success', 'error', 'crashed', 'canceled'];

export class N8nClient {
	private readonly browserId: string;

	readonly dispatcher: Agent;

	private cookie: string;

	/**
	 * @param url address of n8n, without a path.
	 * @param ca certificate (PEM) to trust besides the well-known ones, for an n8n behind TLS.
	 * @param session of a client that is signed in already.
	 */
	constructor(
		readonly url: string,
		ca?: string,
		session: Session = { cookie: '', browserId: randomUUID() },
	) {
		// A connection for each request: n8n closes idle ones, and a busy process that has not seen it
		// yet would send its next request into one of them.
		this.dispatcher = new Agent({ connect: { ca }, pipelining: 0 });
		this.browserId = session.browserId;
		this.cookie = session.cookie;
	}

	/** For a browser, or another client, that is to be signed in too. */
	get session(): Session {
		return { cookie: this.cookie, browserId: this.browserId };
	}

	/**
	 * One request to n8n's REST interface.
	 * @param path what follows `/rest`, with its slash.
	 * @returns the `data` of the answer.
	 * @throws N8nError on any other status than 2xx.
	 */
	async rest<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
		const response = await fetch(`${this.url}/rest${path}`, {
			method,
			dispatcher: this.dispatcher,
			headers: {
				'browser-id': this.browserId,
				...(this.cookie && { cookie: this.cookie }),
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const session = response.headers.getSetCookie().find((line) => line.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0];
		const text = await response.text();
		if (!response.ok) throw new N8nError(`${method} ${path}`, response.status, text);
		return (JSON.parse(text || '{}') as { data: T }).data;
	}

	/** Whether n8n answers REST requests yet: it serves its health page before. */
	async ready(): Promise<boolean> {
		return await this.rest('GET', '/login').then(() => true, isUnauthorized);
	}

	/** Whether a process without REST, a webhook process or a worker, has all that it needs. */
	async healthy(): Promise<boolean> {
		return await fetch(`${this.url}/healthz/readiness`, { dispatcher: this.dispatcher }).then(
			({ ok }) => ok,
			() => false,
		);
	}

	/** Signs in as the owner, setting the owner up first on a fresh n8n. */
	async signIn(owner: Owner): Promise<void> {
		const { email, password } = owner;
		await this.rest('POST', '/login', { emailOrLdapLoginId: email, password }).catch(
			async (error: unknown) => {
				if (!isUnauthorized(error)) throw error;
				await this.rest('POST', '/owner/setup', owner);
			},
		);
	}

	async credentials(): Promise<StoredCredential[]> {
		return await this.rest('GET', '/credentials');
	}

	async createCredential(
		type: string,
		name: string,
		data: Record<string, unknown>,
	): Promise<StoredCredential> {
		return await this.rest('POST', '/credentials', { type, name, data });
	}

	async updateCredential(
		{ id, type, name }: StoredCredential,
		data: Record<string, unknown>,
	): Promise<StoredCredential> {
		return await this.rest('PATCH', `/credentials/${id}`, { type, name, data });
	}

	/** What the editor's credential dialog says of a stored credential. */
	async testCredential(id: string): Promise<{ status: 'Error' | 'OK'; message: string }> {
		const credentials = await this.rest('GET', `/credentials/${id}?includeData=true`);
		return await this.rest('POST', '/credentials/test', { credentials });
	}

	/** A key for n8n's public API. */
	async createApiKey(label: string, scopes: string[]): Promise<string> {
		const body = { label, scopes, expiresAt: null };
		return (await this.rest<{ rawApiKey: string }>('POST', '/api-keys', body)).rawApiKey;
	}

	/** Installs a community package as the page 'Community nodes' does; without a version the newest. */
	async installPackage(name: string, version?: string): Promise<InstalledPackage> {
		return await this.rest('POST', '/community-packages', { name, version });
	}

	/** Replaces an installed package by another version of it, newer or older. */
	async updatePackage(name: string, version?: string): Promise<InstalledPackage> {
		return await this.rest('PATCH', '/community-packages', { name, version });
	}

	async uninstallPackage(name: string): Promise<void> {
		await this.rest('DELETE', `/community-packages?name=${encodeURIComponent(name)}`);
	}

	async installedPackages(): Promise<InstalledPackage[]> {
		return await this.rest('GET', '/community-packages');
	}

	async workflows(): Promise<Array<{ id: string; name: string; active: boolean }>> {
		return await this.rest('GET', '/workflows');
	}

	async workflow(id: string): Promise<StoredWorkflow> {
		return await this.rest('GET', `/workflows/${id}`);
	}

	/**
	 * Stores a workflow as new, as the editor's 'Import from file' does.
	 * @param credentials a node gets the one of its name and type, else the last of its type.
	 */
	async importWorkflow(
		workflow: WorkflowJson,
		credentials: StoredCredential[] = [],
	): Promise<StoredWorkflow> {
		const { name, connections, settings, pinData } = workflow;
		const nodes = workflow.nodes.map((node) => prepareNode(node, credentials));
		return await this.rest('POST', '/workflows', { name, nodes, connections, settings, pinData });
	}

	/** Saves a changed workflow, without publishing the change. */
	async updateWorkflow(id: string, change: Partial<WorkflowJson>): Promise<StoredWorkflow> {
		const { versionId } = await this.workflow(id);
		return await this.rest('PATCH', `/workflows/${id}`, { ...change, versionId });
	}

	/**
	 * Executes a workflow as the editor's 'Execute workflow' does and waits for its end.
	 * @returns the execution whatever its status; the items are in it (see `itemsOf`).
	 * @throws when the workflow waits for a webhook call instead of starting (see `listen`).
	 */
	async runWorkflow(id: string, options: RunOptions = {}): Promise<Execution> {
		return await this.waitForExecution(await this.startWorkflow(id, options), options.timeoutMs);
	}

	/** Starts an execution without waiting for its end. */
	async startWorkflow(id: string, options: RunOptions = {}): Promise<string> {
		const started = await this.startManually(id, options);
		if (!started.executionId) throw new Error('The workflow waits for a test webhook call.');
		return started.executionId;
	}

	/** Makes a webhook trigger listen for one test event, as the editor does. */
	async listen(id: string, options: RunOptions = {}): Promise<void> {
		const started = await this.startManually(id, options);
		if (!started.waitingForWebhook) throw new Error('The workflow has started without waiting.');
	}

	/** Ends a test listening early; n8n withdraws the test webhook soon after its answer. */
	async stopListening(id: string): Promise<void> {
		await this.rest('DELETE', `/test-webhook/${id}`);
	}

	/**
	 * Presses Retry in the list of executions, and waits for the end of the execution that comes of it.
	 * @param withSaved 'with currently saved workflow'; else with the original one
	 */
	async retryExecution(id: string, withSaved = false): Promise<Execution> {
		const { workflowId } = await this.execution(id);
		const known = new Set((await this.executions({ workflowId })).map((each) => each.id));
		await this.rest('POST', `/executions/${id}/retry`, { loadWorkflow: withSaved });
		const started = await until('the retried execution', async () =>
			(await this.executions({ workflowId })).find((each) => !known.has(each.id)),
		);
		return await this.waitForExecution(started.id);
	}

	async stopExecution(id: string): Promise<void> {
		await this.rest('POST', `/executions/${id}/stop`);
	}

	/**
	 * All executions that n8n has kept, newest first, without their data; of those that have not
	 * ended yet, the newest 100.
	 */
	async executions(
		filter: { workflowId?: string; status?: ExecutionStatus[] } = {},
	): Promise<ExecutionSummary[]> {
		const all: ExecutionSummary[] = [];
		const query = new URLSearchParams({ filter: JSON.stringify(filter), limit: '100' });
		for (;;) {
			const page = await this.rest<{ results: ExecutionSummary[]; nextCursor: string | null }>(
				'GET',
				`/executions?${query}`,
			);
			all.push(...page.results);
			if (!page.nextCursor) return all;
			query.set('cursor', page.nextCursor);
		}
	}

	/** How many executions of a workflow have ended; n8n only counts exactly on SQLite. */
	async countEnded(workflowId: string): Promise<number> {
		const filter = { workflowId, status: ENDED };
		const query = new URLSearchParams({ filter: JSON.stringify(filter), limit: '1' });
		return (await this.rest<{ count: number }>('GET', `/executions?${query}`)).count;
	}

	/** One execution with its data, finished or not. */
	async execution(id: string): Promise<Execution> {
		const execution = await this.rest<ExecutionSummary & { data: string }>(
			'GET',
			`/executions/${id}`,
		);
		return { ...execution, data: parse(execution.data) as IRunExecutionData };
	}

	/** Waits for an execution's end. */
	async waitForExecution(id: string, timeoutMs = PATIENCE_MS): Promise<Execution> {
		return await until(
			`the end of execution ${id}`,
			async () => {
				const execution = await this.execution(id).catch((error: unknown) => {
					// An older n8n cannot show an execution that has not begun.
					if (error instanceof N8nError && error.status === 500) return undefined;
					throw error;
				});
				return execution && ENDED.includes(execution.status) ? execution : undefined;
			},
			timeoutMs,
		);
	}

	/**
	 * Waits until a workflow has at least `count` finished executions and reads them, newest first;
	 * for hundreds of them, `countEnded` is cheaper.
	 * @param newest read so many only
	 */
	async waitForExecutions(
		workflowId: string,
		count: number,
		{ timeoutMs = PATIENCE_MS, newest = Infinity } = {},
	): Promise<Execution[]> {
		let all: ExecutionSummary[] = [];
		const what = () => `${count} executions beside ${all.map(({ status }) => status).join()}`;
		const finished = await until(
			what,
			async () => {
				all = await this.executions({ workflowId });
				const ended = all.filter(({ status }) => ENDED.includes(status));
				return ended.length >= count && ended;
			},
			timeoutMs,
		);
		const wanted = finished.slice(0, newest);
		return await Promise.all(wanted.map(async ({ id }) => await this.execution(id)));
	}

	/**
	 * Publishes the saved state of a workflow and waits until n8n has registered its triggers.
	 * @throws with the triggers' own messages when they could not be registered.
	 */
	async activate(id: string, timeoutMs = PATIENCE_MS): Promise<PublicationStatus> {
		const { versionId } = await this.workflow(id);
		await this.rest('POST', `/workflows/${id}/activate`, { versionId });
		const publication = await this.waitForPublication(id, timeoutMs);
		if (publication.status !== 'published') {
			const reasons = publication.triggers.map(({ errorMessage }) => errorMessage);
			throw new Error(`Publishing ended as '${publication.status}': ${reasons.join('; ')}`);
		}
		return publication;
	}

	/** Unpublishes a workflow and waits until n8n has done with its triggers. */
	async deactivate(id: string, timeoutMs = PATIENCE_MS): Promise<PublicationStatus> {
		await this.rest('POST', `/workflows/${id}/deactivate`, {});
		return await this.waitForPublication(id, timeoutMs);
	}

	/** Waits for the end of a publication or its withdrawal under way. */
	async waitForPublication(id: string, timeoutMs = PATIENCE_MS): Promise<PublicationStatus> {
		return await until(
			`the publication of workflow ${id}`,
			async () => {
				const publication = await this.publicationStatus(id);
				return publication.status === 'in_progress' ? undefined : publication;
			},
			timeoutMs,
		);
	}

	async publicationStatus(id: string): Promise<PublicationStatus> {
		try {
			return await this.rest('GET', `/workflows/${id}/publication-status`);
		} catch (error) {
			// Without the publication service, or in an n8n that knows none, activation is done when its
			// request is answered.
			const without = /not available|Cannot GET/;
			if (!(error instanceof N8nError && without.test(error.answer))) throw error;
			const { active } = await this.workflow(id);
			return { status: active ? 'published' : 'not_published', triggers: [] };
		}
	}

	async close(): Promise<void> {
		await this.dispatcher.destroy();
	}

	private async startManually(
		id: string,
		{ trigger, input }: RunOptions,
	): Promise<{ executionId?: string; waitingForWebhook?: boolean }> {
		const data = input && {
			...{ startTime: 0, executionTime: 0, executionIndex: 0, source: [] },
			data: { main: [[{ json: input }]] },
		};
		const name = trigger ?? findTrigger(await this.workflow(id));
		const triggerToStartFrom = { name, data };
		return await this.rest('POST', `/workflows/${id}/run`, { triggerToStartFrom });
	}
}

/** The items of a node's last run, from one of its outputs. */
export function itemsOf(execution: Execution, node: string, output = 0): INodeExecutionData[] {
	const run = execution.data.resultData.runData[node]?.at(-1);
	return run?.data?.main[output] ?? [];
}

/** Ids that n8n's editor gives to pasted nodes, and the credentials of this n8n. */
function prepareNode(node: INode, credentials: StoredCredential[]): INode {
	const prepared: INode = { ...node, id: node.id ?? randomUUID() };
	if (/webhook|trigger/i.test(node.type)) prepared.webhookId = node.webhookId ?? randomUUID();
	for (const [type, wanted] of Object.entries(node.credentials ?? {})) {
		const ofType = credentials.filter((each) => each.type === type);
		const given = ofType.find(({ name }) => name === wanted.name) ?? ofType.at(-1);
		if (!given) continue;
		const { id, name } = given;
		prepared.credentials = { ...prepared.credentials, [type]: { id, name } };
	}
	return prepared;
}

function findTrigger({ nodes }: WorkflowJson): string {
	const enabled = nodes.filter(({ disabled }) => !disabled);
	const manual = enabled.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
	if (manual) return manual.name;
	const triggers = enabled.filter(({ type }) => /trigger$|\.webhook$/i.test(type));
	if (triggers.length !== 1) {
		throw new Error(`Name the trigger to start from: the workflow has ${triggers.length}.`);
	}
	return triggers[0].name;
}
