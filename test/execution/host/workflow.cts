// A workflow as the host of the tests keeps it, and what n8n knows beside it: built here and nowhere
// else, for executions, hooks, polls, pickers and sub-nodes alike.
import 'reflect-metadata';
import { ExecutionLifecycleHooks } from 'n8n-core';
import {
	Workflow,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeParameters,
	type INodeType,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { HostCredentials } from './credentials.cts';
import './keyStore.cts';
import { packageNodes } from './package.cts';

/** What differs between workflows. */
export interface WorkflowOptions {
	id?: string;
	name?: string;
	nodes: INode[];
	connections?: IConnections;
	/** Node types by name; those of the package by default. */
	types?: Record<string, INodeType>;
	/** Whether it is published. */
	active?: boolean;
	timezone?: string;
	/** What its nodes remember, as it was saved. */
	staticData?: IDataObject;
}

/** A node of the package with the credential. */
export function nodeOf(
	type: string,
	parameters: INodeParameters,
	settings: Partial<INode> = {},
): INode {
	return {
		id: '1',
		name: 'Node',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { platformApi: { id: '1', name: 'Platform API' } },
		...settings,
	};
}

/** The workflow as n8n loads it. */
export function workflowOf({
	id = 'workflow',
	name = 'Workflow',
	nodes,
	connections = {},
	types = packageNodes(),
	active = false,
	timezone = 'UTC',
	staticData,
}: WorkflowOptions): Workflow {
	const find = (name: string): INodeType => {
		const type = types[name];
		if (!type) throw new Error(`No node type ${name}`);
		return type;
	};
	return new Workflow({
		id,
		name,
		nodes,
		connections,
		active,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
		settings: { executionOrder: 'v1', timezone },
		staticData,
	});
}

const HOST = 'http://127.0.0.1';

let executions = 0;

/** What n8n hands to an execution, a hook, a poll or a form beside the workflow. */
export function additionalDataOf(
	credential: ICredentialDataDecryptedObject,
	{ nodes, connections = {} }: WorkflowOptions,
	more: object = {},
): IWorkflowExecuteAdditionalData {
	const hooks = new ExecutionLifecycleHooks('manual', 'execution', {
		id: 'workflow',
		name: 'Workflow',
		active: false,
		isArchived: false,
		activeVersionId: null,
		nodes,
		connections,
		createdAt: new Date(),
		updatedAt: new Date(),
	});
	return {
		credentialsHelper: new HostCredentials(credential),
		hooks,
		executionId: `execution-${++executions}`,
		currentNodeExecutionIndex: 0,
		restApiUrl: `${HOST}/restApiUrl`,
		instanceBaseUrl: `${HOST}/instanceBaseUrl`,
		formWaitingBaseUrl: `${HOST}/formWaitingBaseUrl`,
		webhookBaseUrl: `${HOST}/webhookBaseUrl`,
		webhookWaitingBaseUrl: `${HOST}/webhookWaitingBaseUrl`,
		webhookTestBaseUrl: `${HOST}/webhookTestBaseUrl`,
		variables: {},
		setExecutionStatus: () => undefined,
		sendDataToUI: () => undefined,
		...more,
	} as unknown as IWorkflowExecuteAdditionalData;
}
