// A published workflow's polling trigger on n8n-core's own context, with n8n's rule for its memory:
// saved as JSON when the workflow is published and when a poll gives items, and at no other time.
import { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { Sandbox } from '../../sandbox/index.cts';
import { packageNodes } from './package.cts';
import { credentialOf } from './run.cts';
import { additionalDataOf, nodeOf, workflowOf, type WorkflowOptions } from './workflow.cts';

const TYPE = 'platformPollingTrigger';

let processes = 0;

/** The IDs of what a poll gave. */
export const idsOf = (items: IDataObject[] | null) => items?.map(({ id }) => id);

export class Poller {
	/** What n8n's database holds. */
	private saved = '{}';

	private workflow: Workflow;

	/** Of the workflow: what a process remembers, it remembers by this ID. */
	private id = '';

	/** What its polls have written to n8n's log as warnings. */
	warnings: string[] = [];

	/** What n8n allows a poll, in milliseconds; none before 2.40. */
	budget: number | undefined = 300_000;

	/** Whether Dry Run is on in the credential. */
	dryRun = false;

	constructor(
		public sandbox: Pick<Sandbox, 'baseUrl' | 'key'>,
		public parameters: INodeParameters,
		private readonly typeVersion = 1,
	) {
		this.workflow = this.start();
	}

	/** All that the trigger remembers at the moment, as n8n would save it. */
	get memory(): string {
		return JSON.stringify(this.workflow.staticData);
	}

	/** Publishes the workflow in an n8n that was just started: what was not saved is forgotten. */
	async publish(): Promise<IDataObject[] | null> {
		this.workflow = this.start();
		const items = await this.poll();
		if (this.workflow.staticData.__dataChanged === true) this.saved = this.memory;
		return items;
	}

	/** One poll; the JSON of its items. */
	async poll(
		mode: WorkflowExecuteMode = 'trigger',
		workflow = this.workflow,
	): Promise<IDataObject[] | null> {
		const context = this.context(mode, workflow);
		const output = (await packageNodes()[TYPE].poll?.call(context)) as
			| INodeExecutionData[][]
			| null;
		if (output === null) return null;
		if (mode !== 'manual') this.saved = JSON.stringify(workflow.staticData);
		return output[0].map(({ json }) => json);
	}

	/** What n8n hands to a poll. */
	context(mode: WorkflowExecuteMode = 'trigger', workflow = this.workflow): PollContext {
		const node = workflow.getNode('Trigger') as INode;
		const credential = { ...credentialOf(this.sandbox), dryRun: this.dryRun };
		const additionalData = additionalDataOf(credential, this.options());
		const context = new PollContext(workflow, node, additionalData, mode, 'activate');
		const { budget } = this;
		Object.assign(context, { getPollBudgetMs: budget === undefined ? undefined : () => budget });
		context.logger.warn = (message) => void this.warnings.push(message);
		return context;
	}

	/** What n8n still has, or has again, when it didn't save what polls have learned. */
	forget(memory: string): void {
		this.saved = memory;
		this.workflow = this.load();
	}

	/** One poll as n8n's scheduler does it, with a memory of its own, read from the database. */
	async pollApart(): Promise<IDataObject[] | null> {
		return await this.poll('trigger', this.load());
	}

	private start(): Workflow {
		this.id = `workflow-${++processes}`;
		return this.load();
	}

	private load(): Workflow {
		return workflowOf(this.options());
	}

	private options(): WorkflowOptions {
		const credentials = { platformApi: { id: '1', name: 'Platform API' } };
		return {
			id: this.id,
			nodes: [
				nodeOf(TYPE, this.parameters, {
					name: 'Trigger',
					typeVersion: this.typeVersion,
					credentials,
				}),
			],
			active: true,
			staticData: JSON.parse(this.saved) as IDataObject,
		};
	}
}
