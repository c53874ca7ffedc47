// What the pickers of a form offer, asked through n8n-core's own context for the editor.
import { LoadOptionsContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	INodeListSearchResult,
	INodeParameters,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import type { Sandbox } from '../../sandbox/index.cts';
import { table, type TableEntry } from '../../table/operations.cts';
import { packageNodes } from './package.cts';
import { credentialOf } from './run.cts';
import { additionalDataOf, nodeOf, workflowOf } from './workflow.cts';

function contextOf(
	type: string,
	parameters: INodeParameters,
	credential: ICredentialDataDecryptedObject,
) {
	const node = nodeOf(type, parameters);
	const options = { nodes: [node] };
	const additionalData = additionalDataOf(credential, options, {
		currentNodeParameters: parameters,
	});
	return new LoadOptionsContext(workflowOf(options), node, additionalData, '');
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

interface Search {
	/** What the user typed. */
	typed?: string;
	/** Leads to the next page. */
	token?: string;
	credential?: ICredentialDataDecryptedObject;
}

/** The choices of a locator, with what the form holds and what the user typed. */
export async function searchList(
	sandbox: Pick<Sandbox, 'baseUrl' | 'key'>,
	node: string,
	list: string,
	parameters: INodeParameters = {},
	{ typed, token, credential = credentialOf(sandbox) }: Search = {},
): Promise<INodeListSearchResult> {
	const method = packageNodes()[node].methods?.listSearch?.[list];
	if (!method) throw new Error(`No list ${list}`);
	return await method.call(contextOf(node, parameters, credential), typed, token);
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
