// The webhook trigger in a workflow, on n8n-core's own contexts for hooks and deliveries.
import { HookContext, WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IWebhookData,
} from 'n8n-workflow';
import { freshNode, packageNodes } from './package.cts';
import { additionalDataOf, nodeOf, workflowOf } from './workflow.cts';

const TYPE = 'platformCustomersTrigger';

let workflows = 0;

/** A request to the webhook, as n8n hands it over: the body unparsed. */
export interface Delivery {
	/** The registered address. */
	url: string;
	/** As n8n's server parses it: `a[b]=c` is an object. Default: that of the URL. */
	query?: unknown;
	method?: string;
	headers?: Record<string, string | string[]>;
	body?: string | Buffer;
	/** Why n8n can't read the body. */
	unreadable?: Error;
}

/** What n8n would answer and start. */
export interface Delivered {
	status: number;
	headers: Record<string, string>;
	/** Whether its body was read. */
	isRead: boolean;
	items: INodeExecutionData[];
}

/** One workflow with the trigger; `staticData` is all that outlives a hook. */
export class TriggerWorkflow {
	staticData: IDataObject = {};

	/** What n8n has saved of it, if that is older: deliveries see this. */
	saved?: IDataObject;

	/** A process remembers what it registers by these. */
	workflowId = `workflow-${++workflows}`;

	nodeId = '1';

	/** Whether the editor listens for a test event. */
	isTest = false;

	/** What its hooks and deliveries have written to n8n's log as warnings. */
	warnings: string[] = [];

	/** The node as the process has it. */
	private type = packageNodes()[TYPE];

	constructor(
		public credential: ICredentialDataDecryptedObject,
		public parameters: INodeParameters = {},
		public baseUrl = 'https://n8n.example.com/webhook',
	) {}

	checkExists = async (): Promise<boolean> => await this.hook('checkExists');

	create = async (): Promise<boolean> => await this.hook('create');

	delete = async (): Promise<boolean> => await this.hook('delete');

	/** Goes on in an n8n that was just started, or in another one of its processes. */
	restart(): void {
		this.type = freshNode(TYPE);
	}

	/** What n8n does to publish: it creates what does not exist. */
	async publish(): Promise<void> {
		if (!(await this.checkExists())) await this.create();
	}

	async deliver({
		url,
		query = Object.fromEntries(new URL(url).searchParams),
		method = 'POST',
		headers = {},
		body = '',
		unreadable,
	}: Delivery): Promise<Delivered> {
		const delivered: Delivered = { status: 200, headers: {}, isRead: false, items: [] };
		const response = {
			status(code: number) {
				delivered.status = code;
				return response;
			},
			setHeader: (name: string, value: string) => void (delivered.headers[name] = value),
			json: () => response,
		};
		const request = {
			method,
			query,
			headers,
			body: {},
			params: {},
			rawBody: undefined as Buffer | undefined,
			readRawBody: async () => {
				delivered.isRead = true;
				if (unreadable) throw unreadable;
				request.rawBody = Buffer.from(body);
			},
		};
		const more = { httpRequest: request, httpResponse: response };
		const { workflow, node, additionalData } = this.parts(more, this.saved);
		const context = new WebhookContext(
			workflow,
			node,
			additionalData,
			'webhook',
			this.webhookData(),
			[],
			null,
		);
		context.logger.warn = (message) => void this.warnings.push(message);
		const { workflowData } = (await this.type.webhook?.call(context)) ?? {};
		return { ...delivered, items: workflowData?.[0] ?? [] };
	}

	private async hook(name: 'checkExists' | 'create' | 'delete'): Promise<boolean> {
		const { workflow, node, additionalData } = this.parts();
		const context = new HookContext(
			workflow,
			node,
			additionalData,
			this.isTest ? 'manual' : 'trigger',
			this.isTest ? 'manual' : 'activate',
			this.webhookData(),
		);
		context.logger.warn = (message) => void this.warnings.push(message);
		const method = this.type.webhookMethods?.default?.[name];
		try {
			return (await method?.call(context)) ?? false;
		} finally {
			// As n8n saves it: what is no JSON is lost.
			this.staticData = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
		}
	}

	private webhookData(): IWebhookData {
		const { description } = packageNodes()[TYPE];
		return {
			httpMethod: 'POST',
			node: 'Trigger',
			path: 'webhook',
			webhookDescription: description.webhooks?.[0],
			workflowId: this.workflowId,
			isTest: this.isTest,
		} as unknown as IWebhookData;
	}

	/** @param more what n8n knows of the request that is delivered */
	private parts(more: object = {}, staticData = this.staticData) {
		const credentials = { platformApi: { id: '1', name: 'Platform API' } };
		const settings = { id: this.nodeId, name: 'Trigger', webhookId: 'a1b2c3', credentials };
		const options = {
			id: this.workflowId,
			name: 'Dunning',
			nodes: [nodeOf(TYPE, this.parameters, settings)],
			active: true,
			staticData: JSON.parse(JSON.stringify(staticData)) as IDataObject,
		};
		const workflow = workflowOf(options);
		const additionalData = additionalDataOf(this.credential, options, {
			webhookBaseUrl: this.baseUrl,
			webhookTestBaseUrl: `${this.baseUrl}-test`,
			...more,
		});
		return { workflow, node: workflow.getNode('Trigger') as INode, additionalData };
	}
}
