// What the pickers of a form offer, asked through n8n-core's own context for the editor.
import { LoadOptionsContext } from 'n8n-core';
import {
	Workflow,
	type ICredentialDataDecryptedObject,
	type INode,
	type INodeListSearchResult,
	type INodeParameters,
	type INodePropertyOptions,
	type IWorkflowExecuteAdditionalData,
	type ResourceMapperFields,
} from 'n8n-workflow';
import type { Sandbox } from '../../sandbox/index.cts';
import { table, type TableEntry } from '../../table/operations.cts';
import { HostCredentials } from './credentials.cts';
import { packageNodes } from './package.cts';
import { credentialOf } from './run.cts';

function contextOf(
	type: string,
	parameters: INodeParameters,
	credential: ICredentialDataDecryptedObject,
) {
	const node: INode = {
		id: '1',
		name: 'Node',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { platformApi: { id: '1', name: 'Platform API' } },
	};
	const find = (name: string) => packageNodes()[name];
	const workflow = new Workflow({
		id: 'workflow',
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
	});
	const additionalData = {
		credentialsHelper: new HostCredentials(credential),
		currentNodeParameters: parameters,
	} as unknown as IWorkflowExecuteAdditionalData;
	return new LoadOptionsContext(workflow, node, additionalData, '');
}

/** A form that offers a list: its node, and what is chosen there. */
export function formOf(name: string): { node: string; chosen: INodeParameters } {
	const offers = ({ operation }: TableEntry) =>
		new RegExp(`"(searchListMethod|loadOptionsMethod)":"${name}"`).test(
			JSON.stringify(operation.fields ?? []),
		);
	const entry = table.find(offers);
	if (!entry) throw new Error(`No form offers ${name}`);
	const { node: type, resource, operation } = entry;
	return { node: type, chosen: { resource: resource.value, operation: operation.value } };
}

/** The choices of a locator, with what the form holds and what the user typed. */
export async function searchList(
	sandbox: Pick<Sandbox, 'baseUrl' | 'key'>,
	node: string,
	list: string,
	parameters: INodeParameters = {},
	filter?: string,
	paginationToken?: string,
	credential = credentialOf(sandbox),
): Promise<INodeListSearchResult> {
	const method = packageNodes()[node].methods?.listSearch?.[list];
	if (!method) throw new Error(`No list ${list}`);
	return await method.call(contextOf(node, parameters, credential), filter, paginationToken);
}

/** The choices of an options field that loads them. */
export async function loadOptions(
	sandbox: Pick<Sandbox, 'baseUrl' | 'key'>,
	node: string,
	list: string,
	parameters: INodeParameters = {},
	credential = credentialOf(sandbox),
): Promise<INodePropertyOptions[]> {
	const method = packageNodes()[node].methods?.loadOptions?.[list];
	if (!method) throw new Error(`No list ${list}`);
	return await method.call(contextOf(node, parameters, credential));
}

/** The fields that a resource mapper shows. */
export async function mapperFields(
	sandbox: Pick<Sandbox, 'baseUrl' | 'key'>,
	node: string,
	method: string,
	parameters: INodeParameters,
	credential = credentialOf(sandbox),
): Promise<ResourceMapperFields> {
	const load = packageNodes()[node].methods?.resourceMapping?.[method];
	if (!load) throw new Error(`No mapping ${method}`);
	return await load.call(contextOf(node, parameters, credential));
}
