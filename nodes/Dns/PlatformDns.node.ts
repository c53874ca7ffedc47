// Platform DNS: lookups against several resolvers, side by side.
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { describe, subtitleOf } from '../shared/description';
import { executeOperations } from '../shared/execute';
import { actionHint } from '../shared/hints';
import { methods } from '../shared/pickers';
import { capability } from './capability';
import { lookup } from './lookup';

export const resources = [lookup, capability];

export class PlatformDns implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Platform DNS',
		name: 'platformDns',
		icon: { light: 'file:../../icons/dns.svg', dark: 'file:../../icons/dns.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Look up DNS records at several resolvers and compare the results',
		defaults: { name: 'Platform DNS' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		builderHint: actionHint(
			'platformDns',
			resources,
			'One lookup asks several resolvers and compares them.',
			['platformCompany'],
		),
		properties: describe(resources),
	};

	methods = methods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperations.call(this, resources);
	}
}
